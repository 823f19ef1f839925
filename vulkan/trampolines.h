#ifndef SPVSIM_TRAMPOLINES_H
#define SPVSIM_TRAMPOLINES_H

#include <stdint.h>

/* In Go: carries out a command of the table. */
extern uint64_t spvsim_call(uint32_t number, uint64_t *words);

/* The commands' functions, in the order of the table. */
extern void (*const spvsim_commands[])(void);

static inline uint64_t spvsim_float(float f) {
	union { float f; uint32_t bits; } u = {f};
	return u.bits;
}

#endif
