package validate

import "spvsim/spirv"

// Why a feature does not run, or not all of it.
const (
	kernelsOnly  = "it belongs to the memory model OpenCL: a shader has another"
	generic      = "each pointer of a kernel needs an address space that is known"
	kernelQueues = "kernels have neither pipes, nor queues and named barriers of their own, nor sizes by subgroups"
	mipmaps      = "images of kernels have one level"
	linkage      = "modules are not linked: a module must be complete"
	openGL       = "a feature of OpenGL that the modelled API does not have"
	kernels      = "an operation of compute kernels, which has no lowering"
	intel        = "operations of one vendor's compute kernels, which have no lowering"
	fpga         = "hints and types for FPGAs, not for GPUs"
	rays         = "ray tracing units and acceleration structures are not modelled"
	matrices     = "of cooperative matrices, only those of SPV_KHR_cooperative_matrix are modelled"
	longVector   = "of long vectors, only those of SPV_EXT_long_vector are modelled"
	tensors      = "tensors are not modelled: they have no layout in memory"
	smallTypes   = "numbers are floats of 8, 16, 32 and 64 bits, and integers of 8 to 64 bits"
	halfVector   = "atomic operations work on a single scalar"
	recentOps    = "recent instructions, which have no lowering"
	vendorOp     = "instructions that one vendor's driver defines"
	shapes       = "constants must be written with their constituents"
	coreNumber   = "shaders cannot read the number of the core that runs them"
	descriptor   = "buffers are bound by set and binding, and indexed with 32 bits"

	attachments = "attachments cannot be read: draws have only colour outputs"
	sparse      = "images are always resident as a whole, with all of their levels"
	shadingRate = "each pixel is shaded once, at one rate"
	coverage    = "coverage comes from sample locations, and shaders cannot change it"
	stencil     = "draws have neither a depth nor a stencil attachment"
	interlock   = "fragments of one pixel are not ordered while they run"
	meshNV      = "superseded by MeshShadingEXT, which runs"
	nvStages    = "one vendor's feature of stages that do not run"
	vendorImage = "image operations of one vendor, which are not modelled"

	otherStages     = "vertex, tessellation and geometry stages do not run; a module may contain them beside stages that run"
	clipping        = "a fragment is clipped by its triangle only"
	explicitVertex  = "inputs of each vertex are those of SPV_KHR_fragment_shader_barycentric"
	narrowInputs    = "inputs and outputs of stages have 32 bits; values in buffers may be narrower"
	flushing        = "subnormal numbers are not flushed: the mode DenormFlushToZero is refused"
	rounding        = "rounding is to nearest even: the mode RoundingModeRTZ is refused"
	halfCoordinates = "image coordinates of 16 bits are not modelled"
)

// vendorFeatures has the treatment of the capabilities without a row of their own, by the end of their names.
var vendorFeatures = map[string]feature{"INTEL": {refused, intel}, "ALTERA": {refused, fpga}}

// capabilityFeatures has each other capability of the grammar: the treatment of a module that declares it.
var capabilityFeatures = map[spirv.Capability]feature{}

func init() {
	for _, row := range capabilitiesByFeature {
		for _, c := range row.capabilities {
			capabilityFeatures[c] = row.feature
		}
	}
}

// capabilitiesByFeature lists the capabilities of each treatment, in the order of their numbers.
var capabilitiesByFeature = []struct {
	feature
	capabilities []spirv.Capability
}{
	{feature{level: runs}, []spirv.Capability{
		spirv.CapabilityMatrix, spirv.CapabilityShader, spirv.CapabilityAddresses, spirv.CapabilityLinkage, spirv.CapabilityKernel,
		spirv.CapabilityVector16, spirv.CapabilityFloat16Buffer, spirv.CapabilityFloat16, spirv.CapabilityFloat64,
		spirv.CapabilityInt64, spirv.CapabilityInt64Atomics, spirv.CapabilityImageBasic, spirv.CapabilityImageReadWrite,
		spirv.CapabilityGroups, spirv.CapabilityLiteralSampler, spirv.CapabilityInt16, spirv.CapabilityImageGatherExtended,
		spirv.CapabilityStorageImageMultisample, spirv.CapabilityUniformBufferArrayDynamicIndexing,
		spirv.CapabilitySampledImageArrayDynamicIndexing, spirv.CapabilityStorageBufferArrayDynamicIndexing,
		spirv.CapabilityStorageImageArrayDynamicIndexing, spirv.CapabilityImageCubeArray, spirv.CapabilitySampleRateShading,
		spirv.CapabilityInt8, spirv.CapabilitySampled1D, spirv.CapabilityImage1D, spirv.CapabilitySampledCubeArray,
		spirv.CapabilitySampledBuffer, spirv.CapabilityImageBuffer, spirv.CapabilityImageMSArray,
		spirv.CapabilityStorageImageExtendedFormats, spirv.CapabilityImageQuery, spirv.CapabilityDerivativeControl,
		spirv.CapabilityInterpolationFunction, spirv.CapabilityStorageImageReadWithoutFormat,
		spirv.CapabilityStorageImageWriteWithoutFormat, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote,
		spirv.CapabilityGroupNonUniformArithmetic, spirv.CapabilityGroupNonUniformBallot, spirv.CapabilityGroupNonUniformShuffle,
		spirv.CapabilityGroupNonUniformShuffleRelative, spirv.CapabilityGroupNonUniformClustered,
		spirv.CapabilityGroupNonUniformQuad, spirv.CapabilityUniformDecoration, spirv.CapabilityFloat8EXT,
		spirv.CapabilityFloat8CooperativeMatrixEXT, spirv.CapabilitySubgroupBallotKHR,
		spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR, spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
		spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR, spirv.CapabilitySubgroupVoteKHR,
		spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess,
		spirv.CapabilityStoragePushConstant16, spirv.CapabilityDeviceGroup, spirv.CapabilityVariablePointersStorageBuffer,
		spirv.CapabilityVariablePointers, spirv.CapabilityStorageBuffer8BitAccess,
		spirv.CapabilityUniformAndStorageBuffer8BitAccess, spirv.CapabilityStoragePushConstant8, spirv.CapabilityDenormPreserve,
		spirv.CapabilitySignedZeroInfNanPreserve, spirv.CapabilityRoundingModeRTE, spirv.CapabilityUntypedPointersKHR,
		spirv.CapabilityInt64ImageEXT, spirv.CapabilityShaderClockKHR, spirv.CapabilityShaderEnqueueAMDX,
		spirv.CapabilityQuadControlKHR, spirv.CapabilityBFloat16TypeKHR, spirv.CapabilityBFloat16DotProductKHR,
		spirv.CapabilityBFloat16CooperativeMatrixKHR, spirv.CapabilityMeshShadingEXT, spirv.CapabilityFragmentBarycentricKHR,
		spirv.CapabilityComputeDerivativeGroupQuadsKHR, spirv.CapabilityGroupNonUniformPartitionedEXT,
		spirv.CapabilityShaderNonUniform, spirv.CapabilityRuntimeDescriptorArray,
		spirv.CapabilityUniformTexelBufferArrayDynamicIndexing, spirv.CapabilityStorageTexelBufferArrayDynamicIndexing,
		spirv.CapabilityUniformBufferArrayNonUniformIndexing, spirv.CapabilitySampledImageArrayNonUniformIndexing,
		spirv.CapabilityStorageBufferArrayNonUniformIndexing, spirv.CapabilityStorageImageArrayNonUniformIndexing,
		spirv.CapabilityUniformTexelBufferArrayNonUniformIndexing, spirv.CapabilityStorageTexelBufferArrayNonUniformIndexing,
		spirv.CapabilityVulkanMemoryModel, spirv.CapabilityVulkanMemoryModelDeviceScope,
		spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityComputeDerivativeGroupLinearKHR,
		spirv.CapabilityDemoteToHelperInvocation, spirv.CapabilityLongVectorEXT, spirv.CapabilityIntegerFunctions2INTEL,
		spirv.CapabilityAtomicFloat32MinMaxEXT, spirv.CapabilityAtomicFloat64MinMaxEXT, spirv.CapabilityAtomicFloat16MinMaxEXT,
		spirv.CapabilityExpectAssumeKHR, spirv.CapabilityDotProductInputAll, spirv.CapabilityDotProductInput4x8Bit,
		spirv.CapabilityDotProductInput4x8BitPacked, spirv.CapabilityDotProduct, spirv.CapabilityCooperativeMatrixKHR,
		spirv.CapabilityReplicatedCompositesEXT, spirv.CapabilityBitInstructions, spirv.CapabilityGroupNonUniformRotateKHR,
		spirv.CapabilityFloatControls2, spirv.CapabilityFMAKHR, spirv.CapabilityAtomicFloat32AddEXT,
		spirv.CapabilityAtomicFloat64AddEXT, spirv.CapabilityOptNoneEXT, spirv.CapabilityAtomicFloat16AddEXT,
		spirv.CapabilityDotProductFloat16AccFloat32VALVE, spirv.CapabilityDotProductFloat16AccFloat16VALVE,
		spirv.CapabilityDotProductBFloat16AccVALVE, spirv.CapabilityDotProductFloat8AccFloat32VALVE,
	}},
	{feature{whenLowered, otherStages}, []spirv.Capability{
		spirv.CapabilityGeometry, spirv.CapabilityTessellation, spirv.CapabilityTessellationPointSize,
		spirv.CapabilityGeometryPointSize, spirv.CapabilityTransformFeedback, spirv.CapabilityGeometryStreams,
		spirv.CapabilityMultiViewport, spirv.CapabilityShaderLayer, spirv.CapabilityShaderViewportIndex,
		spirv.CapabilityDrawParameters, spirv.CapabilityMultiView, spirv.CapabilityShaderViewportIndexLayerEXT,
	}},
	{feature{whenLowered, mipmaps}, []spirv.Capability{spirv.CapabilityImageMipmap}},
	{feature{refused, kernelQueues}, []spirv.Capability{
		spirv.CapabilityPipes, spirv.CapabilityDeviceEnqueue, spirv.CapabilitySubgroupDispatch, spirv.CapabilityNamedBarrier,
		spirv.CapabilityPipeStorage,
	}},
	{feature{refused, openGL}, []spirv.Capability{
		spirv.CapabilityAtomicStorage, spirv.CapabilityImageRect, spirv.CapabilitySampledRect, spirv.CapabilityAtomicStorageOps,
	}},
	{feature{whenLowered, clipping}, []spirv.Capability{spirv.CapabilityClipDistance, spirv.CapabilityCullDistance}},
	{feature{whenLowered, generic}, []spirv.Capability{spirv.CapabilityGenericPointer}},
	{feature{refused, attachments}, []spirv.Capability{
		spirv.CapabilityInputAttachment, spirv.CapabilityTileImageColorReadAccessEXT, spirv.CapabilityTileImageDepthReadAccessEXT,
		spirv.CapabilityTileImageStencilReadAccessEXT, spirv.CapabilityTileShadingQCOM,
		spirv.CapabilityInputAttachmentArrayDynamicIndexing, spirv.CapabilityInputAttachmentArrayNonUniformIndexing,
	}},
	{feature{refused, sparse}, []spirv.Capability{spirv.CapabilitySparseResidency, spirv.CapabilityMinLod}},
	{feature{refused, coreNumber}, []spirv.Capability{spirv.CapabilityCoreBuiltinsARM, spirv.CapabilityShaderSMBuiltinsNV}},
	{feature{refused, tensors}, []spirv.Capability{
		spirv.CapabilityTensorsARM, spirv.CapabilityStorageTensorArrayDynamicIndexingARM,
		spirv.CapabilityStorageTensorArrayNonUniformIndexingARM, spirv.CapabilityGraphARM, spirv.CapabilityTensorAddressingNV,
	}},
	{feature{refused, matrices}, []spirv.Capability{
		spirv.CapabilityCooperativeMatrixLayoutsARM, spirv.CapabilityCooperativeMatrixConversionQCOM,
		spirv.CapabilityInt4CooperativeMatrixINTEL, spirv.CapabilityCooperativeMatrixNV,
		spirv.CapabilityCooperativeMatrixConversionsEXT, spirv.CapabilityCooperativeMatrixReductionsEXT,
		spirv.CapabilityCooperativeMatrixConversionsNV, spirv.CapabilityCooperativeMatrixPerElementOperationsEXT,
		spirv.CapabilityCooperativeMatrixTensorAddressingNV, spirv.CapabilityCooperativeMatrixBlockLoadsNV,
		spirv.CapabilityCooperativeMatrixGetCoordinateEXT, spirv.CapabilityCooperativeMatrixDecodeVectorNV,
		spirv.CapabilitySubgroupMatrixMultiplyAccumulateINTEL,
	}},
	{feature{refused, smallTypes}, []spirv.Capability{
		spirv.CapabilityFloat6EXT, spirv.CapabilityFloat4EXT, spirv.CapabilityFloat8UnsignedE8M0EXT, spirv.CapabilityMXInt8EXT,
		spirv.CapabilityBitcastExtractEXT, spirv.CapabilityInt4TypeINTEL,
	}},
	{feature{refused, shadingRate}, []spirv.Capability{spirv.CapabilityFragmentShadingRateKHR, spirv.CapabilityFragmentDensityEXT}},
	{feature{whenLowered, narrowInputs}, []spirv.Capability{spirv.CapabilityStorageInputOutput16}},
	{feature{refused, coverage}, []spirv.Capability{
		spirv.CapabilitySampleMaskPostDepthCoverage, spirv.CapabilityFragmentMaskAMD, spirv.CapabilitySampleMaskOverrideCoverageNV,
		spirv.CapabilityFragmentFullyCoveredEXT,
	}},
	{feature{whenLowered, flushing}, []spirv.Capability{spirv.CapabilityDenormFlushToZero}},
	{feature{whenLowered, rounding}, []spirv.Capability{spirv.CapabilityRoundingModeRTZ}},
	{feature{refused, rays}, []spirv.Capability{
		spirv.CapabilityRayQueryProvisionalKHR, spirv.CapabilityRayQueryKHR, spirv.CapabilityRayTraversalPrimitiveCullingKHR,
		spirv.CapabilityRayTracingKHR, spirv.CapabilityRayTracingPositionFetchKHR, spirv.CapabilityRayTracingNV,
		spirv.CapabilityRayTracingMotionBlurNV, spirv.CapabilityRayTracingProvisionalKHR, spirv.CapabilityDisplacementMicromapNV,
		spirv.CapabilityRayTracingOpacityMicromapKHR, spirv.CapabilityShaderInvocationReorderNV,
		spirv.CapabilityShaderInvocationReorderEXT, spirv.CapabilityRayQueryPositionFetchKHR,
		spirv.CapabilityRayTracingDisplacementMicromapNV, spirv.CapabilityRayTracingSpheresGeometryNV,
		spirv.CapabilityRayTracingLinearSweptSpheresGeometryNV, spirv.CapabilityRayTracingClusterAccelerationStructureNV,
		spirv.CapabilityRayCullMaskKHR, spirv.CapabilityRayTracingOpacityMicromapExecutionModeKHR,
	}},
	{feature{refused, vendorImage}, []spirv.Capability{
		spirv.CapabilityTextureSampleWeightedQCOM, spirv.CapabilityTextureBoxFilterQCOM, spirv.CapabilityTextureBlockMatchQCOM,
		spirv.CapabilityTextureBlockMatch2QCOM, spirv.CapabilityImageGatherLinearQCOM, spirv.CapabilityImageGatherExtendedModesQCOM,
		spirv.CapabilityImageGatherBiasLodAMD, spirv.CapabilityImageReadWriteLodAMD, spirv.CapabilityImageFootprintNV,
		spirv.CapabilityBindlessTextureNV,
	}},
	{feature{foreign, kernelQueues}, []spirv.Capability{spirv.CapabilityMultipleWaitQueuesQCOM}},
	{feature{whenLowered, halfCoordinates}, []spirv.Capability{spirv.CapabilityFloat16ImageAMD}},
	{feature{refused, stencil}, []spirv.Capability{spirv.CapabilityStencilExportEXT}},
	{feature{refused, recentOps}, []spirv.Capability{spirv.CapabilityAbortKHR, spirv.CapabilityPoisonFreezeKHR}},
	{feature{refused, descriptor}, []spirv.Capability{
		spirv.CapabilityDescriptorHeapEXT, spirv.CapabilityRawAccessChainsNV, spirv.CapabilityPushConstantBanksNV,
		spirv.CapabilityShader64BitIndexingEXT,
	}},
	{feature{refused, shapes}, []spirv.Capability{spirv.CapabilityConstantDataKHR}},
	{feature{foreign, linkage}, []spirv.Capability{spirv.CapabilityWeakLinkageAMD}},
	{feature{refused, nvStages}, []spirv.Capability{
		spirv.CapabilityGeometryShaderPassthroughNV, spirv.CapabilityShaderViewportMaskNV, spirv.CapabilityShaderStereoViewNV,
		spirv.CapabilityPerViewAttributesNV,
	}},
	{feature{refused, meshNV}, []spirv.Capability{spirv.CapabilityMeshShadingNV}},
	{feature{refused, interlock}, []spirv.Capability{
		spirv.CapabilityFragmentShaderSampleInterlockEXT, spirv.CapabilityFragmentShaderShadingRateInterlockEXT,
		spirv.CapabilityFragmentShaderPixelInterlockEXT,
	}},
	{feature{refused, longVector}, []spirv.Capability{spirv.CapabilityCooperativeVectorNV, spirv.CapabilityCooperativeVectorTrainingNV}},
	{feature{refused, halfVector}, []spirv.Capability{spirv.CapabilityAtomicFloat16VectorNV}},
	{feature{refused, fpga}, []spirv.Capability{spirv.CapabilityFPGAKernelAttributesINTEL, spirv.CapabilityFPGAKernelAttributesv2INTEL}},
	{feature{refused, kernels}, []spirv.Capability{
		spirv.CapabilitySplitBarrierEXT, spirv.CapabilityArithmeticFenceEXT, spirv.CapabilityGroupUniformArithmeticKHR,
	}},
	{feature{refused, vendorOp}, []spirv.Capability{spirv.CapabilityIntrinsicSAMSUNG}},
}

// extensionFeatures has a row for each extension that is more than a name for capabilities. An extension of the grammar
// without a row is treated as the capabilities that need it; one that the grammar lacks is refused.
var extensionFeatures = map[string]feature{
	"SPV_AMD_gcn_shader":                           {level: runs},
	"SPV_AMD_gpu_shader_half_float":                {level: runs},
	"SPV_AMD_gpu_shader_int16":                     {level: runs},
	"SPV_AMD_shader_ballot":                        {level: runs},
	"SPV_AMD_shader_early_and_late_fragment_tests": {foreign, stencil},
	"SPV_AMD_shader_explicit_vertex_parameter":     {whenLowered, explicitVertex},
	"SPV_AMD_shader_trinary_minmax":                {level: runs},
	"SPV_EXT_relaxed_printf_string_address_space":  {level: runs},
	"SPV_GOOGLE_decorate_string":                   {level: runs},
	"SPV_GOOGLE_hlsl_functionality1":               {level: runs},
	"SPV_GOOGLE_user_type":                         {level: runs},
	"SPV_KHR_linkonce_odr":                         {foreign, linkage},
	"SPV_KHR_maximal_reconvergence":                {level: runs},
	"SPV_KHR_no_integer_wrap_decoration":           {level: runs},
	"SPV_KHR_non_semantic_info":                    {level: runs},
	"SPV_KHR_relaxed_extended_instruction":         {level: runs},
	"SPV_KHR_storage_buffer_storage_class":         {level: runs},
	"SPV_KHR_subgroup_uniform_control_flow":        {level: runs},
	"SPV_KHR_terminate_invocation":                 {level: runs},
	"SPV_QCOM_image_processing":                    {foreign, vendorImage},
	"SPV_QCOM_image_processing2":                   {foreign, vendorImage},
	"SPV_VALIDATOR_ignore_type_decl_unique":        {level: runs},
}

// setFeatures has a row for each known extended instruction set. Sets whose name starts with "NonSemantic." may be
// ignored by definition; any other without a row is refused where it is used.
var setFeatures = map[string]feature{
	"GLSL.std.450":                             {level: runs},
	"SPV_AMD_gcn_shader":                       {level: runs},
	"SPV_AMD_shader_ballot":                    {level: runs},
	"DebugInfo":                                {level: runs},
	"OpenCL.DebugInfo.100":                     {level: runs},
	"SPV_AMD_shader_explicit_vertex_parameter": {whenLowered, explicitVertex},
	"SPV_AMD_shader_trinary_minmax":            {level: runs},
	"OpenCL.std":                               {level: runs},
}

// signatures has a row for each operation whose types follow one pattern. The result precedes the colon, and the
// operands follow it in order:
//
//	i u f n b   scalar or vector of integers, unsigned integers, floats,
//	            numbers, booleans; I U F N B scalar only; V vector of floats,
//	            M matrix, t integer scalar of 32 bits, P pointer, * anything
//
// A mark before the letter relates it to other types:
//
//	=  of the result's type              1 2  of the type of operand 0, 1
//	~  integers as wide and as many      '    integers or floats as wide and
//	   components as the result               many as operand 0 has
//	#  as many components as the result  ^    the result's component type
//
// Numbers are those of the specification's instruction lists, section 3.3.
var signatures = map[spirv.Op]string{
	spirv.OpConvertFToU: "u: #f", spirv.OpConvertFToS: "i: #f", spirv.OpConvertSToF: "f: #i", spirv.OpConvertUToF: "f: #i",
	spirv.OpUConvert: "u: #i", spirv.OpSConvert: "i: #i", spirv.OpFConvert: "f: #f", spirv.OpQuantizeToF16: "f: =f",

	spirv.OpSNegate: "i: ~i", spirv.OpFNegate: "f: =f",
	spirv.OpIAdd: "i: ~i ~i", spirv.OpISub: "i: ~i ~i", spirv.OpIMul: "i: ~i ~i",
	spirv.OpFAdd: "f: =f =f", spirv.OpFSub: "f: =f =f", spirv.OpFMul: "f: =f =f", spirv.OpFDiv: "f: =f =f",
	spirv.OpFRem: "f: =f =f", spirv.OpFMod: "f: =f =f",
	spirv.OpFmaKHR: "f: =f =f =f",
	spirv.OpUDiv:   "u: =u =u", spirv.OpUMod: "u: =u =u",
	spirv.OpSDiv: "i: ~i ~i", spirv.OpSRem: "i: ~i ~i", spirv.OpSMod: "i: ~i ~i",
	spirv.OpVectorTimesScalar: "V: =V ^F", spirv.OpMatrixTimesScalar: "M: =M ^N",
	spirv.OpDot: "F: V 1V", spirv.OpFDot2MixAcc32VALVE: "F: V 1V =F", spirv.OpFDot2MixAcc16VALVE: "F: V 1V =F", spirv.OpFDot4MixAcc32VALVE: "F: V 1V =F",
	spirv.OpUCountLeadingZerosINTEL: "u: =u", spirv.OpUCountTrailingZerosINTEL: "u: =u", spirv.OpAbsISubINTEL: "i: ~i ~i", spirv.OpAbsUSubINTEL: "u: =u =u",
	spirv.OpIAddSatINTEL: "i: =i =i", spirv.OpUAddSatINTEL: "u: =u =u", spirv.OpIAverageINTEL: "i: =i =i", spirv.OpUAverageINTEL: "u: =u =u",
	spirv.OpIAverageRoundedINTEL: "i: =i =i", spirv.OpUAverageRoundedINTEL: "u: =u =u", spirv.OpISubSatINTEL: "i: =i =i", spirv.OpUSubSatINTEL: "u: =u =u",
	spirv.OpIMul32x16INTEL: "i: =i =i", spirv.OpUMul32x16INTEL: "u: =u =u",

	spirv.OpShiftRightLogical: "i: ~i #i", spirv.OpShiftRightArithmetic: "i: ~i #i", spirv.OpShiftLeftLogical: "i: ~i #i",
	spirv.OpBitwiseOr: "i: ~i ~i", spirv.OpBitwiseXor: "i: ~i ~i", spirv.OpBitwiseAnd: "i: ~i ~i", spirv.OpNot: "i: ~i",
	spirv.OpBitFieldInsert: "i: =i =i I I", spirv.OpBitFieldSExtract: "i: =i I I", spirv.OpBitFieldUExtract: "i: =i I I",
	spirv.OpBitReverse: "i: =i", spirv.OpBitCount: "i: #i",

	spirv.OpAny: "B: b", spirv.OpAll: "B: b",
	spirv.OpIsNan: "b: #f", spirv.OpIsInf: "b: #f",
	spirv.OpLogicalEqual: "b: =b =b", spirv.OpLogicalNotEqual: "b: =b =b", spirv.OpLogicalOr: "b: =b =b",
	spirv.OpLogicalAnd: "b: =b =b", spirv.OpLogicalNot: "b: =b",
	spirv.OpIEqual: "b: #i 'i", spirv.OpINotEqual: "b: #i 'i",
	spirv.OpUGreaterThan: "b: #i 'i", spirv.OpSGreaterThan: "b: #i 'i", spirv.OpUGreaterThanEqual: "b: #i 'i",
	spirv.OpSGreaterThanEqual: "b: #i 'i", spirv.OpULessThan: "b: #i 'i", spirv.OpSLessThan: "b: #i 'i",
	spirv.OpULessThanEqual: "b: #i 'i", spirv.OpSLessThanEqual: "b: #i 'i",
	spirv.OpFOrdEqual: "b: #f 1f", spirv.OpFUnordEqual: "b: #f 1f", spirv.OpFOrdNotEqual: "b: #f 1f",
	spirv.OpFUnordNotEqual: "b: #f 1f", spirv.OpFOrdLessThan: "b: #f 1f", spirv.OpFUnordLessThan: "b: #f 1f",
	spirv.OpFOrdGreaterThan: "b: #f 1f", spirv.OpFUnordGreaterThan: "b: #f 1f", spirv.OpFOrdLessThanEqual: "b: #f 1f",
	spirv.OpFUnordLessThanEqual: "b: #f 1f", spirv.OpFOrdGreaterThanEqual: "b: #f 1f", spirv.OpFUnordGreaterThanEqual: "b: #f 1f",
	spirv.OpPtrEqual: "B: P P", spirv.OpPtrNotEqual: "B: P P", spirv.OpPtrDiff: "I: P P",

	spirv.OpDPdx: "f: =f", spirv.OpDPdy: "f: =f", spirv.OpFwidth: "f: =f", spirv.OpDPdxFine: "f: =f", spirv.OpDPdyFine: "f: =f",
	spirv.OpFwidthFine: "f: =f", spirv.OpDPdxCoarse: "f: =f", spirv.OpDPdyCoarse: "f: =f", spirv.OpFwidthCoarse: "f: =f",

	spirv.OpCopyObject: "*: =*", spirv.OpVectorExtractDynamic: "*: * I", spirv.OpVectorInsertDynamic: "*: =* * I",
	spirv.OpConvertUToPtr: "P: I", spirv.OpConvertPtrToU: "I: P",

	spirv.OpGroupNonUniformElect: "B: I", spirv.OpGroupNonUniformAll: "B: I B", spirv.OpGroupNonUniformAny: "B: I B",
	spirv.OpGroupNonUniformAllEqual: "B: I *", spirv.OpGroupNonUniformBroadcast: "*: I =* I",
	spirv.OpGroupNonUniformBroadcastFirst: "*: I =*", spirv.OpGroupNonUniformBallot: "u: I B",
	spirv.OpGroupNonUniformInverseBallot: "B: I u", spirv.OpGroupNonUniformBallotBitExtract: "B: I u I",
	spirv.OpGroupNonUniformBallotBitCount: "U: I - u", spirv.OpGroupNonUniformBallotFindLSB: "U: I u",
	spirv.OpGroupNonUniformBallotFindMSB: "U: I u", spirv.OpGroupNonUniformShuffle: "*: I =* I",
	spirv.OpGroupNonUniformShuffleXor: "*: I =* I", spirv.OpGroupNonUniformShuffleUp: "*: I =* I",
	spirv.OpGroupNonUniformShuffleDown: "*: I =* I", spirv.OpGroupNonUniformQuadBroadcast: "*: I =* I",
	spirv.OpGroupNonUniformQuadSwap: "*: I =* I", spirv.OpGroupNonUniformRotateKHR: "*: I =* I",
	spirv.OpGroupNonUniformIAdd: "i: I - =i", spirv.OpGroupNonUniformFAdd: "f: I - =f", spirv.OpGroupNonUniformIMul: "i: I - =i",
	spirv.OpGroupNonUniformFMul: "f: I - =f", spirv.OpGroupNonUniformSMin: "i: I - =i", spirv.OpGroupNonUniformUMin: "u: I - =u",
	spirv.OpGroupNonUniformFMin: "f: I - =f", spirv.OpGroupNonUniformSMax: "i: I - =i", spirv.OpGroupNonUniformUMax: "u: I - =u",
	spirv.OpGroupNonUniformFMax: "f: I - =f", spirv.OpGroupNonUniformBitwiseAnd: "i: I - =i", spirv.OpGroupNonUniformBitwiseOr: "i: I - =i",
	spirv.OpGroupNonUniformBitwiseXor: "i: I - =i", spirv.OpGroupNonUniformLogicalAnd: "b: I - =b",
	spirv.OpGroupNonUniformLogicalOr: "b: I - =b", spirv.OpGroupNonUniformLogicalXor: "b: I - =b",

	spirv.OpGroupAll: "B: I B", spirv.OpGroupAny: "B: I B", spirv.OpGroupBroadcast: "*: I =* i",
	spirv.OpGroupIAdd: "i: I - =i", spirv.OpGroupFAdd: "f: I - =f", spirv.OpGroupFMin: "f: I - =f", spirv.OpGroupUMin: "i: I - =i",
	spirv.OpGroupSMin: "i: I - =i", spirv.OpGroupFMax: "f: I - =f", spirv.OpGroupUMax: "i: I - =i", spirv.OpGroupSMax: "i: I - =i",
	spirv.OpSubgroupBallotKHR: "u: B", spirv.OpSubgroupFirstInvocationKHR: "*: =*", spirv.OpSubgroupReadInvocationKHR: "*: =* I",
	spirv.OpSubgroupAllKHR: "B: B", spirv.OpSubgroupAnyKHR: "B: B", spirv.OpSubgroupAllEqualKHR: "B: B",

	spirv.OpAtomicLoad: "N: P t t", spirv.OpAtomicExchange: "N: P t t =N", spirv.OpAtomicCompareExchange: "I: P t t t =I =I",
	spirv.OpAtomicIIncrement: "I: P t t", spirv.OpAtomicIDecrement: "I: P t t", spirv.OpAtomicIAdd: "I: P t t =I",
	spirv.OpAtomicISub: "I: P t t =I", spirv.OpAtomicSMin: "I: P t t =I", spirv.OpAtomicUMin: "I: P t t =I",
	spirv.OpAtomicSMax: "I: P t t =I", spirv.OpAtomicUMax: "I: P t t =I", spirv.OpAtomicAnd: "I: P t t =I",
	spirv.OpAtomicOr: "I: P t t =I", spirv.OpAtomicXor: "I: P t t =I", spirv.OpAtomicFAddEXT: "f: P t t =f",
	spirv.OpAtomicFMinEXT: "f: P t t =f", spirv.OpAtomicFMaxEXT: "f: P t t =f", spirv.OpAtomicStore: ": P t t N",

	spirv.OpControlBarrier: ": t t t", spirv.OpMemoryBarrier: ": t t",
	spirv.OpEmitStreamVertex: ": I", spirv.OpEndStreamPrimitive: ": I",
	spirv.OpBranchConditional: ": B", spirv.OpSwitch: ": I", spirv.OpSetMeshOutputsEXT: ": t t", spirv.OpEmitMeshTasksEXT: ": t t t",
	spirv.OpReadClockKHR: "u: t", spirv.OpIsHelperInvocationEXT: "B:",
}

// kernelSpecOps are further operations of constants that kernels may have, of addresses.
var kernelSpecOps = set(
	spirv.OpInBoundsPtrAccessChain, spirv.OpBitcast, spirv.OpConvertPtrToU, spirv.OpConvertUToPtr, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr,
)

// shaderSpecOps lists the operations that OpSpecConstantOp may hold in a shader, whatever capabilities the instruction
// itself needs (OpSpecConstantOp).
var shaderSpecOps = set(
	spirv.OpSConvert, spirv.OpUConvert, spirv.OpFConvert, spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub, spirv.OpIMul,
	spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
	spirv.OpShiftLeftLogical, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd, spirv.OpVectorShuffle, spirv.OpCompositeExtract,
	spirv.OpCompositeInsert, spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual,
	spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan, spirv.OpSLessThan, spirv.OpUGreaterThan,
	spirv.OpSGreaterThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual, spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual,
	spirv.OpQuantizeToF16, spirv.OpUMulExtended, spirv.OpSMulExtended, spirv.OpCopyLogical,
)

func set[T comparable](list ...T) map[T]bool {
	m := make(map[T]bool, len(list))
	for _, v := range list {
		m[v] = true
	}
	return m
}
