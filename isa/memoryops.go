package isa

import "spvsim/spirv"

// Memory and synchronisation.
const (
	// Memory. Inst.Mem describes the access. Multi-result loads write Inst.Dst and Mem.Dsts.
	Load Op = endCrossLane + iota
	Store
	AtomicLoad
	AtomicStore
	AtomicExchange
	AtomicCompareExchange // sources: address..., value, comparator
	AtomicIAdd
	AtomicISub
	AtomicSMin
	AtomicUMin
	AtomicSMax
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicIInc
	AtomicIDec
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	BufferSize // bytes of the buffer bound at Mem.Binding; uniform I32
	ImageLoad
	ImageStore
	ImageSize    // Imm-th dimension of the image at Mem.Binding; uniform I32
	ImageSamples // samples of a texel; uniform I32
	// Sampled images: Mem.Sampler is the binding of the sampler. Four results.
	ImageSample    // level of detail from the coordinates of the quad; one more value with SampleBias
	ImageSampleLod // level of detail (SampleLod) or derivatives (SampleGrad) given
	ImageGather    // the Imm-th component of the four texels that a filter would mix
	ImageQueryLod  // two results: the level that would be read, and the one computed; reads nothing
	// Export writes four components to the colour attachment at Mem.Binding, at
	// the lane's pixel, unless a fragment that comes before it there has done so.
	Export

	// Synchronisation.
	Barrier       // control barrier of the workgroup; Imm 1: waves without an active lane take part too
	MemoryBarrier // waits until the wave's own outstanding memory accesses are done
	CheckWritten  // a: whether the Imm-th variable that is checked is written, 0 or 1; only in programs that are checked, and free
	LaneOrder     // orders what the active lanes did before with what they do after, or (Imm 1 for the workgroup, 2 for the device, or both) is a memory barrier for atomics; only in programs that are checked, and free

	// Local arrays that are indexed dynamically: per-lane scratch. Mem.Space is
	// SpaceScratch; they are Load and Store.

	// Prints through the observer: Imm is the index of the format string.
	DebugPrint

	endMemory
)

var memoryRows = []Row{
	{Load, "load", bySpace, none, load, nil, core(spirv.OpLoad, spirv.OpCopyMemory)},
	{Store, "store", bySpace, none, store, nil, core(spirv.OpStore, spirv.OpCopyMemory)},
	{AtomicLoad, "atomic_load", bySpace, none, load | effect | FlagAtomic, nil, core(spirv.OpAtomicLoad)},
	{AtomicStore, "atomic_store", bySpace, none, store | FlagAtomic, nil, core(spirv.OpAtomicStore)},
	{AtomicExchange, "atomic_exchange", bySpace, none, atomic, nil, core(spirv.OpAtomicExchange)},
	{AtomicCompareExchange, "atomic_compare_exchange", bySpace, none, atomic, nil, core(spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak)},
	{AtomicIAdd, "atomic_iadd", bySpace, none, atomic, nil, core(spirv.OpAtomicIAdd)},
	{AtomicISub, "atomic_isub", bySpace, none, atomic, nil, core(spirv.OpAtomicISub)},
	{AtomicSMin, "atomic_smin", bySpace, none, atomic, nil, core(spirv.OpAtomicSMin)},
	{AtomicUMin, "atomic_umin", bySpace, none, atomic, nil, core(spirv.OpAtomicUMin)},
	{AtomicSMax, "atomic_smax", bySpace, none, atomic, nil, core(spirv.OpAtomicSMax)},
	{AtomicUMax, "atomic_umax", bySpace, none, atomic, nil, core(spirv.OpAtomicUMax)},
	{AtomicAnd, "atomic_and", bySpace, none, atomic, nil, core(spirv.OpAtomicAnd)},
	{AtomicOr, "atomic_or", bySpace, none, atomic, nil, core(spirv.OpAtomicOr)},
	{AtomicXor, "atomic_xor", bySpace, none, atomic, nil, core(spirv.OpAtomicXor)},
	{AtomicIInc, "atomic_iinc", bySpace, none, atomic, nil, core(spirv.OpAtomicIIncrement)},
	{AtomicIDec, "atomic_idec", bySpace, none, atomic, nil, core(spirv.OpAtomicIDecrement)},
	{AtomicFAdd, "atomic_fadd", bySpace, none, atomic, nil, core(spirv.OpAtomicFAddEXT)},
	{AtomicFMin, "atomic_fmin", bySpace, none, atomic, nil, core(spirv.OpAtomicFMinEXT)},
	{AtomicFMax, "atomic_fmax", bySpace, none, atomic, nil, core(spirv.OpAtomicFMaxEXT)},
	{BufferSize, "buffer_size", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpArrayLength)},
	{ImageLoad, "image_load", bySpace, none, load, nil, core(spirv.OpImageRead, spirv.OpImageFetch)},
	{ImageStore, "image_store", bySpace, none, store, nil, core(spirv.OpImageWrite)},
	{ImageSize, "image_size", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod)},
	{ImageSamples, "image_samples", scalar, word, FlagPure | FlagUniform, nil, core(spirv.OpImageQuerySamples)},
	{ImageSample, "image_sample", bySpace, none, sampled | perFragment, nil, core(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjDrefImplicitLod)},
	{ImageSampleLod, "image_sample_lod", bySpace, none, sampled, nil, core(spirv.OpImageSampleExplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjDrefExplicitLod)},
	{ImageGather, "image_gather", bySpace, none, sampled, nil, core(spirv.OpImageGather, spirv.OpImageDrefGather)},
	{ImageQueryLod, "image_query_lod", bySpace, none, sampled | perFragment, nil, core(spirv.OpImageQueryLod)},
	{Export, "export", bySpace, none, store, nil, specNote("variables of storage class Output with a Location")},

	{Barrier, "barrier", sameClass(ClassBarrier), none, effect | crossLane, nil, core(spirv.OpControlBarrier)},
	{MemoryBarrier, "memory_barrier", sameClass(ClassWaitcnt), none, effect, nil, core(spirv.OpMemoryBarrier)},
	{CheckWritten, "check_written", noClass, sig(OfNothing, OfI32), effect | crossLane, nil, specNote("variables of storage class Function and Private before a store to them")},
	{LaneOrder, "lane_order", noClass, none, effect | crossLane, nil, core(spirv.OpControlBarrier)},
	{DebugPrint, "debug_print", sameClass(ClassMessage), none, effect, nil, specNote("NonSemantic.DebugPrintf")},
}
