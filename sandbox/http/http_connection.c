#include "sandbox/http/http_connection.h"

void
http_resume(struct http_request *request)
{
    if (!request->suspended)
        return;
    request->suspended = false;
    request->service->must_run = true;
    MHD_resume_connection(request->connection);
}

void
http_suspend(struct http_request *request)
{
    request->suspended = true;
    MHD_suspend_connection(request->connection);
}
