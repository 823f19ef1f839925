package driver

import (
	"testing"

	"spvsim/vulkan/vk"
)

// kindsOf is a set of kinds of commands.
func kindsOf(list ...commandKind) (in [commandKinds]bool) {
	for _, k := range list {
		in[k] = true
	}
	return in
}

// Each stage selects the kinds of commands that have it: in the first scope earlier commands, in the second later ones;
// the top of the pipe in the second scope selects all kinds.
func TestStagesOfBarriers(t *testing.T) {
	none, all := kindsOf(), kindsOf(ofCompute, ofTransfer, ofTop)
	compute, transfer := kindsOf(ofCompute), kindsOf(ofTransfer)
	for _, c := range []struct {
		stage    vk.PipelineStageFlagBits2
		from, to [commandKinds]bool
	}{
		{0, none, none},
		{vk.PipelineStage2TopOfPipeBit, none, all},
		{vk.PipelineStage2BottomOfPipeBit, all, none},
		{vk.PipelineStage2AllCommandsBit, all, all},
		{vk.PipelineStage2ComputeShaderBit, compute, compute},
		{vk.PipelineStage2DrawIndirectBit, none, compute},
		{vk.PipelineStage2AllTransferBit, transfer, transfer},
		{vk.PipelineStage2CopyBit, transfer, transfer},
		{vk.PipelineStage2ResolveBit, transfer, transfer},
		{vk.PipelineStage2BlitBit, transfer, transfer},
		{vk.PipelineStage2ClearBit, transfer, transfer},
		{vk.PipelineStage2HostBit, none, none},
	} {
		var b barrier
		b.add(c.stage, 0, 0, 0)
		if b != (barrier{from: c.from}) {
			t.Errorf("from stage %#x: %+v, want from %v", c.stage, b, c.from)
		}
		b = barrier{}
		b.add(0, c.stage, 0, 0)
		if b != (barrier{to: c.to}) {
			t.Errorf("to stage %#x: %+v, want to %v", c.stage, b, c.to)
		}
	}
}

// Any access that includes shader writes causes a write-back; reads that may be scalar invalidate the scalar caches
// too, sampled reads the vector caches alone.
func TestAccessesOfBarriers(t *testing.T) {
	for _, c := range []struct {
		access  vk.AccessFlagBits2
		release bool
		acquire reads
	}{
		{0, false, readsNothing},
		{vk.Access2ShaderWriteBit, true, readsNothing},
		{vk.Access2ShaderStorageWriteBit, true, readsNothing},
		{vk.Access2MemoryWriteBit, true, readsNothing},
		{vk.Access2TransferWriteBit, false, readsNothing},
		{vk.Access2UniformReadBit, false, readsAll},
		{vk.Access2ShaderReadBit, false, readsAll},
		{vk.Access2ShaderStorageReadBit, false, readsAll},
		{vk.Access2MemoryReadBit, false, readsAll},
		{vk.Access2ShaderSampledReadBit, false, readsVectors},
		{vk.Access2ShaderSampledReadBit | vk.Access2ShaderReadBit, false, readsAll},
		{vk.Access2TransferReadBit, false, readsNothing},
	} {
		var b barrier
		b.add(0, 0, c.access, c.access)
		if b != (barrier{release: c.release, acquire: c.acquire}) {
			t.Errorf("access %#x: %+v, want release %v, acquire %v", c.access, b, c.release, c.acquire)
		}
	}
}

// The parts of a barrier add up: no part withdraws what another requested.
func TestPartsOfBarriersAddUp(t *testing.T) {
	memory := []vk.MemoryBarrier{{SrcAccessMask: vk.AccessFlags(vk.Access2ShaderWriteBit)}}
	buffers := []vk.BufferMemoryBarrier{{DstAccessMask: vk.AccessFlags(vk.Access2ShaderReadBit)}}
	images := []vk.ImageMemoryBarrier{{DstAccessMask: vk.AccessFlags(vk.Access2TransferReadBit)}}
	compute, transfer := vk.PipelineStageFlags(vk.PipelineStage2ComputeShaderBit), vk.PipelineStageFlags(vk.PipelineStage2AllTransferBit)
	want := barrier{from: kindsOf(ofCompute), to: kindsOf(ofTransfer), release: true, acquire: readsAll}
	if got := barrierOf(compute, transfer, memory, buffers, images); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := barrierOf(compute, transfer, nil, nil, nil), (barrier{from: want.from, to: want.to}); got != want {
		t.Errorf("without memory: %+v, want %+v", got, want)
	}
}

// Later commands of a kind wait for the commands that a barrier names, and for their dependences.
func TestBarriersOrderKinds(t *testing.T) {
	l := &lane{}
	l.open[ofCompute], l.open[ofTransfer] = []int{1, 4}, []int{2}
	l.barrier(&barrier{from: kindsOf(ofCompute), to: kindsOf(ofTransfer), release: true})
	l.barrier(&barrier{from: kindsOf(ofTransfer), to: kindsOf(ofTop), acquire: readsVectors})
	for k, want := range [commandKinds]dependence{ofTransfer: {waitsFor: []int{1, 4}, release: true}, ofTop: {waitsFor: []int{1, 2, 4}, acquire: readsVectors}} {
		got := l.pending[k]
		if len(join(got.waitsFor, want.waitsFor)) != len(want.waitsFor) || len(got.waitsFor) != len(want.waitsFor) || got.release != want.release || got.acquire != want.acquire {
			t.Errorf("kind %d waits for %+v, want %+v", k, got, want)
		}
	}
	if got := len(l.all()); got != 3 {
		t.Errorf("%d items are before everything, want 3", got)
	}
	if l.reset(); len(l.all()) != 0 || l.pending[ofTransfer].release {
		t.Errorf("after all was waited for: %+v", l.pending)
	}
}
