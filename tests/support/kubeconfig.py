"""Certificates and kubeconfig files for tests."""

import subprocess
from pathlib import Path

import yaml


class Authority:
    """A certificate authority, and what it has signed. Made by openssl."""

    def __init__(self, folder: Path, name: str = "test-ca"):
        self.folder = folder
        self.cert, self.key = folder / f"{name}.crt", folder / f"{name}.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                      "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout",
                      self.key, "-out", self.cert, "-subj", f"/CN={name}",
                      "-addext", "basicConstraints=critical,CA:TRUE",
                      "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def _openssl(self, *arguments) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def issue(self, name: str, subject: str, names: str = "IP:127.0.0.1",
              usage: str = "serverAuth,clientAuth") -> tuple[Path, Path]:
        cert, key, request = (self.folder / f"{name}.{kind}" for kind in ("crt", "key", "csr"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\nextendedKeyUsage={usage}\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                      "-nodes", "-keyout", key, "-out", request, "-subj", subject)
        self._openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key,
                      "-CAcreateserial", "-days", "2", "-out", cert, "-extfile", extensions)
        return cert, key


def kubeconfig(server: str, authority: Authority | None = None, user: dict | None = None,
               namespace: str = "lab", **cluster) -> dict:
    if authority is not None:
        cluster["certificate-authority"] = str(authority.cert)
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": server, **cluster}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "tester",
                                                  "namespace": namespace}}],
        "users": [{"name": "tester", "user": {} if user is None else user}],
    }


def write_kubeconfig(path: Path, content: dict) -> Path:
    path.write_text(yaml.safe_dump(content))
    path.chmod(0o600)
    return path
