/* Where a program has a table's rows from: a variable, a file, or two tables joined. */
#include "bridge/planner/profile/profile.h"

#include "bridge/planner/words/python.h"

static const char *
file_source(struct arena *arena, const struct frame *frame)
{
    static const struct {
        const char *format, *reader;
    } readers[] = {
        {"csv",     "read_csv"    },
        {"tsv",     "read_csv"    },
        {"excel",   "read_excel"  },
        {"parquet", "read_parquet"},
        {"json",    "read_json"   },
    };
    const char *reader = "read_csv", *extra = "";

    for (size_t i = 0; frame->format && i < COUNT_OF(readers); i++)
        if (strcmp(readers[i].format, frame->format) == 0)
            reader = readers[i].reader;
    if (frame->format && strcmp(frame->format, "tsv") == 0)
        extra = ", sep=\"\\t\"";
    else if (frame->sheet)
        extra =
            arena_printf(arena, ", sheet_name=%s", python_text(arena, frame->sheet));
    return arena_printf(arena, "pd.%s(%s%s)", reader,
                        python_text(arena, frame->path ? frame->path : frame->name),
                        extra);
}

static const char *
plain_source(struct arena *arena, const struct frame *frame)
{
    return frame->is_file ? file_source(arena, frame)
                          : python_variable(arena, frame->name);
}

/* The right table without what the left one has, too: `["name", "city"]`. */
static const char *
without_shared(struct arena *arena, const struct frame *frame, const char *right)
{
    const struct join *join = frame->join;
    const char *names = "";

    for (int i = 0; i < join->right->columns; i++) {
        const char *name = join->right->column[i].name;

        if (i != join->right_key && frame_find_column(join->left, name) >= 0)
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                                 python_text(arena, name));
    }
    return *names ? arena_printf(arena, "%s.drop(columns=[%s])", right, names) : right;
}

bool
frame_is_variable(const struct frame *frame)
{
    return !frame->is_file && !frame->join;
}

const char *
frame_source(struct arena *arena, const struct frame *frame)
{
    const struct join *join = frame->join;

    if (!join)
        return plain_source(arena, frame);
    const char *left = join->left->column[join->left_key].name,
               *right = join->right->column[join->right_key].name;
    const char *on =
        strcmp(left, right) == 0
            ? arena_printf(arena, "on=%s", python_text(arena, left))
            : arena_printf(arena, "left_on=%s, right_on=%s", python_text(arena, left),
                           python_text(arena, right));
    return arena_printf(
        arena, "%s.merge(%s, %s, how=\"left\")", plain_source(arena, join->left),
        without_shared(arena, frame, plain_source(arena, join->right)), on);
}
