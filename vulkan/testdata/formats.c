// Formats of texels: each is read in every way that the device says there is, stored, cleared, and asked what must be there.
#include <math.h>
#include "pictures.h"

// A sample is a texel's bytes and what they stand for: floats, or integers where the kind is i or u.
typedef struct {
	VkFormat format;
	char kind;
	uint8_t size, bytes[16];
	double values[4];
} sample;

#define F(name) VK_FORMAT_##name
static const sample samples[] = {
    {F(R8_UNORM), 'f', 1, {51}, {.2, 0, 0, 1}},
    {F(R8_SNORM), 'f', 1, {0x81}, {-1, 0, 0, 1}},
    {F(R8_UINT), 'u', 1, {200}, {200, 0, 0, 1}},
    {F(R8_SINT), 'i', 1, {200}, {-56, 0, 0, 1}},
    {F(R8_SRGB), 'f', 1, {255}, {1, 0, 0, 1}},
    {F(R8G8_UNORM), 'f', 2, {255, 102}, {1, .4, 0, 1}},
    {F(R8G8_SNORM), 'f', 2, {127, 0x81}, {1, -1, 0, 1}},
    {F(R8G8_UINT), 'u', 2, {1, 255}, {1, 255, 0, 1}},
    {F(R8G8_SINT), 'i', 2, {1, 255}, {1, -1, 0, 1}},
    {F(R8G8_SRGB), 'f', 2, {0, 188}, {0, .5028865, 0, 1}},
    {F(R8G8B8A8_UNORM), 'f', 4, {0, 51, 102, 255}, {0, .2, .4, 1}},
    {F(R8G8B8A8_SNORM), 'f', 4, {0, 127, 0x81, 0}, {0, 1, -1, 0}},
    {F(R8G8B8A8_UINT), 'u', 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {F(R8G8B8A8_SINT), 'i', 4, {1, 254, 3, 128}, {1, -2, 3, -128}},
    {F(R8G8B8A8_SRGB), 'f', 4, {255, 188, 0, 51}, {1, .5028865, 0, .2}},
    {F(B8G8R8A8_UNORM), 'f', 4, {0, 51, 102, 255}, {.4, .2, 0, 1}},
    {F(B8G8R8A8_SNORM), 'f', 4, {0, 127, 0x81, 127}, {-1, 1, 0, 1}},
    {F(B8G8R8A8_UINT), 'u', 4, {1, 2, 3, 4}, {3, 2, 1, 4}},
    {F(B8G8R8A8_SINT), 'i', 4, {1, 254, 3, 128}, {3, -2, 1, -128}},
    {F(B8G8R8A8_SRGB), 'f', 4, {255, 188, 0, 51}, {0, .5028865, 1, .2}},
    {F(A8B8G8R8_UNORM_PACK32), 'f', 4, {0, 51, 102, 255}, {0, .2, .4, 1}},
    {F(A8B8G8R8_SNORM_PACK32), 'f', 4, {0, 127, 0x81, 0}, {0, 1, -1, 0}},
    {F(A8B8G8R8_UINT_PACK32), 'u', 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {F(A8B8G8R8_SINT_PACK32), 'i', 4, {1, 254, 3, 128}, {1, -2, 3, -128}},
    {F(A8B8G8R8_SRGB_PACK32), 'f', 4, {255, 188, 0, 51}, {1, .5028865, 0, .2}},
    {F(A2B10G10R10_UNORM_PACK32), 'f', 4, {0xff, 3, 0, 0xc0}, {1, 0, 0, 1}},
    {F(A2B10G10R10_UINT_PACK32), 'u', 4, {1, 8, 0x30, 0x40}, {1, 2, 3, 1}},
    {F(A2R10G10B10_UNORM_PACK32), 'f', 4, {0xff, 3, 0, 0xc0}, {0, 0, 1, 1}},
    {F(A2R10G10B10_UINT_PACK32), 'u', 4, {1, 8, 0x30, 0x40}, {3, 2, 1, 1}},
    {F(B4G4R4A4_UNORM_PACK16), 'f', 2, {0xf0, 0x06}, {1, .4, 0, 0}},
    {F(R5G6B5_UNORM_PACK16), 'f', 2, {0x1f, 0xf8}, {1, 0, 1, 1}},
    {F(A1R5G5B5_UNORM_PACK16), 'f', 2, {0, 0xfc}, {1, 0, 0, 1}},
    {F(B10G11R11_UFLOAT_PACK32), 'f', 4, {0xc0, 3, 0x20, 0x70}, {1, 2, .5, 1}},
    {F(E5B9G9R9_UFLOAT_PACK32), 'f', 4, {0, 1, 1, 0x80}, {1, .5, 0, 1}},
    {F(R16_UNORM), 'f', 2, {0x33, 0x33}, {.2, 0, 0, 1}},
    {F(R16_SNORM), 'f', 2, {1, 0x80}, {-1, 0, 0, 1}},
    {F(R16_UINT), 'u', 2, {1, 0xff}, {0xff01, 0, 0, 1}},
    {F(R16_SINT), 'i', 2, {1, 0xff}, {-255, 0, 0, 1}},
    {F(R16_SFLOAT), 'f', 2, {0, 0xc0}, {-2, 0, 0, 1}},
    {F(R16G16_UNORM), 'f', 4, {0xff, 0xff, 0x33, 0x33}, {1, .2, 0, 1}},
    {F(R16G16_SNORM), 'f', 4, {0xff, 0x7f, 1, 0x80}, {1, -1, 0, 1}},
    {F(R16G16_UINT), 'u', 4, {1, 0, 0, 1}, {1, 256, 0, 1}},
    {F(R16G16_SINT), 'i', 4, {1, 0, 0xff, 0xff}, {1, -1, 0, 1}},
    {F(R16G16_SFLOAT), 'f', 4, {0, 0x3c, 0, 0x38}, {1, .5, 0, 1}},
    {F(R16G16B16A16_UNORM), 'f', 8, {0xff, 0xff, 0, 0, 0x33, 0x33, 0, 0}, {1, 0, .2, 0}},
    {F(R16G16B16A16_SNORM), 'f', 8, {0xff, 0x7f, 1, 0x80, 0, 0, 0xff, 0x7f}, {1, -1, 0, 1}},
    {F(R16G16B16A16_UINT), 'u', 8, {1, 0, 0, 1, 2, 0, 3, 0}, {1, 256, 2, 3}},
    {F(R16G16B16A16_SINT), 'i', 8, {1, 0, 0xff, 0xff, 2, 0, 0xfd, 0xff}, {1, -1, 2, -3}},
    {F(R16G16B16A16_SFLOAT), 'f', 8, {0, 0x3c, 0, 0x38, 0, 0xc0, 0, 0}, {1, .5, -2, 0}},
    {F(R32_UINT), 'u', 4, {1, 2, 3, 4}, {0x04030201, 0, 0, 1}},
    {F(R32_SINT), 'i', 4, {0xfe, 0xff, 0xff, 0xff}, {-2, 0, 0, 1}},
    {F(R32_SFLOAT), 'f', 4, {0, 0, 0x20, 0xc0}, {-2.5, 0, 0, 1}},
    {F(R32G32_UINT), 'u', 8, {1, 0, 0, 0, 0, 1, 0, 0}, {1, 256, 0, 1}},
    {F(R32G32_SINT), 'i', 8, {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}, {1, -2, 0, 1}},
    {F(R32G32_SFLOAT), 'f', 8, {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}, {1, -2.5, 0, 1}},
    {F(R32G32B32A32_UINT), 'u', 16, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0}, {1, 2, 3, 256}},
    {F(R32G32B32A32_SINT), 'i', 16, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff}, {1, 2, 3, -2}},
    {F(R32G32B32A32_SFLOAT), 'f', 16, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0x20, 0xc0}, {1, 2, .5, -2.5}},
};

static VkFormatProperties about(VkFormat format) {
	VkFormatProperties p;
	vkGetPhysicalDeviceFormatProperties(physical, format, &p);
	return p;
}

static VkFormat of_kind(char kind) { return kind == 'f' ? F(R32_SFLOAT) : kind == 'i' ? F(R32_SINT) : F(R32_UINT); }

static double found(const buffer *b, const sample *s, int at, int k) {
	return s->kind == 'f' ? (double)b->f32[4 * at + k] : s->kind == 'i' ? (double)b->i32[4 * at + k] : (double)b->u32[4 * at + k];
}

static void expect(const sample *s, const char *how, const buffer *b, int at, const double want[4]) {
	for (int k = 0; k < 4; k++)
		check(fabs(found(b, s, at, k) - want[k]) < 1e-3, "format %d, %s: component %d is %g, want %g", s->format, how, k, found(b, s, at, k), want[k]);
}

static VkBufferView texels_of(const buffer *b, VkFormat format, VkDeviceSize bytes) {
	VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = b->buffer, .format = format, .range = bytes};
	VkBufferView view;
	must(vkCreateBufferView(device, &info, NULL, &view));
	KEEP(TEXELS, view);
	return view;
}

// The view of a kind's stand-in takes the place of what a format can't be.
typedef struct {
	kernel kernel;
	picture image;
	buffer texels;
} stand_in;

static VkImageView view_of(const picture *p, VkFormat format, VkComponentMapping components) {
	VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = p->image, .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = format, .components = components, .subresourceRange = p->all};
	VkImageView view;
	must(vkCreateImageView(device, &info, NULL, &view));
	KEEP(VIEW, view);
	return view;
}

static const VkComponentMapping moved = {.r = VK_COMPONENT_SWIZZLE_A, .g = VK_COMPONENT_SWIZZLE_R, .b = VK_COMPONENT_SWIZZLE_ONE, .a = VK_COMPONENT_SWIZZLE_ZERO};

// try reads and stores one sample, which lies second in a row of two texels, the first zero.
static void try_sample(const sample *s, const stand_in *other, VkDescriptorSet set) {
	VkFormatProperties can = about(s->format);
	VkFormatFeatureFlags image = can.optimalTilingFeatures;
	if (!(image & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
		return;
	bool stored = image & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, linear = s->kind == 'f' && image & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	bool texels = can.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
	picture from = flat(s->format, 2, 1, 1), to = stored ? flat(s->format, 2, 1, 1) : other->image;
	VkImageView swizzled = view_of(&from, s->format, moved);
	buffer in = buffer_for(VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, 32, host_memory), out = host_buffer(16 * 5), again = host_buffer(32);
	memcpy(in.u8 + s->size, s->bytes, s->size);
	VkSampler filter = sampler(linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
	VkBufferView view = texels ? texels_of(&in, s->format, 2 * s->size) : texels_of(&other->texels, of_kind(s->kind), 8);
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = 1, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .pTexelBufferView = &view};
	for (int turn = 0; turn < 2; turn++) {
		write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, turn ? swizzled : from.view, filter);
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
		write_image(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, stored ? from.view : other->image.view, VK_NULL_HANDLE);
		write_image(set, 3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, to.view, VK_NULL_HANDLE);
		write_buffer(set, 4, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
		VkCommandBuffer c = begin();
		fill_from(c, &from, &in, 1);
		if (stored)
			become(c, &to, none, general);
		bind(c, other->kernel, set);
		vkCmdDispatch(c, 1, 1, 1);
		if (stored)
			read_to(c, &to, &again, 1);
		finish(c);
		const double *v = s->values, want[4] = {turn ? v[3] : v[0], turn ? v[0] : v[1], turn ? 1 : v[2], turn ? 0 : v[3]};
		expect(s, turn ? "sampled, swizzled" : "sampled", &out, 0, want);
		expect(s, turn ? "fetched, swizzled" : "fetched", &out, 1, want);
		if (texels)
			expect(s, "from a buffer", &out, 2, v);
		if (stored)
			expect(s, "loaded", &out, 3, v);
		for (int k = 0; linear && !turn && k < 3; k++)
			check(fabs(found(&out, s, 4, k) - v[k] / 2) < 3e-3, "format %d, filtered: component %d is %g, want %g", s->format, k, found(&out, s, 4, k), v[k] / 2);
		for (int k = 0; stored && k < s->size; k++)
			check(again.u8[s->size + k] == s->bytes[k], "format %d, stored: byte %d is %#x, want %#x", s->format, k, again.u8[s->size + k], s->bytes[k]);
	}
}

static void every(char kind, const char *module) {
	stand_in other = {.kernel = kernel_of(module, "sTiib", 0), .image = flat(of_kind(kind), 2, 1, 1), .texels = host_buffer(16)};
	VkCommandBuffer c = begin();
	become(c, &other.image, none, general);
	finish(c);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), other.kernel.set_layout);
	for (size_t i = 0; i < COUNT(samples); i++)
		if (samples[i].kind == kind)
			try_sample(&samples[i], &other, set);
}

static bool formatless(void) {
	if (features.features.shaderStorageImageReadWithoutFormat && features.features.shaderStorageImageWriteWithoutFormat)
		return true;
	skip("storage images without a format");
	return false;
}

static void floats(void) {
	if (formatless())
		every('f', "format_f");
}
static void signed_integers(void) {
	if (formatless())
		every('i', "format_i");
}
static void unsigned_integers(void) {
	if (formatless())
		every('u', "format_u");
}

// Clears write what the sample stands for: its bytes.
static void clears(void) {
	for (size_t i = 0; i < COUNT(samples); i++) {
		const sample *s = &samples[i];
		if (!(about(s->format).optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_DST_BIT))
			continue;
		picture p = flat(s->format, 2, 1, 1);
		buffer out = host_buffer(32);
		VkClearColorValue colour;
		for (int k = 0; k < 4; k++)
			if (s->kind == 'f')
				colour.float32[k] = (float)s->values[k];
			else if (s->kind == 'i')
				colour.int32[k] = (int32_t)s->values[k];
			else
				colour.uint32[k] = (uint32_t)s->values[k];
		VkCommandBuffer c = begin();
		become(c, &p, none, general);
		vkCmdClearColorImage(c, p.image, general, &colour, 1, &p.all);
		read_to(c, &p, &out, 1);
		finish(c);
		for (int k = 0; k < 2 * s->size; k++)
			check(out.u8[k] == s->bytes[k % s->size], "format %d, cleared: byte %d is %#x, want %#x", s->format, k, out.u8[k], s->bytes[k % s->size]);
	}
}

// A queue that does not draw can't copy depths: the host writes those of a linear image. What a sampler that does not compare makes of a
// comparison, Vulkan leaves undefined: the device has to live on.
static void depth_of(VkFormat format, uint32_t size, const void *bytes, float depth, VkBool32 compares) {
	if (!(about(format).linearTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
		return skip("depths in linear images");
	VkImageCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
	    .imageType = VK_IMAGE_TYPE_2D,
	    .format = format,
	    .extent = {2, 1, 1},
	    .mipLevels = 1,
	    .arrayLayers = 1,
	    .samples = VK_SAMPLE_COUNT_1_BIT,
	    .tiling = VK_IMAGE_TILING_LINEAR,
	    .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
	    .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED,
	};
	picture p = {.all = {.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT, .levelCount = 1, .layerCount = 1}};
	must(vkCreateImage(device, &info, NULL, &p.image));
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(device, p.image, &needs);
	VkDeviceMemory memory = allocate(needs, host_memory);
	KEEP(IMAGE, p.image);
	must(vkBindImageMemory(device, p.image, memory, 0));
	VkSubresourceLayout at;
	vkGetImageSubresourceLayout(device, p.image, &(VkImageSubresource){.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT}, &at);
	uint8_t *mapped;
	must(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped));
	memset(mapped, 0, needs.size);
	memcpy(mapped + at.offset + size, bytes, size);
	kernel k = kernel_of("depths", "ssb", 0);
	buffer out = host_buffer(16);
	VkSamplerCreateInfo of_shadow = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .compareEnable = compares, .compareOp = VK_COMPARE_OP_LESS};
	VkSampler shadow;
	must(vkCreateSampler(device, &of_shadow, NULL, &shadow));
	KEEP(SAMPLER, shadow);
	VkImageView view = view_of(&p, format, (VkComponentMapping){0});
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0));
	write_image(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, shadow);
	write_buffer(set, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer c = begin();
	become(c, &p, VK_IMAGE_LAYOUT_PREINITIALIZED, general);
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	quiet = !compares; // the driver may say something
	finish(c);
	quiet = false;
	const float want[] = {depth, 0, depth - .1f < depth, depth + .1f < depth};
	for (int i = 0; i < (compares ? 4 : 2); i++)
		check(fabsf(out.f32[i] - want[i]) < 1e-4f, "format %d, answer %d: %g, want %g", format, i, (double)out.f32[i], (double)want[i]);
}

static void depths(void) {
	depth_of(VK_FORMAT_D16_UNORM, 2, "\x33\x33", .2f, true);
	depth_of(VK_FORMAT_D32_SFLOAT, 4, "\0\0\0\x3f", .5f, true);
	depth_of(VK_FORMAT_D32_SFLOAT, 4, "\0\0\0\x3f", .5f, false);
}

// required are what the specification asks of every device that computes (Vulkan 1.3, "Required Format Support").
static const struct {
	VkFormatFeatureFlags image, buffer;
	VkFormat formats[48]; // up to the first 0
} required[] = {
    {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT, 0,
     {F(B4G4R4A4_UNORM_PACK16), F(R5G6B5_UNORM_PACK16), F(A1R5G5B5_UNORM_PACK16), F(R8_UNORM), F(R8_SNORM), F(R8_UINT), F(R8_SINT), F(R8G8_UNORM), F(R8G8_SNORM), F(R8G8_UINT), F(R8G8_SINT), F(R8G8B8A8_UNORM), F(R8G8B8A8_SNORM),
      F(R8G8B8A8_UINT), F(R8G8B8A8_SINT), F(R8G8B8A8_SRGB), F(B8G8R8A8_UNORM), F(B8G8R8A8_SRGB), F(A8B8G8R8_UNORM_PACK32), F(A8B8G8R8_SNORM_PACK32), F(A8B8G8R8_UINT_PACK32), F(A8B8G8R8_SINT_PACK32), F(A8B8G8R8_SRGB_PACK32),
      F(A2B10G10R10_UNORM_PACK32), F(A2B10G10R10_UINT_PACK32), F(R16_UINT), F(R16_SINT), F(R16_SFLOAT), F(R16G16_UINT), F(R16G16_SINT), F(R16G16_SFLOAT), F(R16G16B16A16_UINT), F(R16G16B16A16_SINT), F(R16G16B16A16_SFLOAT),
      F(R32_UINT), F(R32_SINT), F(R32_SFLOAT), F(R32G32_UINT), F(R32G32_SINT), F(R32G32_SFLOAT), F(R32G32B32A32_UINT), F(R32G32B32A32_SINT), F(R32G32B32A32_SFLOAT), F(B10G11R11_UFLOAT_PACK32), F(E5B9G9R9_UFLOAT_PACK32), F(D16_UNORM), F(D32_SFLOAT)}},
    {VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, 0,
     {F(B4G4R4A4_UNORM_PACK16), F(R5G6B5_UNORM_PACK16), F(A1R5G5B5_UNORM_PACK16), F(R8_UNORM), F(R8_SNORM), F(R8G8_UNORM), F(R8G8_SNORM), F(R8G8B8A8_UNORM), F(R8G8B8A8_SNORM), F(R8G8B8A8_SRGB), F(B8G8R8A8_UNORM), F(B8G8R8A8_SRGB),
      F(A8B8G8R8_UNORM_PACK32), F(A8B8G8R8_SNORM_PACK32), F(A8B8G8R8_SRGB_PACK32), F(A2B10G10R10_UNORM_PACK32), F(R16_SFLOAT), F(R16G16_SFLOAT), F(R16G16B16A16_SFLOAT), F(B10G11R11_UFLOAT_PACK32), F(E5B9G9R9_UFLOAT_PACK32)}},
    {VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, 0,
     {F(R8G8B8A8_UNORM), F(R8G8B8A8_SNORM), F(R8G8B8A8_UINT), F(R8G8B8A8_SINT), F(R16G16B16A16_UINT), F(R16G16B16A16_SINT), F(R16G16B16A16_SFLOAT), F(R32_UINT), F(R32_SINT), F(R32_SFLOAT), F(R32G32_UINT), F(R32G32_SINT), F(R32G32_SFLOAT),
      F(R32G32B32A32_UINT), F(R32G32B32A32_SINT), F(R32G32B32A32_SFLOAT)}},
    {VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT, {F(R32_UINT), F(R32_SINT)}},
    {0, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT,
     {F(R8_UNORM), F(R8_SNORM), F(R8_UINT), F(R8_SINT), F(R8G8_UNORM), F(R8G8_SNORM), F(R8G8_UINT), F(R8G8_SINT), F(R8G8B8A8_UNORM), F(R8G8B8A8_SNORM), F(R8G8B8A8_UINT), F(R8G8B8A8_SINT), F(B8G8R8A8_UNORM), F(A8B8G8R8_UNORM_PACK32),
      F(A8B8G8R8_SNORM_PACK32), F(A8B8G8R8_UINT_PACK32), F(A8B8G8R8_SINT_PACK32), F(A2B10G10R10_UNORM_PACK32), F(A2B10G10R10_UINT_PACK32), F(R16_UINT), F(R16_SINT), F(R16_SFLOAT), F(R16G16_UINT), F(R16G16_SINT), F(R16G16_SFLOAT),
      F(R16G16B16A16_UINT), F(R16G16B16A16_SINT), F(R16G16B16A16_SFLOAT), F(R32_UINT), F(R32_SINT), F(R32_SFLOAT), F(R32G32_UINT), F(R32G32_SINT), F(R32G32_SFLOAT), F(R32G32B32A32_UINT), F(R32G32B32A32_SINT), F(R32G32B32A32_SFLOAT),
      F(B10G11R11_UFLOAT_PACK32)}},
    {0, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT,
     {F(R8G8B8A8_UNORM), F(R8G8B8A8_SNORM), F(R8G8B8A8_UINT), F(R8G8B8A8_SINT), F(A8B8G8R8_UNORM_PACK32), F(A8B8G8R8_SNORM_PACK32), F(A8B8G8R8_UINT_PACK32), F(A8B8G8R8_SINT_PACK32), F(R16G16B16A16_UINT), F(R16G16B16A16_SINT),
      F(R16G16B16A16_SFLOAT), F(R32_UINT), F(R32_SINT), F(R32_SFLOAT), F(R32G32_UINT), F(R32G32_SINT), F(R32G32_SFLOAT), F(R32G32B32A32_UINT), F(R32G32B32A32_SINT), F(R32G32B32A32_SFLOAT)}},
};

static void required_formats(void) {
	for (size_t i = 0; i < COUNT(required); i++)
		for (const VkFormat *f = required[i].formats; f < required[i].formats + COUNT(required[i].formats) && *f; f++) {
			VkFormatProperties has = about(*f);
			check((has.optimalTilingFeatures & required[i].image) == required[i].image && (has.bufferFeatures & required[i].buffer) == required[i].buffer,
			      "format %d: images %#x, buffers %#x, want %#x and %#x among them", *f, has.optimalTilingFeatures, has.bufferFeatures, required[i].image, required[i].buffer);
		}
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(floats);
	TEST(signed_integers);
	TEST(unsigned_integers);
	TEST(clears);
	TEST(depths);
	TEST(required_formats);
	return stop();
}
