package gpu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spvsim/internal/lists"
	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/gpu/concurrent"
	"spvsim/scheduler"
	"spvsim/scheduler/command"
	"spvsim/scheduler/graph"
	"spvsim/tracing/probe"
)

// ConcurrentWork is work for several hardware queues of a device, which overlaps as far as dependences allow.
type ConcurrentWork struct {
	Name            string
	Queues          []DeviceQueue
	Items           []*Queued // each after the items that it waits for
	FollowsDispatch bool      // after another dispatch of its queues
}

// A DeviceQueue is a hardware queue. Copies have a pipe of their own besides those of the command processor.
type DeviceQueue struct {
	Name     string
	Priority string // one of command.Priorities
	Pipe     int    // modulo the number of pipes of the machine
	Copies   bool
}

// Queued is a packet of a queue: a dispatch, one of a graph, a transfer, or a mark.
type Queued struct {
	Queue    int
	WaitsFor []int // items that it waits for, none of them a mark
	Dispatch *Dispatch
	Graph    *GraphDispatch
	Transfer *Transfer
	// OnReached is called with the cycle in which the queue has reached the mark and all that it waits for is done. Nothing waits for a mark.
	OnReached func(cycle uint64)
	// Waited: the queue has waited for WaitsFor already, so the item comes without a barrier.
	Waited bool
	// Release and Acquire are the levels of memory that the barrier before it writes back and invalidates; nil: all that a launch does.
	Release, Acquire []string

	// Counts has what the item did alone and Times its cycles, if it was timed. Memory and slots are counted over all items together.
	Counts account.Counts
	Times  account.ConcurrentLaunch
	Ran    bool
}

// A Transfer moves bytes of device memory.
type Transfer struct {
	Name   string
	Bytes  uint64 // read and written
	Move   func()
	Access []Rows
}

// Rows are rows of bytes that a transfer reads or writes.
type Rows struct {
	Write                     bool
	Addr, Bytes, Rows, Stride uint64
}

// A deviceQueueWork runs a ConcurrentWork.
type deviceQueueWork struct {
	*concurrent.Launches
	device   *Device
	launches []*jobLaunch
	items    []*Queued // of each launch
}

// RunConcurrent executes work of several queues to its end. It returns the counts of all together, and a text for each hazard.
func (d *Device) RunConcurrent(ctx context.Context, x *ConcurrentWork) (c *account.Counts, hazards []string, err error) {
	if err := d.applyChanges(); err != nil {
		return nil, nil, err
	}
	w, err := d.concurrentWork(x)
	if err != nil {
		return nil, nil, err
	}
	l := &jobLaunch{step: x.Name, mode: d.r.launchMode(""), work: w}
	c, err = d.launch(ctx, l, x.FollowsDispatch, false)
	d.r.machine.Serve()
	if err != nil {
		return c, nil, during(w, err)
	}
	if w.items[0].Ran {
		w.FindHazards(func(format string, args ...any) { hazards = append(hazards, fmt.Sprintf(format, args...)) })
	}
	return c, hazards, nil
}

// concurrentWork makes launches of the items.
func (d *Device) concurrentWork(x *ConcurrentWork) (*deviceQueueWork, error) {
	m := d.Machine()
	w := &deviceQueueWork{Launches: concurrent.New(d.r.functionalRunner.concurrentMachine(), "dispatch"), device: d}
	spec := m.FrontEnd
	spec.Pipes++
	for _, q := range x.Queues {
		made := &command.Queue{Name: q.Name, Priority: slices.Index(command.Priorities, q.Priority), Pipe: q.Pipe % m.FrontEnd.Pipes}
		if q.Copies {
			made.Pipe = m.FrontEnd.Pipes
		}
		w.AddQueue(made)
	}
	number := make([]int, len(x.Items)) // of the launches
	for i, item := range x.Items {
		number[i] = len(w.launches)
		after := lists.Map(item.WaitsFor, func(k int) int { return number[k] })
		if item.OnReached != nil {
			w.AddMark(item.Queue, after, item.OnReached)
			continue
		}
		if err := addItem(w, item, after); err != nil {
			return nil, err
		}
	}
	w.MakeCopies()
	if err := w.DivideOnChip(); err != nil {
		return nil, err
	}
	w.OnEnd = w.ended
	return w, w.Serve(&spec)
}

// addItem puts an item at the end of its queue.
func addItem(w *deviceQueueWork, item *Queued, after []int) error {
	l, err := w.device.itemLaunch(item)
	if err != nil {
		return err
	}
	b := &concurrent.QueuedLaunch{Step: l.step, Kind: l.kind, Work: l.work.(queuedWork), Queue: item.Queue, WaitsFor: after, Waited: item.Waited, Stored: len(after) > 0}
	if item.Dispatch != nil {
		b.Copies = &item.Dispatch.Kernel.copies
	}
	if g, ok := l.work.(*graphWork); ok {
		b.Codes = g.Codes()
	}
	if _, ok := w.device.r.machine.Hierarchy.(hierarchy.Barrier); ok {
		b.Release, b.Acquire = item.Release, item.Acquire
	}
	w.launches, w.items = append(w.launches, l), append(w.items, item)
	w.Add(b)
	w.Enqueue(b)
	return nil
}

func (d *Device) itemLaunch(item *Queued) (*jobLaunch, error) {
	switch {
	case item.Dispatch != nil:
		return d.launchOf(item.Dispatch)
	case item.Graph != nil:
		return d.graphLaunch(item.Graph)
	}
	t := &transfer{bytes: item.Transfer.Bytes, moves: []func(){item.Transfer.Move}}
	for _, r := range item.Transfer.Access {
		kind := hierarchy.Read
		if r.Write {
			kind = hierarchy.Write
		}
		t.access = append(t.access, rowAccess{kind, r.Addr, r.Bytes, r.Rows, r.Stride})
	}
	return &jobLaunch{step: item.Transfer.Name, mode: d.r.launchMode(""), work: t}, nil
}

// ended counts a launch that has ended, and lets the next ones have their limits.
func (w *deviceQueueWork) ended(i int) {
	d, item := w.device, w.items[i]
	item.Ran, item.Times = true, w.Times(i)
	d.r.guard.started, d.instructionsBefore = time.Now(), d.r.timing.instructionsSoFar()
	if w.HasBegun(i) {
		w.AddOwn(i, &item.Counts)
	}
}

// timed runs the launches with time.
func (w *deviceQueueWork) timed(t *timing, step string, p scheduler.WorkgroupRange, follows bool) (*account.Counts, error) {
	c, err := t.run(step, w, p, follows)
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
	w.FoldCopies()
	if to, ok := t.machine.Array.Tracer().(probe.QueueTracer); ok {
		w.Trace(to)
	}
	return c, nil
}

// functional runs the items one after the other, in their order.
func (w *deviceQueueWork) functional(u *functionalRunner, _ scheduler.WorkgroupRange, warm bool) (*account.Counts, error) {
	return w.RunFunctional(func(i int) (*account.Counts, error) {
		l := w.launches[i]
		c, err := u.run(l.work, allWorkgroups(l.work), warm)
		if c != nil {
			w.items[i].Counts.Add(c)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", l.step, err)
		}
		return c, err
	})
}

// mostNamed is the number of launches that an error names.
const mostNamed = 3

// during names the launches that an error came in.
func during(w *deviceQueueWork, err error) error {
	var names []string
	for i, l := range w.launches {
		if w.HasBegun(i) && !w.items[i].Ran {
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

// FitConcurrent reports whether dispatches of graphs can overlap with each other and with other work. Persistent workers hold all compute
// units, and each graph needs enough memory when the memory on chip is divided among all.
func (d *Device) FitConcurrent(list []*GraphDispatch) bool {
	if d.Machine().Scheduler.Kind == "persistent" {
		return len(list) == 0
	}
	graphs := map[*Graph]bool{}
	for _, x := range list {
		graphs[x.Graph] = true
	}
	for _, x := range list {
		if len(graphs) > 1 && graph.OnChip(&d.Machine().WorkSpec)/uint64(len(graphs))+x.Scratch < x.Graph.graph.MinimumBytes() {
			return false
		}
	}
	return true
}
