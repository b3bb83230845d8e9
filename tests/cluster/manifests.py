"""What kustomize makes of deploy/gke, and the schemas that a cluster would hold it against."""

from __future__ import annotations

import copy
import functools
import shutil
import subprocess
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy" / "gke"
CRDS = Path(__file__).parent / "crds"
OVERLAYS = sorted(path.parent.name for path in DEPLOY.glob("overlays/*/kustomization.yaml")
                  if path.parent.name != "jupyterhub")  # which is laid out otherwise: test_hub_manifests.py
DATA = sorted(path.parent.name for path in DEPLOY.glob("components/data/*/kustomization.yaml"))
COMPONENTS = sorted(path.parent.name for path in DEPLOY.glob("components/*/kustomization.yaml"))
KUBERNETES = "1.34"  # what GKE's regular channel runs
KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1"


def kustomize() -> list[str] | None:
    """The command that builds a folder: kubectl's where it knows components, else Go's."""
    if shutil.which("kubectl"):
        version = subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True)
        if "Kustomize Version: v5" in version.stdout:
            return ["kubectl", "kustomize"]
    if shutil.which("go"):
        return ["go", "run", KUSTOMIZE, "build"]
    return None


def build(folder: Path) -> list[dict]:
    command = [*kustomize(), "--load-restrictor", "LoadRestrictionsNone", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def relative(folder: Path, name: str) -> str:
    """A folder of deploy/gke, for a kustomization elsewhere."""
    return "../" * (len(folder.parts) - 1) + str(DEPLOY / name).lstrip("/")


def filled(document: dict, person: str) -> dict:
    """As cellpod_hub.py fills in overlays/jupyterhub/person."""
    return yaml.safe_load(yaml.safe_dump(document).replace("$(person)", person).replace("$(hub)", "jupyterhub"))


def title(document: dict) -> str:
    return f"{document['kind']}/{document['metadata']['name']}"


def pod_of(document: dict) -> dict | None:
    """The pod specification in an object, if it makes pods."""
    spec = document.get("spec", {})
    template = spec.get("podTemplate") or spec.get("template") or {}
    return template.get("spec")


def containers_of(pod: dict) -> list[dict]:
    return pod["containers"] + pod.get("initContainers", [])


@functools.cache
def custom_schemas() -> dict[tuple[str, str], dict]:
    """(apiVersion, kind): JSON schema, from upstream's definitions. Unknown fields are errors."""
    schemas = {}
    for path in CRDS.glob("*.yaml"):
        definition = yaml.safe_load(path.read_text())["spec"]
        for version in definition["versions"]:
            key = f"{definition['group']}/{version['name']}", definition["names"]["kind"]
            schemas[key] = strict(copy.deepcopy(version["schema"]["openAPIV3Schema"]))
    return schemas


def strict(schema: dict) -> dict:
    """As an API server with strict field validation reads a structural schema."""
    properties = schema.get("properties")
    if properties is not None:
        for inner in properties.values():
            strict(inner)
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            strict(schema[key])
    if schema.get("x-kubernetes-int-or-string"):
        schema.pop("type", None)
    return schema


def validate(document: dict) -> str:
    """Raises where a cluster would refuse the object. Says by whose schema it was judged."""
    key = document["apiVersion"], document["kind"]
    if key in custom_schemas():
        body = {name: value for name, value in document.items()}
        schema = custom_schemas()[key]
        schema["properties"]["metadata"] = {"type": "object"}
        jsonschema.Draft202012Validator(schema).validate(body)
        return "custom resource"
    if key[0].startswith(("monitoring.googleapis.com/", "networking.gke.io/")):
        return "Google's, whose schema is not published for tools"
    kubernetes_validate.validate(document, KUBERNETES, strict=True)
    return "Kubernetes"
