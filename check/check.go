// Package check finds what a shader may not do, while it runs: accesses without an order between them, and reads of
// memory that nothing wrote.
//
//	check   the checker of a run, and the groups: the resident workgroups that it looks at
//	shadow  the last accesses to each piece of memory, and which pairs of accesses have an order
//	lds     accesses to the local data share
//	buffers accesses to device memory by workgroups of a launch
//	pages   the last accesses to each piece of device memory
//	order   the order that atomics give
//	report  findings, added up by pair of instructions
//
// The machine calls a group before each access. The package does not know time: an order comes from the program
// order of a lane, from barriers of the workgroup, from barriers of a subgroup for the lanes that take part, from atomics
// with memory barriers, from the enqueue of payloads, and from nothing else. That a machine executes the lanes of a wave in lock-step is no order: the memory model of Vulkan
// promises none, and waves of other machines are of other sizes.
package check

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"spvsim/isa"
	"spvsim/program"
)

// A Checker checks the workgroups of a run. Its methods may be called from several goroutines; those of a Group may not.
type Checker struct {
	mutex    sync.Mutex
	findings map[pair]*Finding
	programs map[*program.Program]*checkedProgram
	err      error

	launches   []*LaunchCheck // that have not ended
	tableBytes uint64         // of their records of accesses to buffers, and of idle
	idle       records        // of a launch that has ended
	incomplete []string       // what was not looked at
}

// New makes the checker of a run.
func New() *Checker {
	return &Checker{findings: map[pair]*Finding{}, programs: map[*program.Program]*checkedProgram{}}
}

// A checkedProgram is what workgroups of a program share.
type checkedProgram struct {
	insts       []ldsInst
	word        uint32        // bytes of a word of its LDS
	bufferIndex []uint32      // by instruction: among those that access device memory
	buffers     int           // their number
	idle        []*GroupCheck // groups that have ended
}

func newCheckedProgram(insts []isa.Inst) *checkedProgram {
	p := &checkedProgram{bufferIndex: make([]uint32, len(insts))}
	p.insts, p.word = ldsInsts(insts)
	for pc := range insts {
		if p.bufferIndex[pc] = uint32(p.buffers); insts[pc].Mem != nil && inBuffer(&insts[pc]) {
			p.buffers++
		}
	}
	return p
}

// A GroupCheck is a resident workgroup with the last accesses to its LDS.
type GroupCheck struct {
	checker *Checker
	program *program.Program
	code    *checkedProgram
	insts   []ldsInst // of the program
	index   uint64
	id      [3]uint32
	waves   []waveOrder
	lds     shadow
	access
	first uint32 // epoch in which the next workgroup begins

	launch     *LaunchCheck
	rows       []uint32            // of the launch: the last one of each wave's instruction
	serial     uint32              // in the launch, from 1; 0: its buffers are not checked
	lastBefore uint32              // the launch's last row when it began: rows up to it are other workgroups'
	released   map[uint64]released // by place of an atomic
	groupOrder
	repeated repeated
}

// maxWaves and maxInsts bound what a record of an access has bits for.
const (
	maxWaves = 1 << waveBits
	maxInsts = 1 << pcBits
)

// Begin returns the group of a workgroup that becomes resident, of so many waves.
func (l *LaunchCheck) Begin(p *program.Program, index uint64, id [3]uint32, waves int) *GroupCheck {
	g := l.checker.groupOf(p, waves)
	if g != nil {
		g.launch = l
		g.begin(index, id, waves)
		g.serial = l.begin(g)
	}
	return g
}

// groupOf returns a group to begin with; nil: it is beyond the bounds.
func (c *Checker) groupOf(p *program.Program, waves int) *GroupCheck {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if waves > maxWaves || len(p.Insts) > maxInsts {
		if c.err == nil {
			c.err = fmt.Errorf("check: %s: found %d waves in a workgroup and %d instructions: want at most %d and %d", p.Name, waves, len(p.Insts), maxWaves, maxInsts)
		}
		return nil
	}
	of := c.programs[p]
	if of == nil {
		of = newCheckedProgram(p.Insts)
		c.programs[p] = of
	}
	if n := len(of.idle); n > 0 {
		g := of.idle[n-1]
		of.idle = of.idle[:n-1]
		return g
	}
	return &GroupCheck{checker: c, program: p, code: of, insts: of.insts, lds: newShadow(p, of.word), first: 1, released: map[uint64]released{}}
}

func (g *GroupCheck) begin(index uint64, id [3]uint32, waves int) {
	g.index, g.id = index, id
	if g.first > maxEpoch/2 {
		g.lds.clearRecords()
		g.first = 1
	}
	g.lds.begin(g.program)
	clear(g.released)
	if n := waves * g.code.buffers; len(g.rows) < n {
		g.rows = make([]uint32, n)
	}
	for len(g.waves) < waves {
		g.waves = append(g.waves, waveOrder{})
	}
	g.waves = g.waves[:waves]
	for i := range g.waves {
		g.waves[i].begin(i, g.first)
	}
}

// End returns the group of a workgroup that has ended.
func (g *GroupCheck) End() {
	if len(g.lds.firstReads) > 0 {
		for _, at := range slices.Sorted(maps.Keys(g.lds.firstReads)) {
			g.report(unwritten, 0, g.lds.firstReads[at], at, g.lds.step(uint(at)))
		}
	}
	for i := range g.waves {
		g.first = max(g.first, g.waves[i].epoch+1)
	}
	c := g.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	of := c.programs[g.program]
	of.idle = append(of.idle, g)
}

// Barrier is called when a wave arrives at a barrier of the workgroup.
func (g *GroupCheck) Barrier(wave uint32) {
	if w := &g.waves[wave]; w.epoch == maxEpoch {
		g.wrap(w)
	} else {
		w.enter(w.epoch + 1)
	}
}

// wrap begins the numbers of epochs again. The first wave that gets there forgets all accesses.
func (g *GroupCheck) wrap(w *waveOrder) {
	first := true
	for i := range g.waves {
		first = first && g.waves[i].wraps <= w.wraps
	}
	if first {
		g.lds.clearRecords()
	}
	w.wraps++
	w.enter(1)
}

// ReadUnwritten implements isa.Checks.
func (g *GroupCheck) ReadUnwritten(st *isa.State, in *isa.Inst, lanes uint64) {
	pc := 0
	for pc+1 < len(g.program.Insts) && &g.program.Insts[pc] != in {
		pc++
	}
	now := g.waves[st.WaveInGroup].current | record(bits.TrailingZeros64(lanes))<<laneShift | record(pc)
	g.reportVariable(g.program.CheckedVariables[in.Imm], now, uint64(bits.OnesCount64(lanes)))
}

// Err returns why workgroups were not checked; nil if all were.
func (c *Checker) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.err
}
