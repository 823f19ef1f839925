package gpu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/spirv/validate"
	"spvsim/tracing/probe"
)

// A device runs a kernel on memory that the caller keeps, as often as it is asked; the ids of workgroups begin at the base.
func TestDeviceRunsOnMemoryOfOthers(t *testing.T) {
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	for _, mode := range config.Modes[:2] {
		t.Run(mode, func(t *testing.T) { testDeviceRuns(t, m, mode) })
	}
	if _, err := gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: "quick"}); err == nil {
		t.Error("a mode that there is not was taken")
	}
}

func testDeviceRuns(t *testing.T, m *config.Machine, mode string) {
	d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: mode}))(t)
	x := baseOn(t, d)
	x.Base = [3]uint32{2, 0, 0}
	at, bytes := x.Elements[0][0].Addr, x.Elements[0][0].Bytes
	for round := range 2 {
		before := d.Cycle()
		c := suite.Must(d.Run(context.Background(), x))(t)
		if (c.Cycles == 0) != (mode == "functional") || d.Cycle() < before+c.Cycles || c.Workgroups != 4 {
			t.Errorf("round %d: %d cycles from %d to %d, %d workgroups", round, c.Cycles, before, d.Cycle(), c.Workgroups)
		}
	}
	for i := range 8 {
		want := uint32(0)
		if i >= 2 && i < 6 {
			want = uint32(2 * i)
		}
		if got := binary.LittleEndian.Uint32(bytes[4*i:]); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	if got := d.Memory(at+4, 4); len(got) != 4 || &got[0] != &bytes[4] {
		t.Errorf("memory at its address: %v", got)
	}
	d.Unmap(at)
	if got := d.Memory(at, 4); got != nil {
		t.Errorf("memory that was taken away: %v", got)
	}
}

// A transfer takes a launch and its bytes at the rate of all channels.
func TestDevicePassesTimeOfTransfers(t *testing.T) {
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m}))(t)
	rate := uint64(m.Memory.BytesPerCycle) * uint64(m.Memory.Channels)
	if got, want := d.PassTransfer(100*rate, false), uint64(m.Dispatcher.KernelLaunchCycles)+100; got != want || d.Cycle() != want {
		t.Errorf("%d cycles, at %d: want %d", got, d.Cycle(), want)
	}
}

// A sampled device times the first dispatches of a kind and estimates later ones, whose time passes too; one that is not to be timed takes none.
func TestDeviceSamples(t *testing.T) {
	d, x := openBase(t, "sampled")
	timed := 0
	var whole []int // dispatches that were timed
	for i := range 20 {
		before := d.Cycle()
		c := suite.Must(d.Run(context.Background(), x))(t)
		if c.Estimate == nil {
			timed++
			whole = append(whole, i)
		}
		if i < 2 && timed != i+1 || (c.Estimate == nil) != (c.TimedShare() == 1) || c.Cycles == 0 || d.Cycle() < before+c.Cycles {
			t.Errorf("dispatch %d: %d cycles from %d to %d, estimate %v, %v timed", i, c.Cycles, before, d.Cycle(), c.Estimate, c.TimedShare())
		}
		if e := c.Estimate; e != nil && (e.Cycles != c.Cycles || e.Half <= 0) {
			t.Errorf("dispatch %d: %d cycles, of them %+v estimated", i, c.Cycles, e)
		} else if e != nil {
			var from []int
			for _, u := range e.Units {
				from = append(from, u.Launch)
			}
			if !slices.Equal(from, whole[1:]) { // the first one is of no stratum
				t.Errorf("dispatch %d: estimated from dispatches %v: want %v", i, from, whole[1:])
			}
		}
	}
	if timed < 3 || timed > 6 { // the first, which finds nothing in the caches, the second, and one of each block of 2, 4 and more
		t.Errorf("%d of 20 dispatches were timed", timed)
	}
	x.Untimed = true
	if c, err := d.Run(context.Background(), x); err != nil || c.Cycles != 0 || !c.Untimed() || c.Workgroups != 4 {
		t.Errorf("without time: %+v, %v", c, err)
	}
}

// What a small dispatch without time costs beside its instructions is counted: so many pieces of memory, however many dispatches came before.
func TestDispatchAllocations(t *testing.T) {
	d, x := openBase(t, "functional")
	one := func() {
		suite.Must(d.Run(context.Background(), x))(t)
	}
	const most = 40
	first := testing.AllocsPerRun(100, one)
	if later := testing.AllocsPerRun(1000, one); first > most || later > first+1 {
		t.Errorf("%v pieces of memory for a dispatch, %v for a later one: want at most %d, and no more later", first, later, most)
	}
}

// A tracer receives the dispatches, transfers and other work of a device, one after the other.
func TestDeviceIsTraced(t *testing.T) {
	heard := &launchesHeard{}
	d, x := openBase(t, "timed", heard)
	suite.Must(d.Run(context.Background(), x))(t)
	d.PassTransfer(1<<20, true)
	d.Elapse(100)
	want := []string{"base", "transfers", "work done elsewhere"}
	if !slices.Equal(heard.names, want) || heard.end != d.Cycle() {
		t.Errorf("heard of %q up to cycle %d, want %q up to %d", heard.names, heard.end, want, d.Cycle())
	}
	list := d.Listings()
	if len(list) != 1 || list[0].Counts[0].Issues != 4 {
		t.Errorf("listings: %+v", list)
	}
}

// launchesHeard is a tracer that receives launches.
type launchesHeard struct {
	probe.NopTracer
	names []string
	end   uint64
}

func (h *launchesHeard) LaunchBegin(l *probe.LaunchInfo) { h.names = append(h.names, l.Step) }
func (h *launchesHeard) LaunchEnd(at uint64)             { h.end = at }

// openBase opens a device with memory and a dispatch of four workgroups on it.
func openBase(t *testing.T, mode string, tracers ...probe.Tracer) (*gpu.Device, *gpu.Dispatch) {
	t.Helper()
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: mode, Tracer: probe.Join(tracers...)}))(t)
	return d, baseOn(t, d)
}

// moduleOf is a module of a file of testdata.
func moduleOf(t *testing.T, file string) *validate.Module {
	t.Helper()
	text := suite.Must(os.ReadFile("testdata/" + file))(t)
	module := suite.Must(gpu.LoadModule(text, file))(t)
	return module
}

// baseOn is a dispatch of testdata/base.spvasm on a device.
func baseOn(t *testing.T, d *gpu.Device) *gpu.Dispatch {
	t.Helper()
	module := moduleOf(t, "base.spvasm")
	k := suite.Must(d.Kernel(gpu.KernelSetup{Module: module}))(t)
	const at = 1 << 40
	bytes := make([]byte, 4*8)
	d.Map(at, bytes, "words")
	return &gpu.Dispatch{Name: "base", Kernel: k, Groups: [3]uint32{4, 1, 1}, Elements: [][]mem.Descriptor{{{Addr: at, Bytes: bytes}}}}
}

// A device connects nodes to a graph and runs it on the caller's memory, with time and without, from payloads of the caller;
// programs that it lowered before serve again.
func TestDeviceRunsGraphs(t *testing.T) {
	module := moduleOf(t, "graph/tree.spvasm")
	for _, mode := range config.Modes[:2] {
		m := suite.Must(config.Preset("cdna3-mi300a"))(t)
		d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: mode}))(t)
		var made []*program.Program
		for round := range 2 {
			nodes := treeNodes(module)
			for i := range nodes {
				if round > 0 {
					nodes[i].Program = made[i]
				}
			}
			g := suite.Must(d.Graph(nodes))(t)
			if round > 0 && !slices.Equal(g.Programs(), made) {
				t.Errorf("%s: programs of before were lowered again", mode)
			}
			made = g.Programs()
			if got := []int{g.Node("root", 0), g.Node("leaf", 1), g.Node("leaf", 2)}; !slices.Equal(got, []int{0, 3, -1}) || made[3].WaveSize != m.WaveSize {
				t.Errorf("%s: nodes %v, waves of %d", mode, got, made[3].WaveSize)
			}
			const at = 1 << 40
			bytes := make([]byte, 128)
			d.Map(at, bytes, "sums")
			least, most := d.ScratchBytes(g)
			if least == 0 || most < least {
				t.Errorf("%s: %d to %d bytes of scratch memory", mode, least, most)
			}
			c := suite.Must(d.RunGraph(context.Background(), treeDispatch(g, most, mem.Descriptor{Addr: at, Bytes: bytes})))(t)
			var got []uint32
			for i := range 8 {
				got = append(got, binary.LittleEndian.Uint32(bytes[4*i:]))
			}
			// As in "tree" of graph_test.go: 64 invocations i send 10+i to leaf i mod 2, and through mid 11+i to leaf 1.
			want := []uint32{32*10 + 992, 32*10 + 1024 + 64*10 + 2080, 32, 96, 0, 0, 0, 0}
			if !slices.Equal(got, want) || c.Workgroups != 1+64+128 {
				t.Errorf("%s: %v of %d workgroups, want %v of 193", mode, got, c.Workgroups, want)
			}
			d.Unmap(at)
		}
	}
}

// A dispatch that never ends is ended at its limit of instructions, or of the host's time; the error names the program and its loop.
func TestDispatchLimits(t *testing.T) {
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	module := moduleOf(t, "spin.spvasm")
	for _, mode := range config.Modes[:2] {
		for _, s := range []gpu.DeviceSetup{{MaxInstructions: 50000}, {MaxHostSeconds: 0.05}} {
			s.Machine, s.Mode = m, mode
			d := suite.Must(gpu.OpenDevice(s))(t)
			k, err := d.Kernel(gpu.KernelSetup{Module: module})
			if err != nil {
				t.Fatal(err)
			}
			bytes := make([]byte, 4)
			d.Map(1<<40, bytes, "flag")
			_, err = d.Run(context.Background(), &gpu.Dispatch{Name: "spin", Kernel: k, Groups: [3]uint32{1, 1, 1}, Elements: [][]mem.Descriptor{{{Addr: 1 << 40, Bytes: bytes}}}})
			if !errors.Is(err, gpu.ErrDispatch) || !strings.Contains(fmt.Sprint(err), "main, instructions ") {
				t.Errorf("%s, %d instructions, %v s: %v: want %v, and the loop of main", mode, s.MaxInstructions, s.MaxHostSeconds, err, gpu.ErrDispatch)
			}
		}
	}
}

// Dispatches within the limit of instructions end as without one, however many there are.
func TestDispatchLimitIsOfEach(t *testing.T) {
	m := suite.Must(config.Preset(config.DefaultMachine))(t)
	for _, mode := range config.Modes[:2] {
		d := suite.Must(gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: mode, MaxInstructions: 200}))(t)
		x := baseOn(t, d)
		for i := range 20 {
			if _, err := d.Run(context.Background(), x); err != nil {
				t.Fatalf("%s, dispatch %d: %v", mode, i, err)
			}
		}
	}
}

// Lowering for a device sees its context.
func TestDeviceKernelsSeeTheContext(t *testing.T) {
	d, x := openBase(t, config.ModeTimed)
	module := moduleOf(t, "base.spvasm")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gpu.ErrHostTime)
	if k, err := d.KernelContext(ctx, gpu.KernelSetup{Module: module}); k != nil || !errors.Is(err, gpu.ErrHostTime) {
		t.Errorf("after its time: kernel %v, error %v", k, err)
	}
	if k, err := d.KernelContext(context.Background(), gpu.KernelSetup{Module: module}); err != nil || k.Program.Name != x.Kernel.Program.Name {
		t.Errorf("with time left: %v", err)
	}
}
