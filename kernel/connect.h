/* connect: connect_request, deprecated, still asked: the ports. */
#pragma once

#include "kernel/dispatch.h"

handler_fn connect_handle;
