/*
 * notice: what a user is told that no cell has asked for.
 *
 * While nothing runs, no client waits for an answer: it is shown in the last cell,
 * where a person looks, or else in the next.
 */
#pragma once

struct kernel;

void notice_tell(struct kernel *kernel, const char *line); /* ends with a newline */
/* Worker or sandbox has ended while nothing ran. */
void notice_tell_of_loss(struct kernel *kernel, const char *message);
/* What waits for a cell, in the one that there is now. */
void notice_show(struct kernel *kernel);
