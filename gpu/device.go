package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"spvsim/account"
	"spvsim/check"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/concurrent"
	"spvsim/internal/lists"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
	"spvsim/spirv/validate"
	"spvsim/tracing"
	"spvsim/tracing/probe"
)

// A Device is a machine that a driver opens once and gives work: memory of the caller, kernels, and dispatches one after the other. Each finds
// the caches as the one before left them. Kernels and dispatches are for one goroutine at a time; memory may be mapped and unmapped while a
// dispatch runs, with effect from the next one on.
type Device struct {
	r       *runner
	kernels sync.Mutex // holds what follows, and lowering
	lowered []*lowered
	scratch map[scratchShape][]mem.Scratch
	push    *mem.Buffer // where push constants live, for the scalar cache

	outOfBounds        uint64 // accesses of all dispatches
	maxInstructions    uint64 // instructions of a dispatch; 0: any number
	instructionsBefore uint64 // instructions of the dispatches that ended
	launches           int    // begun
	cancel             context.CancelCauseFunc

	pending       sync.Mutex
	memoryChanges []func(*mem.Store) error
}

type scratchShape struct{ words, lanes int }

// maxPush is the size of the device's block of push constants, in bytes.
const maxPush = 256

// DeviceSetup describes the device to open.
type DeviceSetup struct {
	Machine *config.Machine
	// Mode of the dispatches, one of config.Modes; empty: timed.
	Mode string
	// Tracer receives all that is timed; nil: none.
	Tracer probe.Tracer
	// Check looks for accesses that no shader may make: see Checked.
	Check    bool
	Observer probe.Observer // nil: what shaders print is dropped
	Progress func(Progress) // nil, or called now and then while a dispatch runs
	// MaxInstructions and MaxHostSeconds end a dispatch that takes more, with ErrDispatch; 0: no limit. They are looked at now and then.
	MaxInstructions uint64
	MaxHostSeconds  float64
}

// ErrDispatch reports that a dispatch exceeded a limit.
var ErrDispatch = errors.New("limit of a dispatch reached")

// OpenDevice builds a machine.
func OpenDevice(s DeviceSetup) (*Device, error) {
	if s.Machine.Energy.Cap == "on" {
		return nil, inputError(fmt.Errorf("%w: a driver can't run its work again at lower clocks: want energy.cap: off", errCap))
	}
	job := &config.Job{}
	d := &Device{scratch: map[scratchShape][]mem.Scratch{}, maxInstructions: s.MaxInstructions}
	progress := s.Progress
	if d.maxInstructions != 0 {
		progress = d.limitInstructions(progress)
	}
	r, err := openRunner(context.Background(), Setup{Machine: s.Machine, Job: job, Mode: s.Mode, Tracer: s.Tracer, Observer: s.Observer, Progress: progress, MaxHostSeconds: s.MaxHostSeconds, Check: s.Check})
	if err != nil {
		return nil, inputError(err)
	}
	if mode := r.launchMode(""); !slices.Contains(config.Modes, mode) {
		return nil, inputError(fmt.Errorf("mode %q: want one of %s", mode, strings.Join(config.Modes, ", ")))
	}
	if s.Check && r.launchMode("") == config.ModeSampled {
		return nil, inputError(errCheckMode(config.ModeSampled))
	}
	d.r = r
	r.total = 1
	r.traceRound(0)
	if d.push, err = r.machine.Store.Reserve(maxPush, "push constants"); err != nil {
		return nil, inputError(err)
	}
	return d, nil
}

// Checked returns what the check of all dispatches so far found. No dispatch may run.
func (d *Device) Checked() (r check.Report) {
	if c := d.r.checker; c != nil {
		r = c.Report()
		r.OutOfBounds = d.outOfBounds
	}
	return r
}

// limitInstructions ends a dispatch that executes too many instructions, and forwards its progress.
func (d *Device) limitInstructions(progress func(Progress)) func(Progress) {
	return func(p Progress) {
		if p.Instructions-d.instructionsBefore > d.maxInstructions {
			d.cancel(fmt.Errorf("%w: more than %d instructions", ErrDispatch, d.maxInstructions))
		}
		if progress != nil {
			progress(p)
		}
	}
}

// Machine returns the description of the device's machine.
func (d *Device) Machine() *config.Machine { return d.r.setup.Machine }

// Cycle returns the simulated time.
func (d *Device) Cycle() uint64 { return max(d.r.timing.now, d.r.machine.Cycle()) }

// Map puts bytes of the caller at a device address. They are the memory itself: a dispatch reads what the host wrote there before it
// began.
func (d *Device) Map(addr uint64, bytes []byte, name string) {
	d.deferChange(func(s *mem.Store) error { return s.Attach(addr, bytes, name) })
}

// Unmap removes the bytes at an address. No dispatch may use them.
func (d *Device) Unmap(addr uint64) {
	d.deferChange(func(s *mem.Store) error { s.Detach(addr); return nil })
}

func (d *Device) deferChange(f func(*mem.Store) error) {
	d.pending.Lock()
	defer d.pending.Unlock()
	d.memoryChanges = append(d.memoryChanges, f)
}

// applyChanges carries out what Map and Unmap asked for.
func (d *Device) applyChanges() error {
	d.pending.Lock()
	defer d.pending.Unlock()
	for _, f := range d.memoryChanges {
		if err := f(d.r.machine.Store); err != nil {
			return err
		}
	}
	d.memoryChanges = nil
	return nil
}

// Memory returns the bytes at a device address; nil if not all of them are mapped.
func (d *Device) Memory(addr, bytes uint64) []byte {
	if d.applyChanges() != nil {
		return nil
	}
	b, err := readMemory(d.r.machine.Store, addr, bytes)
	if err != nil {
		return nil
	}
	return b
}

// A Kernel is an entry point that a device can run.
type Kernel struct {
	*lowered
	limits *cu.Limits
	copies concurrent.Copies // of its code, for concurrent launches
	// Program has the bindings and the resources that the kernel needs.
	Program *program.Program
}

// KernelSetup selects an entry point and its specialization.
type KernelSetup struct {
	Module         *validate.Module
	Entry          string
	Specialization map[uint32]uint64 // SpecId -> bits of the value
	WaveSize       int               // 0: the machine's
}

// maxLowering bounds the time of lowering, as the caller of Kernel has no context to cancel.
const maxLowering = 10 * time.Minute

// Kernel lowers an entry point, in ten minutes at most.
func (d *Device) Kernel(s KernelSetup) (*Kernel, error) {
	ctx, done := context.WithTimeoutCause(context.Background(), maxLowering, fmt.Errorf("%w: %v, while lowering %s", ErrHostTime, maxLowering, s.Entry))
	defer done()
	return d.KernelContext(ctx, s)
}

// KernelContext lowers as Kernel does, and stops when its context ends.
func (d *Device) KernelContext(ctx context.Context, s KernelSetup) (*Kernel, error) {
	s.WaveSize = cmp.Or(s.WaveSize, d.Machine().WaveSize)
	prog, err := program.LowerContext(ctx, s.Module, program.Options{Entry: s.Entry, Specialization: s.Specialization, Target: d.r.programs.target(s.WaveSize)})
	if err != nil {
		return nil, err
	}
	return d.KernelOf(prog)
}

// KernelOf makes a kernel of a program that was lowered for this machine.
func (d *Device) KernelOf(prog *program.Program) (*Kernel, error) {
	d.kernels.Lock()
	defer d.kernels.Unlock()
	made, err := d.r.programs.placeCode(prog)
	if err != nil {
		return nil, err
	}
	d.lowered = append(d.lowered, made)
	k := &Kernel{lowered: made, limits: d.r.machine.Limits, Program: made.code.Program}
	k.copies = d.r.programs.copiesOf(made.code)
	return k, nil
}

// A Dispatch is a grid of workgroups of a kernel.
type Dispatch struct {
	Name            string // in statistics and traces
	Kind            string // with the kernel and the grid, what a sampled run takes for alike; empty: the name
	Untimed         bool   // runs functional, and warms the caches
	Kernel          *Kernel
	Groups          [3]uint32
	Indirect        func() [3]uint32   // reads the groups as the dispatch begins; nil: they are known
	Arguments       uint64             // address of the groups of an indirect dispatch; 0: it is none
	Base            [3]uint32          // of the workgroups' ids
	Elements        [][]mem.Descriptor // of each binding of the kernel's program
	Push            []byte
	FollowsDispatch bool // after another dispatch of one stream
}

// Run executes a dispatch to its end. Accesses out of bounds are among the counts.
func (d *Device) Run(ctx context.Context, x *Dispatch) (*account.Counts, error) {
	if err := d.applyChanges(); err != nil {
		return nil, err
	}
	if cu.GridSize(x.Groups) > cu.MaxGridSize {
		return nil, fmt.Errorf("dispatch: found %v workgroups: want at most %d in all", x.Groups, uint64(cu.MaxGridSize))
	}
	l, err := d.launchOf(x)
	if err != nil {
		return nil, err
	}
	return d.launch(ctx, l, x.FollowsDispatch, x.Untimed)
}

// launch runs a launch to its end. The time that is estimated of it passes as well.
func (d *Device) launch(ctx context.Context, l *jobLaunch, follows, untimed bool) (*account.Counts, error) {
	r := d.r
	begin := d.Cycle()
	ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	r.guard.ctx, r.guard.started, d.instructionsBefore = ctx, time.Now(), r.tally.Issued
	r.functionalRunner.faults = nil
	r.tally.BeginRound()
	l.number = d.launches
	d.launches++
	run := func() error { return r.launch(l, follows) }
	if untimed && l.mode != config.ModeFunctional {
		run = func() error { return r.runFunctional(l, allWorkgroups(l.work), true) }
	}
	err := d.wrapLimit(ctx, run())
	if len(r.tally.Steps) == 0 {
		return &account.Counts{}, err
	}
	r.sampler.Estimate()
	r.sampler.ForgetEstimates()
	c := &r.tally.Steps[0].Counts
	d.outOfBounds += c.OutOfBounds
	if c.Estimate != nil {
		r.timing.now = max(d.Cycle(), begin+c.Cycles)
	}
	return c, err
}

// wrapLimit words the end of a dispatch that took more than it may, with where its waves are.
func (d *Device) wrapLimit(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(err, ErrHostTime):
		return fmt.Errorf("%w: %w", ErrDispatch, err)
	case err == nil || !errors.Is(cause, ErrDispatch):
		return err
	case len(d.r.machine.Waves()) > 0:
		return fmt.Errorf("%w: %w; %s", cause, err, d.r.timing.waiting())
	default:
		return fmt.Errorf("%w: %w", cause, err)
	}
}

// launchOf binds what a dispatch names.
func (d *Device) launchOf(x *Dispatch) (*jobLaunch, error) {
	prog := x.Kernel.Program
	b := &mem.Bindings{Names: prog.Bindings}
	for _, elements := range x.Elements {
		b.Bind(elements...)
	}
	if len(prog.Bindings) != len(x.Elements) {
		return nil, fmt.Errorf("dispatch: found %d bindings: want %d, as the program has", len(x.Elements), len(prog.Bindings))
	}
	if err := d.r.programs.bindConstants(d.r.machine.Store, prog, "", b); err != nil {
		return nil, err
	}
	b.Push, b.PushAddr = make([]byte, max(int(prog.PushBytes), len(x.Push))), d.push.Addr
	copy(b.Push, x.Push)
	s, err := d.scratchFor(prog)
	if err != nil {
		return nil, err
	}
	return &jobLaunch{step: x.Name, kind: x.Kind, mode: d.r.launchMode(""), work: &kernelWork{indirectGrid: x.Indirect, arguments: x.Arguments, KernelLaunch: cu.KernelLaunch{
		Code: x.Kernel.code, Resources: x.Kernel.resources, NumWorkgroups: x.Groups, Base: x.Base, Bindings: b, Scratch: s,
	}}}, nil
}

// scratchFor returns the scratch memory of a program's waves. Dispatches of one shape share it, as they do not overlap.
func (d *Device) scratchFor(p *program.Program) ([]mem.Scratch, error) {
	if p.ScratchWords == 0 {
		return nil, nil
	}
	shape := scratchShape{int(p.ScratchWords), p.WaveSize}
	if have := d.scratch[shape]; have != nil {
		return have, nil
	}
	made, err := mem.NewScratch(d.r.machine.Store, d.r.machine.Slots, shape.words, shape.lanes)
	d.scratch[shape] = made
	return made, err
}

// Elapse advances the time by cycles of work that was done elsewhere.
func (d *Device) Elapse(cycles uint64) { d.passCycles("work done elsewhere", cycles) }

// passCycles advances the time by cycles in which the compute units are idle.
func (d *Device) passCycles(name string, cycles uint64) {
	t := d.r.timing
	t.now = d.Cycle()
	t.traceLaunch(name)
	t.now += cycles
	t.traceEnd(t.now)
}

// PassTransfer advances the time by that of a transfer of some bytes, read and written. In mode functional it takes no time.
func (d *Device) PassTransfer(bytes uint64, follows bool) (cycles uint64) {
	if d.r.launchMode("") == config.ModeFunctional {
		return 0
	}
	cycles = d.r.timing.transferCycles(bytes, follows)
	d.passCycles("transfers", cycles)
	return cycles
}

// Listings returns the lowered programs with the cost of their instructions in timed dispatches so far. No dispatch may run meanwhile.
func (d *Device) Listings() []tracing.Listing {
	d.kernels.Lock()
	defer d.kernels.Unlock()
	return lists.Map(d.lowered, func(l *lowered) tracing.Listing { return listed(l, d.Machine()) })
}

// Levels returns the names of the levels of a machine's memory, in the order of counts.
func Levels(m *config.Machine) (list []string) {
	return lists.Map(hierarchy.NewAnalytic(&m.Spec, &m.Shape).Counters(), func(c hierarchy.Counter) string { return c.Level })
}

// Occupancy returns the number of workgroups that fit on an empty compute unit.
func (k *Kernel) Occupancy() int { return k.resources.Occupancy(k.limits) }
