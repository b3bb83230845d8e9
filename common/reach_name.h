/*
 * reach_name: the sockets in the runtime folder on which kernels tell `cellpod cp' how
 * to reach their sandboxes: reach-PID.sock.
 */
#pragma once

#define REACH_PREFIX "reach-"
#define REACH_SUFFIX ".sock"
