// Images: storage and sampled ones, samplers, copies, clears, texel buffers.
#include <math.h>
#include "pictures.h"

static void storage(void) {
	if (!can(VK_FORMAT_R32_UINT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT) || !can(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT))
		return skip("storage images");
	kernel k = kernel_of("image_store", "iii", 0);
	picture source = flat(VK_FORMAT_R32_UINT, 20, 12, 1), target = flat(VK_FORMAT_R8G8B8A8_UNORM, 20, 12, 1), sums = flat(VK_FORMAT_R32_UINT, 1, 1, 1);
	buffer in = words_from(0, 240), out = host_buffer(4 * 240), zero = host_buffer(4);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, source.view, VK_NULL_HANDLE);
	write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, target.view, VK_NULL_HANDLE);
	write_image(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sums.view, VK_NULL_HANDLE);
	VkCommandBuffer c = begin();
	fill_from(c, &source, &in, 1);
	fill_from(c, &sums, &zero, 1);
	become(c, &target, none, general);
	bind(c, k, set);
	vkCmdDispatch(c, 3, 2, 1);
	read_to(c, &target, &out, 1);
	read_to(c, &sums, &zero, 1);
	finish(c);
	for (uint32_t i = 0; i < 240; i++)
		same("texel", i, out.u32[i], 0xff000000u | i % 20 << 16 | i);
	same("sum", 0, zero.u32[0], 239 * 120);
}

// sampled runs image_sample over a 4x4 image whose texel (x, y) is x + 10 y, with a second level of 2x2.
static buffer sampled_levels(VkSampler s, const float (*places)[4], uint32_t count) {
	kernel k = kernel_of("image_sample", "sbb", 0);
	picture p = flat(VK_FORMAT_R32G32B32A32_SFLOAT, 4, 4, count);
	buffer texels = host_buffer(16 * 20), at = host_buffer(16 * 16), out = host_buffer(32 * 16);
	for (int i = 0; i < 16; i++)
		texels.f32[4 * i] = (float)(i % 4 + 10 * (i / 4)), texels.f32[4 * i + 1] = 1, texels.f32[4 * i + 3] = 7;
	for (int i = 0; i < 4; i++)
		texels.f32[64 + 4 * i] = (float)(100 + i);
	memcpy(at.bytes, places, 16 * 16);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, p.view, s);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, at.buffer, 0, VK_WHOLE_SIZE);
	write_buffer(set, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	VkBufferImageCopy levels[] = {region(&p, 0, 0, 1), region(&p, 256, 1, 1)};
	VkCommandBuffer c = begin();
	become(c, &p, none, general);
	vkCmdCopyBufferToImage(c, texels.buffer, p.image, general, count, levels);
	become(c, &p, general, general);
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	finish(c);
	return out;
}

static buffer sampled(VkSampler s, const float (*places)[4]) { return sampled_levels(s, places, 2); }

static void check_sampled(const buffer *out, const float (*places)[4]) {
	for (int i = 0; i < 16; i++) {
		float found = out->f32[8 * i], want = places[i][3];
		check(fabsf(found - want) < 0.1f, "at (%g, %g), level %g: %g, want %g", (double)places[i][0], (double)places[i][1], (double)places[i][2], (double)found, (double)want);
		bool second = places[i][2] >= 1;
		if (second && i % 4 > 1)
			continue; // there is no such texel
		float texel = second ? (float)(102 + i % 4 + 2) : (float)(i % 4 + 10 + 4);
		check(out->f32[8 * i + 4] == texel, "fetch %d: %g, want %g", i, (double)out->f32[8 * i + 4], (double)texel);
	}
}

static bool can_sample(void) { return can(VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT); }

static void nearest(void) {
	if (!can_sample())
		return skip("sampled images");
	// x, y, level, what is wanted
	const float repeat[16][4] = {{.1f, .1f, 0, 0}, {.9f, .1f, 0, 3}, {.4f, .9f, 0, 31}, {1.1f, .1f, 0, 0}, {-.1f, .1f, 0, 3}, {.1f, 2.4f, 0, 10}, {.6f, .6f, 1, 103}, {.1f, .6f, 1, 102}};
	buffer out = sampled(sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0), repeat);
	check_sampled(&out, repeat);
	const float mirror[16][4] = {{.1f, .1f, 0, 0}, {.9f, .1f, 0, 3}, {.4f, .9f, 0, 31}, {1.1f, .1f, 0, 3}, {-.1f, .1f, 0, 0}, {.1f, 2.4f, 0, 10}, {.6f, .6f, 1, 103}, {.1f, .6f, 1, 102}};
	out = sampled(sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0), mirror);
	check_sampled(&out, mirror);
}

// Outside the image is the border's colour, which a linear filter mixes in.
static void border(void) {
	if (!can_sample())
		return skip("sampled images");
	const VkSamplerAddressMode outside = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
	const float beyond[16][4] = {{.1f, .1f, 0, 0}, {.9f, .1f, 0, 3}, {.4f, .9f, 0, 31}, {1.1f, .1f, 0, 1}, {-.1f, .1f, 0, 1}, {.1f, 2.4f, 0, 1}, {.6f, .6f, 1, 103}, {.1f, .6f, 1, 102}, {.1f, -.01f, 1, 1}};
	buffer out = sampled(sampler(VK_FILTER_NEAREST, outside, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE), beyond);
	check_sampled(&out, beyond);
	for (int i = 0; i < 5; i++) {
		float want[] = {i > 2 ? 1 : 0, i > 2 ? 1 : 7}; // blue and alpha
		check(out.f32[8 * i + 2] == want[0] && out.f32[8 * i + 3] == want[1], "place %d: %g and %g, want %g and %g", i, (double)out.f32[8 * i + 2], (double)out.f32[8 * i + 3], (double)want[0], (double)want[1]);
	}
	if (!can(VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
		return;
	const float mixed[16][4] = {{1, .125f, 0, 1.5f}, {1, .375f, 0, 6.5f}, {.125f, 1, 0, 15}, {2, 2, 0, 0}};
	out = sampled(sampler(VK_FILTER_LINEAR, outside, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK), mixed);
	check_sampled(&out, mixed);
	check(out.f32[3] == 3.5f && out.f32[27] == 0, "alpha of %g and %g, want 3.5 and 0", (double)out.f32[3], (double)out.f32[27]);
	out = sampled(sampler(VK_FILTER_LINEAR, outside, VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK), mixed);
	check_sampled(&out, mixed);
	check(out.f32[3] == 4 && out.f32[27] == 1, "alpha of %g and %g, want 4 and 1", (double)out.f32[3], (double)out.f32[27]);
}

// Coordinates may count texels.
static void unnormalized(void) {
	if (!can_sample())
		return skip("sampled images");
	VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .unnormalizedCoordinates = VK_TRUE};
	VkSampler s;
	must(vkCreateSampler(device, &info, NULL, &s));
	KEEP(SAMPLER, s);
	const float places[16][4] = {{.5f, .5f, 0, 0}, {3.5f, .5f, 0, 3}, {1, 3.9f, 0, 31}, {5, 2, 0, 23}, {-1, 1, 0, 10}};
	buffer out = sampled_levels(s, places, 1);
	check_sampled(&out, places);
}

// The size of a level that is known when the shader runs.
static void sizes(void) {
	if (!can_sample())
		return skip("sampled images");
	kernel k = kernel_of("image_size", "ssb", 4);
	picture p = flat(VK_FORMAT_R32G32B32A32_SFLOAT, 20, 6, 4);
	picture layers = make_picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32G32B32A32_SFLOAT, (VkExtent3D){9, 16, 1}, 5, 4);
	buffer out = host_buffer(32 * 4);
	VkSampler s = sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, p.view, s);
	write_image(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, layers.view, s);
	write_buffer(set, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer c = begin();
	become(c, &p, none, general);
	become(c, &layers, none, general);
	bind(c, k, set);
	for (int32_t level = 0; level < 4; level++) {
		push(c, k, &level, 4);
		vkCmdDispatch(c, 1, 1, 1);
	}
	finish(c);
	const int32_t flat_sizes[4][2] = {{20, 6}, {10, 3}, {5, 1}, {2, 1}}, layer_sizes[4][2] = {{9, 16}, {4, 8}, {2, 4}, {1, 2}};
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 2; k++) {
			same("size of a level", i, out.i32[8 * i + k], flat_sizes[i][k]);
			same("size of a level of layers", i, out.i32[8 * i + 4 + k], layer_sizes[i][k]);
		}
		same("layers", i, out.i32[8 * i + 6], 5);
	}
}

static void linear(void) {
	if (!can(VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
		return skip("linear filtering of floats");
	const float clamp[16][4] = {{.5f, .5f, 0, 16.5f}, {.125f, .125f, 0, 0}, {.25f, .125f, 0, .5f}, {.25f, .25f, 0, 5.5f}, {0, 0, 0, 0}, {1, 1, 0, 33}, {2, .5f, 0, 18}, {.5f, .5f, 1, 101.5f}};
	buffer out = sampled(sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0), clamp);
	check_sampled(&out, clamp);
}

static void arrays_and_volumes(void) {
	if (!can(VK_FORMAT_R32_SFLOAT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT))
		return skip("sampled and storage images of floats");
	kernel k = kernel_of("image_parts", "vSib", 0);
	picture layers = make_picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32_SFLOAT, (VkExtent3D){4, 4, 1}, 3, 1);
	picture volume = make_picture(VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R32_SFLOAT, (VkExtent3D){4, 2, 2}, 1, 1);
	buffer in = host_buffer(4 * 48), found = host_buffer(64), out = host_buffer(64);
	for (int i = 0; i < 48; i++)
		in.f32[i] = (float)(1000 * (i / 16) + i % 16);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, layers.view, VK_NULL_HANDLE);
	write_image(set, 1, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE, sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0));
	write_image(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, volume.view, VK_NULL_HANDLE);
	write_buffer(set, 3, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, found.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer c = begin();
	fill_from(c, &layers, &in, 3);
	become(c, &volume, none, general);
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	read_to(c, &volume, &out, 1);
	finish(c);
	for (int i = 0; i < 16; i++) {
		check(found.f32[i] == (float)(1000 * (i % 3) + i), "texel %d of layer %d = %g", i, i % 3, (double)found.f32[i]);
		int x = i % 4, y = i / 4 % 2, z = i / 8; // as the buffer has them
		check(out.f32[i] == (float)(2 * (x + 8 * y + 4 * z)), "texel (%d, %d, %d) = %g, want %d", x, y, z, (double)out.f32[i], 2 * (x + 8 * y + 4 * z));
	}
}

// A view may have several levels of some layers, and other components.
static void views(void) {
	if (!can_sample())
		return skip("sampled images");
	kernel k = kernel_of("image_views", "sb", 0);
	picture p = make_picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32G32B32A32_SFLOAT, (VkExtent3D){8, 8, 1}, 5, 3);
	buffer texels[3], out = host_buffer(16 * 5);
	VkCommandBuffer c = begin();
	become(c, &p, none, general);
	for (uint32_t level = 0; level < 3; level++) {
		uint32_t n = (8u >> level) * (8u >> level);
		texels[level] = host_buffer(16 * 5 * n);
		for (uint32_t i = 0; i < 5 * n; i++)
			for (uint32_t channel = 0; channel < 4; channel++)
				texels[level].f32[4 * i + channel] = (float)(1000 * (i / n) + 100 * level + 10 * channel + i % n);
		VkBufferImageCopy all = region(&p, 0, level, 5);
		vkCmdCopyBufferToImage(c, texels[level].buffer, p.image, general, 1, &all);
	}
	become(c, &p, general, general);
	VkImageViewCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
	    .image = p.image,
	    .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
	    .format = VK_FORMAT_R32G32B32A32_SFLOAT,
	    .components = {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R},
	    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 2, 2},
	};
	VkImageView view;
	must(vkCreateImageView(device, &info, NULL, &view));
	KEEP(VIEW, view);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0));
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	finish(c);
	for (int i = 0; i < 4; i++) {
		float first = (float)(1000 * (2 + i / 2) + 100 * (1 + i % 2) + 1), want[] = {first + 20, first + 10, 1, first};
		for (int channel = 0; channel < 4; channel++)
			check(out.f32[4 * i + channel] == want[channel], "layer %d, level %d, component %d: %g, want %g", i / 2, i % 2, channel, (double)out.f32[4 * i + channel], (double)want[channel]);
	}
	const float size[] = {2, 2, 2, 2};
	for (int i = 0; i < 4; i++)
		check(out.f32[16 + i] == size[i], "size and levels, %d: %g, want %g", i, (double)out.f32[16 + i], (double)size[i]);
}

// Coordinates beyond the mirror image of the first row are those of the edge.
static void mirror_once(void) {
	if (!can_sample() || !features12.samplerMirrorClampToEdge)
		return skip("samplerMirrorClampToEdge");
	const float places[16][4] = {{.1f, .1f, 0, 0}, {.9f, .1f, 0, 3}, {.4f, .9f, 0, 31}, {1.1f, .1f, 0, 3}, {-.1f, .1f, 0, 0}, {-.4f, .1f, 0, 1}, {-.9f, .1f, 0, 3}, {-1.1f, .1f, 0, 3}, {-3, -.6f, 0, 23}, {5, -7, 0, 33}};
	buffer out = sampled(sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, 0), places);
	check_sampled(&out, places);
}

static picture multisampled(VkFormat format, VkImageUsageFlags usage, VkSampleCountFlagBits count) {
	picture p = {.size = {2, 2, 1}, .all = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = 1}};
	VkImageCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
	    .imageType = VK_IMAGE_TYPE_2D,
	    .format = format,
	    .extent = p.size,
	    .mipLevels = 1,
	    .arrayLayers = 1,
	    .samples = count,
	    .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	place(&p, &info, VK_IMAGE_VIEW_TYPE_2D);
	return p;
}

// Texels of several samples: cleared, fetched, stored and loaded.
static void samples_of(VkSampleCountFlagBits count) {
	if (!features.features.shaderStorageImageMultisample || !(properties.limits.storageImageSampleCounts & properties.limits.sampledImageColorSampleCounts & count))
		return skip("images of so many samples");
	kernel k = kernel_of("samples", "siib", 4);
	picture cleared = multisampled(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, count), stored = multisampled(VK_FORMAT_R32_SFLOAT, VK_IMAGE_USAGE_STORAGE_BIT, count);
	buffer out = host_buffer(16 * 8);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, cleared.view, sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0));
	write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, stored.view, VK_NULL_HANDLE);
	write_image(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, stored.view, VK_NULL_HANDLE);
	write_buffer(set, 3, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	VkClearColorValue colour = {.float32 = {0, 1, .2f, 1}}, five = {.float32 = {5}};
	VkCommandBuffer c = begin();
	become(c, &cleared, none, general);
	become(c, &stored, none, general);
	vkCmdClearColorImage(c, cleared.image, general, &colour, 1, &cleared.all);
	vkCmdClearColorImage(c, stored.image, general, &five, 1, &stored.all);
	become(c, &cleared, general, general);
	become(c, &stored, general, general);
	bind(c, k, set);
	for (int32_t turn = 0; turn < 2; turn++) {
		push(c, k, &turn, 4);
		vkCmdDispatch(c, 1, 1, 1);
		all_seen(c);
	}
	finish(c);
	for (int i = 0; i < 4; i++) {
		const float read[] = {0, 1, .2f, 1}, kept[] = {10 + (float)i, 5, (float)count, (float)count};
		for (int channel = 0; channel < 4; channel++) {
			check(fabsf(out.f32[4 * i + channel] - read[channel]) < 1e-6f, "sample %d, component %d: %g, want %g", i, channel, (double)out.f32[4 * i + channel], (double)read[channel]);
			check(out.f32[16 + 4 * i + channel] == kept[channel], "stored sample %d, answer %d: %g, want %g", i, channel, (double)out.f32[16 + 4 * i + channel], (double)kept[channel]);
		}
	}
}

static void samples(void) { samples_of(VK_SAMPLE_COUNT_4_BIT); }

static void many_samples(void) { samples_of(VK_SAMPLE_COUNT_64_BIT); }

// Planes of a volume are copied as layers, and layers as planes.
static void planes(void) {
	picture volume = make_picture(VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R32_UINT, (VkExtent3D){4, 4, 5}, 1, 1);
	picture layers = make_picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32_UINT, (VkExtent3D){4, 4, 1}, 6, 1);
	buffer in = words_from(0, 80), out = host_buffer(4 * 80);
	VkImageCopy there = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .srcOffset = {0, 0, 1}, .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 3, 3}, .extent = {4, 4, 3}};
	VkImageCopy back = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 4, 2}, .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .dstOffset = {0, 0, 3}, .extent = {4, 4, 2}};
	VkCommandBuffer c = begin();
	fill_from(c, &volume, &in, 1);
	become(c, &layers, none, general);
	vkCmdCopyImage(c, volume.image, general, layers.image, general, 1, &there);
	become(c, &layers, general, general);
	vkCmdCopyImage(c, layers.image, general, volume.image, general, 1, &back);
	read_to(c, &volume, &out, 1);
	finish(c);
	const uint32_t plane[] = {0, 1, 2, 2, 3}; // of the first volume
	for (uint32_t i = 0; i < 80; i++)
		same("texel", i, out.u32[i], 16 * plane[i / 16] + i % 16);
}

// Atomics on texels that are floats, or integers of 64 bits.
static void atomics(void) {
	if (!image_int64.shaderImageInt64Atomics || !atomic_float.shaderImageFloat32AtomicAdd || !atomic_float2.shaderImageFloat32AtomicMinMax || !features12.shaderBufferInt64Atomics)
		return skip("atomics on images of floats and of 64-bit integers");
	kernel k = kernel_of("image_atomics", "iit", 0);
	picture floats = flat(VK_FORMAT_R32_SFLOAT, 2, 2, 1), wide = flat(VK_FORMAT_R64_UINT, 2, 2, 1);
	buffer zero = host_buffer(32), first = host_buffer(16), second = host_buffer(32), texels = host_buffer(32);
	VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = texels.buffer, .format = VK_FORMAT_R64_SINT, .range = VK_WHOLE_SIZE};
	VkBufferView view;
	must(vkCreateBufferView(device, &info, NULL, &view));
	KEEP(TEXELS, view);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, floats.view, VK_NULL_HANDLE);
	write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, wide.view, VK_NULL_HANDLE);
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = 2, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .pTexelBufferView = &view};
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	VkCommandBuffer c = begin();
	fill_from(c, &floats, &zero, 1);
	fill_from(c, &wide, &zero, 1);
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	read_to(c, &floats, &first, 1);
	read_to(c, &wide, &second, 1);
	finish(c);
	const float want[] = {2016, -63, 31.5f, 1.25f};
	const uint64_t wanted[] = {(uint64_t)2016 << 33, (uint64_t)63 << 40, UINT64_MAX, 77};
	for (int i = 0; i < 4; i++) {
		check(first.f32[i] == want[i], "float %d: %g, want %g", i, (double)first.f32[i], (double)want[i]);
		same("integer", i, second.u64[i], wanted[i]);
	}
	same("least", 0, texels.u64[1], -((int64_t)63 << 34));
}

static void copies(void) {
	picture a = flat(VK_FORMAT_R32_UINT, 16, 16, 1), b = flat(VK_FORMAT_R32_UINT, 16, 16, 1);
	buffer in = words_from(0, 400), out = host_buffer(1024);
	VkBufferImageCopy part = region(&a, 16, 0, 1); // rows of 20 texels in the buffer
	part.bufferRowLength = 20;
	VkImageCopy square = {
	    .srcSubresource = part.imageSubresource,
	    .srcOffset = {4, 8, 0},
	    .dstSubresource = part.imageSubresource,
	    .dstOffset = {1, 2, 0},
	    .extent = {5, 6, 1},
	};
	VkClearColorValue colour = {.uint32 = {4242}};
	VkCommandBuffer c = begin();
	become(c, &a, none, general);
	become(c, &b, none, general);
	vkCmdClearColorImage(c, b.image, general, &colour, 1, &b.all);
	vkCmdCopyBufferToImage(c, in.buffer, a.image, general, 1, &part);
	become(c, &a, general, general);
	become(c, &b, general, general);
	vkCmdCopyImage(c, a.image, general, b.image, general, 1, &square);
	read_to(c, &b, &out, 1);
	finish(c);
	for (int y = 0; y < 16; y++)
		for (int x = 0; x < 16; x++) {
			bool inside = x >= 1 && x < 6 && y >= 2 && y < 8;
			same("texel", 16 * y + x, out.u32[16 * y + x], inside ? 4 + 20 * (y + 6) + x + 3 : 4242);
		}
}

static void texel_buffers(void) {
	VkFormatProperties bytes, words;
	vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R8G8B8A8_UNORM, &bytes);
	vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R32_UINT, &words);
	if (!(bytes.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) || !(words.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT))
		return skip("texel buffers");
	kernel k = kernel_of("texels", "Tt", 0);
	buffer in = host_buffer(64), out = host_buffer(64), both[] = {in, out};
	for (uint32_t i = 0; i < 16; i++)
		in.u32[i] = i * 3 << 8 | 0x55000055;
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	for (uint32_t i = 0; i < 2; i++) {
		VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = both[i].buffer, .format = i ? VK_FORMAT_R32_UINT : VK_FORMAT_R8G8B8A8_UNORM, .range = VK_WHOLE_SIZE};
		VkBufferView view;
		must(vkCreateBufferView(device, &info, NULL, &view));
		KEEP(TEXELS, view);
		VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1, .descriptorType = type_of(i ? 't' : 'T'), .pTexelBufferView = &view};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}
	run(k, set, NULL, 0, 1);
	for (uint32_t i = 0; i < 16; i++)
		same("word", i, out.u32[i], 3 * i + 16);
}

int main(int count, char **words) {
	start(count, words, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, NULL);
	TEST(storage);
	TEST(nearest);
	TEST(border);
	TEST(unnormalized);
	TEST(sizes);
	TEST(linear);
	TEST(arrays_and_volumes);
	TEST(views);
	TEST(mirror_once);
	TEST(samples);
	TEST(many_samples);
	TEST(planes);
	TEST(atomics);
	TEST(copies);
	TEST(texel_buffers);
	return stop();
}
