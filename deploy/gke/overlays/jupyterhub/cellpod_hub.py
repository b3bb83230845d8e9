"""JupyterHub's part of cellpod: each person's sandboxes are in a namespace of that person.

The Hub loads this file (values.yaml, hub.extraFiles). Before a server starts it applies person/, as
`kubectl kustomize` made it, with the person's name filled in; the server's service account may handle
claims there and nowhere else. While the server runs, one pod of the chosen size is kept warm there.
"""

import os
from pathlib import Path

import yaml
from kubernetes_asyncio.client.exceptions import ApiException
from kubespawner.clients import load_config, shared_client
from kubespawner.slugs import safe_slug

MANIFESTS = Path(os.environ.get("CELLPOD_PERSON", "/usr/local/etc/cellpod/person.yaml"))
HUB = os.environ.get("POD_NAMESPACE", "jupyterhub")
WARM = 1
# The slug of a choice, and its pool. The first is what a person gets who does not choose.
SIZES = {
    "usual": ("cellpod", "Usual: up to 2 processors, 4 GiB for each notebook"),
    "large": ("cellpod-large", "Large: up to 8 processors, 16 GiB for each notebook"),
}
USUAL = next(iter(SIZES))
POOL_PATH = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{space}/sandboxwarmpools/{pool}"
PLURALS = {"NetworkPolicy": "networkpolicies"}  # of the other kinds: lower case, with an s
NOT_NAMESPACED = {"Namespace"}


def person_of(spawner):
    """What stands for the user in names and labels. Two users never share one."""
    return safe_slug(spawner.user.name, max_length=48)


def account_of(spawner):
    return f"cellpod-user-{person_of(spawner)}"


def filled(value, person):
    """A manifest, with its two blanks filled."""
    if isinstance(value, dict):
        return {key: filled(inner, person) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, person) for inner in value]
    if isinstance(value, str):
        return value.replace("$(person)", person).replace("$(hub)", HUB)
    return value


def path_of(document):
    group = document["apiVersion"]
    kind, metadata = document["kind"], document["metadata"]
    plural = PLURALS.get(kind, kind.lower() + "s")
    within = "" if kind in NOT_NAMESPACED else f"/namespaces/{metadata['namespace']}"
    root = f"/apis/{group}" if "/" in group else f"/api/{group}"
    return f"{root}{within}/{plural}/{metadata['name']}"


async def patch(path, body, content_type, **query):
    load_config()
    client = shared_client("CoreV1Api").api_client
    await client.call_api(
        path,
        "PATCH",
        query_params=list(query.items()),
        body=body,
        auth_settings=["BearerToken"],
        header_params={"Content-Type": content_type, "Accept": "application/json"},
        _request_timeout=30,
        response_types_map={},
    )


async def apply(document):
    await patch(
        path_of(document),
        document,
        "application/apply-patch+yaml",
        fieldManager="cellpod-hub",
        force="true",
    )


def size_of(spawner):
    chosen = (spawner.user_options or {}).get("profile")
    return SIZES[chosen if chosen in SIZES else USUAL]


async def make_space(spawner):
    """Before a server starts."""
    person, (pool, _) = person_of(spawner), size_of(spawner)
    for document in filled(list(yaml.safe_load_all(MANIFESTS.read_text())), person):
        if document["kind"] == "SandboxWarmPool" and document["metadata"]["name"] == pool:
            document["spec"]["replicas"] = WARM
        await apply(document)
    spawner.environment = {
        **spawner.environment,
        "CELLPOD_GKE_NAMESPACE": account_of(spawner),
        "CELLPOD_GKE_POOL": pool,
    }
    if spawner.has_trait("service_account"):
        spawner.service_account = account_of(spawner)
        spawner.automount_service_account_token = True
        spawner.extra_labels = {
            **spawner.extra_labels,
            "cellpod.dev/role": "notebooks",
            "cellpod.dev/person": person,
        }


async def let_cool(spawner):
    """After a server has stopped: nothing is kept warm for nobody."""
    for pool, _ in SIZES.values():
        try:
            await patch(
                POOL_PATH.format(space=account_of(spawner), pool=pool),
                {"spec": {"replicas": 0}},
                "application/merge-patch+json",
                fieldManager="cellpod-hub",
            )
        except ApiException as error:
            spawner.log.warning(
                "cellpod: pool %s of %s stays as it is: %s", pool, spawner.user.name, error.reason
            )


c = get_config()  # noqa: F821
c.Spawner.pre_spawn_hook = make_space
c.Spawner.post_stop_hook = let_cool
c.KubeSpawner.delete_grace_period = 60  # for kernels to give their claims back
c.KubeSpawner.profile_list = [
    {"slug": slug, "display_name": title, "default": slug == USUAL, "kubespawner_override": {}}
    for slug, (_, title) in SIZES.items()
]
c.KubeSpawner.container_security_context = {
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
