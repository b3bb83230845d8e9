/* "help", "what can you do": questions that are ready to be asked of this table. */
#include "bridge/planner/planner_session.h"
#include "bridge/planner/words/python.h"

/* Only that: "help me plot prices" is a question. */
bool
planner_help_is_asked(const struct reading *reading)
{
    bool is_asked = false;

    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];
        bool is_help = item->kind == ITEM_TERM && item->term == TERM_HELP;

        if (!is_help && item->kind != ITEM_STOP && item->kind != ITEM_COMMA &&
            !(item->kind == ITEM_TERM && item->term == TERM_FILLER))
            return false;
        is_asked |= is_help;
    }
    return is_asked;
}

void
planner_help_answer(struct planner_session *s, struct reading *reading)
{
    struct python python = {s->arena, BUFFER_INIT(PYTHON_LIMIT), 0};
    size_t at;
    json_t *question;

    s->draft = draft_make(s->arena, reading);
    const char *frame = s->draft.frame->name;
    planner_alternatives_sure(s);
    python_line(
        &python, "print(%s)",
        python_text(s->arena, planner_session_say(s, "help.lead", frame, NULL)));
    json_array_foreach (s->answer->alternatives, at, question)
        python_line(&python, "print(\"  \", %s)",
                    python_text(s->arena, json_string_value(question)));
    python_line(
        &python, "print(%s)",
        python_text(s->arena, planner_session_say(s, "help.more", frame, NULL)));
    s->answer->confidence = 1;
    free(s->answer->code);
    s->answer->code = python_finish(&python, NULL, 0);
}
