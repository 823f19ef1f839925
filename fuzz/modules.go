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
	"time"

	"spvsim/config"
	"spvsim/fuzz/mutate"
	"spvsim/gpu"
	"spvsim/program"
	"spvsim/spirv"
	"spvsim/spirv/asm"
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
	return changed(in, rng, mutate.Options{Edits: edits(rng), Gentle: true})
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

// lower checks a module and lowers all of its entry points.
func lower(_ *Fuzzer, in Input) string {
	raw, err := spirv.Decode(in.Data)
	if err != nil {
		return "malformed"
	}
	m, err := validate.Check(raw)
	if err != nil {
		return "invalid"
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

// What a run may cost: enough for a shader's loops to go round, little enough for hundreds of runs a second.
const (
	runCycles  = 3000
	runSeconds = 5
	runBytes   = 1 << 30
	runUnits   = "shader_engines=1 compute_units=2 wave_slots=2"
)

// slowJob is what a job may take to be made ready and run, unchanged, to be among those that are fuzzed.
const slowJob = 20 * time.Millisecond

// jobBases are the modules of ready jobs. Base is the name of the job, a colon, and the module's.
func jobBases(root string) (list []Input, err error) {
	jobs, err := globs("experiments/library/*.yaml")(root)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		dir := filepath.Join(root, filepath.FromSlash(path.Dir(j.Base)))
		for _, shader := range shaders(j.Data) {
			data, err := os.ReadFile(filepath.Join(dir, shader))
			if err != nil {
				return nil, err
			}
			list = append(list, assembled([]Input{{j.Base + ":" + shader, data}})...)
		}
	}
	f := &Fuzzer{root: root}
	quick := list[:0]
	for _, in := range list {
		begin := time.Now()
		if execute(f, in); time.Since(begin) < slowJob || len(list) == 1 {
			quick = append(quick, in)
		}
	}
	return quick, nil
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
	dir := filepath.Join(f.root, filepath.FromSlash(path.Dir(name)))
	files := &overlaid{os.DirFS(dir), fstest.MapFS{shader: {Data: in.Data}}}
	job, err := config.LoadJob(files, path.Base(name))
	if err != nil {
		return "no job"
	}
	job.Expect = nil
	job.Limits = config.Limits{Cycles: runCycles, HostSeconds: runSeconds, HostBytes: runBytes}
	machine, err := config.LoadMachine(config.Request{Job: job, Set: strings.Fields(runUnits)})
	if err != nil {
		return "no machine"
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
