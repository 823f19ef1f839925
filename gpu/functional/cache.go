package functional

import (
	"sync"

	"spvsim/isa"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
)

// A Cache keeps programs cut into segments, and workers with their registers and
// counters, for the next run of the same programs on the same memory. The zero
// Cache is empty. One run may use it at a time.
type Cache struct {
	unwarmed, warmed runPool // of runs without and with warming of caches, which alternate
}

// A runPool holds the programs of one kind of run, and the run that ended last.
type runPool struct {
	codes   sync.Map // *program.Program to *code
	idleRun *run
	store   *mem.Store
	warm    *hierarchy.Analytic
}

func (c *Cache) pool(warm *hierarchy.Analytic) *runPool {
	if warm != nil {
		return &c.warmed
	}
	return &c.unwarmed
}

// takeRun returns a run with that many workers. It reuses the idle one if its workers, memory and
// warming are the same.
func (c *runPool) takeRun(store *mem.Store, threads int, warm *hierarchy.Analytic) *run {
	if r := c.idleRun; r != nil && len(r.workers) == threads && c.store == store && c.warm == warm {
		c.idleRun = nil
		return r
	}
	c.store, c.warm, c.idleRun = store, warm, nil
	var locks *mem.Locks
	if threads > 1 {
		locks = &mem.Locks{}
	}
	r := &run{workers: make([]*worker, threads), counts: Counts{Issues: map[*program.Program][]Issued{}}}
	r.changed.L = &r.mutex
	for i := range r.workers {
		r.workers[i] = newWorker(r, mem.FunctionalPort{Store: store, Locks: locks, Warm: warm}.New())
	}
	return r
}

func newWorker(r *run, port *mem.Port) *worker {
	k := &worker{run: r, port: port, tables: map[*code]*table{}}
	k.load = func(st *isa.State, in *isa.Inst) { k.lds.Access(st, in, st.Local.Bytes) }
	for i := range k.tmp {
		k.tmp[i] = make([]uint32, 2*maxLanes)
	}
	return k
}

// reset clears a worker's counts of a run.
func (k *worker) reset() {
	v := k.port.Functional()
	v.MovedBytes = [hierarchy.Atomic + 1]uint64{}
	k.lds.Faults, k.lds.First = 0, nil
	k.counts, k.clock, k.reportedAt = Counts{}, 0, 0
	clear(k.ring)
	k.ring = k.ring[:0]
	k.instructions.Store(0)
	k.begunWorkgroups.Store(0)
	k.endedWorkgroups.Store(0)
	for _, t := range k.tables {
		if t.used {
			clear(t.entries)
			t.used = false
		}
	}
}
