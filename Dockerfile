# Two images: `sandbox`, the pod whose cells a kernel runs, and `jupyter`, JupyterLab with the
# kernels.
#
#     docker build --target sandbox -t cellpod-sandbox:dev .
#     docker build --target jupyter -t cellpod-jupyter:dev .
#
# Where packages come through an index or an authority of your own, tell pip so, and no layer
# keeps it: --secret id=pip.conf,src=pip.conf --secret id=ca.pem,src=ca.pem, with
# `cert = /run/secrets/ca.pem` in that pip.conf.
ARG BASE=debian:bookworm-slim

# --- what is built ------------------------------------------------------------------------
FROM ${BASE} AS tools
ENV DEBIAN_FRONTEND=noninteractive
COPY tools/apt-packages.txt /
RUN apt-get -q update \
 && apt-get -qy install --no-install-recommends make python3-venv $(sed '/^#/d; s/ .*//' /apt-packages.txt)

FROM tools AS programs
COPY . /src
RUN make -C /src -j"$(nproc)" install DESTDIR=/installed SANDBOX_PYTHON=/opt/cellpod/bin/python KERNELSPECS=cellpod-gke

# Exact versions, by their hashes, as wheels. Their tests and headers stay behind; bytecode is
# made here, since nothing can write it where it runs.
FROM tools AS cells
COPY requirements/cellpod.txt /
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.pem \
    python3 -m venv /opt/cellpod \
 && /opt/cellpod/bin/pip install -q --no-cache-dir --no-compile --only-binary :all: --require-hashes -r /cellpod.txt \
 && /opt/cellpod/bin/pip uninstall -qy setuptools \
 && find /opt/cellpod/lib -depth \( -type d \( -name tests -o -name __pycache__ -o -name include \) -o -name '*.a' \) -exec rm -r {} + \
 && /opt/cellpod/bin/python -m compileall -q -j0 --invalidation-mode unchecked-hash /opt/cellpod/lib

# ipykernel goes: a kernel that runs cells beside JupyterLab would have its pod's rights. So do, 90 MB together,
# the pages of JupyterHub's own server, which a user's server does not show, and what jedi knows of libraries
# that no code here completes.
FROM tools AS lab
COPY requirements/jupyter.txt /
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf --mount=type=secret,id=ca.pem \
    python3 -m venv /opt/jupyter \
 && /opt/jupyter/bin/pip install -q --no-cache-dir --no-compile --only-binary :all: --require-hashes -r /jupyter.txt \
 && /opt/jupyter/bin/pip uninstall -qy ipykernel debugpy \
 && /opt/jupyter/bin/python -m pip uninstall -qy setuptools pip \
 && rm -r /opt/jupyter/share/jupyterhub/static /opt/jupyter/lib/python3*/site-packages/jedi/third_party \
 && find /opt/jupyter -depth -type d \( -name tests -o -name __pycache__ \) -exec rm -r {} + \
 && /opt/jupyter/bin/python -m compileall -q -j0 --invalidation-mode unchecked-hash /opt/jupyter/lib

# --- what they run on: Debian's libraries, a shell and its tools, Python ------------------------
FROM ${BASE} AS sandbox-system
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get -q update && apt-get -qy install --no-install-recommends \
    ca-certificates libc-ares2 libjansson4 libmicrohttpd12 libpng16-16 libseccomp2 libssl3 procps python3 python3-venv
COPY tools/strip-root /

FROM sandbox-system AS jupyter-system
RUN apt-get -qy install --no-install-recommends libcurl4 libczmq4 libxml2 libyaml-0-2 libzmq5 \
 && install -d -o 10001 -g 10001 /home/jovyan \
 && /strip-root jovyan /home/jovyan

FROM sandbox-system AS sandbox-root
RUN install -d -o 10001 -g 10001 /workspace \
 && /strip-root sandbox /tmp/home

# --- the images ---------------------------------------------------------------------------
# Made of files, not on top of a base: so what was taken away is not in a layer below.
FROM scratch AS sandbox
COPY --from=sandbox-root / /
COPY --from=cells /opt/cellpod /opt/cellpod
COPY --from=programs /installed/usr/local/bin/cellpod-sandboxd /usr/local/bin/
COPY --from=programs /installed/usr/local/lib/cellpod /usr/local/lib/cellpod
COPY --from=programs /installed/usr/local/share/cellpod/worker /usr/local/share/cellpod/worker
COPY LICENSE /usr/local/share/cellpod/
ENV PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/tmp XDG_STATE_HOME=/tmp/state \
    CELLPOD_PYTHON=/opt/cellpod/bin/python
USER 10001:10001
EXPOSE 8888
ENTRYPOINT ["cellpod-sandboxd"]
CMD ["--listen", "tcp:0.0.0.0:8888", "--capacity", "1", "--isolation", "pod", "--claims", "open"]

FROM scratch AS jupyter
COPY --from=jupyter-system / /
COPY --from=cells /opt/cellpod /opt/cellpod
COPY --from=lab /opt/jupyter /opt/jupyter
COPY --from=programs /installed/usr/local /usr/local
COPY LICENSE /usr/local/share/cellpod/
# Which kernels are on offer, and when idle ones end: for `jupyter lab` and for JupyterHub's servers. A kernel
# that ran cells beside JupyterLab, such as ipykernel, would have its pod's token, keys and volume.
COPY deploy/image/jupyter_server_config.json /opt/jupyter/etc/jupyter/
ENV PATH=/opt/jupyter/bin:/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/home/jovyan XDG_CONFIG_HOME=/etc
USER 10001:10001
WORKDIR /home/jovyan
EXPOSE 8889
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--port=8889", "--no-browser"]
