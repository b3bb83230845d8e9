#include "kernel/ask/ask_cell.h"
#include "kernel/ask/ask_help.h"
#include "kernel/ask/ask_show.h"

void
ask_command_show(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;
    const struct bridge_question question = {&cell->magic, cell->profile, ask->earlier};
    struct error err;
    AUTO(mem) char *text = bridge_show(ask->bridge, &question, &err);

    if (!text) {
        ask_answer_fail(ask, err.text);
        return;
    }
    ask_show_printed(ask, text);
    ask_answer_conclude(ask);
}

static void
on_models(const char *text, void *context)
{
    struct ask *ask = context;

    ask->cell->is_listing = false;
    ask_show_printed(ask, text);
    ask_answer_conclude(ask);
}

static void
list_models(struct ask *ask)
{
    ask->cell->asked = MESSAGE_NONE;
    ask->cell->is_listing = true;
    bridge_models(ask->bridge, on_models, ask);
}

static void
show_help(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;
    AUTO(mem) char *text = magic_help();

    if (cell->wants_help)
        cell->payload = ask_help_page(text);
    else
        ask_show_printed(ask, text);
    ask_answer_conclude(ask);
}

bool
ask_command_run(struct ask *ask)
{
    const struct ask_cell *cell = ask->cell;

    if (cell->wants_help || cell->magic.help)
        show_help(ask);
    else if (cell->magic.models)
        list_models(ask);
    else
        return false;
    return true;
}
