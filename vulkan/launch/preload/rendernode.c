/*
 * Shows Mesa's OpenCL driver the render nodes of simulated devices. rusticl offers zink only on nodes of the kernel's
 * direct rendering manager, /dev/dri/renderD128 and up. spvsim app preloads this library, which answers for
 * SPVSIM_RENDER_NODES of them: they open as /dev/null, and libdrm's functions describe them. The Vulkan driver reports
 * the same numbers (VK_EXT_physical_device_drm). The library also opens the file SPVSIM_LIBCLC, if that is set, instead
 * of the installed SPIR-V of OpenCL's functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { render_major = 226, first_minor = 128, most_nodes = 64, most_files = 1 << 16, render_node = 2, platform_bus = 2 };

/* The structures of libdrm (xf86drm.h) as its callers read them. */
typedef struct {
	char **nodes;
	int available_nodes, bustype;
	void *businfo, *deviceinfo;
} drmDevice, *drmDevicePtr;

typedef struct {
	int major, minor, patch;
	int name_length;
	char *name;
	int date_length;
	char *date;
	int description_length;
	char *description;
} drmVersion, *drmVersionPtr;

/* node_of_path returns the number of a render node from 0 on, or -1. */
static int node_of_path(const char *path) {
	const char *text = getenv("SPVSIM_RENDER_NODES");
	int minor, end = 0, count = text ? atoi(text) : 0;
	if (!path || sscanf(path, "/dev/dri/renderD%d%n", &minor, &end) != 1 || path[end]) return -1;
	if (count > most_nodes) count = most_nodes;
	return minor >= first_minor && minor < first_minor + count ? minor - first_minor : -1;
}

/* nodes_of_files has the node of each open file, plus 1. */
static unsigned char nodes_of_files[most_files];

static int node_of_file(int fd) { return fd >= 0 && fd < most_files ? nodes_of_files[fd] - 1 : -1; }

/* path_to_open returns the file that is opened for a path. */
static const char *path_to_open(const char *path) {
	static const char functions[] = "/clc/spirv64-mesa3d-.spv";
	const char *other = getenv("SPVSIM_LIBCLC");
	size_t length = path ? strlen(path) : 0, end = sizeof functions - 1;
	if (node_of_path(path) >= 0) return "/dev/null";
	if (other && *other && length >= end && !strcmp(path + length - end, functions)) return other;
	return path;
}

static int opened(const char *path, int fd) {
	if (fd >= 0 && fd < most_files) nodes_of_files[fd] = (unsigned char)(node_of_path(path) + 1);
	return fd;
}

/* NEXT finds the function that this library's hides. */
#define NEXT(function) __typeof__(&function) next = (__typeof__(&function))dlsym(RTLD_NEXT, #function)

/* MODE reads the mode of a file that may be created. */
#define MODE(flags, mode)                                                  \
	mode_t mode = 0;                                                       \
	if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {         \
		va_list rest;                                                      \
		va_start(rest, flags);                                             \
		mode = va_arg(rest, mode_t);                                       \
		va_end(rest);                                                      \
	}

int open(const char *path, int flags, ...) {
	MODE(flags, mode)
	NEXT(open);
	return opened(path, next(path_to_open(path), flags, mode));
}

int open64(const char *path, int flags, ...) {
	MODE(flags, mode)
	NEXT(open64);
	return opened(path, next(path_to_open(path), flags, mode));
}

int openat(int folder, const char *path, int flags, ...) {
	MODE(flags, mode)
	NEXT(openat);
	return opened(path, next(folder, path_to_open(path), flags, mode));
}

static int shown(int node, int result, mode_t *mode, dev_t *number) {
	if (result == 0 && node >= 0) {
		*mode = (*mode & ~(mode_t)S_IFMT) | S_IFCHR;
		*number = makedev(render_major, first_minor + node);
	}
	return result;
}

int stat(const char *path, struct stat *to) {
	NEXT(stat);
	return shown(node_of_path(path), next(path_to_open(path), to), &to->st_mode, &to->st_rdev);
}

int stat64(const char *path, struct stat64 *to) {
	NEXT(stat64);
	return shown(node_of_path(path), next(path_to_open(path), to), &to->st_mode, &to->st_rdev);
}

int drmGetDevice2(int fd, unsigned flags, drmDevicePtr *to) {
	NEXT(drmGetDevice2);
	int node = node_of_file(fd);
	if (node < 0 && next) return next(fd, flags, to);
	/* One allocation, as drmFreeDevice of libdrm frees one: the structure, three pointers to names, and the names. */
	enum { name_size = 32 };
	drmDevice *d = calloc(1, sizeof *d + 3 * sizeof(char *) + 3 * name_size + 64);
	if (!d) return -1;
	d->nodes = (char **)(d + 1);
	for (int i = 0; i < 3; i++) d->nodes[i] = (char *)(d->nodes + 3) + i * name_size;
	d->businfo = d->deviceinfo = d->nodes[2] + name_size;
	snprintf(d->nodes[render_node], name_size, "/dev/dri/renderD%d", first_minor + (node < 0 ? 0 : node));
	d->available_nodes = 1 << render_node;
	d->bustype = platform_bus;
	*to = d;
	return 0;
}

drmVersionPtr drmGetVersion(int fd) {
	NEXT(drmGetVersion);
	if (node_of_file(fd) < 0) return next ? next(fd) : NULL;
	drmVersion *v = calloc(1, sizeof *v);
	if (!v) return NULL;
	v->name = strdup("spvsim");
	v->name_length = 6;
	return v;
}
