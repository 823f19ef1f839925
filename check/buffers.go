package check

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"spvsim/isa"
	"spvsim/program"
)

// A LaunchCheck is a launch, or a dispatch of an execution graph, with the last accesses of its workgroups to device memory.
type LaunchCheck struct {
	checker *Checker
	setup   LaunchSetup
	mutex   sync.Mutex
	shift   uint // log2 of the bytes of a granule
	pages   map[uint64]*page
	last    uint64 // number of the page found last, plus 1
	page    *page
	groups  []groupOfLaunch // by serial number, from 1
	full    bool            // nothing more is looked at
	launchOrder
}

// A LaunchSetup describes a launch.
type LaunchSetup struct {
	Name     string
	Programs []*program.Program
	// ReadOnly has, by instruction of the one program, which loads are from memory that the launch does not write; nil: unknown.
	ReadOnly []bool
	// Graph: workgroups begin behind what was done before the enqueue of their payload.
	Graph bool
	// Buffer returns the name of the memory at an address and where it begins.
	Buffer func(addr uint64) (name string, from uint64)
	// WithoutBuffers: only accesses to the LDS and to variables are looked at.
	WithoutBuffers bool
}

// A groupOfLaunch is what reports need of a workgroup that may have ended.
type groupOfLaunch struct {
	program  *program.Program
	id       [3]uint32
	released uint32 // the memory barrier before its last atomic write
}

// maxGroups bounds the workgroups of a launch that are told apart.
const maxGroups = 1 << 22

// Launch begins a launch.
func (c *Checker) Launch(s LaunchSetup) *LaunchCheck {
	l := &LaunchCheck{checker: c, setup: s, shift: 2, pages: map[uint64]*page{}, full: s.WithoutBuffers}
	l.groups = append(l.groups, groupOfLaunch{released: math.MaxUint32}) // the host
	l.clock, l.published = 1, map[uint64]uint32{}
	c.mutex.Lock()
	c.tableBytes = 0
	c.mutex.Unlock()
	for _, p := range s.Programs {
		fences, atomics := false, false
		for i := range p.Insts {
			in := &p.Insts[i]
			fences = fences || in.Op == isa.LaneOrder && in.Imm&orderDevice != 0
			if in.Mem != nil && inBuffer(in) {
				atomics = atomics || in.Op.Has(isa.FlagAtomic)
				if in.Mem.Space == isa.SpaceImage {
					l.shift = 0 // texels may be of one byte
				}
				for size := elementBytes(in); l.shift > 0 && size&(1<<l.shift-1) != 0; {
					l.shift--
				}
			}
		}
		l.syncs = l.syncs || fences && atomics
	}
	return l
}

// inBuffer reports whether an instruction accesses memory that workgroups share.
func inBuffer(in *isa.Inst) bool {
	s := in.Mem.Space
	return s == isa.SpaceBuffer || s == isa.SpaceFlat || s == isa.SpaceImage
}

// A bufferRecord is an access of one lane to device memory. Group 0: none.
type bufferRecord struct {
	group uint32 // serial number of the workgroup
	time  uint32 // of the launch's clock
	record
}

// A page has the last accesses to granules in a row: of each kind, the last one and the last one of another workgroup. Kinds that no
// access was of are nil.
type page struct {
	writes  *[pageGranules]bufferRecord
	reads   *[pageGranules][2]bufferRecord
	atomics *[pageGranules][2]bufferRecord
}

const (
	pageShift    = 8
	pageGranules = 1 << pageShift
)

// maxTableBytes bounds the records of a launch.
const maxTableBytes = 256 << 20

// ChecksBuffer reports whether accesses of an instruction have to be looked at: those to device memory that the launch may write.
func (g *GroupCheck) ChecksBuffer(pc int, in *isa.Inst) bool {
	l := g.launch
	if l.setup.WithoutBuffers || in.Mem.Speculative || pc < len(l.setup.ReadOnly) && l.setup.ReadOnly[pc] {
		return false
	}
	return inBuffer(in)
}

// AccessBuffer is called before a wave's access to device memory: the lanes of a mask access so many bytes each.
func (g *GroupCheck) AccessBuffer(st *isa.State, pc int, in *isa.Inst, mask uint64, addr *[64]uint64, bytes uint64) {
	l := g.launch
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.full || g.serial == 0 {
		return
	}
	w := &g.waves[st.WaveInGroup]
	k := kindOf(in.Op)
	if in.Op.Has(isa.FlagAtomic) {
		if l.syncs {
			l.synchronizeGroups(g, in, mask, addr)
		}
		for rest := mask; rest != 0; rest &= rest - 1 {
			g.synchronizeWaves(w, in, addr[bits.TrailingZeros64(rest)])
		}
	}
	base := bufferRecord{g.serial, l.clock, w.current | record(pc)}
	if k == atomicRead {
		base.record |= 1 << atomicShift
	}
	for ; mask != 0; mask &= mask - 1 {
		n := bits.TrailingZeros64(mask)
		now := base
		now.record |= record(n) << laneShift
		for at, end := addr[n]>>l.shift, addr[n]+bytes; at<<l.shift < end; at++ {
			if !l.touch(g, k, &now, at) {
				return
			}
		}
	}
}

// touch checks and records an access to a granule. It returns false once the table is full.
func (l *LaunchCheck) touch(g *GroupCheck, k kind, now *bufferRecord, at uint64) bool {
	p := l.pageOf(at >> pageShift)
	if !p.has(k) && !l.addKind(p, k) {
		return false
	}
	i := at % pageGranules
	if p.writes != nil {
		l.against(g, k, &p.writes[i], now, at)
	}
	if p.atomics != nil && k != atomicRead && k != atomicWrite {
		l.against(g, k, &p.atomics[i][0], now, at)
		l.against(g, k, &p.atomics[i][1], now, at)
	}
	if p.reads != nil && k != read && k != atomicRead {
		for n := range p.reads[i] {
			if before := &p.reads[i][n]; k != atomicWrite || !before.atomic() {
				l.against(g, k, before, now, at)
			}
		}
	}
	if k == read && l.setup.Graph && g.program.Insts[now.pc()].Mem.Payload && !p.written(i) {
		l.unwritten(g, now, at)
	}
	switch k {
	case write:
		p.writes[i] = *now
	case atomicWrite:
		addRecord(&p.atomics[i], now)
	default:
		addRecord(&p.reads[i], now)
	}
	return true
}

// written reports that something wrote a granule.
func (p *page) written(i uint64) bool {
	return p.writes != nil && p.writes[i].group != 0 || p.atomics != nil && p.atomics[i][0].group != 0
}

func addRecord(r *[2]bufferRecord, now *bufferRecord) {
	if r[0].group != now.group {
		r[1] = r[0]
	}
	r[0] = *now
}

func (p *page) has(k kind) bool {
	switch k {
	case write:
		return p.writes != nil
	case atomicWrite:
		return p.atomics != nil
	}
	return p.reads != nil
}

// pageOf returns a page, without records where nothing has accessed it.
func (l *LaunchCheck) pageOf(number uint64) *page {
	if l.last == number+1 {
		return l.page
	}
	p := l.pages[number]
	if p == nil {
		p = &page{}
		l.pages[number] = p
	}
	l.last, l.page = number+1, p
	return p
}

// addKind makes the records of a kind, unless that is beyond the bound.
func (l *LaunchCheck) addKind(p *page, k kind) bool {
	bytes := uint64(pageGranules * 32)
	if k == write {
		bytes /= 2
	}
	if !l.checker.takeTable(bytes) {
		l.stop(fmt.Sprintf("the records of accesses to buffers would take more than %d MiB", maxTableBytes>>20))
		return false
	}
	switch k {
	case write:
		p.writes = &[pageGranules]bufferRecord{}
	case atomicWrite:
		p.atomics = &[pageGranules][2]bufferRecord{}
	default:
		p.reads = &[pageGranules][2]bufferRecord{}
	}
	return true
}

// takeTable takes bytes of the bound that all launches which overlap share.
func (c *Checker) takeTable(bytes uint64) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tableBytes+bytes > maxTableBytes {
		return false
	}
	c.tableBytes += bytes
	return true
}

// stop ends the check of the launch's buffers.
func (l *LaunchCheck) stop(why string) {
	l.full, l.pages, l.page, l.last = true, nil, nil, 0
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if text := fmt.Sprintf("%s: accesses to buffers are not looked at any more: %s", l.setup.Name, why); !slices.Contains(c.incomplete, text) {
		c.incomplete = append(c.incomplete, text)
	}
}

// against reports an access that has no order with an earlier one of another workgroup.
func (l *LaunchCheck) against(g *GroupCheck, k kind, before, now *bufferRecord, at uint64) {
	if before.group == 0 || before.group == now.group || l.ordered(g, before) {
		return
	}
	of := &l.groups[before.group-1]
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	f := c.occurrence(&pair{betweenGroups, of.program, g.program, before.pc(), now.pc()}, g, 1)
	if f == nil {
		return
	}
	f.After = sideOf(g.program, now.record)
	side := sideOf(of.program, before.record)
	side.Workgroup = &of.id
	if of.program != g.program {
		side.Program = of.program.Name
	}
	f.Before = &side
	l.locate(f, g, now, at)
}

// unwritten reports a read of a payload that nothing wrote.
func (l *LaunchCheck) unwritten(g *GroupCheck, now *bufferRecord, at uint64) {
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if f := c.occurrence(&pair{unwritten, nil, g.program, -1, now.pc()}, g, 1); f != nil {
		f.After = sideOf(g.program, now.record)
		l.locate(f, g, now, at)
	}
}

// locate says where the granule of a finding is.
func (l *LaunchCheck) locate(f *Finding, g *GroupCheck, now *bufferRecord, at uint64) {
	m, addr := g.program.Insts[now.pc()].Mem, at<<l.shift
	if f.Memory, f.Address = "buffer", addr; m.Payload {
		f.Memory = "payload"
	}
	name, from := l.setup.Buffer(addr)
	f.Variable, f.Offset = name, addr-from
	if m.Space != isa.SpaceFlat && !m.Dynamic && m.Binding < len(g.program.Bindings) {
		f.Variable = cmp.Or(g.program.Bindings[m.Binding].Name, name)
	}
}

// NewPayload implements isa.Checks.
func (g *GroupCheck) NewPayload(addr, bytes uint64) { g.launch.NewPayload(addr, bytes, false) }

// NewPayload is called when a payload begins to exist; fromHost: the host wrote it.
func (l *LaunchCheck) NewPayload(addr, bytes uint64, fromHost bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for at := addr >> l.shift; at<<l.shift < addr+bytes && !l.full; at++ {
		p, i := l.pageOf(at>>pageShift), at%pageGranules
		if p.reads != nil {
			p.reads[i] = [2]bufferRecord{}
		}
		if p.atomics != nil {
			p.atomics[i] = [2]bufferRecord{}
		}
		switch {
		case fromHost && (p.writes != nil || l.addKind(p, write)):
			p.writes[i] = bufferRecord{group: 1}
		case p.writes != nil:
			p.writes[i] = bufferRecord{}
		}
	}
}

// Enqueued implements isa.Checks.
func (g *GroupCheck) Enqueued(acquires bool) {
	l := g.launch
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if g.serial == 0 {
		return
	}
	l.clock++
	if l.groups[g.serial-1].released = l.clock; acquires {
		g.acquired = l.clock
	}
}

// begin adds a workgroup to the launch, and returns its serial number; 0: there are too many.
func (l *LaunchCheck) begin(g *GroupCheck) uint32 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.full {
		return 0
	}
	if len(l.groups) == maxGroups {
		l.stop(fmt.Sprintf("it has more than %d workgroups", maxGroups))
		return 0
	}
	l.groups = append(l.groups, groupOfLaunch{program: g.program, id: g.id})
	if g.fenced, g.pending, g.acquired = 0, 0, 0; l.setup.Graph {
		g.acquired = l.clock
	}
	return uint32(len(l.groups))
}
