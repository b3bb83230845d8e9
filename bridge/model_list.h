/*
 * models: which providers are configured, can be reached, and what models they have.
 */
#pragma once

#include "bridge/shared.h"

struct models;

void model_list_free(struct models *models); /* cancels */
