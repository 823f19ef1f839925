// The driver's library for programs that the driver itself hosts (host.go):
// what the loader asks of it is found in the program that runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

static void *found(const char *name) { return dlsym(dlopen(0, RTLD_LAZY), name); }

void *vk_icdGetInstanceProcAddr(void *instance, const char *name) {
	void *(*in_host)(void *, const char *) = found(__func__);
	return in_host(instance, name);
}

void *vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
	void *(*in_host)(void *, const char *) = found(__func__);
	return in_host(instance, name);
}

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
	int32_t (*in_host)(uint32_t *) = found(__func__);
	return in_host(version);
}
