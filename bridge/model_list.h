/*
 * models: which providers are configured, can be reached, and what models they have.
 */
#pragma once

#include "bridge/shared.h"

struct models;

void models_free(struct models *models); /* cancels */
