package functional

import (
	"sync"

	"spvsim/isa"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
)

// A Cache keeps what one run makes for the next one of the same programs, on the
// same memory: programs cut into stretches, workers with their registers, what they
// count. The zero Cache is empty. One run may use it at a time.
type Cache struct {
	plain, warmed runPool // of runs that bring no lines in, and of runs that do: the two take turns
}

// A runPool is the programs, as runs of one kind carry them out, and a run that has ended.
type runPool struct {
	codes   sync.Map // *program.Program to *code
	idleRun *run
	store   *mem.Store
	warm    *hierarchy.Analytic
}

// pool is the one of a run.
func (c *Cache) pool(warm *hierarchy.Analytic) *runPool {
	if warm != nil {
		return &c.warmed
	}
	return &c.plain
}

// takeRun gives a run of so many workers: the one that ended last, where it fits.
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
	r := &run{workers: make([]*worker, threads), did: Counts{Issues: map[*program.Program][]Issued{}}}
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

// reset forgets what a worker did in a run.
func (k *worker) reset() {
	v := k.port.Functional()
	v.Moved = [hierarchy.Atomic + 1]uint64{}
	k.lds.Faults, k.lds.First = 0, nil
	k.counts, k.clock, k.looked = Counts{}, 0, 0
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
