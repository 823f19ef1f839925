package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/scheduler"
)

// listSpec is a spec of lists in which nothing but memory takes time.
func listSpec() scheduler.WorkSpec {
	s := defaultQueue("lists")
	s.Scheduler.ListSpec = scheduler.ListSpec{
		ListSplit: "one", ListBarrier: true, ListAppend: "wave", ListRecordBytes: 32, ListReadAhead: 64, ListsInFlight: 1, ListRate: 1 << 10, ListPrograms: 16,
	}
	return s
}

// dispatch starts so many of the host's payloads at a node, and returns when their waves start.
func (r *queueRig) dispatch(t *testing.T, nodes ...*Node) []uint64 {
	t.Helper()
	list := r.starts()
	var entries []Entry
	for _, n := range nodes {
		entries = append(entries, Entry{Node: n, Count: 1, Data: make([]byte, 4), Stride: 4})
	}
	r.run.Dispatch(0, entries)
	r.finish(t)
	return *list
}

// One list of n records: its header is read, then its records, then the slot of the program, and all start.
func TestListOfRecords(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, c := range []struct {
			launch, miss, change int
			rate                 float64
			want                 []uint64
		}{
			{0, 0, 0, 1024, []uint64{0, 0, 0}}, {7, 0, 0, 1024, []uint64{7, 7, 7}}, {0, 11, 5, 1024, []uint64{16, 16, 16}}, // The front end's time for the first record runs while it reads the slot.
			{0, 0, 0, 0.01, []uint64{0, 100 - replyCycles, 200 - replyCycles}}, {3, 0, 50, 0.05, []uint64{53, 53, 73}},
		} {
			s := listSpec()
			s.Scheduler.LaunchCycles, s.Scheduler.ListMissCycles, s.Scheduler.ListChangeCycles, s.Scheduler.ListRate = c.launch, c.miss, c.change, c.rate
			n := static("n")
			r := newQueueRigOn(t, newMachine(), s, pending, n)
			r.Array.BeginPeriod(0)
			list := r.starts()
			r.run.Dispatch(0, []Entry{{Node: n, Count: 3, Data: make([]byte, 12), Stride: 4}})
			r.finish(t)
			got := *list
			for i := range got {
				got[i] -= 3*replyCycles + 1
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v, replies pending %v (-want +got):\n%s", c, pending, diff)
			}
			if q := r.run.stats.queue; q.Records != 3 || q.Lists != 1 || q.ProgramChanges != 1 || q.ProgramMisses != 1 {
				t.Errorf("%+v: %+v", c, q)
			}
		}
	}
}

// The records that a list's shaders append start when the list has ended, after the barrier; without one, as soon as
// they are written.
func TestListBarrier(t *testing.T) {
	for _, barrier := range []bool{true, false} {
		s := listSpec()
		s.Scheduler.ListBarrier, s.Scheduler.BarrierCycles = barrier, 1000
		n := static("n")
		r := newQueueRig(t, s, false, n)
		accepted, started := r.serve(t, n, 1)
		append, read := uint64(begin+replyCycles), uint64(3*replyCycles)
		want := append + read + 1
		if accepted != append || started[0] != want && !barrier || barrier && started[0] < want {
			t.Errorf("barrier %v: taken in %d, started in %d, want %d", barrier, accepted, started[0], want)
		}
	}
}

// Records beyond the read-ahead are read when those before have been launched.
func TestListReadAhead(t *testing.T) {
	last := func(ahead int) uint64 {
		s := listSpec()
		s.Scheduler.ListReadAhead = ahead
		n := static("n")
		r := newQueueRigOn(t, newMachine(), s, false, n)
		r.Array.BeginPeriod(0)
		list := r.starts()
		r.run.Dispatch(0, []Entry{{Node: n, Count: 8, Data: make([]byte, 32), Stride: 4}})
		r.finish(t)
		return (*list)[7]
	}
	// A line has two records, which are read together. Reads one after the other: the header, records, and the slot of the
	// program, beside which a buffer of one record reads the next.
	for ahead, reads := range map[int]uint64{64: 3, 8: 3, 4: 4, 2: 6, 1: 9} {
		if got, want := last(ahead), reads*replyCycles+1; got != want {
			t.Errorf("%d records ahead: the last starts in cycle %d, want %d", ahead, got, want)
		}
	}
}

// A program table that is larger than the front end's cache costs a read for each change, and more programs cost no
// less.
func TestProgramTable(t *testing.T) {
	last := uint64(0)
	for programs := 1; programs <= 6; programs++ {
		s := listSpec()
		s.Scheduler.ListPrograms, s.Scheduler.ListChangeCycles = 2, 10
		var nodes []*Node
		for i := range programs {
			nodes = append(nodes, static(fmt.Sprint("n", i)))
		}
		r := newQueueRigOn(t, newMachine(), s, false, nodes...)
		r.Array.BeginPeriod(0)
		started := r.dispatch(t, nodes...)
		if q := r.run.stats.queue; q.ProgramMisses != uint64(programs) || q.ProgramChanges != uint64(programs) || q.Records != uint64(programs) {
			t.Errorf("%d programs: %+v", programs, q)
		}
		if at := started[programs-1]; at < last+10 {
			t.Errorf("%d programs: the last starts in cycle %d, of one fewer in %d", programs, at, last)
		} else {
			last = at
		}
	}
}

// Of random lists, one in which two programs are the same has each record no later: more programs in the table cost no less. Where a read
// has several records, a front end that takes them sooner may read fewer at once, which costs less than a read.
func TestMorePrograms(t *testing.T) {
	later := 0
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 48))
		s := listSpec()
		s.Scheduler.ListBarrier, s.Scheduler.ListRate, s.Scheduler.ListPrograms = false, []float64{1, 0.3, 0.02}[draw.IntN(3)], 1+draw.IntN(4)
		s.Scheduler.ListChangeCycles, s.Scheduler.ListMissCycles, s.Scheduler.ListReadAhead = draw.IntN(40), draw.IntN(100), 1+draw.IntN(16)
		slack := uint64(0)
		if s.Scheduler.ListRecordBytes = 64; draw.IntN(2) == 0 {
			s.Scheduler.ListRecordBytes, slack = 16, replyCycles
		}
		programs, records := 2+draw.IntN(6), make([]int, 1+draw.IntN(30))
		for i := range records {
			records[i] = draw.IntN(programs)
		}
		run := func() []uint64 {
			var nodes []*Node
			for i := range programs {
				nodes = append(nodes, static(fmt.Sprint("n", i)))
			}
			r := newQueueRig(t, s, false, nodes...)
			list, accepted := r.starts(), make([]uint64, len(records))
			for i, n := range records {
				r.enqueue(t, begin, nodes[n], 1, &accepted[i])
			}
			r.finish(t)
			slices.Sort(*list)
			return *list
		}
		more := run()
		for i, n := range records {
			if n == programs-1 {
				records[i] = 0
			}
		}
		fewer := run()
		for i := range records {
			if fewer[i] > more[i]+slack {
				t.Errorf("seed %d: record %d starts in cycle %d, of %d programs, and in %d of one more", seed, i, fewer[i], programs-1, more[i])
			}
		}
		if last := len(records) - 1; fewer[last] < more[last] {
			later++
		}
	}
	if later < 100 {
		t.Errorf("one more program costs time in %d lists of 300", later)
	}
}

// An append costs an atomic a wave or a record, in each list that it goes to.
func TestListAppends(t *testing.T) {
	for _, c := range []struct {
		split, by string
		want      int
	}{{"one", "wave", 1}, {"node", "wave", 1}, {"one", "record", 5}, {"node", "record", 5}} {
		s := listSpec()
		s.Scheduler.ListSplit, s.Scheduler.ListAppend = c.split, c.by
		n := static("n")
		r := newQueueRig(t, s, false, n, static("m"))
		r.serve(t, n, 5)
		atomics := 0
		for _, l := range r.memory.log {
			if len(l) > 6 && l[:6] == "atomic" {
				atomics++
			}
		}
		if atomics != c.want {
			t.Errorf("%+v: %d atomics", c, atomics)
		}
	}
}

// Records are written and read past the L2 if they live in memory; counts, programs and atomics are in the L2.
func TestListMemory(t *testing.T) {
	for _, where := range []string{"l2", "memory"} {
		s := listSpec()
		s.Scheduler.ListMemory = where
		n := static("n")
		r := newQueueRig(t, s, false, n)
		r.serve(t, n, 5)
		uncached := map[string]int{}
		for _, l := range r.memory.log {
			if rest, ok := strings.CutPrefix(l, "uncached "); ok {
				kind, _, _ := strings.Cut(rest, " ")
				uncached[kind]++
			}
		}
		want := map[string]int{}
		if where == "memory" {
			want = map[string]int{"write": 1, "read": 3} // five records of 32 bytes, in lines of 64
		}
		if diff := cmp.Diff(want, uncached); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
	}
}

// By the front end's own path, each of the three reads takes the path's time, and no compute unit sees them. A dispatch of a pass
// waits for its arguments.
func TestFrontEndFetches(t *testing.T) {
	m := newMachine()
	m.fetch.FetchCycles = 70
	n := static("n")
	r := newQueueRigOn(t, m, listSpec(), false, n)
	r.Array.BeginPeriod(0)
	if started := r.dispatch(t, n); started[0] != 3*70+1 || r.memory.requests != 0 {
		t.Errorf("the record starts in cycle %d after %d requests of units, want %d after none", started[0], r.memory.requests, 3*70+1)
	}
	starts := map[int]uint64{}
	for _, cycles := range []int{0, 70} {
		m := newMachine()
		m.fetch.FetchCycles = cycles
		r := newQueueRigOn(t, m, defaultQueue("multipass"), false, static("n"))
		r.Array.BeginPeriod(0)
		r.run.Dispatch(0, nil)
		_, started := r.serve(t, r.graph.Nodes[0], 1)
		starts[cycles] = started[0]
	}
	if starts[70] != starts[0]+70 {
		t.Errorf("a dispatch begins in cycle %d without a path, and in %d with one of 70 cycles", starts[0], starts[70])
	}
}
