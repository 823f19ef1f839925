// What the programs about images share: images with their memory and a view, copies to and from them, samplers.
#ifndef PICTURES_H
#define PICTURES_H
#include "vk.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

typedef struct {
	VkImage image;
	VkImageView view;
	VkImageSubresourceRange all;
	VkExtent3D size;
} picture;

// place creates a picture's image, in memory of its own, and a view of all of it.
static void place(picture *p, const VkImageCreateInfo *info, VkImageViewType view) {
	must(vkCreateImage(device, info, NULL, &p->image));
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(device, p->image, &needs);
	VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	KEEP(IMAGE, p->image);
	must(vkBindImageMemory(device, p->image, memory, 0));
	VkImageViewCreateInfo of_view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = p->image, .viewType = view, .format = info->format, .subresourceRange = p->all};
	must(vkCreateImageView(device, &of_view, NULL, &p->view));
	KEEP(VIEW, p->view);
}

static picture make_picture(VkImageType type, VkImageViewType view, VkFormat format, VkExtent3D size, uint32_t layers, uint32_t levels) {
	picture p = {.size = size, .all = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = levels, .layerCount = layers}};
	VkFormatProperties supports;
	vkGetPhysicalDeviceFormatProperties(physical, format, &supports);
	VkImageCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
	    .imageType = type,
	    .format = format,
	    .extent = size,
	    .mipLevels = levels,
	    .arrayLayers = layers,
	    .samples = VK_SAMPLE_COUNT_1_BIT,
	    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	if (supports.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)
		info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
	if (supports.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
		info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
	place(&p, &info, view);
	return p;
}

static picture flat(VkFormat format, uint32_t width, uint32_t height, uint32_t levels) {
	return make_picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, format, (VkExtent3D){width, height, 1}, 1, levels);
}

// become changes the layout of the whole image, after all that came before.
static void become(VkCommandBuffer c, const picture *p, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier barrier = {
	    .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
	    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
	    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
	    .oldLayout = from,
	    .newLayout = to,
	    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .image = p->image,
	    .subresourceRange = p->all,
	};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}
static const VkImageLayout none = VK_IMAGE_LAYOUT_UNDEFINED, general = VK_IMAGE_LAYOUT_GENERAL;

static VkBufferImageCopy region(const picture *p, VkDeviceSize offset, uint32_t level, uint32_t layers) {
	return (VkBufferImageCopy){
	    .bufferOffset = offset,
	    .imageSubresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .mipLevel = level, .layerCount = layers},
	    .imageExtent = {p->size.width >> level, p->size.height >> level, p->size.depth},
	};
}

static void fill_from(VkCommandBuffer c, const picture *p, const buffer *b, uint32_t layers) {
	VkBufferImageCopy whole = region(p, 0, 0, layers);
	become(c, p, none, general);
	vkCmdCopyBufferToImage(c, b->buffer, p->image, general, 1, &whole);
	become(c, p, general, general);
}

static void read_to(VkCommandBuffer c, const picture *p, const buffer *b, uint32_t layers) {
	VkBufferImageCopy whole = region(p, 0, 0, layers);
	become(c, p, general, general);
	vkCmdCopyImageToBuffer(c, p->image, general, b->buffer, 1, &whole);
}

static void write_image(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler) {
	VkDescriptorImageInfo info = {.imageView = view, .imageLayout = general, .sampler = sampler};
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = binding, .descriptorCount = 1, .descriptorType = type, .pImageInfo = &info};
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static VkSampler sampler(VkFilter filter, VkSamplerAddressMode outside, VkBorderColor border) {
	VkSamplerCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
	    .magFilter = filter,
	    .minFilter = filter,
	    .addressModeU = outside,
	    .addressModeV = outside,
	    .addressModeW = outside,
	    .borderColor = border,
	    .maxLod = VK_LOD_CLAMP_NONE,
	};
	VkSampler s;
	must(vkCreateSampler(device, &info, NULL, &s));
	KEEP(SAMPLER, s);
	return s;
}

static bool can(VkFormat format, VkFormatFeatureFlags wanted) {
	VkFormatProperties supports;
	vkGetPhysicalDeviceFormatProperties(physical, format, &supports);
	return (supports.optimalTilingFeatures & wanted) == wanted;
}

#pragma GCC diagnostic pop
#endif
