/*
 * archive_answer: what an archive's thread answers to those who ask and to those who
 * follow a cell. Each is put behind keeper->answers.
 */
#pragma once

#include "kernel/archive/archive_keeper.h"

void archive_answer_show(struct archive_keeper *keeper,
                         const struct archive_order *order);
void archive_answer_list(struct archive_keeper *keeper,
                         const struct archive_order *order);

/* To a follower of this cell. */
void archive_answer_more(struct archive_keeper *keeper, const struct archive_cell *cell,
                         unsigned ticket, const struct archive_record *record);
void archive_answer_end(struct archive_keeper *keeper, const struct archive_cell *cell,
                        unsigned ticket);
