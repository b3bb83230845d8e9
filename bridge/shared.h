/*
 * shared: what all questions of a process share. For the bridge's own files.
 */
#pragma once

#include "bridge/bridge.h"
#include "bridge/config/config.h"
#include "bridge/models/alarms.h"
#include "bridge/models/token.h"

/* What a server taught us, by provider and model. */
struct learned {
    char *title;
    double factor;       /* real tokens by estimated ones */
    long context_tokens; /* 0: nothing said */
    unsigned downgrades;
    struct learned *next;
};

struct bridge {
    zloop_t *loop;
    struct http_pool *pool;
    struct alarms *alarms;
    struct token *token;
    struct keys *keys;
    char *config_path;
    local_answer_fn *planner;
    struct learned *learned;
    struct bridge_ask *asks;
    struct models *models; /* a listing under way, or NULL */
};

/* Never NULL: a new entry knows nothing. */
struct learned *shared_learned(struct bridge *bridge, const struct endpoint *endpoint);

/* The endpoint for these flags, with what was learned of it. */
struct endpoint *shared_endpoint(struct bridge *bridge, const struct magic *magic,
                                 const struct config *config,
                                 struct error *err) MUST_CHECK;

/* How many tokens a prompt may have. */
long shared_budget(const struct endpoint *endpoint);

int shared_level(const struct magic *magic, const struct config *config);

/* What a model is asked: the question, or the cell that is to be repaired. Owned. */
char *shared_question(const struct bridge_question *question, int level);

/* UTF-8 whatever came. */
char *shared_clean_text(const char *text);
