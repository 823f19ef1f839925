package hierarchy

import (
	"spvsim/internal/spec"
	"spvsim/mem/contention"
	"spvsim/mem/fixed"
)

// TranslationSpec describes the second level of address translation, behind the L1 TLBs of compute units.
type TranslationSpec struct {
	Entries       int `yaml:"entries" default:"0" range:"0..1048576" unit:"entries" doc:"translations that one cache of the second level keeps; compute units ask it for those that they do not keep (vector_memory.translation_entries); 0: there is no second level, and such a translation costs vector_memory.translation_cycles alone. Scalar loads, image samples and on-chip payloads ask for none, nor does any access under memory.model: akita"`
	Ways          int `yaml:"ways" default:"8" range:"1..1048576" doc:"associativity of a cache of the second level; the least recently used translation of a set is replaced"`
	PageBytes     int `yaml:"page_bytes" default:"4096" range:"4096..1073741824" pow2:"true" unit:"bytes" doc:"aligned range of addresses that one translation of the second level serves: the page, or the fragment of consecutive pages; at least vector_memory.translation_bytes"`
	SharedBy      int `yaml:"shared_by" default:"0" range:"0..1024" unit:"compute units" doc:"compute units of one shader engine that share a cache of the second level and its walkers; compute_units or more: one for each engine; 0: one for the whole machine"`
	LatencyCycles int `yaml:"latency_cycles" default:"0" range:"0..100000" unit:"cycles" doc:"time until the second level answers with a translation that it keeps, and until a walk begins for one that it does not; the line waits for it before the vector cache is asked, other lines do not"`
	Walkers       int `yaml:"walkers" default:"0" range:"0..65536" unit:"walks" doc:"walks that one cache of the second level may have under way; a translation that finds none free waits, and its compute unit's address path with it; 0: no limit"`
	WalkCycles    int `yaml:"walk_cycles" default:"0" range:"0..1000000" unit:"cycles" doc:"time of a walk: what finds a translation that the second level does not keep, in page tables or in caches of translations behind it"`
}

// present reports whether the machine has a second level.
func (s *TranslationSpec) present() bool { return s.Entries > 0 }

// Check asks for sets of equal size.
func (s TranslationSpec) Check() []spec.Problem {
	if s.present() && s.Entries%max(1, min(s.Entries, s.Ways)) != 0 {
		return []spec.Problem{spec.RangeProblem("entries", "found %d: want a multiple of ways, %d", s.Entries, s.Ways)}
	}
	return nil
}

// checkPages requires that each range of the first level is in one page of the second.
func (s *Spec) checkPages() []spec.Problem {
	if t := &s.Translation; t.present() && t.PageBytes < s.VectorMemory.TranslationBytes {
		return []spec.Problem{spec.RangeProblem("translation.page_bytes", "found %d: want at least vector_memory.translation_bytes, %d", t.PageBytes, s.VectorMemory.TranslationBytes)}
	}
	return nil
}

// l2TLB is the second level of translation: slices, and walkers of page tables for their misses. Tags change in the
// order of issue, like those of caches. A line waits for its translation. A request that finds no free walker stalls
// its address path.
type l2TLB struct {
	*TranslationSpec
	shape   *spec.Shape
	now     *uint64 // cycle of the current access
	shift   uint    // log2 of the bytes of a range of the first level
	pages   uint    // log2 of the ranges of a page
	counter Counter
	caches  []*tlbSlice           // by instance, made when first used
	units   []pendingTranslations // workers of each compute unit
	delays  []uint64              // of the lines of the current request
	stall   uint64                // cycle until which it waits for free walkers
}

// A tlbSlice is one instance of the second level, with its walkers.
type tlbSlice struct {
	lruRanges
	until   []uint64 // by entry of held: cycle from which its translation is there
	walkers contention.Queue
}

// newL2TLB returns nil without a second level.
func newL2TLB(s *Spec, shape *spec.Shape, now *uint64) *l2TLB {
	t := &s.Translation
	if !t.present() {
		return nil
	}
	first := fixed.Log2(s.VectorMemory.TranslationBytes)
	instances, _ := shape.Instances(t.SharedBy)
	w := &l2TLB{TranslationSpec: t, shape: shape, now: now, shift: first, pages: fixed.Log2(t.PageBytes) - first,
		counter: Counter{Level: "translation"}, caches: make([]*tlbSlice, instances), units: make([]pendingTranslations, shape.Units())}
	for i := range w.units {
		w.units[i].most = s.VectorMemory.TranslationEntries
	}
	return w
}

// translate returns the cycles that each line of a request waits for its translation, or nil if none waits. The first
// line comes at a fixed-point time, each other one a step later.
func (w *l2TLB) translate(r *Request, at, step uint64) []uint64 {
	w.stall = 0
	u := &w.units[r.CU]
	if r.Scalar || len(r.Missed) == 0 && u.last <= *w.now {
		return nil
	}
	w.delays = w.delays[:0]
	missed, last, there := r.Missed, uint64(0), uint64(0)
	for i := range r.Lines {
		number, cycle := w.number(&r.Lines[i]), at>>fixed.Shift
		switch {
		case len(missed) > 0 && int(missed[0]) == i:
			missed, there = missed[1:], w.lookup(r.CU, number, cycle)
			u.add(number, there)
		case number != last:
			there = u.until(number)
		}
		last = number
		w.delays = append(w.delays, max(there, cycle)-cycle)
		at += step
	}
	return w.delays
}

// number returns the number of a line's range in the first level, plus 1.
func (w *l2TLB) number(l *Line) uint64 { return l.Addr>>w.shift + 1 }

// page returns the number of the page of a range, plus 1.
func (w *l2TLB) page(number uint64) uint64 { return (number-1)>>w.pages + 1 }

// lookup returns the cycle in which a translation is there that a compute unit asks for in a cycle.
func (w *l2TLB) lookup(cu int, number, cycle uint64) (there uint64) {
	w.counter.Accesses++
	c, at := w.cache(cu), cycle+uint64(w.LatencyCycles)
	until, found := c.lookup(w.page(number))
	if found {
		w.counter.Hits++
		if *until > at {
			w.counter.InFlight++
		}
		return max(at, *until)
	}
	w.counter.Misses++
	waited := c.walkers.Acquire(at, 0, &w.counter.QueueFullCycles)
	if waited > 0 {
		w.stall = max(w.stall, cycle+waited)
	}
	*until = at + waited + uint64(w.WalkCycles)
	c.walkers.HoldUntil(*until)
	return *until
}

// lookup finds a page, or replaces the least recently used, and returns where the cycle of its translation is kept.
func (c *tlbSlice) lookup(page uint64) (until *uint64, found bool) {
	set, way, found := c.find(page)
	times := c.until[set*c.ways:][:c.ways]
	was := times[way]
	copy(times[1:way+1], times[:way])
	times[0] = was
	return &times[0], found
}

// cache returns the slice that serves a compute unit, which it makes at its first use.
func (w *l2TLB) cache(cu int) *tlbSlice {
	c := &w.caches[w.shape.Instance(w.SharedBy, cu/w.shape.ComputeUnits, cu%w.shape.ComputeUnits)]
	if *c == nil {
		*c = &tlbSlice{lruRanges: newLRURanges(w.Entries, w.Ways), until: make([]uint64, w.Entries), walkers: contention.NewQueue(w.Walkers, w.now)}
	}
	return *c
}

// stalled returns the cycle until which the current request stalls its address path.
func (w *l2TLB) stalled() uint64 {
	if w == nil {
		return 0
	}
	return w.stall
}

// limitsWalkers reports whether a request may have to wait for a free walker.
func (w *l2TLB) limitsWalkers() bool { return w != nil && w.Walkers > 0 }

// warm brings the translations of a request's lines in, without time.
func (w *l2TLB) warm(r *Request) {
	if w == nil || r.Scalar {
		return
	}
	c, last := w.cache(r.CU), uint64(0)
	for i := range r.Lines {
		page := w.page(w.number(&r.Lines[i]))
		if page == last {
			continue
		}
		if until, found := c.lookup(page); !found {
			*until = 0
		}
		last = page
	}
}

// invalidate makes the second level cold.
func (w *l2TLB) invalidate() {
	if w == nil {
		return
	}
	clear(w.caches)
	for i := range w.units {
		w.units[i] = pendingTranslations{most: w.units[i].most}
	}
}

// pendingTranslations are the translations that a compute unit asked for last, as many as its L1 TLB has entries. A
// line that needs one of them waits for it too.
type pendingTranslations struct {
	list []pendingTranslation
	next int // place in a list that is full
	most int
	last uint64 // cycle from which all are there
}

type pendingTranslation struct{ number, until uint64 }

// add replaces the oldest.
func (a *pendingTranslations) add(number, until uint64) {
	a.last = max(a.last, until)
	if len(a.list) < a.most {
		a.list = append(a.list, pendingTranslation{number, until})
		return
	}
	a.list[a.next] = pendingTranslation{number, until}
	a.next = (a.next + 1) % a.most
}

// until returns the cycle in which a range's translation is there; 0 if it was not asked for lately.
func (a *pendingTranslations) until(number uint64) (there uint64) {
	for i := range a.list {
		if a.list[i].number == number {
			there = max(there, a.list[i].until)
		}
	}
	return there
}
