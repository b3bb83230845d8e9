/*
 * walls: `cellpod doctor --walls` prints what stands between a cell and this machine,
 * from the tables that the sandbox itself is built from.
 */
#pragma once

/* On stdout. Tries nothing: `cellpod doctor` does. */
void walls_print(void);
