// When the process ends, what is recorded is written.
extern void spvsim_leave(void);

__attribute__((destructor)) static void leave(void) { spvsim_leave(); }
