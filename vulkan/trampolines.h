#ifndef SPVSIM_TRAMPOLINES_H
#define SPVSIM_TRAMPOLINES_H

#include <stdint.h>

/* In Go: carries out a command of the table. */
extern uint64_t spvsim_call(uint32_t number, uint64_t *words);

/* VK_ERROR_DEVICE_LOST. */
#define SPVSIM_LOST ((uint64_t)-4)

/* In C: the same, unless this process was forked from one that has the driver: then it says otherwise. */
extern uint64_t spvsim_command(uint32_t number, uint64_t *words, uint64_t otherwise);

/* The commands' functions, in the order of the table. */
extern void (*const spvsim_commands[])(void);

static inline uint64_t spvsim_float(float f) {
	union { float f; uint32_t bits; } u = {f};
	return u.bits;
}

#endif
