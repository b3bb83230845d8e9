/* connect: answers connect_request with the ports. Deprecated, but some clients still
 * send it. */
#pragma once

#include "kernel/dispatch.h"

handler_fn connect_handle;
