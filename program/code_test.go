package program

import (
	"bytes"
	"encoding/binary"
	goflag "flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/opt"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

var update = goflag.Bool("update", false, "write code.txt, mutants.txt and drawn.txt of testdata")

// codeFolders are the folders of modules whose entry points are compiled: the library, measured kernels, nodes of
// graphs, fragments, and the modules of the front end's tests.
var codeFolders = []string{
	"docs/tutorial", "experiments/accuracy/kernels", "experiments/figures/jobs", "experiments/library", "gpu/testdata", "gpu/testdata/dot", "gpu/testdata/draw", "gpu/testdata/dxc",
	"gpu/testdata/graph", "gpu/testdata/lanes", "gpu/testdata/textures", "program/frontend/testdata", "program/frontend/testdata/graph", "internal/systemtest/testdata/keys", "vulkan/testdata/shaders",
}

// codeTargets are machines like those of the presets: one that has descriptors, one that has pointers, and one that issues pairs.
func codeTargets() map[string]Target {
	all := func(isa.Class) bool { return true }
	return map[string]Target{
		"descriptors": {WaveSize: 64, Descriptors: true, Expand: steps, Opt: opt.Options{FuseMad16: true, TwoScalars: true, Registers: opt.RegisterFile{All: 256, Granule: 4, Waves: 10}}},
		"pointers": {WaveSize: 64, PackedIDs: true, Pairs: Pairs{Packed: true, Halves: true}, Matrix: MatrixTarget{Unit: isa.CDNA3, Has: all},
			Opt: opt.Options{FuseMad: true, FuseMad16: true, LshlAdd: true, Add3: true, SelectBuffers: true}},
		"pairs": {WaveSize: 32, Descriptors: true, PackedIDs: true, PackThreads: true, WithoutHelpers: true, Pairs: Pairs{Halves: true, Dual: true}, Matrix: MatrixTarget{Unit: isa.RDNA3, Has: all},
			Opt: opt.Options{FuseMad16: true, LshlAdd: true, Add3: true, TwoScalars: true, Registers: opt.RegisterFile{All: 1536, Granule: 24, Waves: 16}}},
	}
}

// anyLaunch has what a kernel's launch determines, for any kernel.
func anyLaunch() Kernel {
	k := Kernel{LocalSize: [3]uint32{64, 1, 1}, LocalBytes: map[int]uint32{}}
	for i := range 16 {
		k.LocalBytes[i] = 1024
	}
	return k
}

// steps expands divisions and long operations to two steps.
func steps(op isa.Op, t isa.Type) []isa.Class {
	if op == isa.FDiv || op == isa.IMul && t == isa.I64 {
		return []isa.Class{isa.ClassIMul32, isa.ClassTrans}
	}
	return nil
}

// checkedModule is a module of a file; nil where it breaks a rule.
func checkedModule(t *testing.T, file string) *validate.Module {
	t.Helper()
	data := suite.Must(os.ReadFile(file))(t)
	decode := func() (*spirv.Module, error) { return spirv.Decode(data) }
	if strings.HasSuffix(file, ".spvasm") {
		decode = func() (*spirv.Module, error) { return asm.Assemble(data, file) }
	}
	raw := suite.Must(decode())(t)
	m, err := validate.Check(raw)
	if err != nil {
		return nil
	}
	return m
}

// codeOf describes the code of an entry point: how many instructions there are of each class, and the registers and
// memory of a wave. The distance of a load is the number of instructions up to the first that reads its result, or up
// to the end of the program.
func codeOf(p *Program) string {
	var n [isa.NumClasses]int
	apart := 0
	for i := range p.Insts {
		in := &p.Insts[i]
		n[in.Class]++
		if in.Mem != nil && len(in.Writes) > 0 {
			apart += firstReader(p.Insts[i+1:], in.Writes)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d: vector %d, scalar %d, lds %d, scratch %d, tables %d, constants %d, loads apart %d;", len(p.Insts), p.VectorRegs, p.ScalarRegs, p.LDSBytes, p.ScratchWords, p.TableBytes, len(p.Constants), apart)
	for c, count := range n {
		if count > 0 {
			fmt.Fprintf(&b, " %s %d", className(isa.Class(c)), count)
		}
	}
	return b.String() + "; " + codeDigest(p.Insts)
}

// codeDigest returns a digest of all instructions with their registers, which the counts above leave out.
func codeDigest(insts []isa.Inst) string {
	var b bytes.Buffer
	for i := range insts {
		for in := &insts[i]; in != nil; in = in.Second {
			imm := any(in.Imm)
			if in.Op == isa.Micro { // an operation: by its name, as its number changes with new operations
				imm = isa.Op(in.Imm)
			}
			fmt.Fprintln(&b, in.Op, in.T, in.From, in.Class, in.Uniform, in.Dst, in.Src, imm, in.Target, in.Print, in.Mod, in.ModRow, in.Deps, in.Writes, in.VectorReads, in.VectorWrites, in.SPIRV)
			if in.Mem != nil {
				fmt.Fprintln(&b, *in.Mem)
			}
			if in.Matrix != nil {
				fmt.Fprintln(&b, *in.Matrix)
			}
		}
	}
	return suite.Digest(b.Bytes())
}

func className(c isa.Class) string {
	if c == isa.ClassNone {
		return "none"
	}
	return c.String()
}

// firstReader is the place of the first instruction that needs one of the registers.
func firstReader(insts []isa.Inst, regs []uint16) int {
	for i := range insts {
		for _, r := range insts[i].Deps {
			if slices.Contains(regs, r) {
				return i
			}
		}
	}
	return len(insts)
}

// codeFiles are the modules, by their names from the root of the repository.
func codeFiles(t *testing.T) (list []string) {
	t.Helper()
	for _, folder := range codeFolders {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.spv*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", folder, files, err)
		}
		for _, file := range files {
			list = append(list, strings.TrimPrefix(filepath.ToSlash(file), "../"))
		}
	}
	return list
}

var codeTargetNames = []string{"descriptors", "pointers", "pairs"}

// The code of each module of the repository matches testdata/code.txt, with a line for each entry point and machine, so
// that a change of the compiler shows as a difference. -update writes the file.
func TestCodeOfTheModules(t *testing.T) {
	var out strings.Builder
	targets := codeTargets()
	for _, file := range codeFiles(t) {
		m := checkedModule(t, "../"+file)
		if m == nil {
			continue
		}
		for i := range m.EntryPoints {
			entry := m.EntryPoints[i].Name
			fmt.Fprintf(&out, "%s %s\n", file, entry)
			for _, name := range codeTargetNames {
				if p, err := Lower(m, Options{Entry: entry, Kernel: anyLaunch(), Target: targets[name]}); err != nil {
					fmt.Fprintf(&out, "  %s refused\n", name)
				} else {
					fmt.Fprintf(&out, "  %s %s\n", name, codeOf(p))
				}
			}
		}
	}
	suite.CompareRecorded(t, "code.txt", out.String(), *update)
}

// The same for modules that are changed a little and still pass the rules, which hold what no compiler of shaders writes: those of each file together, for one
// machine after the other.
func TestCodeOfMutants(t *testing.T) {
	const each = 2
	var out strings.Builder
	targets := codeTargets()
	for _, file := range codeFiles(t) {
		m := checkedModule(t, "../"+file)
		if m == nil || len(m.Raw.Instructions) > 1000 {
			continue
		}
		random := rand.New(rand.NewPCG(uint64(m.Raw.Bound), uint64(len(m.Raw.Instructions))))
		sum := &Program{}
		for n := range each {
			raw, err := spirv.Decode(mutate.Module(m.Raw, random, mutate.Options{Edits: 1, PreferValid: true}).Encode(binary.LittleEndian))
			if err != nil {
				continue
			}
			changed, err := validate.Check(raw)
			if err != nil {
				continue
			}
			p, err := Lower(changed, Options{Entry: changed.EntryPoints[0].Name, Kernel: anyLaunch(), Target: targets[codeTargetNames[(n+len(m.Raw.Instructions))%len(targets)]]})
			if err != nil {
				continue
			}
			sum.Insts = append(sum.Insts, p.Insts...)
			sum.VectorRegs, sum.ScalarRegs, sum.ScratchWords = sum.VectorRegs+p.VectorRegs, sum.ScalarRegs+p.ScalarRegs, sum.ScratchWords+p.ScratchWords
		}
		fmt.Fprintf(&out, "%s %s\n", file, codeOf(sum))
	}
	suite.CompareRecorded(t, "mutants.txt", out.String(), *update)
}
