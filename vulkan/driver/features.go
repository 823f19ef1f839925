package driver

import (
	"spvsim/config"
	"spvsim/vulkan/vk"
)

// features lists the supported features by the names of the structures' members; every other feature is reported as
// absent, and refused.
var features = setOf(
	"robustBufferAccess", "imageCubeArray", "shaderImageGatherExtended", "shaderStorageImageExtendedFormats",
	"shaderStorageImageMultisample", "shaderStorageImageReadWithoutFormat", "shaderStorageImageWriteWithoutFormat",
	"shaderUniformBufferArrayDynamicIndexing", "shaderSampledImageArrayDynamicIndexing",
	"shaderStorageBufferArrayDynamicIndexing", "shaderStorageImageArrayDynamicIndexing",
	"shaderFloat64", "shaderInt64", "shaderInt16",
	// These have no meaning for compute. The validation layers' printf and GPU-assisted validation require both before
	// they instrument any shader.
	"fragmentStoresAndAtomics", "vertexPipelineStoresAndAtomics",

	"storageBuffer16BitAccess", "uniformAndStorageBuffer16BitAccess", "storagePushConstant16",
	"variablePointersStorageBuffer", "variablePointers",

	"storageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess", "storagePushConstant8",
	"shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderFloat16", "shaderInt8",
	"descriptorIndexing", "shaderUniformTexelBufferArrayDynamicIndexing", "shaderStorageTexelBufferArrayDynamicIndexing",
	"shaderUniformBufferArrayNonUniformIndexing", "shaderSampledImageArrayNonUniformIndexing",
	"shaderStorageBufferArrayNonUniformIndexing", "shaderStorageImageArrayNonUniformIndexing",
	"shaderUniformTexelBufferArrayNonUniformIndexing", "shaderStorageTexelBufferArrayNonUniformIndexing",
	"descriptorBindingUniformBufferUpdateAfterBind", "descriptorBindingSampledImageUpdateAfterBind",
	"descriptorBindingStorageImageUpdateAfterBind", "descriptorBindingStorageBufferUpdateAfterBind",
	"descriptorBindingUniformTexelBufferUpdateAfterBind", "descriptorBindingStorageTexelBufferUpdateAfterBind",
	"descriptorBindingUpdateUnusedWhilePending", "descriptorBindingPartiallyBound",
	"descriptorBindingVariableDescriptorCount", "runtimeDescriptorArray",
	"scalarBlockLayout", "uniformBufferStandardLayout", "shaderSubgroupExtendedTypes", "hostQueryReset", "timelineSemaphore",
	"bufferDeviceAddress", "vulkanMemoryModel", "vulkanMemoryModelDeviceScope", "vulkanMemoryModelAvailabilityVisibilityChains",
	"subgroupBroadcastDynamicId", "samplerMirrorClampToEdge",

	"robustImageAccess", "inlineUniformBlock", "descriptorBindingInlineUniformBlockUpdateAfterBind",
	"pipelineCreationCacheControl", "privateData", "shaderDemoteToHelperInvocation", "shaderTerminateInvocation",
	"subgroupSizeControl", "computeFullSubgroups", "synchronization2", "shaderZeroInitializeWorkgroupMemory",
	"shaderIntegerDotProduct", "maintenance4",

	"shaderSubgroupClock", "shaderDeviceClock", "shaderExpectAssume", "shaderMaximalReconvergence", "shaderQuadControl", "shaderUntypedPointers",
	"shaderSubgroupRotate", "shaderSubgroupRotateClustered", "shaderSubgroupUniformControlFlow",
	"workgroupMemoryExplicitLayout", "workgroupMemoryExplicitLayoutScalarBlockLayout",
	"workgroupMemoryExplicitLayout8BitAccess", "workgroupMemoryExplicitLayout16BitAccess",
	"shaderEnqueue", "deviceGeneratedCommands", "globalPriorityQuery", "maintenance5", "pipelineExecutableInfo", "performanceCounterQueryPools",
	"robustBufferAccess2", "robustImageAccess2", "nullDescriptor", "texelBufferAlignment",
	"shaderBufferFloat32Atomics", "shaderBufferFloat32AtomicAdd", "shaderBufferFloat64Atomics", "shaderBufferFloat64AtomicAdd",
	"shaderSharedFloat32Atomics", "shaderSharedFloat32AtomicAdd", "shaderSharedFloat64Atomics", "shaderSharedFloat64AtomicAdd",
	"shaderBufferFloat16Atomics", "shaderBufferFloat16AtomicAdd", "shaderBufferFloat16AtomicMinMax",
	"shaderBufferFloat32AtomicMinMax", "shaderBufferFloat64AtomicMinMax",
	"shaderSharedFloat16Atomics", "shaderSharedFloat16AtomicAdd", "shaderSharedFloat16AtomicMinMax",
	"shaderSharedFloat32AtomicMinMax", "shaderSharedFloat64AtomicMinMax",
	"shaderImageFloat32Atomics", "shaderImageFloat32AtomicAdd", "shaderImageFloat32AtomicMinMax", "shaderImageInt64Atomics",
)

func setOf(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Bounds of the driver or of Vulkan where the machine has none.
const (
	maxSets            = 32
	maxDescriptors     = 1 << 20
	mostInSet          = 4 * maxDescriptors // of all kinds together
	maxPushDescriptors = maxDescriptors >> 10
	maxGroupCount      = 1<<16 - 1
	maxInvocations     = 1024
	maxImageSide       = 16384
	maxImageLayers     = 2048
	maxImageSide3D     = 2048
	maxTexels          = 1 << 27
	maxPush            = 256
	offsetAlignment    = 16
	mapAlignment       = 4096
	maxInlineBytes     = 4096
	maxAllocations     = 1 << 20
	maxRange           = 1<<32 - 1
	maxUniformRange    = 1 << 26
	maxInlineBlocks    = 64
	maxTimeline        = 1<<63 - 1
	maxGraph           = 256 // outputs of a node: the minimum of the specification
	samplesOne         = vk.SampleCount1Bit
	samplesMore        = vk.SampleCount2Bit | vk.SampleCount4Bit | vk.SampleCount8Bit | vk.SampleCount16Bit | vk.SampleCount32Bit | vk.SampleCount64Bit
	nanosecondsAMHz    = 1000 // of a period, for a clock of one
	driverVersionTxt   = "1.0"
)

// mostGroups are the workgroups of a dispatch in each dimension.
var mostGroups = [3]uint32{1<<31 - 1, maxGroupCount, maxGroupCount}

// propertiesOf are the limits and properties of a machine's device, by the names of the structures' members.
func propertiesOf(m *config.Machine, uuid [16]byte) map[string]any {
	low, high := waveRange(m)
	waves := m.SIMDs * m.WaveSlots
	most := min(maxInvocations, waves*low)
	p := map[string]any{
		"MaxImageDimension1D": maxImageSide, "MaxImageDimension2D": maxImageSide, "MaxImageDimension3D": maxImageSide3D,
		"MaxImageDimensionCube": maxImageSide, "MaxImageArrayLayers": maxImageLayers, "MaxTexelBufferElements": maxTexels,
		"MaxUniformBufferRange": maxUniformRange, "MaxStorageBufferRange": uint32(maxRange), "MaxPushConstantsSize": maxPush,
		"MaxMemoryAllocationCount": maxAllocations, "MaxSamplerAllocationCount": maxAllocations, "BufferImageGranularity": 1,
		"MaxBoundDescriptorSets": maxSets, "MaxPerStageResources": maxDescriptors,
		"MaxComputeSharedMemorySize": m.LDS.MaxWorkgroupBytes, "MaxComputeWorkGroupCount": mostGroups,
		"MaxComputeWorkGroupInvocations": most, "MaxComputeWorkGroupSize": [3]uint32{uint32(most), uint32(most), uint32(most)},
		"SubTexelPrecisionBits": 8, "MipmapPrecisionBits": 8, "MaxSamplerLodBias": float32(16), "MaxSamplerAnisotropy": float32(1),
		"MinMemoryMapAlignment": mapAlignment, "MinTexelBufferOffsetAlignment": offsetAlignment,
		"MinUniformBufferOffsetAlignment": offsetAlignment, "MinStorageBufferOffsetAlignment": offsetAlignment,
		"MinTexelOffset": int32(-32), "MaxTexelOffset": 31, "MinTexelGatherOffset": int32(-32), "MaxTexelGatherOffset": 31,
		"SampledImageColorSampleCounts": samplesOne | samplesMore, "SampledImageIntegerSampleCounts": samplesOne | samplesMore,
		"SampledImageDepthSampleCounts": samplesOne | samplesMore, "SampledImageStencilSampleCounts": samplesOne, "StorageImageSampleCounts": samplesOne | samplesMore,
		"TimestampComputeAndGraphics": 1, "TimestampPeriod": float32(nanosecondsAMHz / float64(m.ClockMHz)), "DiscreteQueuePriorities": 2,
		"MaxDrawIndirectCount": 1, "OptimalBufferCopyOffsetAlignment": 1, "OptimalBufferCopyRowPitchAlignment": 1, "NonCoherentAtomSize": 1,
		"PointSizeRange": [2]float32{1, 1}, "LineWidthRange": [2]float32{1, 1},

		"SubgroupSize": m.WaveSize, "SupportedStages": vk.ShaderStageComputeBit, "CooperativeMatrixSupportedStages": vk.ShaderStageComputeBit, "QuadOperationsInAllStages": 1,
		"SubgroupSupportedStages": vk.ShaderStageComputeBit, "SubgroupQuadOperationsInAllStages": 1,
		"SupportedOperations": subgroupOperations, "SubgroupSupportedOperations": subgroupOperations,
		"MinSubgroupSize": low, "MaxSubgroupSize": high, "MaxComputeWorkgroupSubgroups": waves, "RequiredSubgroupSizeStages": vk.ShaderStageComputeBit,

		"DriverID": vk.DriverId(driverID), "DriverName": "spvsim", "DriverInfo": driverVersionTxt, "DeviceUUID": uuid, "DriverUUID": uuid,
		"MaxPerSetDescriptors": maxDescriptors, "MaxMemoryAllocationSize": uint64(m.Memory.Bytes), "MaxBufferSize": uint64(m.Memory.Bytes),
		"MaxTimelineSemaphoreValueDifference": uint64(maxTimeline), "MaxPushDescriptors": maxPushDescriptors,
		"MinImportedHostPointerAlignment": mapAlignment, "RobustStorageBufferAccessSizeAlignment": 4, "RobustUniformBufferAccessSizeAlignment": 4,
		"MaxInlineUniformBlockSize": maxInlineBytes, "MaxInlineUniformTotalSize": maxInlineBytes * maxInlineBlocks,
		"MaxUpdateAfterBindDescriptorsInAllPools": maxDescriptors, "RobustBufferAccessUpdateAfterBind": 1, "QuadDivergentImplicitLod": 1,
		"StorageTexelBufferOffsetAlignmentBytes": offsetAlignment, "UniformTexelBufferOffsetAlignmentBytes": offsetAlignment,
		"StorageTexelBufferOffsetSingleTexelAlignment": 1, "UniformTexelBufferOffsetSingleTexelAlignment": 1,
		"MaxExecutionGraphDepth": m.Queue.MaxDepth, "MaxExecutionGraphShaderOutputNodes": maxGraph, "MaxExecutionGraphShaderPayloadSize": m.Queue.MaxPayloadBytes,
		"MaxExecutionGraphShaderPayloadCount": m.Queue.MaxPayloads, "ExecutionGraphDispatchAddressAlignment": 8,
		"MaxExecutionGraphWorkgroupCount": [3]uint32{maxGroupCount, maxGroupCount, maxGroupCount}, "MaxExecutionGraphWorkgroups": 1<<24 - 1,
		"MaxIndirectPipelineCount": maxGeneratedPipelines, "MaxIndirectSequenceCount": maxGeneratedSequences, "MaxIndirectCommandsTokenCount": maxGeneratedTokens,
		"MaxIndirectCommandsTokenOffset": maxGeneratedOffset, "MaxIndirectCommandsIndirectStride": maxGeneratedStride,
		"SupportedIndirectCommandsShaderStages": vk.ShaderStageComputeBit, "SupportedIndirectCommandsShaderStagesPipelineBinding": vk.ShaderStageComputeBit,
		"DenormBehaviorIndependence": vk.ShaderFloatControlsIndependenceAll, "RoundingModeIndependence": vk.ShaderFloatControlsIndependenceAll,
	}
	for _, name := range []string{"ShaderSignedZeroInfNanPreserveFloat", "ShaderDenormPreserveFloat", "ShaderRoundingModeRTEFloat"} {
		for _, bits := range []string{"16", "32", "64"} {
			p[name+bits] = 1
		}
	}
	for _, name := range descriptorLimits {
		p[name] = maxDescriptors
	}
	for _, name := range []string{"UniformBuffer", "SampledImage", "StorageBuffer", "StorageImage"} {
		p["Shader"+name+"ArrayNonUniformIndexingNative"] = 1
	}
	for _, name := range inlineLimits {
		p[name] = maxInlineBlocks
	}
	for _, name := range acceleratedDots(m) {
		p[name] = 1
	}
	return p
}

const subgroupOperations = vk.SubgroupFeatureBasicBit | vk.SubgroupFeatureVoteBit | vk.SubgroupFeatureArithmeticBit | vk.SubgroupFeatureBallotBit |
	vk.SubgroupFeatureShuffleBit | vk.SubgroupFeatureShuffleRelativeBit | vk.SubgroupFeatureClusteredBit | vk.SubgroupFeatureQuadBit |
	vk.SubgroupFeatureRotateBit | vk.SubgroupFeatureRotateClusteredBit

// descriptorLimits lists the limits on descriptors of a type per stage or set: the largest array of a program.
var descriptorLimits = []string{
	"MaxPerStageDescriptorSamplers", "MaxPerStageDescriptorUniformBuffers", "MaxPerStageDescriptorStorageBuffers",
	"MaxPerStageDescriptorSampledImages", "MaxPerStageDescriptorStorageImages",
	"MaxDescriptorSetSamplers", "MaxDescriptorSetUniformBuffers", "MaxDescriptorSetUniformBuffersDynamic", "MaxDescriptorSetStorageBuffers",
	"MaxDescriptorSetStorageBuffersDynamic", "MaxDescriptorSetSampledImages", "MaxDescriptorSetStorageImages",
	"MaxPerStageDescriptorUpdateAfterBindSamplers", "MaxPerStageDescriptorUpdateAfterBindUniformBuffers",
	"MaxPerStageDescriptorUpdateAfterBindStorageBuffers", "MaxPerStageDescriptorUpdateAfterBindSampledImages",
	"MaxPerStageDescriptorUpdateAfterBindStorageImages", "MaxPerStageUpdateAfterBindResources",
	"MaxDescriptorSetUpdateAfterBindSamplers", "MaxDescriptorSetUpdateAfterBindUniformBuffers",
	"MaxDescriptorSetUpdateAfterBindUniformBuffersDynamic", "MaxDescriptorSetUpdateAfterBindStorageBuffers",
	"MaxDescriptorSetUpdateAfterBindStorageBuffersDynamic", "MaxDescriptorSetUpdateAfterBindSampledImages",
	"MaxDescriptorSetUpdateAfterBindStorageImages",
}

var inlineLimits = []string{
	"MaxPerStageDescriptorInlineUniformBlocks", "MaxPerStageDescriptorUpdateAfterBindInlineUniformBlocks",
	"MaxDescriptorSetInlineUniformBlocks", "MaxDescriptorSetUpdateAfterBindInlineUniformBlocks",
}
