#include "kernel/notice.h"

#include "kernel/kernel.h"

void
notice_tell(struct kernel *kernel, const char *line)
{
    struct execution *execution = &kernel->execution;
    struct slice cell = parent_headers_find(execution->parents, execution->last_cell);

    if (cell.len)
        publish_stderr(&kernel->publisher, line, cell);
    else if (!execution->notice)
        execution->notice = xstrdup(line);
}

void
notice_tell_of_loss(struct kernel *kernel, const char *message)
{
    AUTO(mem) char *text = xasprintf("cellpod: %s\n" NAMES_ARE_GONE "\n", message);

    if (*kernel->execution.last_cell) /* else there were no names */
        notice_tell(kernel, text);
}

void
notice_show(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (!execution->notice || !execution_is_shown(execution))
        return;
    publish_stderr(&kernel->publisher, execution->notice,
                   request_header(execution->request));
    free(TAKE(execution->notice));
}
