package gpu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spvsim/account"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// A Beside is work for several hardware queues of a device, which overlaps as far as what waits for what allows.
type Beside struct {
	Name    string
	Queues  []DeviceQueue
	Items   []*Queued // each after those that it waits for
	Follows bool      // after another dispatch of its queues
}

// A DeviceQueue is a hardware queue. Copies have a pipe of their own, beside those of the command processor.
type DeviceQueue struct {
	Name     string
	Priority string // one of command.Priorities
	Pipe     int    // counted on over those of the machine
	Copies   bool
}

// Queued is a packet of a queue: a dispatch, one of a graph, a transfer, or a mark.
type Queued struct {
	Queue    int
	After    []int // items that it waits for, none of them a mark
	Dispatch *Dispatch
	Graph    *GraphDispatch
	Transfer *Transfer
	// Mark is called with the cycle in which its queue has come to it and all that it waits for is done. Nothing waits for it.
	Mark func(cycle uint64)
	// Waited says that its queue has waited for After before: it comes after that, without a barrier.
	Waited bool
	// Release and Acquire are the levels of memory that the barrier before it writes back and invalidates; nil: all that a launch does.
	Release, Acquire []string

	// Counts is what it did alone, and Times when, where it ran with time; of memory and of slots, all of them together are counted.
	Counts account.Counts
	Times  account.BesideLaunch
	Ran    bool
}

// A Transfer moves bytes of device memory.
type Transfer struct {
	Name   string
	Bytes  uint64 // read and written
	Do     func()
	Access []Rows
}

// Rows are rows of bytes that a transfer reads or writes.
type Rows struct {
	Write                     bool
	Addr, Bytes, Rows, Stride uint64
}

// A besideWork is the work of a Beside.
type besideWork struct {
	*group
	device *Device
	items  []*Queued // of each launch
	from   *Beside
}

// An ownCode counts what one launch issues, of a program that others may run at the same time.
type ownCode struct {
	kernel *Kernel
	code   *simd.Code // nil while it does not run
	before account.Counts
}

// begin takes a copy of the program that no launch runs.
func (o *ownCode) begin(k *kernel) {
	spare := o.kernel.spare
	o.code, o.kernel.spare = spare[len(spare)-1], spare[:len(spare)-1]
	o.before = issued([]*simd.Code{o.code})
	k.Code = o.code
}

// addIssued adds what waves of programs issued since before.
func addIssued(to *account.Counts, codes []*simd.Code, before *account.Counts) {
	now := issued(codes)
	now.SubtractIssued(before)
	to.Add(&now)
}

// end gives it back, and adds what was issued meanwhile.
func (o *ownCode) end(c *account.Counts) {
	addIssued(c, []*simd.Code{o.code}, &o.before)
	o.kernel.spare = append(o.kernel.spare, o.code)
	o.code = nil
}

// RunBeside executes work of several queues to its end. The counts are those of all together; hazards are worded.
func (d *Device) RunBeside(ctx context.Context, x *Beside) (c *account.Counts, hazards []string, err error) {
	if err := d.settle(); err != nil {
		return nil, nil, err
	}
	w, err := d.besideWork(x)
	if err != nil {
		return nil, nil, err
	}
	l := &launch{step: x.Name, mode: d.r.mode(""), work: w}
	c, err = d.launch(ctx, l, x.Follows, false)
	d.r.machine.serve()
	if err != nil {
		return c, nil, during(w, err)
	}
	if w.items[0].Ran {
		w.findHazards(func(format string, args ...any) { hazards = append(hazards, fmt.Sprintf(format, args...)) })
	}
	return c, hazards, nil
}

// besideWork makes launches of the items.
func (d *Device) besideWork(x *Beside) (*besideWork, error) {
	m := d.Machine()
	g := &group{machine: d.r.machine, spec: m, tally: d.r.tally, noun: "dispatch"}
	w := &besideWork{group: g, device: d, from: x}
	spec := m.FrontEnd
	spec.Pipes++
	for _, q := range x.Queues {
		made := &command.Queue{Name: q.Name, Priority: slices.Index(command.Priorities, q.Priority), Pipe: q.Pipe % m.FrontEnd.Pipes}
		if q.Copies {
			made.Pipe = m.FrontEnd.Pipes
		}
		g.queues = append(g.queues, made)
	}
	number := make([]int, len(x.Items)) // of the launches
	for i, item := range x.Items {
		number[i] = len(g.launches)
		var after []int
		for _, k := range item.After {
			after = append(after, number[k])
		}
		if item.Mark != nil {
			q := g.queues[item.Queue]
			q.Packets = append(q.Packets, command.Packet{After: after, Mark: item.Mark})
			continue
		}
		if err := addBeside(w, item, after); err != nil {
			return nil, err
		}
	}
	spares(w)
	if err := g.divide(); err != nil {
		return nil, err
	}
	err := g.serve(&spec)
	if err == nil {
		g.processor.Ended = w.ended
	}
	return w, err
}

// addBeside puts an item at the end of its queue.
func addBeside(w *besideWork, item *Queued, after []int) error {
	l, own, err := w.device.launchBeside(item)
	if err != nil {
		return err
	}
	b := &besideLaunch{launch: l, work: l.work.(queued), group: w.group, queue: item.Queue, after: after, own: own}
	if _, ok := w.machine.hierarchy.(hierarchy.Barrier); ok {
		b.release, b.acquire = item.Release, item.Acquire
	}
	b.stored = len(after) > 0
	if own := l.graph(); own != nil {
		b.codes = own.codes
		if !slices.Contains(w.graphs, own) {
			w.graphs = append(w.graphs, own)
			w.list = append(w.list, b.codes...)
		}
	}
	w.order = append(w.order, len(w.launches))
	w.launches, w.items = append(w.launches, b), append(w.items, item)
	w.enqueue(len(w.launches) - 1)
	if item.Waited {
		packets := w.queues[item.Queue].Packets
		k := &packets[len(packets)-1]
		k.After, k.Sync = nil, nil
	}
	return nil
}

// launchBeside is an item as a launch; own, where it is a kernel.
func (d *Device) launchBeside(item *Queued) (l *launch, own *ownCode, err error) {
	switch {
	case item.Dispatch != nil:
		l, err = d.launchOf(item.Dispatch)
		if err == nil {
			l.kernel().machine = d.r.machine
		}
		return l, &ownCode{kernel: item.Dispatch.Kernel}, err
	case item.Graph != nil:
		l, err = d.graphLaunch(item.Graph)
		return l, nil, err
	}
	t := &transfer{bytes: item.Transfer.Bytes, moves: []func(){item.Transfer.Do}}
	for _, r := range item.Transfer.Access {
		kind := hierarchy.Read
		if r.Write {
			kind = hierarchy.Write
		}
		t.access = append(t.access, rowAccess{kind, r.Addr, r.Bytes, r.Rows, r.Stride})
	}
	return &launch{step: item.Transfer.Name, mode: d.r.mode(""), work: t}, nil, nil
}

// spares makes as many copies of each program as launches of it can run at a time.
func spares(w *besideWork) {
	want := map[*Kernel]int{}
	for _, l := range w.launches {
		if l.own == nil {
			continue
		}
		k := l.own.kernel
		if want[k]++; want[k] <= w.spec.FrontEnd.MostOutstanding && want[k] > len(k.spare) {
			k.spare = append(k.spare, k.copyOf(w.device.r.programs.rules))
		}
	}
	for _, l := range w.launches {
		if l.own == nil {
			continue
		}
		for _, c := range l.own.kernel.spare {
			if !slices.Contains(w.list, c) {
				w.list = append(w.list, c)
			}
		}
	}
}

// copyOf is the kernel's program with counts of its own.
func (k *Kernel) copyOf(rules *simd.Rules) *simd.Code {
	c, err := simd.NewCode(k.Program, rules, k.base)
	if err != nil {
		panic(err) // it was made of the same program before
	}
	return c
}

// fold adds what the copies counted to the programs that are listed.
func fold(w *besideWork) {
	done := map[*Kernel]bool{}
	for _, l := range w.launches {
		if l.own == nil || done[l.own.kernel] {
			continue
		}
		k := l.own.kernel
		done[k] = true
		for _, c := range k.spare {
			c.Gather()
			for i := range c.Counts {
				k.code.Counts[i].Add(&c.Counts[i])
			}
			clear(c.Counts)
		}
	}
}

// ended counts a launch that has ended, and lets the next ones have their limits.
func (w *besideWork) ended(i int) {
	l, item := w.launches[i], w.items[i]
	item.Ran, item.Times = true, w.times(l, &w.processor.Records[i])
	d := w.device
	d.r.guard.started, d.before = time.Now(), d.r.timing.instructionsSoFar()
	if l.open.None() {
		return
	}
	c := &item.Counts
	k := l.kernel()
	if k == nil {
		l.countGraph(c)
		return
	}
	c.Launches = 1
	c.Workgroups, _, _ = l.open.Progress()
	c.Waves = c.Workgroups * uint64(k.Need.Waves)
	l.own.end(c)
}

// timed runs the launches with time.
func (w *besideWork) timed(t *timing, step string, p scheduler.Part, follows bool) (*account.Counts, error) {
	c, err := t.run(step, w.group, p, follows)
	if c == nil {
		return c, err
	}
	c.Launches = 0
	for _, item := range w.items {
		c.Launches += item.Counts.Launches
		c.Workgroups, c.Waves = c.Workgroups+item.Counts.Workgroups, c.Waves+item.Counts.Waves
		c.AddParts(&item.Counts)
	}
	if err != nil {
		return c, err
	}
	fold(w)
	if to, ok := t.machine.array.Tracer().(probe.QueueTracer); ok {
		w.trace(to)
	}
	return c, nil
}

// functional runs the items one after the other, in their order.
func (w *besideWork) functional(u *untimed, _ scheduler.Part, warm bool) (*account.Counts, error) {
	sum := &account.Counts{}
	for i, l := range w.launches {
		some, err := l.Prepare()
		if err != nil {
			return sum, err
		}
		if !some {
			continue
		}
		c, err := u.run(l.work, whole(l.work), warm)
		if c != nil {
			w.items[i].Counts.Add(c)
			sum.Add(c)
		}
		if err != nil {
			return sum, fmt.Errorf("%s: %w", l.step, err)
		}
	}
	return sum, nil
}

// mostNamed is how many launches an error names.
const mostNamed = 3

// during names the launches that an error came in.
func during(w *besideWork, err error) error {
	var names []string
	for i, l := range w.launches {
		if !l.open.None() && !w.items[i].Ran {
			names = append(names, l.step)
		}
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%s: %w", strings.Join(names, " beside "), err)
}

// FitBeside says whether dispatches of graphs can run beside each other and other work: persistent workers hold the compute units, and
// each graph needs enough memory where what is on chip is divided among all.
func (d *Device) FitBeside(list []*GraphDispatch) bool {
	if d.Machine().Scheduler.Kind == "persistent" {
		return len(list) == 0
	}
	graphs := map[*Graph]bool{}
	for _, x := range list {
		graphs[x.Graph] = true
	}
	for _, x := range list {
		if len(graphs) > 1 && d.Machine().OnChip()/uint64(len(graphs))+x.Scratch < x.Graph.graph.MinimumBytes() {
			return false
		}
	}
	return true
}
