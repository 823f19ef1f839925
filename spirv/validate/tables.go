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

// capabilityFeatures has a row for each other capability of the grammar: the treatment of a module that declares it.
var capabilityFeatures = map[spirv.Capability]feature{
	spirv.CapabilityMatrix:                                      {level: runs},
	spirv.CapabilityShader:                                      {level: runs},
	spirv.CapabilityGeometry:                                    {whenLowered, otherStages},
	spirv.CapabilityTessellation:                                {whenLowered, otherStages},
	spirv.CapabilityAddresses:                                   {level: runs},
	spirv.CapabilityLinkage:                                     {level: runs},
	spirv.CapabilityKernel:                                      {level: runs},
	spirv.CapabilityVector16:                                    {level: runs},
	spirv.CapabilityFloat16Buffer:                               {level: runs},
	spirv.CapabilityFloat16:                                     {level: runs},
	spirv.CapabilityFloat64:                                     {level: runs},
	spirv.CapabilityInt64:                                       {level: runs},
	spirv.CapabilityInt64Atomics:                                {level: runs},
	spirv.CapabilityImageBasic:                                  {level: runs},
	spirv.CapabilityImageReadWrite:                              {level: runs},
	spirv.CapabilityImageMipmap:                                 {whenLowered, mipmaps},
	spirv.CapabilityPipes:                                       {refused, kernelQueues},
	spirv.CapabilityGroups:                                      {level: runs},
	spirv.CapabilityDeviceEnqueue:                               {refused, kernelQueues},
	spirv.CapabilityLiteralSampler:                              {level: runs},
	spirv.CapabilityAtomicStorage:                               {refused, openGL},
	spirv.CapabilityInt16:                                       {level: runs},
	spirv.CapabilityTessellationPointSize:                       {whenLowered, otherStages},
	spirv.CapabilityGeometryPointSize:                           {whenLowered, otherStages},
	spirv.CapabilityImageGatherExtended:                         {level: runs},
	spirv.CapabilityStorageImageMultisample:                     {level: runs},
	spirv.CapabilityUniformBufferArrayDynamicIndexing:           {level: runs},
	spirv.CapabilitySampledImageArrayDynamicIndexing:            {level: runs},
	spirv.CapabilityStorageBufferArrayDynamicIndexing:           {level: runs},
	spirv.CapabilityStorageImageArrayDynamicIndexing:            {level: runs},
	spirv.CapabilityClipDistance:                                {whenLowered, clipping},
	spirv.CapabilityCullDistance:                                {whenLowered, clipping},
	spirv.CapabilityImageCubeArray:                              {level: runs},
	spirv.CapabilitySampleRateShading:                           {level: runs},
	spirv.CapabilityImageRect:                                   {refused, openGL},
	spirv.CapabilitySampledRect:                                 {refused, openGL},
	spirv.CapabilityGenericPointer:                              {whenLowered, generic},
	spirv.CapabilityInt8:                                        {level: runs},
	spirv.CapabilityInputAttachment:                             {refused, attachments},
	spirv.CapabilitySparseResidency:                             {refused, sparse},
	spirv.CapabilityMinLod:                                      {refused, sparse},
	spirv.CapabilitySampled1D:                                   {level: runs},
	spirv.CapabilityImage1D:                                     {level: runs},
	spirv.CapabilitySampledCubeArray:                            {level: runs},
	spirv.CapabilitySampledBuffer:                               {level: runs},
	spirv.CapabilityImageBuffer:                                 {level: runs},
	spirv.CapabilityImageMSArray:                                {level: runs},
	spirv.CapabilityStorageImageExtendedFormats:                 {level: runs},
	spirv.CapabilityImageQuery:                                  {level: runs},
	spirv.CapabilityDerivativeControl:                           {level: runs},
	spirv.CapabilityInterpolationFunction:                       {level: runs},
	spirv.CapabilityTransformFeedback:                           {whenLowered, otherStages},
	spirv.CapabilityGeometryStreams:                             {whenLowered, otherStages},
	spirv.CapabilityStorageImageReadWithoutFormat:               {level: runs},
	spirv.CapabilityStorageImageWriteWithoutFormat:              {level: runs},
	spirv.CapabilityMultiViewport:                               {whenLowered, otherStages},
	spirv.CapabilitySubgroupDispatch:                            {refused, kernelQueues},
	spirv.CapabilityNamedBarrier:                                {refused, kernelQueues},
	spirv.CapabilityPipeStorage:                                 {refused, kernelQueues},
	spirv.CapabilityGroupNonUniform:                             {level: runs},
	spirv.CapabilityGroupNonUniformVote:                         {level: runs},
	spirv.CapabilityGroupNonUniformArithmetic:                   {level: runs},
	spirv.CapabilityGroupNonUniformBallot:                       {level: runs},
	spirv.CapabilityGroupNonUniformShuffle:                      {level: runs},
	spirv.CapabilityGroupNonUniformShuffleRelative:              {level: runs},
	spirv.CapabilityGroupNonUniformClustered:                    {level: runs},
	spirv.CapabilityGroupNonUniformQuad:                         {level: runs},
	spirv.CapabilityShaderLayer:                                 {whenLowered, otherStages},
	spirv.CapabilityShaderViewportIndex:                         {whenLowered, otherStages},
	spirv.CapabilityUniformDecoration:                           {level: runs},
	spirv.CapabilityCoreBuiltinsARM:                             {refused, coreNumber},
	spirv.CapabilityTileImageColorReadAccessEXT:                 {refused, attachments},
	spirv.CapabilityTileImageDepthReadAccessEXT:                 {refused, attachments},
	spirv.CapabilityTileImageStencilReadAccessEXT:               {refused, attachments},
	spirv.CapabilityTensorsARM:                                  {refused, tensors},
	spirv.CapabilityStorageTensorArrayDynamicIndexingARM:        {refused, tensors},
	spirv.CapabilityStorageTensorArrayNonUniformIndexingARM:     {refused, tensors},
	spirv.CapabilityGraphARM:                                    {refused, tensors},
	spirv.CapabilityCooperativeMatrixLayoutsARM:                 {refused, matrices},
	spirv.CapabilityFloat8EXT:                                   {level: runs},
	spirv.CapabilityFloat8CooperativeMatrixEXT:                  {level: runs},
	spirv.CapabilityFloat6EXT:                                   {refused, smallTypes},
	spirv.CapabilityFloat4EXT:                                   {refused, smallTypes},
	spirv.CapabilityFloat8UnsignedE8M0EXT:                       {refused, smallTypes},
	spirv.CapabilityMXInt8EXT:                                   {refused, smallTypes},
	spirv.CapabilityBitcastExtractEXT:                           {refused, smallTypes},
	spirv.CapabilityFragmentShadingRateKHR:                      {refused, shadingRate},
	spirv.CapabilitySubgroupBallotKHR:                           {level: runs},
	spirv.CapabilityDrawParameters:                              {whenLowered, otherStages},
	spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR:            {level: runs},
	spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:  {level: runs},
	spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR: {level: runs},
	spirv.CapabilitySubgroupVoteKHR:                             {level: runs},
	spirv.CapabilityStorageBuffer16BitAccess:                    {level: runs},
	spirv.CapabilityUniformAndStorageBuffer16BitAccess:          {level: runs},
	spirv.CapabilityStoragePushConstant16:                       {level: runs},
	spirv.CapabilityStorageInputOutput16:                        {whenLowered, narrowInputs},
	spirv.CapabilityDeviceGroup:                                 {level: runs},
	spirv.CapabilityMultiView:                                   {whenLowered, otherStages},
	spirv.CapabilityVariablePointersStorageBuffer:               {level: runs},
	spirv.CapabilityVariablePointers:                            {level: runs},
	spirv.CapabilityAtomicStorageOps:                            {refused, openGL},
	spirv.CapabilitySampleMaskPostDepthCoverage:                 {refused, coverage},
	spirv.CapabilityStorageBuffer8BitAccess:                     {level: runs},
	spirv.CapabilityUniformAndStorageBuffer8BitAccess:           {level: runs},
	spirv.CapabilityStoragePushConstant8:                        {level: runs},
	spirv.CapabilityDenormPreserve:                              {level: runs},
	spirv.CapabilityDenormFlushToZero:                           {whenLowered, flushing},
	spirv.CapabilitySignedZeroInfNanPreserve:                    {level: runs},
	spirv.CapabilityRoundingModeRTE:                             {level: runs},
	spirv.CapabilityRoundingModeRTZ:                             {whenLowered, rounding},
	spirv.CapabilityRayQueryProvisionalKHR:                      {refused, rays},
	spirv.CapabilityRayQueryKHR:                                 {refused, rays},
	spirv.CapabilityUntypedPointersKHR:                          {level: runs},
	spirv.CapabilityRayTraversalPrimitiveCullingKHR:             {refused, rays},
	spirv.CapabilityRayTracingKHR:                               {refused, rays},
	spirv.CapabilityTextureSampleWeightedQCOM:                   {refused, vendorImage},
	spirv.CapabilityTextureBoxFilterQCOM:                        {refused, vendorImage},
	spirv.CapabilityTextureBlockMatchQCOM:                       {refused, vendorImage},
	spirv.CapabilityTileShadingQCOM:                             {refused, attachments},
	spirv.CapabilityCooperativeMatrixConversionQCOM:             {refused, matrices},
	spirv.CapabilityTextureBlockMatch2QCOM:                      {refused, vendorImage},
	spirv.CapabilityMultipleWaitQueuesQCOM:                      {foreign, kernelQueues},
	spirv.CapabilityImageGatherLinearQCOM:                       {refused, vendorImage},
	spirv.CapabilityImageGatherExtendedModesQCOM:                {refused, vendorImage},
	spirv.CapabilityFloat16ImageAMD:                             {whenLowered, halfCoordinates},
	spirv.CapabilityImageGatherBiasLodAMD:                       {refused, vendorImage},
	spirv.CapabilityFragmentMaskAMD:                             {refused, coverage},
	spirv.CapabilityStencilExportEXT:                            {refused, stencil},
	spirv.CapabilityImageReadWriteLodAMD:                        {refused, vendorImage},
	spirv.CapabilityInt64ImageEXT:                               {level: runs},
	spirv.CapabilityShaderClockKHR:                              {level: runs},
	spirv.CapabilityShaderEnqueueAMDX:                           {level: runs},
	spirv.CapabilityQuadControlKHR:                              {level: runs},
	spirv.CapabilityInt4TypeINTEL:                               {refused, smallTypes},
	spirv.CapabilityInt4CooperativeMatrixINTEL:                  {refused, matrices},
	spirv.CapabilityBFloat16TypeKHR:                             {level: runs},
	spirv.CapabilityBFloat16DotProductKHR:                       {level: runs},
	spirv.CapabilityBFloat16CooperativeMatrixKHR:                {level: runs},
	spirv.CapabilityAbortKHR:                                    {refused, recentOps},
	spirv.CapabilityDescriptorHeapEXT:                           {refused, descriptor},
	spirv.CapabilityConstantDataKHR:                             {refused, shapes},
	spirv.CapabilityPoisonFreezeKHR:                             {refused, recentOps},
	spirv.CapabilityWeakLinkageAMD:                              {foreign, linkage},
	spirv.CapabilitySampleMaskOverrideCoverageNV:                {refused, coverage},
	spirv.CapabilityGeometryShaderPassthroughNV:                 {refused, nvStages},
	spirv.CapabilityShaderViewportIndexLayerEXT:                 {whenLowered, otherStages},
	spirv.CapabilityShaderViewportMaskNV:                        {refused, nvStages},
	spirv.CapabilityShaderStereoViewNV:                          {refused, nvStages},
	spirv.CapabilityPerViewAttributesNV:                         {refused, nvStages},
	spirv.CapabilityFragmentFullyCoveredEXT:                     {refused, coverage},
	spirv.CapabilityMeshShadingNV:                               {refused, meshNV},
	spirv.CapabilityImageFootprintNV:                            {refused, vendorImage},
	spirv.CapabilityMeshShadingEXT:                              {level: runs},
	spirv.CapabilityFragmentBarycentricKHR:                      {level: runs},
	spirv.CapabilityComputeDerivativeGroupQuadsKHR:              {level: runs},
	spirv.CapabilityFragmentDensityEXT:                          {refused, shadingRate},
	spirv.CapabilityGroupNonUniformPartitionedEXT:               {level: runs},
	spirv.CapabilityShaderNonUniform:                            {level: runs},
	spirv.CapabilityRuntimeDescriptorArray:                      {level: runs},
	spirv.CapabilityInputAttachmentArrayDynamicIndexing:         {refused, attachments},
	spirv.CapabilityUniformTexelBufferArrayDynamicIndexing:      {level: runs},
	spirv.CapabilityStorageTexelBufferArrayDynamicIndexing:      {level: runs},
	spirv.CapabilityUniformBufferArrayNonUniformIndexing:        {level: runs},
	spirv.CapabilitySampledImageArrayNonUniformIndexing:         {level: runs},
	spirv.CapabilityStorageBufferArrayNonUniformIndexing:        {level: runs},
	spirv.CapabilityStorageImageArrayNonUniformIndexing:         {level: runs},
	spirv.CapabilityInputAttachmentArrayNonUniformIndexing:      {refused, attachments},
	spirv.CapabilityUniformTexelBufferArrayNonUniformIndexing:   {level: runs},
	spirv.CapabilityStorageTexelBufferArrayNonUniformIndexing:   {level: runs},
	spirv.CapabilityRayTracingPositionFetchKHR:                  {refused, rays},
	spirv.CapabilityRayTracingNV:                                {refused, rays},
	spirv.CapabilityRayTracingMotionBlurNV:                      {refused, rays},
	spirv.CapabilityVulkanMemoryModel:                           {level: runs},
	spirv.CapabilityVulkanMemoryModelDeviceScope:                {level: runs},
	spirv.CapabilityPhysicalStorageBufferAddresses:              {level: runs},
	spirv.CapabilityComputeDerivativeGroupLinearKHR:             {level: runs},
	spirv.CapabilityRayTracingProvisionalKHR:                    {refused, rays},
	spirv.CapabilityCooperativeMatrixNV:                         {refused, matrices},
	spirv.CapabilityFragmentShaderSampleInterlockEXT:            {refused, interlock},
	spirv.CapabilityFragmentShaderShadingRateInterlockEXT:       {refused, interlock},
	spirv.CapabilityShaderSMBuiltinsNV:                          {refused, coreNumber},
	spirv.CapabilityFragmentShaderPixelInterlockEXT:             {refused, interlock},
	spirv.CapabilityDemoteToHelperInvocation:                    {level: runs},
	spirv.CapabilityDisplacementMicromapNV:                      {refused, rays},
	spirv.CapabilityRayTracingOpacityMicromapKHR:                {refused, rays},
	spirv.CapabilityShaderInvocationReorderNV:                   {refused, rays},
	spirv.CapabilityShaderInvocationReorderEXT:                  {refused, rays},
	spirv.CapabilityBindlessTextureNV:                           {refused, vendorImage},
	spirv.CapabilityRayQueryPositionFetchKHR:                    {refused, rays},
	spirv.CapabilityCooperativeVectorNV:                         {refused, longVector},
	spirv.CapabilityAtomicFloat16VectorNV:                       {refused, halfVector},
	spirv.CapabilityRayTracingDisplacementMicromapNV:            {refused, rays},
	spirv.CapabilityRawAccessChainsNV:                           {refused, descriptor},
	spirv.CapabilityRayTracingSpheresGeometryNV:                 {refused, rays},
	spirv.CapabilityRayTracingLinearSweptSpheresGeometryNV:      {refused, rays},
	spirv.CapabilityPushConstantBanksNV:                         {refused, descriptor},
	spirv.CapabilityLongVectorEXT:                               {level: runs},
	spirv.CapabilityShader64BitIndexingEXT:                      {refused, descriptor},
	spirv.CapabilityCooperativeMatrixConversionsEXT:             {refused, matrices},
	spirv.CapabilityCooperativeMatrixReductionsEXT:              {refused, matrices},
	spirv.CapabilityCooperativeMatrixConversionsNV:              {refused, matrices},
	spirv.CapabilityCooperativeMatrixPerElementOperationsEXT:    {refused, matrices},
	spirv.CapabilityCooperativeMatrixTensorAddressingNV:         {refused, matrices},
	spirv.CapabilityCooperativeMatrixBlockLoadsNV:               {refused, matrices},
	spirv.CapabilityCooperativeVectorTrainingNV:                 {refused, longVector},
	spirv.CapabilityRayTracingClusterAccelerationStructureNV:    {refused, rays},
	spirv.CapabilityCooperativeMatrixGetCoordinateEXT:           {refused, matrices},
	spirv.CapabilityTensorAddressingNV:                          {refused, tensors},
	spirv.CapabilityCooperativeMatrixDecodeVectorNV:             {refused, matrices},
	spirv.CapabilityIntegerFunctions2INTEL:                      {level: runs},
	spirv.CapabilityAtomicFloat32MinMaxEXT:                      {level: runs},
	spirv.CapabilityAtomicFloat64MinMaxEXT:                      {level: runs},
	spirv.CapabilityAtomicFloat16MinMaxEXT:                      {level: runs},
	spirv.CapabilityExpectAssumeKHR:                             {level: runs},
	spirv.CapabilityFPGAKernelAttributesINTEL:                   {refused, fpga},
	spirv.CapabilityDotProductInputAll:                          {level: runs},
	spirv.CapabilityDotProductInput4x8Bit:                       {level: runs},
	spirv.CapabilityDotProductInput4x8BitPacked:                 {level: runs},
	spirv.CapabilityDotProduct:                                  {level: runs},
	spirv.CapabilityRayCullMaskKHR:                              {refused, rays},
	spirv.CapabilityCooperativeMatrixKHR:                        {level: runs},
	spirv.CapabilityReplicatedCompositesEXT:                     {level: runs},
	spirv.CapabilityBitInstructions:                             {level: runs},
	spirv.CapabilityGroupNonUniformRotateKHR:                    {level: runs},
	spirv.CapabilityFloatControls2:                              {level: runs},
	spirv.CapabilityFMAKHR:                                      {level: runs},
	spirv.CapabilityRayTracingOpacityMicromapExecutionModeKHR:   {refused, rays},
	spirv.CapabilityAtomicFloat32AddEXT:                         {level: runs},
	spirv.CapabilityAtomicFloat64AddEXT:                         {level: runs},
	spirv.CapabilityOptNoneEXT:                                  {level: runs},
	spirv.CapabilityAtomicFloat16AddEXT:                         {level: runs},
	spirv.CapabilitySplitBarrierEXT:                             {refused, kernels},
	spirv.CapabilityArithmeticFenceEXT:                          {refused, kernels},
	spirv.CapabilityFPGAKernelAttributesv2INTEL:                 {refused, fpga},
	spirv.CapabilitySubgroupMatrixMultiplyAccumulateINTEL:       {refused, matrices},
	spirv.CapabilityGroupUniformArithmeticKHR:                   {refused, kernels},
	spirv.CapabilityDotProductFloat16AccFloat32VALVE:            {level: runs},
	spirv.CapabilityDotProductFloat16AccFloat16VALVE:            {level: runs},
	spirv.CapabilityDotProductBFloat16AccVALVE:                  {level: runs},
	spirv.CapabilityDotProductFloat8AccFloat32VALVE:             {level: runs},
	spirv.CapabilityIntrinsicSAMSUNG:                            {refused, vendorOp},
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
