package judge

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

const assembly = `SGPRs: 16
VGPRs: 8
LDS size: 512
Scratch size: 16
Subgroups per SIMD: 10
assembly
BB0:
	s_load_dwordx4 s[8:11], s[4:5], 0x0                         ; c00a0202 00000000
	s_cbranch_execz BB3                                         ; bf880012
BB1:
	s_waitcnt lgkmcnt(0)                                        ; bf8cc07f
	buffer_load_dword v1, v0, s[8:11], 0 offen                  ; e0501000 80020100
	v_sin_f32_e32 v1, v1                                        ; 7e025301
	v_add_f32_e32 v1, 0x40400000, v1                            ; 020202ff
	ds_write2_b32 v0, v1, v2                                    ; 00000000
	s_cbranch_vccnz BB1                                         ; bf870000
	s_branch BB0                                                ; bf820000
BB3:
	s_barrier                                                   ; bf8a0000
	s_endpgm                                                    ; bf810000
`

// A listing falls into blocks at labels and after branches, with kinds, accesses and successors.
func TestParse(t *testing.T) {
	c := suite.Must(parse([]byte(assembly)))(t)
	if c.VectorRegs != 8 || c.ScalarRegs != 16 || c.LDSBytes != 512 || c.ScratchBytes != 16 || c.Waves != 10 {
		t.Errorf("statistics %+v", *c)
	}
	want := [][]int{{3, 1}, {1, 2}, {0}, nil}
	if len(c.Blocks) != len(want) {
		t.Fatalf("%d blocks, want %d", len(c.Blocks), len(want))
	}
	for i := range want {
		if !slices.Equal(c.Blocks[i].Succs, want[i]) {
			t.Errorf("block %d goes on to %v, want %v", i, c.Blocks[i].Succs, want[i])
		}
	}
	if got, want := c.Static(), (Counts{VALU: 1, Trans: 1, SMEM: 1, VMEM: 1, LDS: 1, Branch: 3, Wait: 1, OtherKind: 2}); got != want {
		t.Errorf("kinds %v, want %v", got, want)
	}
	if got := c.Blocks[1].accesses; got[bufferLoad] != 1 || got[ldsWrite] != 1 {
		t.Errorf("accesses %v", got)
	}
	if n := c.Static(); n.Total() != 10 {
		t.Errorf("%v instructions without waits, want 10", n.Total())
	}
	for _, bad := range []string{"", "VGPRs: many\nassembly\nBB0:\n\ts_endpgm\n"} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// block makes one with numbers of accesses.
func block(runs float64, succs []int, a ...access) Block {
	b := Block{Runs: runs, Succs: succs}
	for _, x := range a {
		b.accesses[x]++
	}
	return b
}

// Loops pair in order by what they access, though the driver has unrolled one; blocks in them too.
func TestWeigh(t *testing.T) {
	like := &Code{Blocks: []Block{
		block(1, []int{1}),
		block(10, []int{2, 1}, ldsRead), // unrolled by the driver
		block(1, []int{3}, barrier),
		block(70, []int{5, 4}, bufferLoad),
		block(5, []int{5}, bufferStore),
		block(70, []int{3, 6}),
		block(1, nil),
	}}
	theirs := &Code{Blocks: []Block{
		block(0, []int{1}, ldsRead, ldsRead),
		block(0, []int{2}, barrier),
		block(0, []int{4, 3}, bufferLoad, bufferLoad),
		block(0, []int{4}, bufferStore),
		block(0, []int{2, 5}),
		block(0, []int{5, 6}, atomic), // a loop that ours does not have
		block(0, nil),
	}}
	if n := Weigh(theirs, like); n != 1 {
		t.Errorf("%d unknown loops, want 1", n)
	}
	for i, want := range []float64{1, 1, 70, 5, 70, 1, 1} {
		if got := theirs.Blocks[i].Runs; got != want {
			t.Errorf("block %d runs %v times, want %v", i, got, want)
		}
	}
}

// Blocks and loops without accesses pair by the mixture of their instructions: a long one of VALU, which two branches reach, with the long one.
func TestWeighWithoutAccesses(t *testing.T) {
	mixed := func(runs float64, valu, salu int, succs ...int) Block {
		return Block{Runs: runs, Succs: succs, Kinds: append(slices.Repeat([]Kind{VALU}, valu), slices.Repeat([]Kind{SALU}, salu)...)}
	}
	like := &Code{Blocks: []Block{mixed(10, 2, 2, 1, 3), mixed(3, 1, 4, 2, 3), mixed(0, 40, 4, 3), mixed(10, 1, 0)}}
	theirs := &Code{Blocks: []Block{mixed(0, 2, 1, 1, 2), mixed(0, 35, 6, 2), mixed(0, 1, 0)}}
	Weigh(theirs, like)
	for i, want := range []float64{10, 0, 10} {
		if got := theirs.Blocks[i].Runs; got != want {
			t.Errorf("block %d runs %v times, want %v", i, got, want)
		}
	}
	loops := &Code{Blocks: []Block{mixed(1, 1, 0, 1), mixed(5, 0, 9, 1, 2), mixed(64, 9, 0, 2, 3), mixed(1, 0, 0)}}
	one := &Code{Blocks: []Block{mixed(0, 1, 0, 1), mixed(0, 8, 1, 1, 2), mixed(0, 0, 0)}}
	if Weigh(one, loops); one.Blocks[1].Runs != 64 {
		t.Errorf("the loop of VALU runs %v times, want 64", one.Blocks[1].Runs)
	}
}

// Their blocks are weighed by the listing whose accesses are nearest to theirs: ours with no loop unrolled, unless they have unrolled one as ours is;
// the plain one where both are as near.
func TestWeighedByTheNearestListing(t *testing.T) {
	plain := &Code{Blocks: []Block{block(1, []int{1}), block(12, []int{1, 2}, bufferLoad), block(1, nil, bufferStore)}}
	unrolled := &Code{Blocks: []Block{block(1, []int{1}), block(3, []int{1, 2}, bufferLoad, bufferLoad, bufferLoad, bufferLoad), block(1, nil, bufferStore)}}
	for _, c := range []struct {
		name  string
		loads int
		want  *Code
		runs  float64
	}{{"a loop as it is", 1, plain, 12}, {"unrolled by four", 4, unrolled, 3}, {"by five", 5, unrolled, 3}} {
		theirs := &Code{Blocks: []Block{block(0, []int{1}), block(0, []int{1, 2}, slices.Repeat([]access{bufferLoad}, c.loads)...), block(0, nil, bufferStore)}}
		like := closerLoops(theirs, plain, unrolled)
		if like != c.want {
			t.Errorf("%s: the other listing", c.name)
		}
		if n := Weigh(theirs, like); n != 0 || theirs.Blocks[1].Runs != c.runs || theirs.Blocks[2].Runs != 1 {
			t.Errorf("%s: the loop runs %v times, what is after it %v, %d unknown; want %v, 1, 0", c.name, theirs.Blocks[1].Runs, theirs.Blocks[2].Runs, n, c.runs)
		}
	}
	other := &Code{Blocks: []Block{block(0, nil, barrier)}}
	if closerLoops(other, plain, unrolled) != plain || closerLoops(plain, plain, plain) != plain {
		t.Error("where neither is nearer, it is not the plain one")
	}
}

const resources = `; Version: 1.3
OpCapability Shader
OpCapability SampledBuffer
OpCapability ImageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %old BufferBlock
OpMemberDecorate %old 0 Offset 0
OpDecorate %n SpecId 7
OpDecorate %ubo DescriptorSet 0
OpDecorate %ubo Binding 0
OpDecorate %ssbo DescriptorSet 2
OpDecorate %ssbo Binding 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 2
OpDecorate %combined DescriptorSet 0
OpDecorate %combined Binding 3
OpDecorate %texels DescriptorSet 0
OpDecorate %texels Binding 4
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler Binding 5
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%n = OpSpecConstant %uint 3
%c4 = OpConstant %uint 4
%block = OpTypeStruct %float
%old = OpTypeStruct %float
%pb = OpTypePointer Uniform %block
%po = OpTypePointer Uniform %old
%pp = OpTypePointer PushConstant %block
%t2 = OpTypeImage %float 2D 0 0 0 2 Rgba32f
%s2 = OpTypeImage %float 2D 0 0 0 1 Unknown
%tb = OpTypeImage %float Buffer 0 0 0 2 R32f
%si = OpTypeSampledImage %s2
%smp = OpTypeSampler
%sia = OpTypeArray %si %c4
%pt2 = OpTypePointer UniformConstant %t2
%psi = OpTypePointer UniformConstant %sia
%ptb = OpTypePointer UniformConstant %tb
%psm = OpTypePointer UniformConstant %smp
%ubo = OpVariable %pb Uniform
%ssbo = OpVariable %po Uniform
%push = OpVariable %pp PushConstant
%image = OpVariable %pt2 UniformConstant
%combined = OpVariable %psi UniformConstant
%texels = OpVariable %ptb UniformConstant
%sampler = OpVariable %psm UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`

// The layout comes from the module's own variables.
func TestLayout(t *testing.T) {
	m := suite.Must(gpu.LoadModule([]byte(resources), "resources.spvasm"))(t)
	text := suite.Must(layout(&Request{Module: m, WaveSize: 32, Specialization: map[uint32]uint64{7: 9, 8: 1}}))(t)
	want := "entry main\nsubgroup 32\nbinding 0 0 6 1\nbinding 2 1 7 1\nbinding 0 2 3 1\nbinding 0 3 1 4\nbinding 0 4 5 1\nbinding 0 5 0 1\npush 256\nspec 7 4 9\n"
	if text != want {
		t.Errorf("layout\n%s\nwant\n%s", text, want)
	}
	if _, err := layout(&Request{Module: m, Entry: "other"}); err == nil {
		t.Error("an entry point that is not there is taken")
	}
	m.EntryPoints[0].Model = spirv.ExecutionModelFragment
	if _, err := layout(&Request{Module: m}); !errors.Is(err, ErrRefused) {
		t.Errorf("%v, want that it is refused", err)
	}
}

// opened is the driver; without it, the test is left out.
func opened(t *testing.T) *Driver {
	d, err := Open()
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What touches memory is given by the source: both compilers have as many buffer accesses, executed as often.
func TestJob(t *testing.T) {
	d := opened(t)
	rows := suite.Must(d.JobRows(context.Background(), "saxpy", presets()))(t)
	if len(rows) != len(Families) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Machine, r.Err)
			continue
		}
		ours, theirs := r.Lowered.Weighted(), r.RADV.Weighted()
		if !r.Weighted || ours[VMEM] == 0 || ours[VMEM] != theirs[VMEM] {
			t.Errorf("%s: %v accesses executed, %v by RADV", r.Machine, ours[VMEM], theirs[VMEM])
		}
		if r.RADV.VectorRegs == 0 || r.RADV.Waves == 0 || len(r.RADV.Blocks) < 3 {
			t.Errorf("%s: %+v", r.Machine, r.RADV)
		}
	}
	var b bytes.Buffer
	suite.OK(t, rows[0].Write(&b, true))
	suite.Contains(t, b.String(), "executed here", "BB0:", "s_endpgm")
}

// A module that the driver does not know is refused by name, not sent to it: Mesa would crash.
func TestRefused(t *testing.T) {
	list := suite.Must(Modules("../..", []string{filepath.Join("experiments", "library")}))(t)
	i := slices.IndexFunc(list, func(s Shader) bool { return strings.HasPrefix(s.Name, "experiments/library/koch.spvasm") })
	if i < 0 {
		t.Fatal("no koch.spvasm")
	}
	if _, err := layout(&Request{Module: list[i].Module, Entry: list[i].Launch.Entry}); !errors.Is(err, ErrRefused) {
		t.Errorf("%v, want that it is refused", err)
	}
}
