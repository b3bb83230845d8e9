#include "kernel/ask/ask_cell.h"
#include "kernel/ask/ask_help.h"
#include "kernel/ask/ask_show.h"
#include "kernel/kernel.h"

void
ask_command_show(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    const struct bridge_question question = {&cell->magic, cell->profile,
                                             kernel->ask.earlier};
    struct error err;
    AUTO(mem) char *text = bridge_show(kernel->ask.bridge, &question, &err);

    if (!text) {
        ask_answer_fail(kernel, err.text);
        return;
    }
    ask_print(kernel, text);
    ask_answer_conclude(kernel);
}

static void
on_models(const char *text, void *arg)
{
    struct kernel *kernel = arg;

    kernel->ask.cell->is_listing = false;
    ask_print(kernel, text);
    ask_answer_conclude(kernel);
}

static void
list_models(struct kernel *kernel)
{
    kernel->ask.cell->step = STEP_THINKING;
    kernel->ask.cell->is_listing = true;
    bridge_models(kernel->ask.bridge, on_models, kernel);
}

static void
show_help(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    AUTO(mem) char *text = magic_help();

    if (cell->wants_help)
        cell->payload = ask_help_page(text);
    else
        ask_print(kernel, text);
    ask_answer_conclude(kernel);
}

bool
ask_command_run(struct kernel *kernel)
{
    const struct ask_cell *cell = kernel->ask.cell;

    if (cell->wants_help || cell->magic.help)
        show_help(kernel);
    else if (cell->magic.models)
        list_models(kernel);
    else
        return false;
    return true;
}
