/*
 * python: Python source, written so that no text of the data becomes code.
 *
 * Every name and value goes through python_text or python_number; there is no other way
 * for them into a program. Comments and labels are built of the same literals.
 */
#pragma once

#include "bridge/planner/words/arena.h"
#include "common/buffer.h"

/* A string literal, quotes included: printable text as it is, the rest escaped. */
char *python_text(struct arena *arena, const char *text);
/* The same for text that matplotlib shows, where "$" would start a formula. */
char *python_label(struct arena *arena, const char *text);
char *python_number(struct arena *arena, double number);

/* An expression for the user's variable `name`; never anything else, whatever the name.
 * It is marked as the user's until python_finish(). */
char *python_variable(struct arena *arena, const char *name);
/* Whether a program can name it: not when it hides a builtin that programs use. */
bool python_may_name(const char *name);
/* Whether it is a name that code can have as it stands: ASCII, and not a keyword. */
bool python_is_name(const char *name);

/* A program that grows line by line. */
struct python {
    struct arena *arena;
    struct buffer text;
    unsigned depth;
};

#define PYTHON_LIMIT KIB(64)

void python_line(struct python *python, const char *fmt, ...) PRINTF(2, 3);
/* One comment line; line breaks and unprintable characters become spaces. */
void python_comment(struct python *python, const char *text);
void python_blank(struct python *python);

/* The program, the caller's to free. Its own variables give way to the user's `taken`:
 * where he has a frame called `data`, the program's `data` becomes `data_`. */
char *python_finish(struct python *python, const char *const *taken, size_t count);
