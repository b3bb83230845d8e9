"""What sandboxes name is loaded into the process that forks all of them: only site-packages are."""

import json

from support.zygote_client import Zygote

from .counterparts import works_where_it_may

GOOD = "tqdm"
SEEN = """
import json, sys
held = sys.modules["cellpod.shelf"].holds
print(json.dumps([n for n in {names!r} if held(n) or n in sys.modules]))
"""


def loaded(zygote: Zygote, user, names: list[str]) -> list[str]:
    """As a new sandbox finds it, once the last name was tried."""
    order = {"type": "preload", "names": [*names, GOOD], "memory_mb": 256}
    zygote.channel.send(json.dumps(order).encode())
    while True:
        with zygote.spawn(zygote.spec(user.workspace)) as sandbox:
            sandbox.start()
            seen = json.loads(sandbox.run(SEEN.format(names=[*names, GOOD])).stdout)
        if GOOD in seen:
            return seen


def test_cannot_have_a_module_of_its_own_loaded_outside(user):
    """It lies in the notebook's folder, in the user's home, or is named by a path."""
    for folder in (user.workspace, user.home):
        user.write(folder / "chosen.py", "open('/tmp/cellpod-was-loaded', 'w')")
    names = ["chosen", "../chosen", str(user.workspace / "chosen"), "antigravity", "os.path"]
    with Zygote(uid=user.uid) as zygote:
        seen = loaded(zygote, user, names)
    works_where_it_may(GOOD in seen)
    assert "chosen" not in seen and "antigravity" not in seen
    assert not [name for name in seen if "/" in name]
