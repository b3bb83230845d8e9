/*
 * answers: requests that this kernel answers by itself, whatever its sandbox does
 * (kernel/content/, kernel/archive/outputs_comm.h).
 */
#pragma once

#include "kernel/dispatch.h"

handler_fn answers_kernel_info;
handler_fn answers_connect;
handler_fn answers_usage; /* once sandboxd has said what it knows */
handler_fn answers_outputs_comm;
