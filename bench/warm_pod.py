"""Kernel start to first output from a warm pod, beside the same without a pod.

    make bench-warm-pod                ROUNDS=20

The API server is the tests' stand-in; each pod is a sandboxd in a container, started as the template
does and warm before its kernel starts. Without a pod, the sandboxd of this machine is warm, too.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.kernel import DirectKernel, Laboratory, connection_info  # noqa: E402
from support.kube_standin import ApiServer, Cluster  # noqa: E402
from support.kubeconfig import Authority, kubeconfig, write_kubeconfig  # noqa: E402

ROUNDS = int(os.environ.get("ROUNDS") or 20)
TARGET_MS = 500
DEADLINE = 120


def first_output_ms(laboratory, arguments, env) -> float:
    began = time.perf_counter()
    kernel = DirectKernel(laboratory, connection_info(), arguments=arguments, env=env)
    try:
        client = kernel.ready_client()
        msg_id = client.send_execute("print('ran')")
        client.published_for(msg_id, "stream", DEADLINE)
        took = (time.perf_counter() - began) * 1000
        client.finish(msg_id, timeout=DEADLINE)
    finally:
        kernel.close()
    return took


def with_pods(laboratory, folder) -> list[float]:
    authority = Authority(folder)
    certificate = authority.issue("server", "/CN=kube-apiserver", "IP:127.0.0.1,DNS:kubernetes")
    cluster = Cluster(ApiServer(certificate, authority.cert), folder)
    config = write_kubeconfig(
        folder / "config", kubeconfig(cluster.server.url, authority, {"token": "good-token"})
    )
    env = {"KUBECONFIG": str(config), "KUBERNETES_SERVICE_HOST": ""}
    times = []
    try:
        for _ in range(ROUNDS):
            cluster.add_pod()
            times.append(first_output_ms(laboratory, ["--sandbox", "gke"], env))
            cluster.wait_no_claim()
    finally:
        cluster.close()
    return times


def say(what: str, times: list[float]) -> None:
    print(
        f"{what:<40} p50 {statistics.median(times):5.0f} ms, "
        f"{min(times):.0f} to {max(times):.0f} ms, {len(times)} rounds"
    )


def main() -> None:
    laboratory = Laboratory("cellpod")
    try:
        first_output_ms(laboratory, [], {})  # starts the sandboxd
        without = [first_output_ms(laboratory, [], {}) for _ in range(ROUNDS)]
        with tempfile.TemporaryDirectory() as folder:
            within = with_pods(laboratory, Path(folder))
    finally:
        laboratory.close()
    say("kernel start to first output, no pod", without)
    say("kernel start to first output, warm pod", within)
    if statistics.median(within) >= TARGET_MS:
        sys.exit(f"bench-warm-pod: the target is {TARGET_MS} ms")


if __name__ == "__main__":
    main()
