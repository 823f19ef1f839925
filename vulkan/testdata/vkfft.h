// What vkfft.c needs of VkFFT: its header wants a C++ compiler, so it is compiled apart.
#ifndef VKFFT_H_OF_TESTS
#define VKFFT_H_OF_TESTS

#include <stdint.h>
#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fft fft;

typedef struct {
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkFence fence;
	VkBuffer buffer; // that is transformed in place
	uint64_t bytes;
} fft_device;

typedef struct {
	uint64_t dimensions, size[3];
	int in_double, in_half;
	int real;   // from real to complex numbers
	int cosine; // type of the cosine transform, or 0
} fft_wanted;

void fft_start(void);
void fft_stop(void);
// The results are the library's: 0 is success.
int fft_make(fft **made, const fft_device *on, const fft_wanted *wanted);
int fft_append(fft *f, int direction, VkCommandBuffer to);
void fft_free(fft *f);

#ifdef __cplusplus
}
#endif
#endif
