// Runs one kernel on the first OpenCL device, for a comparison: a description is on standard input, a word and its value in each line; buffers are
// files, which are written back. It prints "skip" and a reason where the device can't run what the description asks for.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                    \
	do {                                                              \
		cl_int status = (call);                                       \
		if (status != CL_SUCCESS) {                                   \
			fprintf(stderr, "%s gave %d\n", #call, status);           \
			exit(1);                                                  \
		}                                                             \
	} while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_kernel kernel;
static size_t sizes[3][3]; // global, local, offset
static cl_uint dims[3], arguments;

typedef struct {
	char path[4096];
	cl_mem memory;
	size_t bytes;
	size_t texels[3]; // of an image; 0: a buffer
} file;

static file files[64];
static size_t file_count;

static char *contents(const char *path, size_t *bytes) {
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	*bytes = (size_t)ftell(f);
	rewind(f);
	char *data = calloc(1, *bytes + 1);
	if (fread(data, 1, *bytes, f) != *bytes)
		exit(1);
	fclose(f);
	return data;
}

static void build(const char *path, const char *options, const char *entry) {
	size_t bytes;
	const char *text = contents(path, &bytes);
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, &bytes, &status);
	MUST(status);
	if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
		char log[8192];
		MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
		printf("skip the device's compiler refuses it: %s\n", log);
		exit(0);
	}
	kernel = clCreateKernel(program, entry, &status);
	MUST(status);
}

static void buffer(const char *path) {
	file *f = &files[file_count++];
	strcpy(f->path, path);
	char *data = contents(path, &f->bytes);
	cl_int status;
	f->memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, f->bytes ? f->bytes : 4, data, &status);
	MUST(status);
	MUST(clSetKernelArg(kernel, arguments++, sizeof f->memory, &f->memory));
	free(data);
}

// image makes an image of RGBA texels: the type of their channels, that of the image, its sides and its file.
static void image(const char *words) {
	file *f = &files[file_count++];
	cl_image_format format = {.image_channel_order = CL_RGBA};
	cl_image_desc shape = {0};
	if (sscanf(words, "%x %x %zu %zu %zu %zu %4095s", &format.image_channel_data_type, &shape.image_type, &shape.image_width,
	           &shape.image_height, &shape.image_depth, &shape.image_array_size, f->path) != 7)
		exit(1);
	f->texels[0] = shape.image_width;
	f->texels[1] = shape.image_height;
	f->texels[2] = shape.image_depth > shape.image_array_size ? shape.image_depth : shape.image_array_size;
	char *data = contents(f->path, &f->bytes);
	cl_int status;
	f->memory = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &shape, data, &status);
	MUST(status);
	MUST(clSetKernelArg(kernel, arguments++, sizeof f->memory, &f->memory));
	free(data);
}

static void sampler(const char *words) {
	cl_uint normalized, address, filter;
	if (sscanf(words, "%u %x %x", &normalized, &address, &filter) != 3)
		exit(1);
	cl_int status;
	cl_sampler made = clCreateSampler(context, normalized, address, filter, &status);
	MUST(status);
	MUST(clSetKernelArg(kernel, arguments++, sizeof made, &made));
}

static void value(const char *hex) {
	unsigned char bytes[4096];
	size_t n = strlen(hex) / 2;
	for (size_t i = 0; i < n; i++)
		sscanf(hex + 2 * i, "%2hhx", bytes + i);
	MUST(clSetKernelArg(kernel, arguments++, n, bytes));
}

static void run(void) {
	cl_int status, reached = 0;
	cl_event launched;
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
	MUST(status);
	status = clEnqueueNDRangeKernel(queue, kernel, dims[0], dims[2] ? sizes[2] : NULL, sizes[0], dims[1] ? sizes[1] : NULL, 0, NULL, &launched);
	if (status == CL_INVALID_WORK_GROUP_SIZE) {
		printf("skip the device has no workgroups of this size\n");
		exit(0);
	}
	MUST(status);
	MUST(clFinish(queue));
	MUST(clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof reached, &reached, NULL));
	if (reached != CL_COMPLETE) {
		printf("skip the launch fails with %d\n", reached);
		exit(0);
	}
	for (size_t i = 0; i < file_count; i++) {
		char *data = malloc(files[i].bytes + 1);
		if (files[i].texels[0])
			MUST(clEnqueueReadImage(queue, files[i].memory, CL_TRUE, (size_t[3]){0}, files[i].texels, 0, 0, data, 0, NULL, NULL));
		else
			MUST(clEnqueueReadBuffer(queue, files[i].memory, CL_TRUE, 0, files[i].bytes, data, 0, NULL, NULL));
		FILE *f = fopen(files[i].path, "wb");
		if (!f || fwrite(data, 1, files[i].bytes, f) != files[i].bytes || fclose(f))
			exit(1);
		free(data);
	}
}

int main(void) {
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_int status;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	MUST(status);
	char line[16384], source[4096] = "", options[4096] = "";
	static const char *const size_words[] = {"global", "local", "offset"};
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		char *rest = strchr(line, ' ');
		if (rest)
			*rest++ = 0;
		if (!strcmp(line, "needs")) {
			char extensions[8192];
			MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
			if (!strstr(extensions, rest)) {
				printf("skip the device has no %s\n", rest);
				return 0;
			}
		} else if (!strcmp(line, "source"))
			strcpy(source, rest);
		else if (!strcmp(line, "options"))
			strcpy(options, rest);
		else if (!strcmp(line, "entry"))
			build(source, options, rest);
		else if (!strcmp(line, "buffer"))
			buffer(rest);
		else if (!strcmp(line, "image"))
			image(rest);
		else if (!strcmp(line, "sampler"))
			sampler(rest);
		else if (!strcmp(line, "value"))
			value(rest);
		else if (!strcmp(line, "memory"))
			MUST(clSetKernelArg(kernel, arguments++, strtoul(rest, NULL, 10), NULL));
		for (int i = 0; i < 3; i++)
			if (!strcmp(line, size_words[i]))
				dims[i] = (cl_uint)sscanf(rest, "%zu %zu %zu", &sizes[i][0], &sizes[i][1], &sizes[i][2]);
	}
	run();
	return 0;
}
