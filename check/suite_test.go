package check_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spvsim/check"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/program"
)

var update = flag.Bool("update", false, "compile the shaders of testdata again")

// job runs a module with an input of the numbers from 0 on and an output, two workgroups of each size.
const job = `
machine: rdna3-rx7900xtx
wave_size: %d
shader: %s
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 4096}}
  - {set: 0, binding: 1, name: b, data: {zero: 16384}}
dispatch: [2]
`

// kernelJob does so with a kernel.
const kernelJob = `
machine: rdna3-rx7900xtx
wave_size: %d
shader: %s
buffers:
  - {name: a, data: {iota: u32, count: 256}}
  - {name: b, data: {zero: 1024}}
steps: [{global: [256], local: [128], arguments: [a, b]}]
`

// findings runs a module of testdata and returns what the check found, one line each of kind and variable.
func findings(t *testing.T, module, mode string, waveSize int) (lines []string, list []check.Finding) {
	t.Helper()
	text := job
	if strings.HasPrefix(module, "kernels/") {
		text = kernelJob
	}
	j := suite.Must(config.ParseJob(os.DirFS("testdata"), "job.yaml", fmt.Appendf(nil, text, waveSize, module)))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: j}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, Mode: mode, Check: true})
	if r == nil || r.Checked == nil {
		t.Fatalf("%s: %v", module, err)
	}
	list = r.Checked.Findings
	if found := len(list) > 0; found != errors.Is(err, gpu.ErrCheck) || !found && err != nil {
		t.Fatalf("%s: %d findings, and %v", module, len(list), err)
	}
	for _, f := range list {
		lines = append(lines, fmt.Sprintf("%s: %s", f.Kind, f.Variable))
	}
	slices.Sort(lines)
	return slices.Compact(lines), list
}

// finds are the lines of a source that say what is wrong with it where WRONG is defined.
func finds(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if what, ok := strings.CutPrefix(line, "// finds: "); ok {
			lines = append(lines, strings.TrimSpace(what))
		}
	}
	slices.Sort(lines)
	return lines
}

// Each of the 52 shaders of testdata/suite is right, and wrong (so there are 104 modules) in the way that it says where WRONG is defined. All wrong ones are found, and nothing
// in the right ones: timed and functional, and as waves of both sizes, where lanes of other waves may be lanes of the same one.
func TestSuite(t *testing.T) {
	sources := suite.Must(filepath.Glob("testdata/suite/*.comp"))(t)
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".comp")
		t.Run(name, func(t *testing.T) {
			text := string(suite.Must(os.ReadFile(source))(t))
			want := finds(text)
			for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
				if got, _ := findings(t, "suite/"+name+"-wrong.spv", mode, 32); !slices.Equal(got, want) || len(want) == 0 {
					t.Errorf("%s, wrong: found\n%s\nwant\n%s", mode, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if got, _ := findings(t, "suite/"+name+"-wrong.spv", mode, 64); len(got) == 0 && !strings.Contains(text, "// right with waves of 64 lanes") {
					t.Errorf("%s, wrong, waves of 64 lanes: found nothing", mode)
				}
				for _, size := range []int{32, 64} {
					if _, list := findings(t, "suite/"+name+".spv", mode, size); len(list) > 0 {
						t.Errorf("%s, right, waves of %d lanes: found %v", mode, size, &list[0])
					}
				}
			}
		})
	}
	if len(sources) < 50 {
		t.Errorf("%d shaders, want 50 or more that are right and wrong", len(sources))
	}
}

// So are kernels of OpenCL C, in reads of their variables.
func TestVariablesOfKernels(t *testing.T) {
	for _, source := range suite.Must(filepath.Glob("testdata/kernels/*.cl"))(t) {
		name := strings.TrimSuffix(source, ".cl")[len("testdata/"):]
		want := finds(string(suite.Must(os.ReadFile(source))(t)))
		for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
			if got, _ := findings(t, name+"-wrong.spv", mode, 32); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s, %s, wrong: found %q, want %q", name, mode, got, want)
			}
			if _, list := findings(t, name+".spv", mode, 32); len(list) > 0 {
				t.Errorf("%s, %s, right: found %v", name, mode, &list[0])
			}
		}
	}
}

// A public sample without its barrier (SaschaWillems/Vulkan, issue 374): its results differ by machine.
func TestMissingBarrierOfASample(t *testing.T) {
	for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
		got, list := findings(t, "nbody-wrong.spv", mode, 32)
		if want := []string{"race between waves: sd", "race within a wave: sd"}; !slices.Equal(got, want) {
			t.Fatalf("%s: found %q, want %q", mode, got, want)
		}
		for _, f := range list {
			for _, s := range []check.Side{*f.Before, f.After} {
				if !strings.Contains(s.Source, "sd[") || s.ID == 0 || !strings.HasPrefix(s.Instruction, "lds_") {
					t.Errorf("%s: a side is %+v, want an access to sd with its line", mode, s)
				}
			}
		}
		if got, _ := findings(t, "nbody.spv", mode, 32); len(got) > 0 {
			t.Errorf("%s: with its barriers: found %q", mode, got)
		}
	}
}

// The committed modules equal glslang's output for the GLSL next to them.
func TestModulesAreCompiled(t *testing.T) {
	glslang, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("modules not rebuilt: glslangValidator is not installed (Debian package glslang-tools)")
	}
	for _, source := range append(suite.Must(filepath.Glob("testdata/suite/*.comp"))(t), "testdata/nbody.comp") {
		name := strings.TrimSuffix(source, ".comp")
		right, wrong := "RIGHT", "WRONG"
		if name == "testdata/nbody" {
			right, wrong = "FIX", "WRONG"
		}
		for module, define := range map[string]string{name + ".spv": right, name + "-wrong.spv": wrong} {
			out := filepath.Join(t.TempDir(), "built.spv")
			if text, err := exec.Command(glslang, "-V", "-g", "--target-env", "vulkan1.2", "-D"+define, source, "-o", out).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", source, err, text)
			}
			settle(t, module, suite.Must(os.ReadFile(out))(t))
		}
	}
}

// settle compares a committed module with its expected content, or writes it.
func settle(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		suite.OK(t, os.WriteFile(name, want, 0o644))
		return
	}
	got := suite.Must(os.ReadFile(name))(t)
	if len(got) > 12 && string(got[8:12]) != string(want[8:12]) {
		t.Skipf("%s is by another version of glslang than the one installed", name)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what its source gives: run go test ./check -run Modules -args -update", name)
	}
}

// Launches in hardware queues are checked with time and without.
func TestLaunchesInQueues(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(job, 32, "nbody-wrong.spv"), "dispatch: [2]", "queues: [{name: q, steps: [{name: one, dispatch: [2]}, {name: two, dispatch: [2]}]}]", 1)
	for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
		j := suite.Must(config.ParseJob(os.DirFS("testdata"), "job.yaml", []byte(text)))(t)
		m := suite.Must(config.LoadMachine(config.Request{Job: j}))(t)
		if r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, Mode: mode, Check: true}); !errors.Is(err, gpu.ErrCheck) || len(r.Checked.Findings) == 0 {
			t.Errorf("%s: found nothing, and %v", mode, err)
		}
	}
}

// Accesses out of bounds make a run fail that is checked, and only that.
func TestAccessesOutOfBounds(t *testing.T) {
	const text = `
machine: rdna3-rx7900xtx
shader: suite/group-offset.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 4096}}
  - {set: 0, binding: 1, name: b, data: {zero: %d}}
dispatch: [2]
`
	for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
		for _, bytes := range []int{512, 508} {
			j := suite.Must(config.ParseJob(os.DirFS("testdata"), "job.yaml", fmt.Appendf(nil, text, bytes)))(t)
			m := suite.Must(config.LoadMachine(config.Request{Job: j}))(t)
			for _, checks := range []bool{false, true} {
				_, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, Mode: mode, Check: checks})
				if want := checks && bytes < 512; errors.Is(err, gpu.ErrCheck) != want {
					t.Errorf("%s, %d of 512 bytes, check %v: found error %v", mode, bytes, checks, err)
				}
			}
		}
	}
}

// The records of accesses to buffers are bounded: beyond the bound, the check says that it stops, and what it found before stays.
func TestRecordsAreBounded(t *testing.T) {
	c := check.New()
	l := c.Launch(check.LaunchSetup{Name: "launch", Buffer: func(uint64) (string, uint64) { return "b", 0 }})
	p := &program.Program{Name: "p", Insts: []isa.Inst{{Op: isa.Store, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: 1}}}}}
	st := &isa.State{Lanes: 64}
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var groups [2]*check.GroupCheck
	for i := range groups {
		groups[i] = l.Begin(p, uint64(i), [3]uint32{uint32(i)}, 1)
		groups[i].AccessBuffer(st, 0, &p.Insts[0], &lane.Touched{Mask: 1, Addr: &[64]uint64{4096}, Bytes: 4})
	}
	const granules = 1 << 8 // a record at least for each
	for at := uint64(0); at < 1<<30; at += 4 * granules {
		groups[0].AccessBuffer(st, 0, &p.Insts[0], &lane.Touched{Mask: 1, Addr: &[64]uint64{at}, Bytes: 4})
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 400<<20 {
		t.Errorf("took %d MiB for records, want 400 at most", took>>20)
	}
	if list := c.Report().Unchecked; len(list) != 1 || !strings.Contains(list[0], "not looked at any more") {
		t.Errorf("beyond the bound: found %q, want one message", list)
	}
	if list := c.Report().Findings; len(list) != 1 {
		t.Errorf("found %d findings, want that from before the bound", len(list))
	}
}

// Launches one after the other get the memory of records that those before have had, and give it up for records of their own.
func TestRecordsOfLaunchesAreBounded(t *testing.T) {
	c := check.New()
	p := &program.Program{Name: "p", Insts: []isa.Inst{{Op: isa.Store, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: 1}}}}}
	st := &isa.State{Lanes: 64}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const pages, pageBytes = 80000, 1 << 10 // two thirds of the bound
	for n := range uint64(4) {
		l := c.Launch(check.LaunchSetup{Name: "launch"})
		g := l.Begin(p, 0, [3]uint32{}, 1)
		for at := n / 2 << 40; at < n/2<<40+pages*pageBytes; at += pageBytes {
			g.AccessBuffer(st, 0, &p.Insts[0], &lane.Touched{Mask: 1, Addr: &[64]uint64{at}, Bytes: 4})
		}
		g.End()
		l.End()
	}
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took < 100 || took > 400 {
		t.Errorf("took %d MiB for the records of two pairs of launches at the same addresses, want 100 to 400", took)
	}
	if list := c.Report().Unchecked; len(list) != 0 {
		t.Errorf("found %q, want no message", list)
	}
}

// The shadow of the LDS takes at most 64 bytes for each of its bytes.
func TestShadowOfTheLDSIsBounded(t *testing.T) {
	const bytes = 32 << 10
	p := &program.Program{Name: "p", LDSBytes: bytes, Insts: []isa.Inst{{Op: isa.Store, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I8, Count: 1}}}}}
	l := check.New().Launch(check.LaunchSetup{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g := l.Begin(p, 0, [3]uint32{}, 32)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64*bytes {
		t.Errorf("took %d bytes for each byte of the LDS, want 64 at most", took/bytes)
	}
	g.End()
}

// Places beyond the bound of those that accesses are released at count as one: no order is lost.
func TestReleasesBeyondTheBoundAreOrders(t *testing.T) {
	flat := isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: 1}
	p := &program.Program{Name: "p", Insts: []isa.Inst{{Op: isa.Store, Mem: &isa.Mem{Access: flat}}, {Op: isa.Load, Mem: &isa.Mem{Access: flat}}, {Op: isa.AtomicIAdd, Mem: &isa.Mem{Access: flat}}, {Op: isa.LaneOrder, Imm: 2}}}
	const store, load, add = 0, 1, 2
	for _, acquires := range []bool{true, false} {
		c := check.New()
		l := c.Launch(check.LaunchSetup{Name: "launch", Programs: []*program.Program{p}, Buffer: func(uint64) (string, uint64) { return "b", 0 }})
		st := &isa.State{Lanes: 64}
		access := func(g *check.GroupCheck, pc int, at uint64) {
			g.AccessBuffer(st, pc, &p.Insts[pc], &lane.Touched{Mask: 1, Addr: &[64]uint64{at}, Bytes: 4})
		}
		from, to := l.Begin(p, 0, [3]uint32{}, 1), l.Begin(p, 1, [3]uint32{1}, 1)
		const data, places, last = 1 << 20, 1 << 24, 1<<24 + 4*70000
		from.OrderLanes(st, 2)
		for at := uint64(places); at < last; at += 4 {
			access(from, add, at)
		}
		access(from, store, data)
		from.OrderLanes(st, 2)
		access(from, add, last)
		if acquires {
			access(to, add, last)
			to.OrderLanes(st, 2)
		}
		access(to, load, data)
		if n := len(c.Report().Findings); (n == 0) != acquires {
			t.Errorf("behind an atomic on the place: %t: %d findings", acquires, n)
		}
	}
}
