"""Files: what code in a cell cannot read, and what it cannot change."""

import os
import stat

import pytest

from support.zygote_client import LIMITS

from .bare import IN_OWN_MOUNTS
from .conftest import SECRET
from .counterparts import works_where_it_may


def test_cannot_read_a_file_of_the_home(user, cell):
    attempt = "print(open(path).read())"
    for name in (".ssh/id_ed25519", "diary.txt"):
        path = str(user.home / name)
        assert SECRET in user.runs(attempt, path=path)
        assert cell.runs(attempt, path=path) == "STOPPED ENOENT"


def test_cannot_list_the_home_but_for_the_workspace(user, cell):
    attempt = "print(os.listdir(home))"
    works_where_it_may(".ssh" in user.runs(attempt, home=str(user.home)))
    seen = cell.runs(attempt, home=str(user.home))
    assert seen in ("['notebooks']\nREACHED", "STOPPED ENOENT")


def test_cannot_leave_the_workspace_by_a_symbolic_link(user, cell):
    attempt = """
    if not os.path.islink("way-out"):
        os.symlink("../.ssh/id_ed25519", "way-out")
    print(open("way-out").read())
    """
    assert SECRET in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED ENOENT"
    (user.workspace / "way-out").unlink()


def test_cannot_leave_the_workspace_by_dots(user, cell):
    attempt = 'print(open("../" * depth + path).read())'
    values = {"depth": 20, "path": str(user.home / "diary.txt").lstrip("/")}
    assert SECRET in user.runs(attempt, **values)
    assert cell.runs(attempt, **values) == "STOPPED ENOENT"


def test_cannot_find_a_secret_anywhere(user, cell):
    """Every file that can be opened, looked through; but not the system and Python itself."""
    attempt = """
found, looked_at = [], 0
skipped = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/proc", "/sys", "/dev",
           sys.prefix, sys.base_prefix}
for folder, folders, files in os.walk(%r):
    folders[:] = [f for f in folders if os.path.join(folder, f) not in skipped]
    for name in files:
        try:
            if Path(folder, name).is_fifo():
                continue
            text = Path(folder, name).read_bytes()
        except OSError:
            continue
        looked_at += 1
        if b"%s" in text:
            found.append(os.path.join(folder, name))
print(looked_at, found)
"""
    works_where_it_may("/.ssh/id_ed25519" in user.runs(attempt % (str(user.home), SECRET)))
    looked_at, found = cell.prints(attempt % ("/", SECRET)).split(" ", 1)
    assert int(looked_at) > 20 and found == "[]"


def test_cannot_read_what_system_folders_hold(cell, bare):
    """Nothing of the host's /etc that names people or passwords, no logs, no sockets."""
    bare.reaches("os.stat(path)", path="/etc/shadow")
    for path in ("/etc/shadow", "/etc/sudoers", "/etc/ssh", "/etc/ssl/private", "/etc/fstab",
                 "/etc/resolv.conf", "/etc/machine-id", "/var/log", "/var/lib/dpkg",
                 "/run/systemd", "/run/docker.sock", "/root/.bashrc", "/boot", "/mnt/x"):
        assert cell.runs("os.stat(path)", path=path) == "STOPPED ENOENT", path


def test_cannot_read_the_hosts_users(user, cell):
    attempt = "import pwd; print([p.pw_name for p in pwd.getpwall()])"
    works_where_it_may("'www-data'" in user.runs(attempt))
    names = cell.prints(attempt)
    assert names in ("['root', 'sandbox', 'nobody']", "[]")


@pytest.mark.parametrize("path", ["analysis.ipynb", "sub/other.ipynb", ".git/config"])
def test_cannot_write_into_a_notebook_or_the_repository(user, cell, path):
    attempt = 'open(path, "a").close()'
    assert "REACHED" in user.runs(attempt, path=path)
    assert cell.runs(attempt, path=path) == "STOPPED EROFS"


def test_cannot_add_a_git_hook(user, cell):
    attempt = 'open(".git/hooks/pre-commit", "w").close(); os.unlink(".git/hooks/pre-commit")'
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EROFS"


@pytest.mark.parametrize("path", ["analysis.ipynb", ".git"])
def test_cannot_put_another_file_in_the_place_of_a_protected_one(user, cell, path):
    attempt = """
    os.rename(path, "moved")
    os.rename("moved", path)
    """
    assert "REACHED" in user.runs(attempt, path=path)
    assert cell.runs(attempt, path=path) == "STOPPED EBUSY"


def test_cannot_delete_a_notebook(user, cell):
    attempt = "os.unlink(path)"
    spare = user.write(user.workspace / "spare.ipynb")
    assert "REACHED" in user.runs(attempt, path=str(spare))
    assert cell.runs(attempt, path="analysis.ipynb") == "STOPPED EBUSY"


def test_cannot_reach_a_notebook_by_a_hard_link(user, cell):
    attempt = 'os.link("analysis.ipynb", "alias"); os.unlink("alias")'
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) in ("STOPPED EXDEV", "STOPPED EACCES")


def test_cannot_change_python_itself(cell, bare):
    attempt = 'path = os.path.join(folder, "evil.py"); open(path, "w").close(); os.unlink(path)'
    bare.reaches(attempt, folder=os.path.dirname(os.__file__))
    for folder in cell.prints("print('\\n'.join(p for p in sys.path if p[:1] == '/'))").split():
        if cell.prints(f"print(os.path.isdir({folder!r}))") == "True":
            assert cell.runs(attempt, folder=folder) in ("STOPPED EROFS", "STOPPED EACCES"), folder


def test_cannot_write_where_the_workspace_is_read_only(user, spawn):
    attempt = 'open("new", "w").close(); os.unlink("new")'
    assert "REACHED" in user.runs(attempt)
    cell = spawn(workspace={"path": str(user.workspace), "mode": "ro"})
    assert cell.runs(attempt) == "STOPPED EROFS"


def test_cannot_write_to_a_read_only_mount(user, spawn):
    extra = user.home / "extra"
    if not extra.exists():
        user.folder(extra)
    mount = {"source": str(extra), "target": str(extra), "mode": "ro"}
    attempt = 'open(os.path.join(folder, "new"), "w").close()'
    cell = spawn(mounts=[mount])
    assert cell.runs(attempt, folder=str(extra)) == "STOPPED EROFS"
    cell = spawn(mounts=[mount | {"mode": "rw"}])
    assert cell.runs(attempt, folder=str(extra)) == "REACHED"


@pytest.mark.parametrize("path", ["/new", "/etc/new", "/usr/new", "/usr/bin/new", "/opt/new",
                                  "/home/new", "/var/new", "/dev/new", "/run/new",
                                  "/proc/new", "/sys/new"])
def test_cannot_write_outside_the_workspace_and_scratch_folders(user, cell, path):
    attempt = 'open(path, "w").close()'
    assert "REACHED" in user.runs(attempt, path=str(user.workspace / "data.csv"))
    user.write(user.workspace / "data.csv", "a,b\n1,2\n")
    answer = cell.runs(attempt, path=path)
    assert answer in ("STOPPED EROFS", "STOPPED EACCES", "STOPPED ENOENT", "STOPPED EPERM")


@pytest.mark.parametrize("path", [
    "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
    "/proc/self/oom_score_adj", "/proc/self/uid_map", "/proc/sys/vm/drop_caches",
    "/proc/1/oom_score_adj", "/proc/irq/default_smp_affinity"])
def test_cannot_set_anything_through_proc(cell, bare, path):
    attempt = 'os.close(os.open(path, os.O_WRONLY))'
    there = path if os.path.exists(path) else "/proc/sys/kernel/core_pattern"
    bare.reaches(attempt, path=there)
    answer = cell.runs(attempt, path=path)
    assert answer in ("STOPPED EROFS", "STOPPED EACCES", "STOPPED ENOENT", "STOPPED EPERM")


def test_cannot_read_the_kernels_memory_or_messages(cell, bare):
    attempt = """
    if not open(path, "rb").read(64):
        raise OSError(errno.ENODATA, path)
    """
    for path in ("/proc/kcore", "/proc/kallsyms", "/proc/cmdline"):
        if os.path.exists(path):
            bare.reaches(attempt, path=path)
    for path in ("/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/proc/keys",
                 "/proc/timer_list", "/proc/cmdline", "/proc/vmallocinfo"):
        answer = cell.runs(attempt, path=path)
        assert answer in ("STOPPED ENODATA", "STOPPED ENOENT", "STOPPED EACCES"), path


@pytest.mark.parametrize("name", ["mem", "kmsg", "vda", "sda", "nvme0n1", "fuse", "net/tun", "kvm",
                                  "loop-control"])
def test_cannot_see_a_device_of_the_machine(cell, bare, name):
    attempt = "os.stat('/dev/' + name)"
    bare.reaches(attempt, name=name if os.path.exists(f"/dev/{name}") else "null")
    assert cell.runs(attempt, name=name) == "STOPPED ENOENT"


def test_cannot_make_a_device(cell, bare):
    attempt = "os.mknod(path, kind | 0o600, os.makedev(1, 3))"
    for kind in (stat.S_IFBLK, stat.S_IFCHR):
        bare.reaches(attempt, kind=kind, path="disk")
        assert cell.runs(attempt, kind=kind, path="/tmp/disk") == "STOPPED EPERM"


def test_cannot_get_back_to_the_hosts_root(user, cell):
    path = str(user.home / "diary.txt")
    assert "REACHED" in user.runs("open(root + path)", root="/proc/self/root", path=path)
    for root in ("/proc/self/root", "/proc/1/root", "/proc/1/cwd/../../../../.."):
        answer = cell.runs("open(root + path)", root=root, path=path)
        assert answer in ("STOPPED ENOENT", "STOPPED EACCES"), root


def test_cannot_mount_or_unmount(cell, filter_alone):
    for attempt in ('call("mount", b"none", b"/tmp", b"tmpfs", 0, 0)',
                    'call("mount", b"", b"/usr", b"", 0x1020, 0)',
                    'call("umount2", b"/proc/kcore", 2)',
                    'call("umount2", os.fsencode(os.path.abspath("analysis.ipynb")), 2)',
                    'call("pivot_root", b".", b".")', 'call("chroot", b"/tmp")',
                    'call("open_tree", -100, b"/", 1)', 'call("fsopen", b"tmpfs", 0)',
                    'call("move_mount", -100, b"/tmp", -100, b"/opt", 0)',
                    'call("mount_setattr", -100, b"/", 0, b"x" * 32, 32)'):
        filter_alone.stops(attempt, first=IN_OWN_MOUNTS)
        assert cell.runs(attempt) == "STOPPED EPERM", attempt


def test_cannot_open_a_file_by_its_handle(cell, filter_alone):
    attempt = """
    handle = struct.pack("Ii", 8, 1) + struct.pack("II", 2, 0)
    call("open_by_handle_at", os.open("/usr", os.O_RDONLY), handle, 0)
    """
    filter_alone.stops(attempt)
    assert cell.runs(attempt) == "STOPPED EPERM"


def test_cannot_connect_to_a_socket_in_the_workspace(user, cell):
    attempt = "socket.socket(socket.AF_UNIX).connect('agent.sock')"
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EACCES"


def test_cannot_fill_the_hosts_memory_with_files(spawn, zygote):
    limits = {"memory_mb": None, "pids": 64, "nofile": 256, "tmp_mb": 16, "is_metered": False}
    attempt = """
    for folder in ("/tmp", "/dev/shm", "/home/sandbox", "/var/tmp"):
        with open(os.path.join(folder, "big"), "wb") as file:
            for _ in range(6):
                file.write(bytes(1 << 20))
    """
    many = "for n in range(20000): open(f'/tmp/{n}', 'w').close()"
    for hoard in (attempt, many):
        assert spawn(limits=limits).runs(hoard) == "STOPPED ENOSPC"
        assert spawn(limits=limits | {"tmp_mb": 256}).runs(hoard) == "REACHED"


def test_cannot_fill_the_hosts_memory_with_shared_memory(user, cell, spawn):
    attempt = """
    try:
        with open("/dev/shm/big", "wb") as file:
            for _ in range(300):
                file.write(bytes(1 << 20))
    finally:
        os.unlink("/dev/shm/big")
    """
    assert cell.runs(attempt) == "STOPPED ENOSPC"
    if user.chooses_walls:
        assert spawn(limits=LIMITS | {"tmp_mb": 400}).runs(attempt) == "REACHED"


def test_cannot_use_files_without_a_file_system_to_pass_the_limit(user, cell, spawn):
    for attempt in ('call("memfd_create", b"x", 0)', 'call("shmget", 0, 1 << 20, 0o1600)'):
        assert cell.runs(attempt) == "STOPPED EPERM"
        if user.chooses_walls:
            assert spawn(waive=["seccomp"]).runs(attempt) == "REACHED"
