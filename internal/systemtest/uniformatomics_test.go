package systemtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// An atomicCase is a shader in which some lanes of each wave update a word of binding 0 or of the LDS, and store what was there.
type atomicCase struct {
	op       string // instruction
	typ      string // uint, ulong or float
	operand  string // "same" or "own" of each lane; "": the instruction has none
	storage  string // StorageBuffer or Workgroup
	own      bool   // two words, by the lane's number
	unused   bool   // what was there is not stored
	wave     int
	pointers bool
}

const (
	atomicGroups, atomicSize = 3, 96
	firstValue, unchanged    = 37, 0xabcdef
)

func (c *atomicCase) bytes() int {
	if c.typ == "ulong" {
		return 8
	}
	return 4
}

// text is the module. Lanes whose number is 2 modulo 4 do nothing.
func (c *atomicCase) text() string {
	address, operand, old := "%zero", "", "%none"
	if c.own {
		address = "%low"
	}
	switch c.operand {
	case "same":
		operand = " %same"
	case "own":
		operand = " %own"
	}
	if !c.unused {
		old = "%old"
	}
	convert := "OpCopyObject %t"
	switch c.typ {
	case "ulong":
		convert = "OpUConvert %t"
	case "float":
		convert = "OpConvertUToF %t"
	}
	space, target, before, after := "Uniform", "%memory", "", ""
	index := "%zero " + address
	if c.storage == "Workgroup" {
		space, target, index = "Workgroup", "%local", address
		before = "%start0 = OpAccessChain %pt %local %zero\n%start1 = OpAccessChain %pt %local %one\nOpStore %start0 %first\nOpStore %start1 %first\nOpControlBarrier %two %two %order\n"
		after = "OpControlBarrier %two %two %order\n%end = OpLoad %t %start0\n%final = OpAccessChain %pm %memory %zero %zero\nOpStore %final %end\n"
	}
	text := strings.NewReplacer("TYPE", map[string]string{"ulong": "OpTypeInt 64 0", "float": "OpTypeFloat 32"}[c.typ],
		"CONVERT", convert, "SPACE", space, "TARGET", target, "INDEX", index, "BEFORE", before, "AFTER", after, "INSTRUCTION", c.op, "OPERAND", operand, "OLD", old,
		"SIZE", fmt.Sprint(atomicSize), "STRIDE", fmt.Sprint(c.bytes()), "FIRST", fmt.Sprint(firstValue), "NONE", fmt.Sprint(unchanged)).Replace(atomicText)
	if c.typ == "uint" { // a type is declared once
		text = strings.NewReplacer("%t = \n", "", "%t ", "%word ", "%t\n", "%word\n").Replace(text)
	}
	return text
}

const atomicText = `; Version: 1.3
OpCapability Shader
OpCapability Int64
OpCapability Int64Atomics
OpCapability AtomicFloat32AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %thread %group
OpExecutionMode %main LocalSize SIZE 1 1
OpDecorate %thread BuiltIn LocalInvocationIndex
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %array ArrayStride STRIDE
OpMemberDecorate %block 0 Offset 0
OpDecorate %block BufferBlock
OpDecorate %memory DescriptorSet 0
OpDecorate %memory Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%word = OpTypeInt 32 0
%words = OpTypeVector %word 3
%t = TYPE
%array = OpTypeRuntimeArray %t
%block = OpTypeStruct %array
%pb = OpTypePointer Uniform %block
%pm = OpTypePointer Uniform %t
%zero = OpConstant %word 0
%one = OpConstant %word 1
%two = OpConstant %word 2
%three = OpConstant %word 3
%five = OpConstant %word 5
%seven = OpConstant %word 7
%size = OpConstant %word SIZE
%order = OpConstant %word 264
%first = OpConstant %t FIRST
%none = OpConstant %t NONE
%pair = OpTypeArray %t %two
%pl = OpTypePointer Workgroup %pair
%pt = OpTypePointer SPACE %t
%pin = OpTypePointer Input %word
%pins = OpTypePointer Input %words
%memory = OpVariable %pb Uniform
%out = OpVariable %pb Uniform
%local = OpVariable %pl Workgroup
%thread = OpVariable %pin Input
%group = OpVariable %pins Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %word %thread
%gs = OpLoad %words %group
%g = OpCompositeExtract %word %gs 0
BEFORE%at0 = OpIMul %word %g %size
%at = OpIAdd %word %at0 %i
%low = OpBitwiseAnd %word %i %one
%o0 = OpIMul %word %at %seven
%o1 = OpIAdd %word %o0 %three
%own = CONVERT %o1
%s0 = OpIAdd %word %g %five
%same = CONVERT %s0
%q = OpBitwiseAnd %word %i %three
%active = OpINotEqual %bool %q %two
OpSelectionMerge %done None
OpBranchConditional %active %do %done
%do = OpLabel
%p = OpAccessChain %pt TARGET INDEX
%old = INSTRUCTION %t %p %one %zeroOPERAND
%po = OpAccessChain %pm %out %zero %at
OpStore %po OLD
OpBranch %done
%done = OpLabel
AFTEROpReturn
OpFunctionEnd
`

// apply is the instruction's meaning, from the SPIR-V specification.
func (c *atomicCase) apply(old, x uint64) uint64 {
	mask := uint64(1)<<(8*c.bytes()-1)<<1 - 1
	signed := func(v uint64) int64 { return int64(v<<(64-8*c.bytes())) >> (64 - 8*c.bytes()) }
	switch c.op {
	case "OpAtomicIAdd":
		return (old + x) & mask
	case "OpAtomicISub":
		return (old - x) & mask
	case "OpAtomicIIncrement":
		return (old + 1) & mask
	case "OpAtomicIDecrement":
		return (old - 1) & mask
	case "OpAtomicAnd":
		return old & x
	case "OpAtomicOr":
		return old | x
	case "OpAtomicXor":
		return old ^ x
	case "OpAtomicUMin":
		return min(old, x)
	case "OpAtomicUMax":
		return max(old, x)
	case "OpAtomicSMin":
		return uint64(min(signed(old), signed(x))) & mask
	case "OpAtomicSMax":
		return uint64(max(signed(old), signed(x))) & mask
	case "OpAtomicFAddEXT":
		return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(x))))
	}
	return x // OpAtomicExchange
}

func (c *atomicCase) number(n uint64) uint64 {
	if c.typ == "float" {
		return uint64(math.Float32bits(float32(n)))
	}
	return n
}

// run returns the last value, that of each invocation, and the number of updates by a lane each.
func (c *atomicCase) run(t *testing.T) (final uint64, olds []uint64, updates uint64) {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(c.text())}}
	words := [2]string{fmt.Sprint(firstValue), fmt.Sprint(unchanged)}
	kind := map[string]string{"uint": "u32", "ulong": "u64", "float": "f32"}[c.typ]
	job := suite.Must(config.ParseJob(files, "job.yaml", fmt.Appendf(nil, "shader: m.spvasm\nbuffers:\n  - {set: 0, binding: 0, name: memory, data: {type: %s, values: [%s, %s]}}\n"+
		"  - {set: 0, binding: 1, name: out, data: {type: %s, values: [%s], count: %d}}\ndispatch: [%d]\n",
		kind, words[0], words[0], kind, words[1], atomicGroups*atomicSize, atomicGroups)))(t)
	set := []string{fmt.Sprintf("wave_size=%d", c.wave), "shader_engines=1", "compute_units=1", "memory_side.bytes=1572864"}
	if c.pointers {
		set = append(set, "timing.buffers=pointers")
	}
	m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Job: job, Set: set}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: maxCycles})
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	read := func(buffer, i int) uint64 {
		b := r.Buffers[buffer].Bytes[i*c.bytes():]
		if c.bytes() == 8 {
			return binary.LittleEndian.Uint64(b)
		}
		return uint64(binary.LittleEndian.Uint32(b))
	}
	for i := range atomicGroups * atomicSize {
		olds = append(olds, read(1, i))
	}
	return read(0, 0), olds, r.Stats.Lanes.Updates
}

// orderOf reports why the updates have no order: they are the edges of a walk, from the first value to the last,
// in which each leads from the value that was there to the one that the instruction makes of it.
func orderOf(from, to uint64, edges [][2]uint64) error {
	out, root := map[uint64]int{}, map[uint64]uint64{}
	out[from]++
	out[to]--
	var find func(v uint64) uint64
	find = func(v uint64) uint64 {
		if r, ok := root[v]; ok && r != v {
			return find(r)
		}
		return v
	}
	for _, e := range edges {
		out[e[0]]--
		out[e[1]]++
		root[find(e[0])] = find(e[1])
	}
	for v, n := range out {
		if n != 0 {
			return fmt.Errorf("value %#x comes %d times more than it goes", v, n)
		}
		if find(v) != find(from) {
			return fmt.Errorf("value %#x cannot come of %#x", v, from)
		}
	}
	return nil
}

func (c *atomicCase) check(t *testing.T) {
	t.Helper()
	final, olds, updates := c.run(t)
	lanes, waves := 0, atomicGroups*atomicSize/c.wave
	if c.wave == 64 {
		waves = atomicGroups * 2
	}
	var edges [][2]uint64
	last := c.number(firstValue)
	for i, old := range olds {
		active := i%4 != 2
		if !active || c.unused {
			if old != c.number(unchanged) {
				t.Errorf("%+v: invocation %d stored %#x", c, i, old)
			}
		}
		if !active {
			continue
		}
		lanes++
		x := c.number(uint64(i/atomicSize + 5))
		if c.operand == "own" {
			x = c.number(uint64(7*i + 3))
		}
		if c.storage == "Workgroup" && i/atomicSize != 0 {
			continue // the last value is that of any group; the walk of the first is enough
		}
		edges = append(edges, [2]uint64{old, c.apply(old, x)})
		last = c.apply(last, x)
	}
	want := uint64(lanes)
	if !c.own && c.op != "OpAtomicExchange" {
		want = uint64(waves)
	}
	if updates != want {
		t.Errorf("%+v: %d updates, want %d", c, updates, want)
	}
	if c.own || c.op == "OpAtomicExchange" {
		return
	}
	end := final
	if c.storage == "Workgroup" {
		end = last
	} else if final != last {
		t.Errorf("%+v: %#x is left, want %#x", c, final, last)
	}
	if !c.unused {
		if err := orderOf(c.number(firstValue), end, edges); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// An atomic of one address is sent once for a wave, whatever combination of instruction, type, operand, memory, size of waves and
// compiler: the memory and the results are those of an order of all lanes' updates. Two addresses, and instructions whose
// operands do not combine, are sent by each lane.
func TestAtomicsOfOneAddress(t *testing.T) {
	ops := []struct{ op, typ, operand string }{
		{"OpAtomicIAdd", "uint", "own"}, {"OpAtomicIAdd", "ulong", "same"}, {"OpAtomicISub", "uint", "same"}, {"OpAtomicISub", "ulong", "own"},
		{"OpAtomicIIncrement", "uint", ""}, {"OpAtomicIDecrement", "ulong", ""}, {"OpAtomicXor", "uint", "same"}, {"OpAtomicXor", "ulong", "own"},
		{"OpAtomicAnd", "uint", "own"}, {"OpAtomicOr", "uint", "same"}, {"OpAtomicUMin", "uint", "own"}, {"OpAtomicUMax", "ulong", "own"}, {"OpAtomicUMax", "uint", "same"},
		{"OpAtomicSMin", "ulong", "same"}, {"OpAtomicSMax", "uint", "own"}, {"OpAtomicFAddEXT", "float", "own"}, {"OpAtomicFAddEXT", "float", "same"}, {"OpAtomicExchange", "uint", "own"},
	}
	n := 0
	for _, o := range ops {
		for _, pointers := range []bool{false, true} {
			for _, unused := range []bool{false, true} {
				c := atomicCase{op: o.op, typ: o.typ, operand: o.operand, storage: "StorageBuffer", unused: unused, wave: 32 << (n % 2), pointers: pointers, own: n%11 == 10}
				if n%3 == 2 {
					c.storage = "Workgroup"
				}
				n++
				c.check(t)
			}
		}
	}
}
