"""Which attempts of tests/security are made in a pod, and why others are not."""

from __future__ import annotations

from types import ModuleType

from security import not_under_runsc

NO_PLACE = "the workspace is the pod's own: no notebook, repository or program of a user lies in it"
TEMPLATE = "a claim over TCP cannot ask for it: the pod's template says it"
READABLE = "gVisor of before 2023 shows the environment of a process that is not dumpable; sandboxd's holds no secret"
NO_OPENAT2 = "gVisor of before 2023 has no openat2: no link is followed, and the refusal is another one"
ONE = "a pod has one sandbox"
KERNEL = "the kernel's work, whatever the sandbox"
LIMITED = "a container has a limit of memory, which the kubelet keeps"

# Modules of which nothing is made.
MODULES = {
    "test_counterparts": "they are of the tests themselves",
    "test_display": KERNEL,
    "test_hoards": LIMITED,
    "test_hostile_output": KERNEL,
    "test_messages": KERNEL,
    "test_network_list": TEMPLATE,
    "test_new_names": NO_PLACE,
    "test_plan": "a pod mounts nothing",
    "test_preload": TEMPLATE,
    "test_provenance": NO_PLACE,
    "test_saves": KERNEL,
    "test_start": "walls that a container gives cannot be refused by sandboxd",
    "test_subshells": KERNEL,
    "test_whole_kernel": "test_image_notebook.py has the whole",
    "test_workspace": NO_PLACE,
}

NOT_IN_A_POD = {
    "test_cannot_list_the_home_but_for_the_workspace": "there is no home of the user's",
    "test_cannot_read_what_system_folders_hold": "they are the image's: test_image_contents.py looks into them",
    "test_cannot_read_the_kernels_memory_or_messages": "some of it is the node's to hide: test_image_walls.py",
    "test_cannot_write_into_a_notebook_or_the_repository": NO_PLACE,
    "test_cannot_add_a_git_hook": NO_PLACE,
    "test_cannot_put_another_file_in_the_place_of_a_protected_one": NO_PLACE,
    "test_cannot_delete_a_notebook": NO_PLACE,
    "test_cannot_reach_a_notebook_by_a_hard_link": NO_PLACE,
    "test_cannot_connect_to_a_socket_in_the_workspace": NO_PLACE,
    "test_cannot_change_what_cells_cannot_change": NO_PLACE,
    "test_cannot_write_where_the_workspace_is_read_only": TEMPLATE,
    "test_cannot_write_to_a_read_only_mount": TEMPLATE,
    "test_cannot_write_to_a_workspace_that_was_claimed_read_only": TEMPLATE,
    "test_cannot_write_where_only_landlock_stands": TEMPLATE,
    "test_cannot_use_namespaces_where_only_capabilities_are_missing": TEMPLATE,
    "test_can_keep_a_state_folder": TEMPLATE,
    "test_cannot_make_more_processes_than_allowed": TEMPLATE,
    "test_cannot_fill_the_hosts_memory_with_files": "volumes have a sizeLimit, which the kubelet keeps",
    "test_cannot_get_capabilities_back_by_becoming_root": "it has no root and no capabilities: test_image_contents.py",
    "test_cannot_outlive_programs_outside_when_memory_ends": "the kubelet says it, by the pod's class",
    "test_cannot_be_root_outside": "it is the container's user: test_image_contents.py",
    "test_cannot_gain_from_a_set_user_id_program": "the image has none: test_image_contents.py",
    "test_cannot_see_an_interface_but_loopback": "a pod has one, and a policy: test_cannot_connect_outwards",
    "test_cannot_see_a_process_outside": "sandboxd is seen: test_image_walls.py",
    "test_cannot_signal_a_process_outside": "sandboxd may be ended: test_image_walls.py",
    "test_cannot_signal_every_process_of_the_users": "sandboxd may be ended: test_image_walls.py",
    "test_cannot_end_process_1": "that is sandboxd: test_image_walls.py",
    "test_cannot_outlive_the_worker": "test_image_kernel.py",
    "test_cannot_outlive_the_sandbox": "the pod ends with it: test_image_kernel.py",
    "test_cannot_meet_another_sandbox_in_its_files": ONE,
    "test_cannot_meet_another_sandbox_on_the_network": ONE + ", and a policy",
    "test_workers_do_not_share_their_chances": ONE,
    "test_a_whole_life": "ends the pod: test_image_kernel.py",
    "test_a_private_workspace_has_files_too": "a pod's is private always",
    "test_an_end_that_comes_with_the_last_bytes_is_seen": "stops sandboxd, which podman runs",
    "test_can_read_the_git_repository": "the image has no git",
    "test_can_use[home]": "it is /tmp/home: test_image_kernel.py",
    "test_can_use[hostname]": "it is the pod's",
}

UNDER_GVISOR = {
    **{name: reason for name, reason in not_under_runsc.ATTEMPTS.items()
       if name not in ("test_files_api", "test_ordinary_work")},  # modules, which a pod can do
    "test_cannot_find_the_servers_environment": READABLE,
    "test_cells_run_charts_come_back_and_workers_are_replaced": "the last of it: what a dead worker started lives on",
    "test_folders_are_listed": NO_OPENAT2,
    "test_cannot_follow_a_link_out": NO_OPENAT2,
    "test_cannot_wait_for_a_fifo_or_wake_its_writer": NO_OPENAT2,
    "test_can_use[a_subprocess]": "gVisor of before 2023 refuses the statx of Debian 12's ls, in any container",
    "test_can_use[terminals]": "gVisor of before 2023: the reader of a terminal is not told of its end",
    "test_a_cell_cannot_reach_beyond_its_folders_or_into_sandboxd": READABLE,
}


def attempts_of(module: ModuleType) -> dict:
    return {name: attempt for name, attempt in vars(module).items() if name.startswith("test_")}


def made(*modules: ModuleType) -> dict:
    return {name: attempt for module in modules for name, attempt in attempts_of(module).items()
            if name not in NOT_IN_A_POD}


def not_made(item) -> str | None:
    """Why this one is not."""
    runtime = item.callspec.params.get("runtime", "") if hasattr(item, "callspec") else ""
    name = item.name.replace(f"[{runtime}]", "").replace(f"[{runtime}-", "[")
    under_gvisor = UNDER_GVISOR.get(name, UNDER_GVISOR.get(item.originalname))
    return NOT_IN_A_POD.get(name) or (under_gvisor if runtime == "runsc" else None)
