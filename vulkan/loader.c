/* What the loader asks of a driver (LoaderDriverInterface.md of Vulkan-Loader, interface version 5). */

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "trampolines.h"
#include "_cgo_export.h"

typedef void (*function)(void);

#define EXPORT __attribute__((visibility("default")))

static function instance_function(void *instance, const char *name);

/* A process that was forked has none of the threads that Go needs: a call of Go would never come back. */
volatile sig_atomic_t spvsim_forked;

static void fork_child(void) { spvsim_forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, fork_child); }

/* Whether the process was forked, which it is told of once. */
static int in_child(void) {
	static int told;
	static const char text[] = "spvsim: this process was forked from one that has the driver, and can't use it: fork before the first call of Vulkan, or start a program\n";
	if (spvsim_forked && !__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
		(void)!write(2, text, sizeof text - 1);
	}
	return spvsim_forked;
}

uint64_t spvsim_command(uint32_t number, uint64_t *words, uint64_t otherwise) {
	return in_child() ? otherwise : spvsim_call(number, words);
}

static int find(uintptr_t handle, const char *name, int device) {
	return in_child() ? -1 : spvsim_find(handle, (char *)name, device);
}

static function device_function(void *device, const char *name) {
	if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
		return (function)device_function;
	}
	int i = find((uintptr_t)device, name, 1);
	return i < 0 ? NULL : spvsim_commands[i];
}

static function instance_function(void *instance, const char *name) {
	if (strcmp(name, "vkGetInstanceProcAddr") == 0) {
		return (function)instance_function;
	}
	if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
		return (function)device_function;
	}
	int i = find((uintptr_t)instance, name, 0);
	return i < 0 ? NULL : spvsim_commands[i];
}

/* Go's runtime asks threads to yield by SIGURG, those too that are in the program's own code; its handler ends the process where a thread has no
   stack for signals. Threads of Rust have none while they end: they need not yield. */
static struct sigaction go_yields;

static void yield(int signal, siginfo_t *info, void *context) {
	stack_t own;
	if (sigaltstack(NULL, &own) == 0 && !(own.ss_flags & SS_DISABLE)) {
		go_yields.sa_sigaction(signal, info, context);
	}
}

/* At the first call of Go: its handlers are there by then. */
static void spare_threads(void) {
	static int done;
	if (__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL) || sigaction(SIGURG, NULL, &go_yields) || !(go_yields.sa_flags & SA_SIGINFO)) {
		return;
	}
	struct sigaction ours = go_yields;
	ours.sa_sigaction = yield;
	sigaction(SIGURG, &ours, NULL);
}

EXPORT function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
	function f = instance_function(instance, name);
	spare_threads();
	return f;
}

EXPORT function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
	(void)instance;
	int i = in_child() ? -1 : spvsim_physical((char *)name);
	return i < 0 ? NULL : spvsim_commands[i];
}

EXPORT int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
	const uint32_t latest = 5;
	if (*version > latest) {
		*version = latest;
	}
	return 0;
}

/* VkDebugUtilsMessengerCallbackDataEXT. */
struct message {
	int32_t type;
	const void *next;
	uint32_t flags;
	const char *id;
	int32_t number;
	const char *text;
	uint32_t queues;
	const void *queue_labels;
	uint32_t buffers;
	const void *buffer_labels;
	uint32_t objects;
	const void *object_names;
};

void spvsim_message(uintptr_t call, void *user, const char *text) {
	enum { callback_data = 1000128003, error = 0x1000, general = 1 };
	struct message m = {callback_data, NULL, 0, "spvsim", 0, text};
	((uint32_t(*)(uint32_t, uint32_t, const struct message *, void *))call)(error, general, &m, user);
}
