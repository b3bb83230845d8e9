"""Whatever is said to be impossible is also seen to work: where its wall is waived, or outside of a
sandbox. What cannot work anywhere proves nothing by being stopped.

The ledger notes what each attempt printed. A test whose name has "cannot" fails when an attempt of it
was stopped in one place and reached its aim in none. A proof that does not use
attempts.py calls `works_where_it_may`. What is left is in the tables below, by function.
"""

from __future__ import annotations

import os

# Where another test shows it: that one.
ELSEWHERE: dict[str, str] = {
    "test_a_sandbox_cannot_take_more_than_its_share":
        "security/test_hoards.py::test_it_takes_more_where_it_may",
    "test_cannot_outlast_its_timeout_by_not_listening":
        "security/test_execute_api.py::test_cannot_run_longer_than_its_timeout",
    "test_cannot_write_to_a_workspace_that_was_claimed_read_only":
        "security/test_files_api.py::test_a_file_goes_in_and_comes_out",
    "test_cannot_forge_an_event_where_no_client_has_a_debugger":
        "e2e/test_debugger.py::test_a_cell_stops_is_looked_at_and_goes_on",
    **dict.fromkeys(
        ["test_cannot_reach_this_machines_loopback_by_a_listed_name",
         "test_cannot_reach_an_address_that_is_not_public_by_a_listed_name",
         "test_cannot_hide_a_host_in_odd_spelling"],
        "security/test_network_list.py::test_a_listed_name_leads_to_a_listed_address"),
    **dict.fromkeys(
        ["test_cannot_reach_the_metadata_server_by_its_address", "test_cannot_confuse_the_proxy",
         "test_cannot_hold_the_daemon_up"],
        "security/test_network_list.py::test_programs_find_the_way_to_a_listed_host"),
    "test_cannot_fill_the_daemons_memory":
        "security/test_network_list.py::test_both_ways_end_apart",
    **dict.fromkeys(
        ["test_cannot_send_a_script_by_a_module_and_a_dead_worker",
         "test_cannot_send_a_script_by_a_module_and_a_restart",
         "test_cannot_send_a_script_by_a_module_from_one_pod_to_the_next",
         "test_cannot_send_a_script_by_a_module_that_it_writes_after_the_question",
         "test_cannot_send_a_script_by_the_output_that_is_shown_again",
         "test_cannot_send_a_script_to_the_kernel_that_takes_the_session_over",
         "test_cannot_use_the_kernel_of_another_notebook_in_the_folder"],
        "security/test_provenance.py::test_the_users_own_code_is_as_before"),
    "test_cannot_trust_itself":
        "security/test_provenance.py::test_the_user_says_that_it_is_trusted",
    **dict.fromkeys(
        ["test_a_cell_cannot_ask_for_what_cannot_be",
         "test_a_cell_cannot_go_back_to_what_is_not_there",
         "test_a_cell_cannot_keep_sandboxd_busy_with_lists",
         "test_a_cell_cannot_leave_more_than_a_few_words_for_a_checkpoint",
         "test_a_cell_cannot_name_a_number_that_it_does_not_have"],
        "e2e/test_undo.py::test_back_and_forth"),
    **dict.fromkeys(
        ["test_a_cell_cannot_choose_another_sandboxs_process_for_its_heir",
         "test_a_cell_cannot_make_sandboxd_keep_more_than_it_lends"],
        "e2e/test_saves.py::test_the_variables_are_those_from_before_the_cell"),
    **dict.fromkeys(
        ["test_cannot_send_html_as_another_language", "test_cannot_speak_for_a_cell_of_the_users",
         "test_cannot_send_a_script_from_any_cell_where_all_are_reduced"],
        "security/test_display.py::test_cannot_send_a_script_in_html"),
    "test_cannot_outlive_the_sandbox": "security/test_processes.py::test_cannot_outlive_the_worker",
}

# Where nothing can: why.
NOWHERE: dict[str, str] = {
    "test_cannot_hang_the_profile_by_a_pipe":
        "whoever opens the pipe waits for ever, and there is no moment at which that is seen",
    "test_cannot_make_x32_calls": "hardly any kernel has them any more: it answers as the filter does",
}


class Ledger:
    """Of one test."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.stopped: set[str] = set()
        self.reached: set[str] = set()
        self.shown = False

    def noted(self, attempt: str, printed: str) -> str:
        (self.stopped if "STOPPED" in printed else self.reached).add(attempt)
        return printed

    def works_where_it_may(self, condition: object) -> None:
        assert condition, "it does not work where it may, so that it was stopped says nothing"
        self.shown = True

    def unproven(self) -> str:
        """What a test that has passed leaves open."""
        if missing := self.stopped - self.reached:
            return "stopped, and nowhere seen to work:\n" + "\n".join(missing)
        return "" if self.shown or self.stopped else "nothing here is seen to work"


ledger = Ledger()
works_where_it_may = ledger.works_where_it_may


def check_test(name: str) -> None:
    """After one that has passed. Only root can show what takes privileges."""
    if "cannot" in name and name not in ELSEWHERE and name not in NOWHERE and os.getuid() == 0:
        assert not ledger.unproven(), f"{ledger.unproven()}\nSee tests/security/counterparts.py."
