package fuzz

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/starter"
	"spvsim/spirv/asm"
)

// nestBases is one module; each seed makes another of it from nothing.
func nestBases(string) ([]Input, error) { return []Input{{"nest.spv", nil}}, nil }

// A nest is the text of a module whose types hold one another many times.
type nest struct {
	rng          *rand.Rand
	types        strings.Builder
	decorations  strings.Builder
	constants    map[uint32]bool // lengths of arrays
	names        []string        // of types, those that hold more last
	bytes        []uint64
	vars, code   strings.Builder
	interfaceIDs []string
}

// lengths of arrays.
var lengths = []uint32{1, 2, 3, 7, 64, 1000, 65536, 1 << 20, 1 << 31, 1<<32 - 1}

// storages are where variables of such types are.
var storages = []string{"Private", "Function", "Workgroup", "StorageBuffer", "Uniform", "PushConstant", "Input", "Output"}

func (n *nest) add(name string, bytes uint64, format string, args ...any) {
	fmt.Fprintf(&n.types, "%%%s = %s\n", name, fmt.Sprintf(format, args...))
	n.names, n.bytes = append(n.names, name), append(n.bytes, min(bytes, 1<<40))
}

// recent is one of the last types, most often the last: what is made of it twice has twice its parts.
func (n *nest) recent() int {
	return max(0, len(n.names)-1-min(n.rng.IntN(4), n.rng.IntN(4)))
}

// grow makes a type of those before it.
func (n *nest) grow(name string) {
	of := n.recent()
	switch n.rng.IntN(8) {
	case 0:
		length := lengths[n.rng.IntN(len(lengths))]
		n.constants[length] = true
		fmt.Fprintf(&n.decorations, "OpDecorate %%%s ArrayStride %d\n", name, uint32(max(n.bytes[of], 4)))
		n.add(name, n.bytes[of]*uint64(length), "OpTypeArray %%%s %%length_%d", n.names[of], length)
	case 1:
		n.add(name, 0, "OpTypeStruct")
	default:
		var members []string
		at := uint64(0)
		for i := range 1 + n.rng.IntN(3) {
			if i > 0 && n.rng.IntN(3) == 0 {
				of = n.recent()
			}
			members = append(members, "%"+n.names[of])
			fmt.Fprintf(&n.decorations, "OpMemberDecorate %%%s %d Offset %d\n", name, i, uint32(at))
			at += (n.bytes[of] + 7) / 8 * 8
		}
		n.add(name, at, "OpTypeStruct %s", strings.Join(members, " "))
	}
}

// use makes a variable of a type, and moves values of it.
func (n *nest) use(i int) {
	name, storage := n.names[n.recent()], storages[n.rng.IntN(len(storages))]
	id := fmt.Sprintf("variable_%d", i)
	fmt.Fprintf(&n.types, "%%pointer_%d = OpTypePointer %s %%%s\n", i, storage, name)
	line := fmt.Sprintf("%%%s = OpVariable %%pointer_%d %s\n", id, i, storage)
	if storage == "Function" {
		n.code.WriteString(line)
	} else {
		n.vars.WriteString(line)
		n.interfaceIDs = append(n.interfaceIDs, "%"+id)
	}
	switch storage {
	case "StorageBuffer", "Uniform":
		fmt.Fprintf(&n.decorations, "OpDecorate %%%s DescriptorSet 0\nOpDecorate %%%s Binding %d\nOpDecorate %%%s Block\n", id, id, i, name)
	case "PushConstant":
		fmt.Fprintf(&n.decorations, "OpDecorate %%%s Block\n", name)
	}
}

func (n *nest) copies(variables int) string {
	var b strings.Builder
	for i := range variables {
		switch n.rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "%%loaded_%d = OpLoad %%%s %%variable_%d\nOpStore %%variable_%d %%loaded_%d\n", i, n.pointee(i), i, i, i)
		case 1:
			fmt.Fprintf(&b, "OpStore %%variable_%d %%null_%d\n", i, i)
			fmt.Fprintf(&n.vars, "%%null_%d = OpConstantNull %%%s\n", i, n.pointee(i))
		}
	}
	return b.String()
}

// pointee is the type of a variable, as its pointer's line says.
func (n *nest) pointee(i int) string {
	_, line, _ := strings.Cut(n.types.String(), fmt.Sprintf("%%pointer_%d = OpTypePointer ", i))
	line, _, _ = strings.Cut(line, "\n")
	return line[strings.LastIndexByte(line, '%')+1:]
}

// changeNest makes a module from nothing.
func changeNest(_ Input, rng *rand.Rand) []byte {
	n := &nest{rng: rng, constants: map[uint32]bool{}}
	n.add("uint", 4, "OpTypeInt 32 0")
	if rng.IntN(4) > 0 {
		n.add("float", 4, "OpTypeFloat 32")
		n.add("vector", 16, "OpTypeVector %%float 4")
	}
	for i := range rng.IntN(60) {
		n.grow(fmt.Sprintf("nested_%d", i))
	}
	variables := 1 + rng.IntN(4)
	for i := range variables {
		n.use(i)
	}
	copies := n.copies(variables)
	var lengthLines strings.Builder
	for _, length := range lengths {
		if n.constants[length] {
			fmt.Fprintf(&lengthLines, "%%length_%d = OpConstant %%uint %d\n", length, length)
		}
	}
	types := strings.Replace(n.types.String(), "%uint = OpTypeInt 32 0\n", "%uint = OpTypeInt 32 0\n"+lengthLines.String(), 1)
	text := "; Version: 1.6\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" " + strings.Join(n.interfaceIDs, " ") +
		"\nOpExecutionMode %main LocalSize 64 1 1\n" + n.decorations.String() + types + "%void = OpTypeVoid\n%function = OpTypeFunction %void\n" + n.vars.String() +
		"%main = OpFunction %void None %function\n%entry = OpLabel\n" + n.code.String() + copies + "OpReturn\nOpFunctionEnd\n"
	m, err := asm.Assemble([]byte(text), "nest")
	if err != nil {
		panic(fmt.Sprintf("%v\n%s", err, text)) // it is ours
	}
	return m.Encode(binary.LittleEndian)
}

// begin writes a first job for a module. It must be one that can be read.
func begin(_ *Fuzzer, in Input) string {
	m, refusal := check(in)
	if refusal != "" {
		return refusal
	}
	machine, err := lowerMachine()
	if err != nil {
		panic(err) // the preset is ours
	}
	job, err := starter.Write(m, starter.Options{Shader: "m.spv", Machine: config.DefaultMachine, Target: gpu.Target(machine, machine.WaveSize)})
	if err != nil {
		return "refused"
	}
	if len(job.Text) > mostJobText {
		panic(fmt.Sprintf("a job of %d bytes for a module of %d", len(job.Text), len(in.Data)))
	}
	if _, err := config.ParseJob(nil, "job.yaml", []byte(job.Text)); err != nil {
		return "not read"
	}
	return "written"
}

// mostJobText bounds what a job takes to write, far above what those of modules that compilers made take.
const mostJobText = 4 << 20
