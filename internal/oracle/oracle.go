// Package oracle runs a function of the intermediate form on byte buffers, lane
// by lane. It is slow, simple, and independent of the optimiser, the emitter
// and the machine; tests compare their results with its own.
//
// It takes the meaning of single operations from package isa, and has no timing. Waves of a workgroup take turns;
// workgroups run one after the other.
package oracle

import (
	"cmp"
	"errors"
	"fmt"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A Descriptor is one bound resource: bytes, or an image.
type Descriptor struct {
	Data  []byte
	Image Image
}

// An Image is read and written by texel. Texels have four components of the
// shader's type, as bits.
type Image interface {
	Size() [3]uint32
	Load(at [3]uint32) [4]uint64
	Store(at [3]uint32, texel [4]uint64)
}

// A Region is memory at a 64-bit address.
type Region struct {
	Base uint64
	Data []byte
}

// A Dispatch is the input of a function.
type Dispatch struct {
	Groups   [3]uint32
	WaveSize int
	// Descriptors lists those of Func.Bindings in order, each with its elements.
	Descriptors []Descriptor
	Push        []byte
	Regions     []Region
	// Print receives the values of DebugPrint, one call a lane. It may be nil.
	Print func(format string, args []uint64)
	// MaxSteps bounds the blocks that each workgroup may run; 0 means 1e6.
	MaxSteps int
}

// ErrSteps reports a workgroup that exceeded Dispatch.MaxSteps.
var ErrSteps = errors.New("oracle: too many steps")

// Stats counts the events of a run.
type Stats struct {
	Blocks      int
	OutOfBounds int // accesses outside of their buffer
}

// turnBlocks is the number of blocks that a wave runs before it yields to another: waves may wait for each other.
const turnBlocks = 64

type machine struct {
	f *ir.Func
	d *Dispatch
	*ir.Order
	first []int // flattened index of each binding's first descriptor
	stats Stats
	clock uint64

	groups int       // workgroups run
	graph  *graphRun // nil outside of a graph
	launch *launch   // being run
}

type workgroup struct {
	m     *machine
	id    [3]uint32
	lds   []byte
	waves []*wave

	number int // among the workgroups that the machine ran
	groupPayloads
}

type wave struct {
	g       *workgroup
	n       int
	full    uint64   // lanes that exist
	pending []uint64 // lanes that wait at each block, by its place
	lanes   []lane

	block   *ir.Block // being executed
	mask    uint64
	pc      int
	done    bool
	arrived bool // at a barrier
}

type lane struct {
	values []uint64
	wide   map[int][4]uint64 // results of wide loads
	words  map[*ir.Local][]uint32
}

// Run executes all workgroups of a dispatch.
func Run(f *ir.Func, d Dispatch) (Stats, error) {
	m := newMachine(f, &d)
	d.MaxSteps = cmp.Or(d.MaxSteps, 1e6)
	err := each3(d.Groups, m.workgroup)
	return m.stats, err
}

func newMachine(f *ir.Func, d *Dispatch) *machine {
	m := &machine{f: f, d: d, Order: ir.NewOrder(f)}
	n := 0
	for _, b := range f.Bindings {
		m.first = append(m.first, n)
		n += int(b.Count)
	}
	return m
}

func (m *machine) workgroup(id [3]uint32) error {
	g := &workgroup{m: m, id: id, lds: make([]byte, m.f.LDSBytes), number: m.groups}
	m.groups++
	if m.launch != nil {
		g.groupPayloads = groupPayloads{shared: map[siteUse]*site{}, used: map[usage]uint32{},
			counts: map[waveSite]int{}, leavers: map[uint64][]bool{}}
		m.launch.group = g
	}
	size := m.f.LocalSize
	total := int(size[0] * size[1] * size[2])
	for first := 0; first < total; first += m.d.WaveSize {
		g.waves = append(g.waves, g.wave(len(g.waves), first, min(total-first, m.d.WaveSize)))
	}
	for steps := 0; ; steps += turnBlocks * len(g.waves) {
		if steps > m.d.MaxSteps {
			return fmt.Errorf("%w: workgroup %v", ErrSteps, id)
		}
		running := false
		for _, w := range g.waves {
			if err := w.run(); err != nil {
				return err
			}
			running = running || !w.done
		}
		if !running {
			return nil
		}
		g.release()
	}
}

// release lets the waves go on when all that still run stand at the barrier.
func (g *workgroup) release() {
	for _, w := range g.waves {
		if !w.done && !w.arrived {
			return
		}
	}
	for _, w := range g.waves {
		w.arrived = false
	}
}

func (g *workgroup) wave(n, first, lanes int) *wave {
	w := &wave{g: g, n: n, pending: make([]uint64, len(g.m.Blocks)), lanes: make([]lane, lanes)}
	w.full = ^uint64(0) >> (64 - lanes)
	w.pending[0] = w.full
	for i := range w.lanes {
		l := &w.lanes[i]
		l.values = make([]uint64, g.m.f.NumValues())
		l.wide = map[int][4]uint64{}
		l.words = map[*ir.Local][]uint32{}
		for _, v := range g.m.f.Locals {
			l.words[v] = make([]uint32, len(v.Slots)*int(v.SlotWords))
		}
	}
	return w
}

// run executes blocks until the wave ends, meets a barrier or has had its turn.
func (w *wave) run() error {
	for range turnBlocks {
		if w.done || w.arrived {
			return nil
		}
		if w.block == nil && !w.next() {
			w.done = true
			return nil
		}
		if err := w.code(); err != nil {
			return err
		}
	}
	return nil
}

// next takes the earliest block that lanes wait at.
func (w *wave) next() bool {
	for i, mask := range w.pending {
		if mask != 0 {
			w.block, w.mask, w.pc, w.pending[i] = w.g.m.Blocks[i], mask, 0, 0
			w.g.m.stats.Blocks++
			return true
		}
	}
	return false
}

// code executes the current block from w.pc on.
func (w *wave) code() error {
	for w.pc < len(w.block.Code) {
		v := w.block.Code[w.pc]
		w.pc++
		w.g.m.clock++
		if v.Op == isa.Barrier {
			w.arrived = true
			return nil
		}
		if err := w.execute(v); err != nil {
			return fmt.Errorf("oracle: b%d: %s: %w", w.block.ID, v, err)
		}
	}
	w.branch()
	return nil
}

// branch sends the lanes to the block's successors.
func (w *wave) branch() {
	b := w.block
	w.block = nil
	switch b.Term {
	case ir.Jump:
		w.arrive(b, b.Succs[0], w.mask)
	case ir.Cond:
		yes := uint64(0)
		w.eachLane(w.mask, func(i int, l *lane) {
			if l.values[b.Cond.ID] != 0 {
				yes |= 1 << i
			}
		})
		w.arrive(b, b.Succs[0], w.mask&yes)
		w.arrive(b, b.Succs[1], w.mask&^yes)
	}
}

// arrive makes lanes wait at a block and assigns its phis, all at once.
func (w *wave) arrive(from, to *ir.Block, mask uint64) {
	if mask == 0 {
		return
	}
	edge := 0
	for i, p := range to.Preds {
		if p == from {
			edge = i
		}
	}
	values := make([]uint64, len(to.Phis))
	w.eachLane(mask, func(_ int, l *lane) {
		for i, phi := range to.Phis {
			values[i] = l.value(phi.Args[edge])
		}
		for i, phi := range to.Phis {
			l.values[phi.ID] = values[i]
		}
	})
	w.pending[w.g.m.Position[to.ID]] |= mask
}

// eachLane calls f for the lanes of a mask in ascending order.
func (w *wave) eachLane(mask uint64, f func(i int, l *lane)) {
	for i := range w.lanes {
		if mask>>i&1 != 0 {
			f(i, &w.lanes[i])
		}
	}
}

func (l *lane) value(v *ir.Value) uint64 {
	if v.Op == isa.Const {
		return v.Imm
	}
	return l.values[v.ID]
}

// execute carries out one operation for the active lanes.
func (w *wave) execute(v *ir.Value) error {
	switch {
	case v.Mem != nil:
		return w.memory(v)
	case isa.Table[v.Op].Meaning != nil:
		w.eachLane(w.mask, func(_ int, l *lane) {
			var a [4]uint64
			for i, x := range v.Args {
				a[i] = v.Mod.Source(i, l.value(x))
			}
			l.values[v.ID] = v.Mod.Result(isa.Eval(v.Op, v.T, v.From, v.Imm, a[:len(v.Args)]...))
		})
		return nil
	}
	if row := payloadRows[v.Op]; row != nil {
		return w.payload(v, row)
	}
	row := rows[v.Op]
	if row == nil {
		return errors.New("no meaning")
	}
	row(w, v)
	return nil
}
