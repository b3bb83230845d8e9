"""Attempts that say nothing under gVisor, and why: they are reported as skipped with the reason."""

POD = "sandboxd is in there too and has the cells' user (docs/isolation.md, In a pod)"
NO_SPEC = "there is one sandbox with one set of walls: a spec with other ones is of namespaces"
SECOND = "no two share anything of gVisor's, and a second one would take seconds to start"
KERNEL = "starts a kernel of its own: tests/e2e/test_runsc.py has that"
OWN_PROC = "/proc is gVisor's own: it says nothing of this machine, and sets nothing of it"
OWN_DEV = "/dev is gVisor's own, in its memory: it leads to nothing of this machine"
ZYGOTE = "the zygote is in there: nobody outside speaks to it"

# By function, or by module.
ATTEMPTS = {
    "test_cannot_write_where_the_workspace_is_read_only": NO_SPEC,
    "test_cannot_write_to_a_read_only_mount": NO_SPEC,
    "test_can_keep_a_state_folder": NO_SPEC,
    "test_cannot_change_cellpod_where_it_lies_in_the_workspace": NO_SPEC,
    "test_cannot_write_where_only_landlock_stands": "this gVisor has no Landlock",
    "test_cannot_use_namespaces_where_only_capabilities_are_missing": NO_SPEC,
    "test_can_do_without_a_layer_that_was_waived": NO_SPEC,
    "test_can_do_without_a_user_namespace_when_users_are_waived": NO_SPEC,
    "test_cannot_meet_another_sandbox_on_the_network": SECOND,
    "test_cannot_meet_another_sandbox_in_its_files": SECOND,
    "test_cannot_outlive_the_worker":
        "this gVisor has no subreapers: docs/isolation.md (In a pod) says what lives on",
    "test_cannot_outlive_the_sandbox": KERNEL,
    "test_cannot_trap_cellpods_own_programs": KERNEL,
    "test_cannot_push_a_notebook_out_of_its_protection": SECOND,
    "test_says_so_when_the_rest_of_a_folder_is_read_only": ZYGOTE,
    "test_cannot_mount_a_folder_through_a_symbolic_link": ZYGOTE,
    "test_cannot_mount_over_the_system": ZYGOTE,
    "test_cannot_start_without_the_workspace": ZYGOTE,
    "test_cannot_waive_what_is_no_waivable_layer": ZYGOTE,
    "test_cannot_disturb_the_zygote_by_a_bad_spec": ZYGOTE,
    "test_cannot_start_on_a_python_without_ipython": ZYGOTE,
    "test_cannot_start_where_user_namespaces_are_forbidden": ZYGOTE,
    "test_can_run_a_python_that_links_lead_to": ZYGOTE,
    "test_cannot_set_anything_through_proc[/proc/self/oom_score_adj]": OWN_PROC,
    "test_cannot_set_anything_through_proc[/proc/self/uid_map]": OWN_PROC,
    "test_cannot_set_anything_through_proc[/proc/1/oom_score_adj]": OWN_PROC,
    "test_cannot_read_the_kernels_memory_or_messages": OWN_PROC,
    "test_cannot_write_outside_the_workspace_and_scratch_folders[/dev/new]": OWN_DEV,
    "test_cannot_fill_the_hosts_memory_with_files": NO_SPEC,
    "test_cannot_make_more_processes_than_allowed":
        "this gVisor counts no processes: docs/isolation.md says so",
    "test_cannot_get_capabilities_back_by_becoming_root": "gVisor does not tell the secure bits",
    "test_cannot_outlive_programs_outside_when_memory_ends": OWN_PROC,
    "test_cannot_be_root_outside":
        "numbers of users in there are nobody's outside; the cells have that of the files' owner",
    "test_cannot_make_calls_of_another_architecture":
        "gVisor takes them for calls of this one, which the same filter sees",
    "test_cannot_see_a_device_of_the_machine[fuse]": OWN_DEV,
    "test_cannot_see_a_device_of_the_machine[net/tun]": OWN_DEV,
    "test_cannot_see_a_process_outside": POD,
    "test_cannot_signal_every_process_of_the_users": POD,
    "test_cannot_end_process_1": POD,
    "test_cannot_read_process_1": POD,
    "test_files_api": "has a sandboxd of its own",
    "test_ordinary_work": "no attempts; tests/e2e/test_runsc.py has a cell's ordinary work",
}


def reason_for(item) -> str | None:
    """Of one parameter, of a test, or of its module."""
    _, _, parameter = item.callspec.id.partition("-runsc-")
    names = f"{item.originalname}[{parameter}]", item.originalname, item.path.stem
    return next((ATTEMPTS[name] for name in names if name in ATTEMPTS), None)
