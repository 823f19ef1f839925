// When the process ends, what is recorded is written.
#include <signal.h>

extern void spvsim_leave(void);
extern volatile sig_atomic_t spvsim_forked;

__attribute__((destructor)) static void leave(void) {
	if (!spvsim_forked) {
		spvsim_leave();
	}
}
