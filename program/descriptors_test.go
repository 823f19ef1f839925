package program

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
)

func emitted(t *testing.T, f *ir.Func, target *Target) *Program {
	t.Helper()
	target.WaveSize = 64
	opt.Run(f, opt.Options{WaveSize: 64})
	p := suite.Must(emit(context.Background(), f, target))(t)
	return p
}

func placesOf(p *Program, is func(in *isa.Inst) bool) (list []int) {
	for i := range p.Insts {
		if is(&p.Insts[i]) {
			list = append(list, i)
		}
	}
	return list
}

// A load in each iteration describes the target of a loop's stores, which wait for it; where buffers are pointers
// nothing is loaded.
func TestLoopsLoadTheirDescriptors(t *testing.T) {
	ofTable := func(in *isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceTable }
	if p := emitted(t, counting(isa.WorkgroupIDX), &Target{}); len(placesOf(p, ofTable)) > 0 || p.TableBytes != 0 {
		t.Errorf("pointers: %d loads of descriptors, a table of %d bytes", len(placesOf(p, ofTable)), p.TableBytes)
	}
	p := emitted(t, counting(isa.WorkgroupIDX), &Target{Descriptors: true})
	loads := placesOf(p, ofTable)
	if len(loads) != 1 || p.TableBytes != descriptorBytes {
		t.Fatalf("loads of descriptors at %v, a table of %d bytes; want one, and %d", loads, p.TableBytes, descriptorBytes)
	}
	load := &p.Insts[loads[0]]
	if load.Class != isa.ClassSMEM || len(load.Writes) != 1 {
		t.Errorf("%s is of class %v and writes %v", isa.Disasm(load), load.Class, load.Writes)
	}
	for _, i := range placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Store }) {
		if !slices.Contains(p.Insts[i].Deps, load.Writes[0]) {
			t.Errorf("%s does not wait for the descriptor", isa.Disasm(&p.Insts[i]))
		}
	}
	back := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Branch })
	if len(back) != 1 || int(p.Insts[back[0]].Target) > loads[0] || back[0] < loads[0] {
		t.Errorf("the load at %d is not in the loop that the branches at %v close", loads[0], back)
	}
	bases := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && in.Src[0] == isa.Lit(upperHalf) })
	moves := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Micro && in.Imm == uint64(isa.Mov) })
	if len(bases) != 1 || len(moves) != 1 || bases[0] != loads[0]-1 || moves[0] != bases[0]-1 {
		t.Errorf("the table's address is made at %v and %v; want two instructions before the load at %d, as the next iteration needs its lower half", moves, bases, loads[0])
	}
}

// The block after one that has loaded a descriptor knows it.
func TestDescriptorsAreKnownAfterwards(t *testing.T) {
	f := generateEmpty()
	g := &gen{f: f, b: f.NewBlock()}
	at, store := g.storer(isa.SpaceBuffer)
	store()
	inside, after := f.NewBlock(), f.NewBlock()
	g.b.Merge = after
	g.b.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, at, g.constant(64)), inside, after)
	g.b = inside
	store()
	inside.SetSuccs(ir.Jump, nil, after)
	g.b = after
	store()
	after.Term = ir.Return
	p := emitted(t, f, &Target{Descriptors: true})
	if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceTable })); n != 1 {
		t.Errorf("%d loads of a descriptor, want one", n)
	}
}

// Where buffers are descriptors a loop's test stays at its head, and lanes that leave it take three scalar instructions.
func TestLoopsOfDescriptorsAreNotRotated(t *testing.T) {
	for limit, steps := range map[isa.Op]int{isa.WorkgroupIDX: 0, isa.LocalIDX: 2} {
		p := emitted(t, counting(limit), &Target{Descriptors: true})
		back := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Branch })
		if len(back) != 1 || int(p.Insts[back[0]].Target) >= back[0] {
			t.Errorf("%v: branches at %v, want one back", limit, back)
		}
		masks := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Micro && in.Imm == uint64(isa.MaskSplit) })
		if len(masks) != steps {
			t.Errorf("%v: %d further instructions of masks, want %d", limit, len(masks), steps)
		}
	}
}

// Parts of a place that come in one register cost an instruction each, where they are used.
func TestPackedPlacesAreTakenApart(t *testing.T) {
	for limit, want := range map[isa.Op]int{isa.WorkgroupIDX: 0, isa.LocalIDX: 1} {
		p := emitted(t, counting(limit), &Target{PackedIDs: true})
		if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Micro && in.Class == isa.ClassVALU32 })); n != want {
			t.Errorf("%v: %d instructions, want %d", limit, n, want)
		}
	}
}

// The wave's number and how many there are come in one register where buffers are descriptors.
func TestNumbersOfWavesAreTakenApart(t *testing.T) {
	for descriptors, want := range map[bool]int{false: 0, true: 1} {
		p := emitted(t, counting(isa.NumSubgroups), &Target{Descriptors: descriptors})
		if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Micro && in.Imm == uint64(isa.BitFieldUExtract) })); n != want {
			t.Errorf("descriptors %v: %d instructions, want %d", descriptors, n, want)
		}
	}
}

// All ways out of a program come to one end, and no mask is joined there.
func TestProgramsHaveOneEnd(t *testing.T) {
	f := generateEmpty()
	g := &gen{f: f, b: f.NewBlock()}
	first, second, rest := f.NewBlock(), f.NewBlock(), f.NewBlock()
	x := g.val(isa.LocalIDX, isa.I32, isa.I32)
	g.b.Merge = rest
	g.b.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, x, g.constant(7)), first, rest)
	first.Term = ir.Return
	g.b = rest
	rest.Merge = second
	y := g.val(isa.LocalIDY, isa.I32, isa.I32)
	rest.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, y, x), second, second)
	g.b = second
	st := g.val(isa.Store, isa.I32, isa.Void, g.val(isa.Shl, isa.I32, isa.I32, x, g.constant(2)), y)
	st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
	second.Term = ir.Return
	p := emitted(t, f, &Target{})
	if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.End })); n != 1 {
		t.Errorf("%d ends, want one", n)
	}
	if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.MaskJoin || in.Op == isa.MaskKill })); n != 0 {
		t.Errorf("%d joins and kills, want none", n)
	}
}

// The data of a store come from vector registers: constants and scalars are moved there, each once in a block.
func TestDataOfStoresIsInVectorRegisters(t *testing.T) {
	f := generateEmpty()
	g := &gen{f: f, b: f.NewBlock()}
	x := g.val(isa.Shl, isa.I32, isa.I32, g.val(isa.LocalIDX, isa.I32, isa.I32), g.constant(4))
	group := g.val(isa.WorkgroupIDX, isa.I32, isa.I32)
	for i, data := range []*ir.Value{g.constant(5), group, g.constant(5), group} {
		st := g.val(isa.Store, isa.I32, isa.Void, x, data)
		st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1, Offset: uint32(8 * i)}, HasIndex: true, Align: 4}
	}
	g.b.Term = ir.Return
	p := emitted(t, f, &Target{})
	for _, i := range placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Store }) {
		if in := &p.Insts[i]; in.Mem.Data[0].Kind != isa.Vector {
			t.Errorf("%s", isa.Disasm(in))
		}
	}
	if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && in.Dst.Kind == isa.Vector })); n != 2 {
		t.Errorf("%d moves, want 2", n)
	}
}

// A workgroup of one wave has no barrier; waits for memory stay.
func TestBarriersOfOneWaveAreNone(t *testing.T) {
	for size, want := range map[uint32]int{1: 0, 64: 0, 65: 1, 256: 1} {
		f := generateEmpty()
		f.LocalSize = [3]uint32{size, 1, 1}
		g := &gen{f: f, b: f.NewBlock()}
		g.val(isa.MemoryBarrier, isa.Void, isa.Void)
		g.val(isa.Barrier, isa.Void, isa.Void)
		g.b.Term = ir.Return
		p := emitted(t, f, &Target{})
		for op, n := range map[isa.Op]int{isa.Barrier: want, isa.MemoryBarrier: 1} {
			if got := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == op })); got != n {
				t.Errorf("%d invocations: %d of %v, want %d", size, got, op, n)
			}
		}
	}
}

// storer is the place of a lane's word, and stores there.
func (g *gen) storer(space isa.Space) (at *ir.Value, store func()) {
	at = g.val(isa.Shl, isa.I32, isa.I32, g.val(isa.LocalIDX, isa.I32, isa.I32), g.constant(2))
	return at, func() {
		st := g.val(isa.Store, isa.I32, isa.Void, at, at)
		st.Mem = &ir.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
		if space == isa.SpaceLDS {
			st.Mem.Object = -1 // may be read by another name
		}
	}
}

// sampledStore reads a combined image of set 0 through its sampler, and stores one component of what it has read as a texel of an
// image of that format and set.
func sampledStore(format string, set int) string {
	s := newShader()
	s.names.WriteString("OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 1\n")
	fmt.Fprintf(&s.names, "OpDecorate %%out DescriptorSet %d\nOpDecorate %%out Binding 2\n", set)
	s.typef("%%image = OpTypeImage %%float 2D 0 0 0 1 Unknown\n%%sampled = OpTypeSampledImage %%image\n%%sampledptr = OpTypePointer UniformConstant %%sampled\n%%texture = OpVariable %%sampledptr UniformConstant")
	s.typef("%%target = OpTypeImage %%float 2D 0 0 0 2 %s\n%%targetptr = OpTypePointer UniformConstant %%target\n%%out = OpVariable %%targetptr UniformConstant", format)
	s.typef("%%f0 = OpConstant %%float 0\n%%uint2 = OpTypeVector %%uint 2")
	s.add("%%fx = OpConvertUToF %%float %%x\n%%at = OpCompositeConstruct %%float2 %%fx %%fx\n%%t = OpLoad %%sampled %%texture")
	s.add("%%v = OpImageSampleExplicitLod %%float4 %%t %%at Lod %%f0\n%%e = OpCompositeExtract %%float %%v 0\n%%texel = OpCompositeConstruct %%float4 %%e %%e %%e %%e")
	s.add("%%to = OpLoad %%target %%out\n%%place = OpCompositeConstruct %%uint2 %%x %%u7\nOpImageWrite %%to %%place %%texel")
	return s.text()
}

// An image and its sampler in one variable have a descriptor each. Each set has an address, which takes two moves where
// the register after it has another argument.
func TestDescriptorsOfImagesAndSets(t *testing.T) {
	moves := func(in *isa.Inst) bool {
		return in.Class == isa.ClassSALU && (in.Op == isa.Mov && in.Src[0] == isa.Lit(upperHalf) || in.Op == isa.Micro && in.Imm == uint64(isa.Mov))
	}
	for set, want := range map[int]int{0: 2, 1: 4} {
		p := suite.Must(lowerText(context.Background(), t, sampledStore("Rgba32f", set), Target{WaveSize: 64, Descriptors: true, Opt: opt.Options{WaveSize: 64}}))(t)
		words := map[uint8]int{}
		for _, i := range placesOf(p, func(in *isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceTable }) {
			words[p.Insts[i].Mem.Words]++
		}
		if words[8] != 2 || words[4] != 1 || len(words) != 2 {
			t.Errorf("set %d: descriptors by words %v, want two images and a sampler", set, words)
		}
		if n := len(placesOf(p, moves)); n != want {
			t.Errorf("set %d: %d moves of addresses, want %d", set, n, want)
		}
	}
}

// A texel of one value takes a copy for each further component of the image's format, before GFX10 coordinates too.
func TestCopiesOfOperands(t *testing.T) {
	for _, c := range []struct {
		format string
		before bool // GFX10
		want   int
	}{{"Rgba32f", false, 3}, {"R32f", false, 0}, {"R32f", true, 1}} {
		target := Target{WaveSize: 64, Descriptors: true, LoadsGrid: c.before, Opt: opt.Options{WaveSize: 64, Registers: opt.RegisterFile{All: 256, Granule: 4, Waves: 10}}}
		p := suite.Must(lowerText(context.Background(), t, sampledStore(c.format, 0), target))(t)
		if n := len(placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Micro && in.Class == isa.ClassVALU32 })); n != c.want {
			t.Errorf("%s, before GFX10 %v: %d copies, want %d", c.format, c.before, n, c.want)
		}
	}
}
