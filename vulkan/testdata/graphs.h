// VK_AMDX_shader_enqueue, revision 2, whose structures the headers of Debian bookworm lack. They are declared here after the registry.
#ifndef GRAPHS_H
#define GRAPHS_H
#include "vk.h"

typedef union {
	VkDeviceAddress deviceAddress;
	const void *hostAddress;
} either_address;

typedef struct {
	uint32_t nodeIndex, payloadCount;
	either_address payloads;
	uint64_t payloadStride;
} graph_info;

typedef struct {
	uint32_t count;
	either_address infos;
	uint64_t stride;
} graph_count_info;

typedef struct {
	VkStructureType sType;
	const void *pNext;
	const char *pName;
	uint32_t index;
} node_info;

typedef struct {
	VkStructureType sType;
	const void *pNext;
	VkPipelineCreateFlags flags;
	uint32_t stageCount;
	const VkPipelineShaderStageCreateInfo *pStages;
	const VkPipelineLibraryCreateInfoKHR *pLibraryInfo;
	VkPipelineLayout layout;
	VkPipeline basePipelineHandle;
	int32_t basePipelineIndex;
} graph_pipeline_info;

typedef struct {
	VkStructureType sType;
	void *pNext;
	VkDeviceSize minSize, maxSize, sizeGranularity;
} scratch_size;

typedef struct {
	VkStructureType sType;
	void *pNext;
	uint32_t depth, outputNodes, payloadSize, payloadCount, addressAlignment, workgroupCount[3], workgroups;
} enqueue_properties;

static const VkStructureType ENQUEUE_PROPERTIES = (VkStructureType)1000134001;
static const VkStructureType SCRATCH_SIZE = (VkStructureType)1000134002;
static const VkStructureType GRAPH_PIPELINE = (VkStructureType)1000134003;
static const VkStructureType NODE = (VkStructureType)1000134004;
static const VkPipelineBindPoint BIND_POINT_GRAPH = (VkPipelineBindPoint)1000134000;
static const VkBufferUsageFlags SCRATCH_USAGE = 1 << 25;

typedef VkResult(VKAPI_PTR *PFN_vkCreateExecutionGraphPipelinesAMDX)(VkDevice, VkPipelineCache, uint32_t, const graph_pipeline_info *, const VkAllocationCallbacks *, VkPipeline *);
typedef VkResult(VKAPI_PTR *PFN_vkGetExecutionGraphPipelineScratchSizeAMDX)(VkDevice, VkPipeline, scratch_size *);
typedef VkResult(VKAPI_PTR *PFN_vkGetExecutionGraphPipelineNodeIndexAMDX)(VkDevice, VkPipeline, const node_info *, uint32_t *);
typedef void(VKAPI_PTR *PFN_vkCmdInitializeGraphScratchMemoryAMDX)(VkCommandBuffer, VkPipeline, VkDeviceAddress, VkDeviceSize);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphAMDX)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, const graph_count_info *);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphIndirectAMDX)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, const graph_count_info *);
typedef void(VKAPI_PTR *PFN_vkCmdDispatchGraphIndirectCountAMDX)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, VkDeviceAddress);

#endif
