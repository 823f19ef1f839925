package starter_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/starter"
	"spvsim/internal/suite"
)

// write makes a job for a module of the repository, in the module's folder.
func write(t *testing.T, file, entry string) *starter.Job {
	t.Helper()
	data := suite.Must(os.ReadFile(file))(t)
	m := suite.Must(gpu.LoadModule(data, file))(t)
	machine := suite.Must(config.LoadMachine(config.Request{Machine: config.DefaultMachine}))(t)
	job, err := starter.Write(m, starter.Options{
		Shader: filepath.Base(file), Machine: config.DefaultMachine, Entry: entry, Target: gpu.Target(machine, machine.WaveSize),
	})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return job
}

// start runs a job in the folder of its module.
func start(t *testing.T, file string, job *starter.Job) error {
	t.Helper()
	parsed, err := config.ParseJob(os.DirFS(filepath.Dir(file)), "starter.yaml", []byte(job.Text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, job.Text)
	}
	machine, err := config.LoadMachine(config.Request{Job: parsed})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gpu.Run(context.Background(), gpu.Setup{Machine: machine, Job: parsed, MaxCycles: 300_000})
	return err
}

// Every module of the library, and those that DXC made, gets a job that runs, or one that names the unknowns.
func TestStartersRun(t *testing.T) {
	count := 0
	for _, pattern := range []string{"../../experiments/library/*.spv", "../../experiments/library/*.spvasm", "../../gpu/testdata/dxc/*.spv", "../../gpu/testdata/graph/*.spvasm"} {
		files := suite.Must(filepath.Glob(pattern))(t)
		for i, file := range files {
			if count++; testing.Short() && i%4 != 0 {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				job := write(t, file, "")
				if err := start(t, file, job); err != nil && len(job.Unknown) == 0 {
					t.Errorf("%v\n%s", err, job.Text)
				}
			})
		}
	}
	if count < 70 {
		t.Errorf("only %d modules", count)
	}
}

// A shader whose workgroups wait for each other is told of: how many of them there must be is the author's to know.
func TestStarterTellsOfPolls(t *testing.T) {
	for file, want := range map[string]bool{"kochqueues.spv": true, "reduce.spv": false, "histogram.spv": false} {
		job := write(t, "../../experiments/library/"+file, "")
		if got := strings.Contains(job.Text, "# not known: how many workgroups wait for each other"); got != want {
			t.Errorf("%s: told of polls: %v, want %v", file, got, want)
		}
	}
}

// Nodes get the names that payloads target, whatever the entry points are called, and run as they do in the job that comes with them.
func TestStarterNamesNodes(t *testing.T) {
	for file, want := range map[string][]string{
		"../../gpu/testdata/dxc/flow.O3.spv": {"{entry: Entry}", "{entry: Sink2, name: Sink}", "{entry: Leaf1, name: Leaf}", "{entry: Leaf4, name: Leaf}", "- {node: Entry, count: 1}"},
		"../../experiments/library/hlsl.spvasm": {"{entry: gather_main, name: B}", "{entry: walk_main, name: walk}", "{entry: rare_main, name: rare}", "{entry: total_main, name: total}",
			"- {node: split_main, payloads: [{u32: [0, 65537, 0]}]}"}, // the grid is 1 x 1, of 16 bits each
		"../../gpu/testdata/graph/tree.spvasm":  {"{entry: leaf}", "{entry: leaf, index: 1}"},
		"../../experiments/library/mesh.spvasm": {"{node: patch, output: counts, buffer: counts}"},
	} {
		job := write(t, file, "")
		for _, text := range want {
			if !strings.Contains(job.Text, text) {
				t.Errorf("%s: no %q in\n%s", file, text, job.Text)
			}
		}
		if err := start(t, file, job); err != nil {
			t.Errorf("%s: %v\n%s", file, err, job.Text)
		}
	}
}

// The resources of a shader without a graph: sizes from the types, constants with their defaults, zeros in the push
// constants.
func TestStarterListsWhatAShaderNeeds(t *testing.T) {
	for file, want := range map[string][]string{
		"../../experiments/library/reduce.spv": {"{set: 0, binding: 0, name: src, data: {zero: 4096}} # guess: 1024 elements of 4 bytes", "{set: 0, binding: 1, name: dst, data: {zero: 4}}",
			"{set: 0, binding: 2, name: partial, data: {zero: 4100}}", "- {u32: 0, offset: 0} # n", "dispatch: [1, 1, 1] # guess: one workgroup, of 256 x 1 x 1 invocations",
			"# not known: the values of the push constants"},
		"../../experiments/library/gbuffer.spv":     {"draw:", "{location: 0, components: 3, data: {type: f32, values: [0], count: 9}}", "{location: 2, components: 1, integer: true, data: {type: u32", "- {location: 1, buffer: "},
		"../../experiments/library/lighting.spvasm": {"name: albedo, image: {format: Rgba32f, width: 64, height: 64}} # guess: its size and format", "samplers:\n  - {set: 0, binding: 0}"},
		"../../gpu/testdata/scale.spvasm":           {"specialization: # the defaults\n  3: "},
	} {
		job := write(t, file, "")
		for _, text := range want {
			if !strings.Contains(job.Text, text) {
				t.Errorf("%s: no %q in\n%s", file, text, job.Text)
			}
		}
	}
}

// An entry point that there is not is refused, with those that there are.
func TestStarterRefusesAWrongEntry(t *testing.T) {
	data := suite.Must(os.ReadFile("../../experiments/library/reduce.spv"))(t)
	m := suite.Must(gpu.LoadModule(data, "reduce.spv"))(t)
	if _, err := starter.Write(m, starter.Options{Entry: "mian"}); err == nil || !strings.Contains(err.Error(), `found no entry point "mian": want one of "main"`) {
		t.Errorf("%v", err)
	}
}

// The job of a kernel has a buffer for each pointer, and its arguments by name.
func TestStarterOfAKernel(t *testing.T) {
	for file, want := range map[string][]string{
		"../../experiments/library/clnbody.spv": {"{name: bodies, data: {zero: 16384}} # guess: 1024 elements", "global: [256] # guess: the work-items of one workgroup",
			"local: [256] # guess", "  bodies: bodies # global float4*", "  tile: {local: 4096} # local float4*, guess: an element for each work-item", "  dt: 0 # float", "# not known: the value of dt: it is zero"},
		"../../experiments/library/clbfs.spv":     {"  s: {u8: [0, 0, 0, 0, 0, 0, 0, 0]} # search"},
		"../../experiments/library/clstencil.spv": {"global: [16, 16] # guess", "  from: from # global float*\n"},
	} {
		job := write(t, file, "")
		for _, line := range want {
			if !strings.Contains(job.Text, line) {
				t.Errorf("%s: no %q in\n%s", file, line, job.Text)
			}
		}
	}
	if job := write(t, "../../experiments/library/clstencil.spv", ""); strings.Contains(job.Text, "local:") {
		t.Errorf("a size that the kernel requires is given again:\n%s", job.Text)
	}
}
