#include "bridge/config/config_parts.h"

const struct builtin config_builtins[] = {
    {
     .name = "openai",
     .api = "chat",
     .base_url = "https://api.openai.com/v1",
     .base_env = "OPENAI_BASE_URL",
     .key_env = {"OPENAI_API_KEY"},
     .needs_key = true,
     .token_field = "max_completion_tokens",
     },
    {
     .name = "openai-responses",
     .api = "responses",
     .base_url = "https://api.openai.com/v1",
     .base_env = "OPENAI_BASE_URL",
     .key_env = {"OPENAI_API_KEY"},
     .needs_key = true,
     },
    {
     .name = "anthropic",
     .api = "anthropic",
     .base_url = "https://api.anthropic.com",
     .base_env = "ANTHROPIC_BASE_URL",
     .key_env = {"ANTHROPIC_API_KEY"},
     .needs_key = true,
     },
    {
     .name = "gemini",
     .api = "gemini",
     .base_url = "https://generativelanguage.googleapis.com/v1beta",
     .base_env = "GEMINI_BASE_URL",
     .key_env = {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
     .needs_key = true,
     },
    {
     .name = "vertex",
     .api = "vertex",
     .base_url = "", /* by location */
        .base_env = "VERTEX_BASE_URL",
     },
    {
     .name = "ollama",
     .api = "chat",
     .base_url = "http://127.0.0.1:11434/v1",
     .base_env = "OLLAMA_BASE_URL",
     .token_field = "max_tokens",
     },
    {
     .name = "local",
     .api = "chat",
     .base_url = "http://127.0.0.1:8080/v1",
     .base_env = "CELLPOD_BASE_URL",
     .key_env = {"CELLPOD_API_KEY"},
     .token_field = "max_tokens",
     },
    {.name = "planner",                      .api = "planner", .base_url = ""},
    {.name = NULL                                            },
};

const struct builtin *
config_find_builtin(const char *name)
{
    for (const struct builtin *b = config_builtins; b->name; b++)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}
