// VkFFT behind the functions of vkfft.h.
#define VKFFT_BACKEND 0
#include <vkFFT.h>

#include "vkfft.h"

struct fft {
	VkFFTApplication app;
	fft_device on; // the library keeps pointers into this
};

void fft_start(void) { glslang_initialize_process(); }
void fft_stop(void) { glslang_finalize_process(); }

int fft_make(fft **made, const fft_device *on, const fft_wanted *wanted) {
	fft *f = new fft();
	f->on = *on;
	VkFFTConfiguration config = {};
	config.physicalDevice = &f->on.physical;
	config.device = &f->on.device;
	config.queue = &f->on.queue;
	config.commandPool = &f->on.pool;
	config.fence = &f->on.fence;
	config.isCompilerInitialized = 1;
	// The buffer itself is given at each launch alone: of one known here, the library
	// would write the descriptors before it has made the tables of Bluestein's algorithm.
	config.bufferSize = &f->on.bytes;
	config.FFTdim = wanted->dimensions;
	for (int i = 0; i < 3; i++)
		config.size[i] = wanted->size[i];
	config.doublePrecision = wanted->in_double;
	config.halfPrecision = wanted->in_half;
	config.performR2C = wanted->real;
	config.performDCT = wanted->cosine;
	config.normalize = 1;
	*made = f;
	return initializeVkFFT(&f->app, config);
}

int fft_append(fft *f, int direction, VkCommandBuffer to) {
	VkFFTLaunchParams launch = {};
	launch.commandBuffer = &to;
	launch.buffer = &f->on.buffer;
	return VkFFTAppend(&f->app, direction, &launch);
}

void fft_free(fft *f) {
	deleteVkFFT(&f->app);
	delete f;
}
