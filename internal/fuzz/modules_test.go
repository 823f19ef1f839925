package fuzz

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/fuzz/mutate"
	"spvsim/program"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// moduleBases are the modules and texts of modules of the library and of tests.
func moduleBases(root string) ([]Input, error) {
	list, err := globs("experiments/library/*.spv", "experiments/library/*.spvasm", "gpu/testdata/*.spvasm", "gpu/testdata/*/*.spv*",
		"program/frontend/testdata/*.spv", "program/frontend/testdata/graph/*.spvasm", "spirv/validate/testdata/rules/*.spvasm")(root)
	if err != nil {
		return nil, err
	}
	return assembled(list), nil
}

// assembled turns texts into modules; what is no module is left out.
func assembled(list []Input) (out []Input) {
	for _, in := range list {
		if m, err := asModule(in); err == nil {
			out = append(out, Input{in.Base, m.Encode(binary.LittleEndian)})
		}
	}
	return out
}

func asModule(in Input) (*spirv.Module, error) {
	if strings.HasSuffix(in.Base, ".spvasm") {
		return asm.Assemble(in.Data, in.Base)
	}
	return spirv.Decode(in.Data)
}

func changeModule(in Input, rng *rand.Rand) []byte {
	return changed(in, rng, mutate.Options{Edits: edits(rng)})
}

func changeGently(in Input, rng *rand.Rand) []byte {
	return changed(in, rng, mutate.Options{Edits: max(1, edits(rng)-2), PreferValid: true}) // seven of eight files change in one place: with more, few are valid
}

func changed(in Input, rng *rand.Rand, o mutate.Options) []byte {
	m, err := spirv.Decode(in.Data)
	if err != nil {
		return mutate.Bytes(in.Data, rng, o.Edits)
	}
	return mutate.Module(m, rng, o).Encode(binary.LittleEndian)
}

// lowerMachine is the machine whose rules modules are lowered by: both wave sizes.
var lowerMachine = sync.OnceValues(func() (*config.Machine, error) { return config.Preset(config.DefaultMachine) })

// check validates a module; else it says why it can't be lowered.
func check(in Input) (m *validate.Module, refusal string) {
	raw, err := spirv.Decode(in.Data)
	if err != nil {
		return nil, "malformed"
	}
	if m, err = validate.Check(raw); err != nil {
		return nil, "invalid"
	}
	return m, ""
}

// lower checks a module and lowers all of its entry points.
func lower(_ *Fuzzer, in Input) string {
	m, refusal := check(in)
	if refusal != "" {
		return refusal
	}
	machine, err := lowerMachine()
	if err != nil {
		panic(err) // the preset is ours
	}
	lowered := 0
	for i := range m.EntryPoints {
		for _, size := range []int{32, 64} {
			if _, err := program.Lower(m, program.Options{Entry: m.EntryPoints[i].Name, Target: gpu.Target(machine, size)}); err == nil {
				lowered++
			}
		}
	}
	if lowered == 0 {
		return "refused"
	}
	return "lowered"
}

var kernelBases = globs("experiments/library/cl*.spv", "gpu/testdata/cl/*.spv", "gpu/testdata/cl/short/*.spv", "spirv/validate/testdata/kernel/*.spv")

// lowerKernels lowers the part of a module that each kernel reaches, which is valid where the module is.
func lowerKernels(_ *Fuzzer, in Input) string {
	m, refusal := check(in)
	if refusal != "" {
		return refusal
	}
	machine, err := lowerMachine()
	if err != nil {
		panic(err) // the preset is ours
	}
	outcome := "refused"
	for i := range m.EntryPoints {
		entry := m.EntryPoints[i].Name
		raw, err := spirv.DecodePart(in.Data, entry)
		if err != nil {
			panic(err)
		}
		part, err := validate.Check(raw)
		if err != nil {
			panic(err)
		}
		face, err := kernel.InterfaceOf(part, part.EntryPoint(entry))
		if err != nil {
			continue
		}
		for _, size := range []int{32, 64} {
			if _, err := program.Lower(part, program.Options{Entry: entry, Kernel: gpu.GuessKernel(face), Target: gpu.Target(machine, size)}); err == nil {
				outcome = "lowered"
			}
		}
	}
	return outcome
}

// What a run may cost: enough for a shader's loops to go round, little enough for hundreds of runs a second.
const (
	runCycles  = 3000
	runSeconds = 5
	runBytes   = 1 << 30
	runUnits   = "shader_engines=1 compute_units=2 wave_slots=2 dispatcher.kernel_launch_cycles=0"
)

// largeJob is what the buffers of a job may hold for it to be among those that are fuzzed: to fill more takes longer than the run.
const largeJob = 64 << 10

// jobBases are the modules of ready jobs. Base is the name of the job, a colon, and the module's.
func jobBases(root string) (list []Input, err error) {
	jobs, err := globs("experiments/library/*.yaml")(root)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		dir := filepath.Join(root, filepath.FromSlash(path.Dir(j.Base)))
		if !small(dir, path.Base(j.Base)) {
			continue
		}
		for _, shader := range shaders(j.Data) {
			data, err := os.ReadFile(filepath.Join(dir, shader))
			if err != nil {
				return nil, err
			}
			list = append(list, assembled([]Input{{j.Base + ":" + shader, data}})...)
		}
	}
	return list, nil
}

// small says whether a job's buffers are.
func small(dir, name string) bool {
	job, err := config.LoadJob(os.DirFS(dir), name)
	if err != nil {
		return false
	}
	left := uint64(largeJob)
	for i := range job.Buffers {
		c, err := job.Buffers[i].ContentWithin(left, "fuzz")
		if err != nil {
			return false
		}
		left -= uint64(len(c.Bytes))
	}
	return true
}

// shaders are the files that a job names.
func shaders(job []byte) (list []string) {
	seen := map[string]bool{}
	for _, word := range strings.FieldsFunc(string(job), func(r rune) bool { return strings.ContainsRune(" \t\n{}[],\"'", r) }) {
		if (strings.HasSuffix(word, ".spv") || strings.HasSuffix(word, ".spvasm")) && !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// execute runs the job of a module with the changed one in its place.
func execute(f *Fuzzer, in Input) string {
	name, shader, ok := strings.Cut(in.Base, ":")
	if !ok {
		return "no job"
	}
	if _, refusal := check(in); refusal != "" {
		return refusal // without the price of a machine
	}
	dir := filepath.Join(f.root, filepath.FromSlash(path.Dir(name)))
	files := &overlaid{os.DirFS(dir), fstest.MapFS{shader: {Data: in.Data}}}
	job, err := config.LoadJob(files, path.Base(name))
	if err != nil {
		return "no job"
	}
	job.Expect = nil
	job.Limits = config.Limits{Cycles: runCycles, HostSeconds: runSeconds, HostBytes: runBytes}
	machine := f.machines[name]
	if machine == nil {
		if machine, err = config.LoadMachine(config.Request{Job: job, Set: strings.Fields(runUnits)}); err != nil {
			return "no machine"
		}
		f.machines[name] = machine
	}
	_, err = gpu.Run(context.Background(), gpu.Setup{Machine: machine, Job: job})
	return outcome(err)
}

// outcome is how a run ended. Host time is a finding: cycles end a run long before.
func outcome(err error) string {
	switch {
	case err == nil:
		return "executed"
	case errors.Is(err, gpu.ErrHostTime):
		panic(fmt.Sprintf("%d cycles took more than %d seconds", runCycles, runSeconds))
	case errors.Is(err, gpu.ErrLimit):
		return "executed to the limit"
	case errors.Is(err, gpu.ErrRun):
		return "executed to a fault"
	}
	return "refused"
}

// overlaid is a file system with some files in place of its own.
type overlaid struct {
	fs.FS
	files fstest.MapFS
}

func (o *overlaid) Open(name string) (fs.File, error) {
	if _, there := o.files[name]; there {
		return o.files.Open(name)
	}
	return o.FS.Open(name)
}

// assemble turns text into a module, and that into text and back.
func assemble(_ *Fuzzer, in Input) string {
	m, err := asm.Assemble(in.Data, in.Base)
	if err != nil {
		return "refused"
	}
	text, err := asm.Disassemble(m, asm.Options{})
	if err != nil {
		return "no text"
	}
	if _, err := asm.Assemble([]byte(text), "again"); err != nil {
		panic(fmt.Sprintf("what was disassembled does not assemble: %v", err))
	}
	return "assembled"
}
