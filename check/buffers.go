package check

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/program"
)

// A LaunchCheck is a launch, or a dispatch of an execution graph, with the last accesses of its workgroups to device memory.
type LaunchCheck struct {
	checker *Checker
	setup   LaunchSetup
	mutex   sync.Mutex
	shift   uint // log2 of the bytes of the smallest granule
	records
	last uint32 // number of the last row
	// from is the first of the rows up to the last one that are all of one workgroup.
	from uint32
	full bool // nothing more is looked at
	launchOrder
}

// Records are what a launch knows of its accesses. The next launch gets their memory.
type records struct {
	pages  pageTable
	groups []groupOfLaunch // by serial number, from 1
	rows   []*[rowsAtOnce]bufferRow
	bytes  uint64 // of pages and rows, counted by the checker too
}

// A LaunchSetup describes a launch.
type LaunchSetup struct {
	Name     string
	Programs []*program.Program
	// ReadOnly has, by instruction of the one program, which loads are from memory that the launch does not write; nil: unknown.
	ReadOnly []bool
	// Written is where its accesses write, if WritesKnown: reads of other memory are not looked at. Should one write elsewhere, a message says
	// that reads before it were not looked at.
	Written     []Range
	WritesKnown bool
	// Graph: workgroups begin behind what was done before the enqueue of their payload.
	Graph bool
	// Buffer returns the name of the memory at an address and where it begins.
	Buffer func(addr uint64) (name string, from uint64)
}

// A Range is an address and a number of bytes from it on.
type Range struct{ Addr, Bytes uint64 }

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
	l := &LaunchCheck{checker: c, setup: s, shift: wordShift}
	c.mutex.Lock()
	c.launches = append(c.launches, l)
	l.records, c.idle = c.idle, records{}
	c.mutex.Unlock()
	l.clock = 1
	l.records.clear()
	l.last = hostRow
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

// Launches returns the number of launches that have begun and not ended.
func (c *Checker) Launches() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.launches)
}

// EndLaunches ends the launches from the n-th one on: it drops their records.
func (c *Checker) EndLaunches(n int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n = min(n, len(c.launches))
	for _, l := range c.launches[n:] {
		c.end(l)
	}
	c.launches = c.launches[:n]
}

// End ends a launch.
func (l *LaunchCheck) End() {
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if i := slices.Index(c.launches, l); i >= 0 {
		c.end(l)
		c.launches = slices.Delete(c.launches, i, i+1)
	}
}

func (c *Checker) end(l *LaunchCheck) {
	if c.idle.bytes == 0 && !l.full {
		c.idle, l.records, l.full = l.records, records{}, true
		return
	}
	c.drop(&l.records)
	l.full = true
}

// drop drops records.
func (c *Checker) drop(r *records) {
	c.tableBytes -= r.bytes
	*r = records{}
}

// clear forgets the accesses of a launch before.
func (r *records) clear() {
	if r.pages.chunks == nil {
		r.pages.chunks, r.rows = map[uint64]*chunk{}, []*[rowsAtOnce]bufferRow{{}}
	}
	r.pages.launch++
	r.groups = append(r.groups[:0], groupOfLaunch{released: math.MaxUint32}) // the host
	*r.row(hostRow) = bufferRow{group: 1}
}

// inBuffer reports whether an instruction accesses memory that workgroups share.
func inBuffer(in *isa.Inst) bool {
	s := in.Mem.Space
	return s == isa.SpaceBuffer || s == isa.SpaceFlat || s == isa.SpaceImage
}

// A bufferRow has the accesses of an instruction of a wave to device memory at one time of the launch's clock.
type bufferRow struct {
	group  uint32 // serial number of the workgroup
	time   uint32
	pc     uint32
	wave   uint8
	atomic bool
	width  uint8 // log2 of the bytes that a lane accesses; noWidth: they are no power of two
}

// A bufferRecord is an access of one lane to device memory: the number of its row, and the lane. 0: none.
type bufferRecord uint32

func (r bufferRecord) row() uint32 { return uint32(r >> laneBits) }

const (
	maxRows  = 1 << (32 - laneBits)
	rowBytes = 16
	// hostRow is the row of what the host wrote.
	hostRow = 1
	// rowsAtOnce is the number of rows that memory is taken for at once.
	rowsAtOnce = 1 << 8
)

// rowOf returns the number of the row of a wave's instruction now; 0: the table is full. The group knows the last one of each
// instruction, perhaps of a launch before.
func (l *LaunchCheck) rowOf(g *GroupCheck, row bufferRow) uint32 {
	last := &g.rows[int(row.wave)*g.code.buffers+int(g.code.bufferIndex[row.pc])]
	if *last <= l.last && *l.row(*last) == row {
		return *last
	}
	n := l.last + 1
	if int(n/rowsAtOnce) == len(l.rows) {
		if n == maxRows || !l.takeTable(rowsAtOnce*rowBytes) {
			l.stop(tableIsFull)
			return 0
		}
		l.rows = append(l.rows, new([rowsAtOnce]bufferRow))
	}
	if l.row(l.last).group != row.group {
		l.from = n
	}
	l.last, *last = n, n
	*l.row(n) = row
	return n
}

// row returns the row of a number.
func (r *records) row(n uint32) *bufferRow { return &r.rows[n/rowsAtOnce][n%rowsAtOnce] }

var tableIsFull = fmt.Sprintf("the records of accesses to buffers would take more than %d MiB", maxTableBytes>>20)

// maxTableBytes bounds the records of a launch.
const maxTableBytes = 256 << 20

// ChecksBuffer reports whether accesses of an instruction have to be looked at: those to device memory that the launch may write.
func (g *GroupCheck) ChecksBuffer(pc int, in *isa.Inst) bool {
	l := g.launch
	if in.Mem.Speculative || pc < len(l.setup.ReadOnly) && l.setup.ReadOnly[pc] {
		return false
	}
	return inBuffer(in)
}

// AccessBuffer is called before a wave's access to device memory.
func (g *GroupCheck) AccessBuffer(st *isa.State, pc int, in *isa.Inst, t *lane.Touched) {
	l := g.launch
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.full || g.serial == 0 {
		return
	}
	k, mask, addr := kindOf(in.Op), t.Mask, t.Addr
	if in.Op.Has(isa.FlagAtomic) {
		if l.syncs && !l.synchronizeGroups(g, in, mask, addr) {
			return
		}
		if w := &g.waves[st.WaveInGroup]; g.maySynchronize(w) {
			for rest := mask; rest != 0; rest &= rest - 1 {
				g.synchronizeWaves(w, in, addr[bits.TrailingZeros64(rest)])
			}
		}
	}
	if l.setup.WritesKnown && in.Mem.Space == isa.SpaceFlat && k != atomicRead {
		switch written := l.inWritten(t); {
		case k != read && written != mask:
			l.writesElsewhere(g)
		case written == 0:
			return
		case k == read:
			mask = written
		}
	}
	width := widthOf(t.Bytes)
	row := l.rowOf(g, bufferRow{g.serial, l.clock, uint32(pc), uint8(st.WaveInGroup), k == atomicRead, width})
	if row == 0 {
		return
	}
	if k == read && !t.Packed {
		mask = outer(mask, addr)
	}
	a := bufferAccess{g: g, kind: k, row: row, ownBehind: math.MaxUint32, width: width, fromPayload: k == read && l.setup.Graph && in.Mem.Payload}
	if l.row(l.last).group == g.serial {
		a.ownBehind = bufferRecord(l.from<<laneBits) - 1
	}
	l.touchLanes(&a, mask, t)
	g.countRepeated()
}

// touchLanes checks and records an access of lanes.
func (l *LaunchCheck) touchLanes(a *bufferAccess, mask uint64, t *lane.Touched) {
	addr, bytes := t.Addr, t.Bytes
	var next uint64
	switch {
	case a.width == noWidth || a.kind == atomicRead || a.kind == atomicWrite:
	case t.Packed:
		next = mask & (mask >> 1)
	default:
		next = consecutive(mask, addr, bytes)
	}
	if n, last := bits.TrailingZeros64(mask), bits.Len64(mask)-1; next>>n&1 == 0 && (addr[last]^addr[n])>>(wordShift+pageShift+1) != 0 {
		l.preload(a, mask, addr)
	}
	words := a.width == wordShift && !a.fromPayload
	for mask != 0 {
		n := bits.TrailingZeros64(mask)
		lanes := bits.TrailingZeros64(^(next >> n)) + 1
		if words && lanes < blockGranules {
			rest := l.touchWords(a, mask, addr)
			if rest == 0 {
				return
			}
			if rest != mask {
				mask = rest
				n = bits.TrailingZeros64(mask)
				lanes = bits.TrailingZeros64(^(next >> n)) + 1
			}
		}
		mask &^= (1<<lanes - 1) << n
		from, first := addr[n], bufferRecord(a.row<<laneBits|uint32(n))
		whole := l.isWhole(from | bytes)
		for at, end := from, from+uint64(lanes)*bytes; at < end; {
			p := l.placeOf(at, whole)
			if p.page == nil {
				return
			}
			now := first + bufferRecord((at-from)>>a.width)
			if p.at%blockGranules == 0 && p.hasWholeLanes(a.width, at-from, end-at) {
				if blocks := l.touchBlocks(a, now, &p, (end-at)>>(p.shift+blockShift)); blocks > 0 {
					at += blocks << (p.shift + blockShift)
					continue
				}
			}
			if !p.has(a.kind) && !l.addKind(p.page, a.kind) || p.ofBlocks>>p.block()&1 != 0 && !l.expand(&p) {
				return
			}
			next := min((end-1)>>p.shift, p.at|(blockGranules-1)) + 1
			l.touch(a, p, first, at-from, next)
			at = next << p.shift
		}
	}
}

// inWritten returns the lanes that access memory which the launch is known to write.
func (l *LaunchCheck) inWritten(t *lane.Touched) (lanes uint64) {
	addr, bytes := t.Addr, t.Bytes
	var from, end uint64 // of an extent all of whose addresses are alike
	inside := false
	for rest := t.Mask; rest != 0; rest &= rest - 1 {
		n := bits.TrailingZeros64(rest)
		if at := addr[n]; at < from || at >= end {
			from, end, inside = 0, math.MaxUint64, false
			for _, r := range l.setup.Written {
				switch first := r.Addr - min(r.Addr, bytes-1); { // of an access that reaches it
				case at < first:
					end = min(end, first)
				case at >= r.Addr+r.Bytes:
					from = max(from, r.Addr+r.Bytes)
				default:
					from, end, inside = max(first, from), min(r.Addr+r.Bytes, end), true
				}
			}
		}
		if t.Packed && rest == t.Mask && addr[bits.Len64(rest)-1] < end {
			if inside {
				lanes = rest
			}
			return lanes
		}
		if inside {
			lanes |= 1 << n
		}
	}
	return lanes
}

// writesElsewhere says that a launch wrote what it was known not to write.
func (l *LaunchCheck) writesElsewhere(g *GroupCheck) {
	l.setup.WritesKnown = false
	l.checker.mutex.Lock()
	defer l.checker.mutex.Unlock()
	l.checker.addIncomplete(fmt.Sprintf("%s: %s wrote outside of the buffers of its arguments: reads of that memory before it were not looked at", l.setup.Name, g.program.Name))
}

// addIncomplete adds what was not looked at.
func (c *Checker) addIncomplete(text string) {
	if !slices.Contains(c.incomplete, text) {
		c.incomplete = append(c.incomplete, text)
	}
}

// noWidth is the width of accesses whose bytes are no power of two.
const noWidth = math.MaxUint8

// widthOf returns the log2 of the bytes of an access.
func widthOf(bytes uint64) uint8 {
	if bits.OnesCount64(bytes) == 1 {
		return uint8(bits.TrailingZeros64(bytes))
	}
	return noWidth
}

// consecutive returns the lanes of a mask behind whose bytes those of the next lane are, which is of the mask too. It looks no further
// if those of the second lane are not behind those of the first.
func consecutive(mask uint64, addr *[64]uint64, bytes uint64) (next uint64) {
	first, last := bits.TrailingZeros64(mask), bits.Len64(mask)-1
	if first == last || addr[first+1]-addr[first] != bytes {
		return 0
	}
	for l := first; l < last; l++ {
		if addr[l+1]-addr[l] == bytes {
			next |= 1 << l
		}
	}
	return next & mask & (mask >> 1)
}

// outer returns the first and the last lane of each row of lanes that read one place: the records of a workgroup are of all its lanes. It
// looks no further if the first two lanes read different places.
func outer(mask uint64, addr *[64]uint64) uint64 {
	first, last := bits.TrailingZeros64(mask), bits.Len64(mask)-1
	if first == last || addr[first] != addr[first+1] {
		return mask
	}
	var same uint64 // as the lane before
	for l := first + 1; l <= last; l++ {
		if addr[l] == addr[l-1] {
			same |= 1 << l
		}
	}
	same &= mask & (mask << 1)
	return mask &^ (same & (same >> 1))
}

// A bufferAccess is one instruction of a wave while it is checked.
type bufferAccess struct {
	g           *GroupCheck
	kind        kind
	row         uint32
	ownBehind   bufferRecord // records that are greater are of the workgroup
	width       uint8
	fromPayload bool // it reads one
	preloaded   bufferRecord
}

// isOwn reports that an earlier access is of the same workgroup.
func (l *LaunchCheck) isOwn(a *bufferAccess, earlier bufferRecord) bool {
	row := earlier.row()
	return earlier > a.ownBehind || row > a.g.lastBefore && l.row(row).group == a.g.serial
}

// isOwnOrNone reports that a record is none, or of the workgroup; false: perhaps not.
func (a *bufferAccess) isOwnOrNone(earlier bufferRecord) bool { return earlier-1 >= a.ownBehind }

// touch checks and records an access to the granules of a block from a place on, up to before one. Their page has records of its kind. The
// first one is that of a lane, or of one behind it whose bytes are behind its own: the place is so many bytes from the first lane's.
func (l *LaunchCheck) touch(a *bufferAccess, p place, first bufferRecord, bytes, end uint64) {
	writes, atomics, reads := p.writes, p.atomics, p.reads
	for ; p.at < end; p.at, bytes = p.at+1, bytes+1<<p.shift {
		i, now := p.at%pageGranules, first+bufferRecord(bytes>>a.width)
		if writes != nil {
			if before := writes[i]; !a.isOwnOrNone(before) && !l.isOwn(a, before) {
				l.against(a.g, before, now, &p, p.times(l))
			}
		}
		if atomics != nil && a.kind != atomicRead && a.kind != atomicWrite {
			l.againstBoth(a, &atomics[i], now, &p)
		}
		if reads != nil && a.kind != read && a.kind != atomicRead {
			l.againstBoth(a, &reads[i], now, &p)
		}
		if a.fromPayload && !p.written(i) {
			l.unwritten(a.g, now, &p)
		}
		switch a.kind {
		case write:
			writes[i] = now
		case atomicWrite:
			l.addRecord(a, &atomics[i], now)
		default:
			l.addRecord(a, &reads[i], now)
		}
	}
}

// touchWords is touch for lanes that access a word each, on pages that have the records. It returns the lanes of the mask from the first
// one on for which it did nothing: where there is a conflict, or blocks have records.
func (l *LaunchCheck) touchWords(a *bufferAccess, mask uint64, addr *[64]uint64) (rest uint64) {
	var p *page
	number := uint64(math.MaxUint64)
	for ; mask != 0; mask &= mask - 1 {
		n := bits.TrailingZeros64(mask)
		at := addr[n]
		if to := at >> (wordShift + pageShift); to != number {
			if p = l.pageOf(to); p == nil {
				return 0
			}
			if !p.has(a.kind) {
				return mask
			}
			number = to
		}
		i := at >> wordShift % pageGranules
		block := uint16(1) << (i / blockGranules)
		if at%(1<<wordShift) != 0 || p.recorded&block != 0 || p.writes != nil && !l.isBefore(a, p.writes[i]) {
			return mask
		}
		if p.atomics != nil && (a.kind == read || a.kind == write) {
			if r := &p.atomics[i]; !l.isBefore(a, r[0]) || !l.isBefore(a, r[1]) {
				return mask
			}
		}
		if p.reads != nil && (a.kind == write || a.kind == atomicWrite) {
			if r := &p.reads[i]; !l.isBefore(a, r[0]) || !l.isBefore(a, r[1]) {
				return mask
			}
		}
		p.ofBlocks &^= block
		switch now := bufferRecord(a.row<<laneBits | uint32(n)); a.kind {
		case write:
			p.writes[i] = now
		case atomicWrite:
			l.addRecord(a, &p.atomics[i], now)
		default:
			l.addRecord(a, &p.reads[i], now)
		}
	}
	return 0
}

// isBefore reports that there is no earlier access, or one that has an order with an access now, or needs none.
func (l *LaunchCheck) isBefore(a *bufferAccess, earlier bufferRecord) bool {
	return a.isOwnOrNone(earlier) || l.rowIsBefore(a, earlier.row())
}

func (l *LaunchCheck) rowIsBefore(a *bufferAccess, number uint32) bool {
	row := l.row(number)
	return row.group == a.g.serial || a.kind == atomicWrite && row.atomic || l.ordered(a.g, row)
}

// preload reads what lanes on different pages need, so that this computer loads it from its memory for several lanes at once. Later loads of
// a lane wait for tests of those of the lane before.
func (l *LaunchCheck) preload(a *bufferAccess, mask uint64, addr *[64]uint64) {
	var sum bufferRecord
	for ; mask != 0; mask &= mask - 1 {
		at := addr[bits.TrailingZeros64(mask)]
		number := at >> (wordShift + pageShift)
		recent := &l.pages.recent[number>>chunkShift%recentChunks]
		if recent.number != number>>chunkShift+1 {
			continue
		}
		p, i := recent.chunk[number%chunkPages], at>>wordShift%pageGranules
		if p == nil || p.launch != l.pages.launch {
			continue
		}
		if p.writes != nil {
			sum += p.writes[i]
		}
		if p.reads != nil {
			sum += p.reads[i][0]
		}
		if p.atomics != nil {
			sum += p.atomics[i][0]
		}
	}
	a.preloaded = sum
}

// againstBoth checks an access against those that stand beside each other.
func (l *LaunchCheck) againstBoth(a *bufferAccess, both *[2]bufferRecord, now bufferRecord, p *place) {
	for _, before := range both {
		if !a.isOwnOrNone(before) && !l.isOwn(a, before) && (a.kind != atomicWrite || !l.row(before.row()).atomic) {
			l.against(a.g, before, now, p, p.times(l))
		}
	}
}

// written reports that something wrote a granule.
func (p *page) written(i uint64) bool {
	return p.writes != nil && p.writes[i] != 0 || p.atomics != nil && p.atomics[i][0] != 0
}

func (l *LaunchCheck) addRecord(a *bufferAccess, r *[2]bufferRecord, now bufferRecord) {
	if before := r[0]; !a.isOwnOrNone(before) && !l.isOwn(a, before) {
		r[1] = before
	}
	r[0] = now
}

// takeTable takes bytes of the bound that all launches which overlap share.
func (l *LaunchCheck) takeTable(bytes uint64) bool {
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tableBytes+bytes > maxTableBytes {
		c.drop(&c.idle)
		before := l.bytes
		l.dropUnused(l.last)
		c.tableBytes -= before - l.bytes
	}
	if c.tableBytes+bytes > maxTableBytes {
		return false
	}
	c.tableBytes += bytes
	l.bytes += bytes
	return true
}

// dropUnused drops pages that this launch has not accessed, and rows behind the last one.
func (r *records) dropUnused(last uint32) {
	for _, c := range r.pages.chunks {
		for i, p := range c {
			if p != nil && p.launch != r.pages.launch {
				r.bytes -= p.bytes()
				c[i] = nil
			}
		}
	}
	n := int(last/rowsAtOnce) + 1
	r.bytes -= uint64(len(r.rows)-n) * rowsAtOnce * rowBytes
	clear(r.rows[n:])
	r.rows = r.rows[:n]
}

// freeTable gives bytes back.
func (l *LaunchCheck) freeTable(bytes uint64) {
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tableBytes -= bytes
	l.bytes -= bytes
}

// stop ends the check of the launch's buffers.
func (l *LaunchCheck) stop(why string) {
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.drop(&l.records)
	l.full = true
	c.addIncomplete(fmt.Sprintf("%s: accesses to buffers are not looked at any more: %s", l.setup.Name, why))
}

// against reports an access that has no order with an earlier one, of another workgroup, to so many granules.
func (l *LaunchCheck) against(g *GroupCheck, earlier, now bufferRecord, at *place, times uint64) {
	if g.repeated.is(uint64(earlier.row()), uint64(now.row())) {
		g.repeated.times += times
		return
	}
	before := l.row(earlier.row())
	if l.ordered(g, before) {
		return
	}
	g.countRepeated()
	of, after := &l.groups[before.group-1], l.laneOf(now)
	c := l.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	f, first := c.occurrence(&pair{betweenGroups, of.program, g.program, int(before.pc), after.pc()}, g, times)
	g.repeated = repeated{finding: f, before: uint64(earlier.row()), now: uint64(now.row())}
	if !first {
		return
	}
	f.After = sideOf(g.program, after)
	side := sideOf(of.program, l.laneOf(earlier))
	side.Workgroup = &of.id
	if of.program != g.program {
		side.Program = of.program.Name
	}
	f.Before = &side
	l.locate(f, g, after.pc(), at)
}

// laneOf returns the record of a lane.
func (l *LaunchCheck) laneOf(r bufferRecord) record {
	row := l.row(r.row())
	return record(row.wave)<<waveShift | record(r&(1<<laneBits-1))<<laneShift | record(row.pc)
}

// unwritten reports a read of a payload that nothing wrote.
func (l *LaunchCheck) unwritten(g *GroupCheck, now bufferRecord, at *place) {
	c, after := l.checker, l.laneOf(now)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if f, first := c.occurrence(&pair{unwritten, nil, g.program, -1, after.pc()}, g, at.times(l)); first {
		f.After = sideOf(g.program, after)
		l.locate(f, g, after.pc(), at)
	}
}

// locate says where the granule of a finding is.
func (l *LaunchCheck) locate(f *Finding, g *GroupCheck, pc int, at *place) {
	m, addr := g.program.Insts[pc].Mem, at.at<<at.shift
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
	for at := addr; at < addr+bytes && !l.full; {
		p := l.placeOf(at, l.isWhole(addr|bytes))
		if p.page == nil || p.ofBlocks>>p.block()&1 != 0 && !l.expand(&p) {
			return
		}
		i := p.at % pageGranules
		at = (at>>p.shift + 1) << p.shift
		if p.reads != nil {
			p.reads[i] = [2]bufferRecord{}
		}
		if p.atomics != nil {
			p.atomics[i] = [2]bufferRecord{}
		}
		switch {
		case fromHost && (p.writes != nil || l.addKind(p.page, write)):
			p.writes[i] = hostRow << laneBits
		case p.writes != nil:
			p.writes[i] = 0
		}
	}
}

// MisusePayload implements isa.Checks.
func (g *GroupCheck) MisusePayload(st *isa.State, pc, lane int, m *isa.PayloadMisuse) {
	now := g.waves[st.WaveInGroup].current | record(lane)<<laneShift | record(pc)
	kind, before := sharedInput, record(0)
	if m.Kind != isa.SharedInput {
		kind, before = afterEnqueue, 1<<epochShift|record(m.Enqueue.Wave)<<waveShift|record(m.Enqueue.Lane)<<laneShift|record(m.Enqueue.PC)
	}
	if m.Kind == isa.AfterRelease {
		kind = afterRelease
	}
	c := g.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if f, first := g.occurrence(kind, before, now, 1); first {
		f.Memory, f.Variable, f.Address, f.Offset = "payload", m.Node, m.Addr, m.Offset
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
	g.lastBefore, g.atomics.mask = l.last, 0
	if g.fenced, g.pending, g.acquired = 0, 0, 0; l.setup.Graph {
		g.acquired = l.clock
	}
	return uint32(len(l.groups))
}
