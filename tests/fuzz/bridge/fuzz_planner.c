/*
 * fuzz: a question on the first line, a profile after it, a previous plan after a line
 * of three dashes. Answers have code or a message, and code has no character that
 * hides.
 */
#include <assert.h>

#include "bridge/planner/planner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fallback[] =
    "{\"frames\":[{\"name\":\"cars\",\"rows\":300,\"columns\":["
    "{\"name\":\"Model\",\"kind\":\"text\",\"unique\":300},"
    "{\"name\":\"Origin\",\"kind\":\"text\",\"unique\":3,\"values\":[\"USA\",\"Japan\"]"
    "},"
    "{\"name\":\"Year\",\"kind\":\"number\",\"min\":70,\"max\":82,\"unique\":13},"
    "{\"name\":\"built_on\",\"kind\":\"date\",\"unique\":200},"
    "{\"name\":\"MPG\",\"kind\":\"number\",\"dtype\":\"float64\",\"unique\":100}]}]}";

static struct lexicon *english;

/* Our own text, not an input's: its steps are not counted. */
__attribute__((constructor)) static void
load_english(void)
{
    struct error err;

    english = lexicon_load("bridge/planner/lexicon/en.txt", &err);
    assert(english);
}

static struct slice
cut(struct slice *rest, const char *mark)
{
    const char *found = memmem(rest->data, rest->len, mark, strlen(mark));
    struct slice head = {rest->data, found ? (size_t)(found - rest->data) : rest->len};
    size_t used = head.len + (found ? strlen(mark) : 0);

    *rest = (struct slice){rest->data + used, rest->len - used};
    return head;
}

static void
check(const struct planner_answer *answer)
{
    assert(answer->confidence >= 0 && answer->confidence <= 1);
    assert((answer->outcome == PLANNER_ANSWERED) == (*answer->code != '\0'));
    assert((answer->outcome == PLANNER_ANSWERED) == (*answer->message == '\0'));
    assert(json_is_object(answer->plan) || answer->outcome == PLANNER_REFUSED);
    for (const char *at = answer->code; *at; at++)
        assert(*at == '\n' || (unsigned char)*at >= ' ');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = {(const char *)data, size};
    struct slice question = cut(&rest, "\n"), profile = cut(&rest, "\n---\n");
    json_t *json = json_loadb(profile.data, profile.len, 0, NULL);
    json_t *previous = json_loadb(rest.data, rest.len, 0, NULL);
    struct planner_answer answer = {0};
    struct error err;

    if (!json_is_object(json)) {
        json_decref(json);
        json = json_loads(fallback, 0, NULL);
    }
    struct planner_request request = {english, question, json, previous};
    if (planner_answer(&answer, &request, &err) == 0)
        check(&answer);
    planner_answer_release(&answer);
    json_decref(json);
    json_decref(previous);
    return 0;
}
