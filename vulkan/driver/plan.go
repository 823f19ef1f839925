package driver

import (
	"slices"

	"spvsim/gpu"
	"spvsim/mem"
	"spvsim/program"
)

// A plan is the schedule of submissions that run together: segments, one after the other.
type plan struct {
	device      *logicalDevice
	segments    []*segment
	lanes       []*lane
	submissions []*submission // whose commands are all in it, or some
	single      bool          // one queue alone has commands: its full barriers end segments
}

// A segment is a set of launches that may overlap. It ends before the next one begins.
type segment struct {
	items    []*planned
	waitSets [][]uint64           // by item, a bit set of all items that it waits for, directly or through others
	last     []int                // launches that no other one waits for
	dirty    bool                 // a kernel may have stored data that no barrier has written back
	pools    map[*queryPool][]int // by pool, the items that its next query waits for
	finishes []func()             // when all is done and recorded; state is held
}

// planned is a command in its place.
type planned struct {
	gpu.Queued
	lane     *lane
	row      row
	runAlone func(x *executor) error // runs it on an idle machine
	context  executor                // with its labels and open queries
	refused  error                   // why an indirect dispatch did not run
}

func newPlan(d *logicalDevice) *plan {
	p := &plan{device: d}
	p.cut()
	return p
}

func (p *plan) now() *segment { return p.segments[len(p.segments)-1] }

// cut begins a segment.
func (p *plan) cut() {
	p.segments = append(p.segments, &segment{pools: map[*queryPool][]int{}})
	for _, l := range p.lanes {
		l.reset()
	}
}

// empty reports whether the plan has no submissions.
func (p *plan) empty() bool { return len(p.submissions) == 0 }

func (p *plan) lane(q *queue) *lane {
	for _, l := range p.lanes {
		if l.queue == q {
			return l
		}
	}
	l := &lane{queue: q, number: len(p.lanes)}
	p.lanes = append(p.lanes, l)
	return l
}

// launch adds work to a queue, after its dependences. If those cover the whole segment and all of memory, a new segment
// begins.
func (p *plan) launch(x *executor, kind commandKind, w *planned, also ...int) {
	l := x.lane
	d := &l.pending[kind]
	d.add(dependence{waitsFor: also})
	if p.single && !d.waited && p.now().coveredBy(d) {
		p.cut()
	}
	s := p.now()
	w.lane, w.Queue, w.context = l, l.number, x.copy()
	w.WaitsFor, w.Waited = s.pruned(d.waitsFor), d.waited
	w.Release, w.Acquire = p.device.levelsOf(d)
	i := s.add(w)
	d.waited = true
	l.open[kind] = append(s.dropWaited(l.open[kind], i), i)
	s.last = append(s.dropWaited(s.last, i), i)
	s.dirty = kind == ofCompute || s.dirty && !d.release
}

// addMark adds an action that takes no time to a queue.
func (p *plan) addMark(l *lane, after []int, f func(cycle uint64)) {
	p.now().add(&planned{lane: l, Queued: gpu.Queued{Queue: l.number, WaitsFor: after, OnReached: f}})
}

// atEnd does something when all of the segment is done.
func (p *plan) atEnd(f func()) {
	s := p.now()
	s.finishes = append(s.finishes, f)
}

// coveredBy reports whether a dependence waits for all launches of the segment, with all of memory.
func (s *segment) coveredBy(d *dependence) bool {
	return len(s.last) > 0 && d.acquire == readsAll && (d.release || !s.dirty) && !slices.ContainsFunc(s.last, func(i int) bool { return !slices.Contains(d.waitsFor, i) && !s.anyWaits(d.waitsFor, i) })
}

// add numbers an item, and records its direct and indirect dependences.
func (s *segment) add(w *planned) int {
	i := len(s.items)
	s.items = append(s.items, w)
	set := make([]uint64, (i+63)/64)
	for _, k := range w.WaitsFor {
		set[k/64] |= 1 << (k % 64)
		for n, word := range s.waitSets[k] {
			set[n] |= word
		}
	}
	s.waitSets = append(s.waitSets, set)
	return i
}

// waits reports whether item i waits for item k.
func (s *segment) waits(i, k int) bool {
	set := s.waitSets[i]
	return k/64 < len(set) && set[k/64]>>(k%64)&1 != 0
}

func (s *segment) anyWaits(list []int, k int) bool {
	return slices.ContainsFunc(list, func(i int) bool { return s.waits(i, k) })
}

// dropWaited removes the items that item i waits for from a list.
func (s *segment) dropWaited(list []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(k int) bool { return s.waits(i, k) })
}

// pruned removes the items that others of the list wait for.
func (s *segment) pruned(list []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(k int) bool { return s.anyWaits(list, k) })
}

// launches counts the items that are no marks.
func (s *segment) launches() (n int) {
	for _, w := range s.items {
		if w.OnReached == nil {
			n++
		}
	}
	return n
}

// levelsOf returns the memory levels that a dependence writes back, and those that it invalidates; nil: all.
func (d *logicalDevice) levelsOf(of *dependence) (release, acquire []string) {
	release, acquire = []string{}, []string{}
	if of.release {
		release = nil
	}
	switch of.acquire {
	case readsAll:
		acquire = nil
	case readsVectors:
		acquire = slices.DeleteFunc(gpu.Levels(d.physical.machine), func(name string) bool { return name == scalarLevel })
	}
	return release, acquire
}

// scalarLevel is the level of memory that serves scalar instructions alone.
const scalarLevel = "scalar_l1"

// submission adds a submission's commands to the plan; done: all of them, not only those before one that waits for an
// event of the host.
func (p *plan) submission(s *submission) (done bool) {
	if s.context == nil {
		s.context = &executor{device: p.device, queue: s.queue}
		for _, w := range s.waits {
			p.wait(p.lane(s.queue), w)
		}
	}
	x := s.context
	x.batch, x.lane = p, p.lane(s.queue)
	if !slices.Contains(p.submissions, s) {
		p.submissions = append(p.submissions, s)
	}
	for s.nextCommand.buffer < len(s.buffers) {
		commands := s.buffers[s.nextCommand.buffer].commands
		for s.nextCommand.command < len(commands) {
			x.blocked = false
			if err := commands[s.nextCommand.command](x); err != nil {
				panic(err) // planning runs nothing
			}
			if x.blocked {
				return false
			}
			s.nextCommand.command++
		}
		s.nextCommand.buffer, s.nextCommand.command = s.nextCommand.buffer+1, 0
	}
	p.end(s)
	return true
}

// end plans the signals of a submission.
func (p *plan) end(s *submission) {
	after := s.context.lane.all()
	var given []*signal
	for _, w := range s.signals {
		g := &signal{point: w, segment: p.now(), waitsFor: after}
		w.semaphore.planned = append(w.semaphore.planned, g)
		given = append(given, g)
	}
	p.atEnd(func() {
		for _, g := range given {
			g.perform()
		}
		s.finish()
	})
}

// ready reports whether the waits of a submission have been signaled, or will be by the plan.
func (s *submission) ready() bool {
	return s.context != nil || !slices.ContainsFunc(s.waits, func(w point) bool { return !w.promised() })
}

// A signal is a planned signal of a semaphore.
type signal struct {
	point
	segment  *segment
	waitsFor []int
	consumed bool // by a wait that is planned too
}

// promised reports whether a point is reached, or will be by the plan.
func (w point) promised() bool {
	return w.reached() || slices.ContainsFunc(w.semaphore.planned, w.givenBy)
}

// givenBy reports whether a signal ends the wait.
func (w point) givenBy(g *signal) bool {
	return w.semaphore.timeline && g.value >= w.value || !w.semaphore.timeline && !g.consumed
}

// wait makes later commands of a queue wait for a point, and consumes the signal of a binary semaphore.
func (p *plan) wait(l *lane, w point) {
	if w.reached() {
		w.consume()
		return
	}
	i := slices.IndexFunc(w.semaphore.planned, w.givenBy)
	g := w.semaphore.planned[i]
	g.consumed = true
	if g.segment == p.now() {
		b := fullBarrier(w.stages)
		l.waits(b.to, wholeMemory(g.waitsFor))
	}
}

// perform performs a planned signal when its submission has ended.
func (g *signal) perform() {
	s := g.semaphore
	s.planned = slices.DeleteFunc(s.planned, func(other *signal) bool { return other == g })
	if s.timeline || !g.consumed {
		g.signal()
	}
}

// dispatch plans a dispatch, unless it has no workgroups.
func (p *plan) dispatch(x *executor, d *dispatch) error {
	name := labelled(x.labels, d.title)
	if d.indirect.Bytes == nil && slices.Contains(d.groups[:], 0) {
		return nil
	}
	w := &planned{runAlone: d.run, row: row{kind: "dispatch", name: name, pipeline: d.title, entry: d.pipeline.entry, module: d.pipeline.digest, groups: d.groups}}
	w.Dispatch = &gpu.Dispatch{Name: name, Kind: d.title, Kernel: d.pipeline.kernel, Groups: d.groups, Arguments: d.indirect.Addr, Base: d.base, Push: d.push,
		Elements: d.elementsNow(d.pipeline.kernel.Program)}
	if d.indirect.Bytes != nil {
		w.Dispatch.Indirect = func() [3]uint32 {
			w.row.groups = d.size()
			if w.refused = d.tooMany(w.row.groups); w.refused != nil {
				w.row.groups = [3]uint32{}
			}
			return w.row.groups
		}
	}
	p.launch(x, ofCompute, w)
	return nil
}

// graph plans a dispatch of a graph, which waits for the one before of the same graph: the machine has each graph once.
func (p *plan) graph(x *executor, g *graphDispatch) error {
	name := labelled(x.labels, g.title)
	w := &planned{runAlone: g.run, row: row{kind: "graph", name: name, pipeline: g.title, entry: g.graph.entry, module: g.graph.digest}}
	w.Graph = &gpu.GraphDispatch{Name: name, Graph: g.graph.graph, Scratch: g.scratch, Input: g.input, Push: g.push,
		Elements: func(prog *program.Program) [][]mem.Descriptor { return g.elementsOf(prog) }}
	var before []int
	for i, other := range p.now().items {
		if other.Graph != nil && other.Graph.Graph == g.graph.graph {
			before = []int{i}
		}
	}
	p.launch(x, ofCompute, w, before...)
	return nil
}

func (p *plan) transfer(x *executor, t *timedWork) error {
	title := labelled(x.labels, t.name)
	w := &planned{runAlone: t.run, row: row{kind: "transfer", name: title, pipeline: t.name, bytes: t.bytes}}
	w.Transfer = &gpu.Transfer{Name: title, Bytes: t.bytes, Move: t.action}
	for i := range t.moves {
		w.Transfer.Access = append(w.Transfer.Access, t.moves[i].access()...)
	}
	var queries []int
	if t.pool != nil {
		queries = p.now().pools[t.pool]
	}
	p.launch(x, ofTransfer, w, queries...)
	return nil
}

// query plans an operation on queries of a pool, after the earlier ones on the pool and after its dependences.
func (p *plan) query(l *lane, pool *queryPool, after []int, f func(cycle uint64)) {
	s := p.now()
	after = join(after, s.pools[pool])
	s.pools[pool] = after
	p.addMark(l, after, f)
}

// changeEvent plans that an event is set or reset.
func (p *plan) changeEvent(l *lane, e *event, set bool, after []int) {
	change := &eventChange{set: set, segment: p.now(), waitsFor: after}
	if e.plannedChange != nil && e.plannedChange.segment == p.now() {
		after = join(after, e.plannedChange.waitsFor)
	}
	e.plannedChange = change
	p.addMark(l, after, func(uint64) {
		state.Lock()
		defer state.Unlock()
		e.set = set
		if e.plannedChange == change {
			e.plannedChange = nil
		}
		changed.Broadcast()
	})
}

// waitEvent has later commands of a queue wait for an event; false: nothing that is planned sets it.
func (p *plan) waitEvent(l *lane, e *event, b *barrier) bool {
	if !e.isSet() {
		return false
	}
	d := dependence{release: b.release, acquire: b.acquire}
	if e.plannedChange != nil && e.plannedChange.segment == p.now() {
		d.waitsFor = e.plannedChange.waitsFor
	}
	l.waits(b.to, d)
	return true
}
