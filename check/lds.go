package check

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/lane"
)

// A kind of access.
type kind uint8

const (
	read kind = iota
	write
	atomicRead
	atomicWrite
)

func kindOf(op isa.Op) kind {
	switch {
	case op == isa.Load:
		return read
	case op == isa.Store:
		return write
	case op == isa.AtomicLoad:
		return atomicRead
	}
	return atomicWrite
}

func elementBytes(in *isa.Inst) uint32 { return uint32(lane.Element(in).Bits() / 8) }

// An ldsInst is what the check needs of an instruction that accesses the LDS.
type ldsInst struct {
	kind      kind
	atomic    bool
	ignored   bool   // its results are used only where another instruction accesses the same bytes
	blind     bool   // what it stores does not depend on what was there
	result    bool   // it returns what was there
	runs      uint32 // of consecutive bytes
	bytes     uint32 // of a run
	stride    uint32 // between runs
	spanBytes uint32 // bytes from the offset to the end of the last run
	words     bool   // runs and the stride are of whole words
}

// ldsInsts returns the descriptions of a program's accesses to the LDS, by instruction, and the bytes of a word: as many as each access has at
// least and the runs of all are multiples of, from minWordBytes on.
func ldsInsts(insts []isa.Inst) (list []ldsInst, word uint32) {
	list = make([]ldsInst, len(insts))
	all := uint32(maxWordBytes)
	for pc := range insts {
		in := &insts[pc]
		if in.Mem == nil || in.Mem.Space != isa.SpaceLDS {
			continue
		}
		k := kindOf(in.Op)
		parts, elements := in.Mem.Runs()
		list[pc] = ldsInst{kind: k, atomic: in.Op.Has(isa.FlagAtomic), ignored: in.Mem.Speculative,
			blind:  k == write || in.Op == isa.AtomicStore || in.Op == isa.AtomicExchange,
			result: lane.Result(in, 0).Kind != isa.None,
			runs:   uint32(parts), bytes: elementBytes(in) * uint32(elements), stride: in.Mem.PairStride}
		i := &list[pc]
		i.spanBytes = i.stride*(i.runs-1) + i.bytes
		all |= i.bytes | i.stride | in.Mem.Offset
	}
	word = max(all&-all, minWordBytes)
	for pc := range list {
		list[pc].words = (list[pc].bytes|list[pc].stride)%word == 0
	}
	return list, word
}

// An access is one instruction of a wave while it is checked.
type access struct {
	st    *isa.State
	in    *isa.Inst
	order *waveOrder
	places
	row    lane.Addresses
	params lane.AddressParams
}

// AccessLDS is called before a wave's access to the LDS, the instruction with index pc of the program.
func (g *GroupCheck) AccessLDS(st *isa.State, pc int, in *isa.Inst) {
	a, s, i := &g.access, &g.lds, &g.insts[pc]
	mask := lane.Active(st, in.Mem)
	if mask == 0 || i.ignored {
		return
	}
	a.st, a.in, a.order = st, in, &g.waves[st.WaveInGroup]
	if a.order.epoch != s.epoch {
		s.enter(a.order.epoch)
	}
	a.locate(s, i, mask)
	if !a.findWhole(s, i, mask) {
		g.splitWords(i, mask)
	}
	base := a.order.current | record(pc)
	if i.atomic {
		g.synchronizeLDS(mask)
	}
	switch i.kind {
	case read:
		if len(a.offsets) == 1 {
			mask = mask&-mask | 1<<(bits.Len64(mask)-1) // of lanes that read one place, a shadow keeps two
		}
		if s.unwritten > 0 {
			g.readFirst(i, base, mask)
		}
		if s.wrote || !g.logReads(base, mask) {
			g.read(i, base, mask, &a.places)
		}
	case atomicRead:
		if s.unwritten > 0 {
			g.readFirst(i, base, mask)
		}
		g.read(i, base|1<<atomicShift, mask, &a.places)
	case write:
		g.recordLogged()
		g.write(i, base, mask)
	case atomicWrite:
		g.recordLogged()
		s.madeAtomics = true
		g.update(i, base, mask)
	}
	g.countRepeated()
}

// ldsPlace keeps the places of atomics on the LDS apart from those on buffers.
const ldsPlace = 1 << 63

// synchronizeLDS follows an atomic access of lanes.
func (g *GroupCheck) synchronizeLDS(mask uint64) {
	if !g.maySynchronize(g.order) {
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		g.synchronizeWaves(g.order, g.in, ldsPlace|uint64(g.offset(bits.TrailingZeros64(mask))))
	}
}

// locate computes the byte offset of each lane, or the one that all have.
func (a *access) locate(s *shadow, i *ldsInst, mask uint64) {
	m := a.in.Mem
	a.aligned, a.packed = false, false
	base := uint32(lane.Uniform(a.st, m.Base)) + m.Offset
	if m.Index.Kind != isa.Vector {
		a.row.Offsets[0] = base + uint32(lane.Uniform(a.st, m.Index))
		a.offsets = a.row.Offsets[:1]
		return
	}
	index := a.st.V[int(m.Index.Index)*a.st.Lanes:][:a.st.Lanes]
	if index[0] == index[len(index)-1] && lane.AllSame(index) {
		a.row.Offsets[0] = base + index[0]
		a.offsets = a.row.Offsets[:1]
		return
	}
	a.params.Base, a.params.Exec, a.params.Stride = base, mask, i.bytes
	a.row.Compute(index, &a.params)
	a.offsets = a.row.Offsets[:len(index)]
	a.aligned = a.row.Bits&(1<<s.shift-1) == 0 && uint64(a.row.Last)+uint64(i.spanBytes) <= uint64(s.bytes)
	a.packed = a.aligned && a.row.Packed && i.runs == 1 && mask == 1<<len(index)-1
}

// findWhole finds whether the accesses are of whole words that are not split.
func (a *access) findWhole(s *shadow, i *ldsInst, mask uint64) bool {
	if s.wide == 1 {
		return true
	}
	end := uint64(s.split.from)
	if s.split.end == 0 {
		end = uint64(s.bytes)
	}
	a.wholeWords = i.words
	if a.aligned && a.row.Bits%s.word == 0 && uint64(a.row.Last)+uint64(i.spanBytes) <= end {
		return a.wholeWords
	}
	if len(a.offsets) == 1 {
		mask = 1
	}
	for ; mask != 0 && a.wholeWords; mask &= mask - 1 {
		from := a.offset(bits.TrailingZeros64(mask))
		end := uint64(from) + uint64(i.spanBytes)
		a.wholeWords = from%s.word == 0 && end <= uint64(s.bytes) && (from >= s.split.end || end <= uint64(s.split.from))
	}
	return a.wholeWords
}

// splitWords splits the words that an instruction accesses, as far as they are not.
func (g *GroupCheck) splitWords(i *ldsInst, mask uint64) {
	s := &g.lds
	for ; mask != 0; mask &= mask - 1 {
		from := g.offset(bits.TrailingZeros64(mask))
		end := uint32(min(uint64(from)+uint64(i.spanBytes), uint64(s.bytes)))
		if from < end && (from < s.split.from || end > s.split.end) {
			g.recordReads()
			s.splitWords(from, end)
		}
	}
}

// logReads logs the reads of an instruction in an epoch without a write; false: they are more than a log may have.
func (g *GroupCheck) logReads(base record, mask uint64) bool {
	s := &g.lds
	if s.anyByTwo && s.allReadByTwo(&g.insts[base.pc()], mask, &g.places) || s.log.add(base, mask, &g.places) {
		return true
	}
	g.recordReads()
	return s.log.add(base, mask, &g.places)
}

// recordReads records the reads that are logged.
func (g *GroupCheck) recordReads() {
	s := &g.lds
	s.recordedReads = s.recordedReads || len(s.log.words) > 0
	for words := s.log.words; len(words) > 0; {
		base, mask, p, rest := s.log.next(words)
		switch i := &g.insts[base.pc()]; {
		case s.anyByTwo && s.allReadByTwo(i, mask, &p):
		case p.packed:
			p.unpack(mask, i.bytes, &s.log.row)
			fallthrough
		case p.aligned:
			s.eachRow(i, &p, func(behind uint32) { s.recordRow(base, mask, p.offsets, behind, s.stepOf(&p)) })
		default:
			g.read(i, base, mask, &p)
		}
		words = rest
	}
	s.log.words = s.log.words[:0]
}

// recordLogged is called before a write: from now on in this epoch, reads are not logged.
func (g *GroupCheck) recordLogged() {
	if s := &g.lds; !s.wrote {
		g.recordReads()
		s.wrote = true
	}
}

// granules returns the first granule of consecutive bytes, and the end. Bytes out of bounds are none of the memory's.
func (s *shadow) granules(offset, bytes uint32) (from, end uint) {
	shift := s.shift & 3
	from = uint(offset) >> shift
	return from, min((uint(offset)+uint(bytes)+1<<shift-1)>>shift, uint(len(s.writes)))
}

// stepOf returns the number of granules that an access has one record for.
func (s *shadow) stepOf(p *places) uint {
	if p.wholeWords {
		return s.wide
	}
	return 1
}

// eachRow calls a function for the granules of an instruction whose offsets are aligned: the n-th ones of all lanes, at so many bytes
// behind their offsets.
func (s *shadow) eachRow(i *ldsInst, p *places, f func(behind uint32)) {
	step := uint32(s.stepOf(p) << s.shift)
	for part := range i.runs {
		for behind := uint32(0); behind < i.bytes; behind += step {
			f(part*i.stride + behind)
		}
	}
}

// recordRow is readRow in an epoch in which nothing was written.
func (s *shadow) recordRow(base record, mask uint64, offsets []uint32, behind uint32, step uint) {
	shift, reads, granules := s.shift&3, s.reads, uint64(1)<<step-1
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now, at := base|record(l)<<laneShift, uint(offsets[l]+behind)>>shift
		if s.readByTwo[at/64]>>(at%64)&1 != 0 {
			continue
		}
		before := reads[at]
		if !before.sameEpoch(now) {
			reads[at] = now
			continue
		}
		s.others[at].reads.add(&reads[at], now)
		if !s.hasAtomics && !before.sameWave(now) {
			s.readByTwo[at/64] |= granules << (at % 64)
			s.anyByTwo = true
		}
	}
}

// readRow is read for a granule of each lane.
func (g *GroupCheck) readRow(base record, mask uint64, offsets []uint32, behind uint32) {
	s := &g.lds
	shift, writes := s.shift&3, s.writes
	reads := s.reads[:len(writes)]
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now, at := base|record(l)<<laneShift, uint(offsets[l]+behind)>>shift
		if before := writes[at]; before.meets(now) {
			g.reportPair(before, now, at)
		}
		if !reads[at].sameEpoch(now) {
			reads[at] = now
		} else {
			s.others[at].reads.add(&reads[at], now)
		}
	}
}

// writeRow is write for a granule of each lane.
func (g *GroupCheck) writeRow(i *ldsInst, base record, all uint64, behind uint32) {
	s, offsets := &g.lds, g.offsets
	shift, writes := s.shift&3, s.writes
	reads := s.reads[:len(writes)]
	for mask := all; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now, at := base|record(l)<<laneShift, uint(offsets[l]+behind)>>shift
		if before := writes[at]; before.meets(now) {
			if g.storesFirst(before, now, i, all, behind, at) {
				g.overlap(before, now, at)
			} else {
				g.reportPair(before, now, at)
			}
		}
		if reads[at].meets(now) {
			g.againstAll(i, reads[at], &s.others[at].reads, now, at)
		}
		writes[at] = now
		if s.unwritten > 0 && !s.isWritten(at) {
			g.firstWrite(i, now, at)
		}
	}
}

// writePacked is write for lanes that store a word each, one behind the other, in an epoch without reads. It does nothing and returns false
// if the words were not stored last by such an instruction, so that lanes have to be told apart, or if one of them was read before.
func (g *GroupCheck) writePacked(base record, lanes int, bytes uint32) bool {
	s := &g.lds
	from, end := s.granules(g.offsets[0], bytes*uint32(lanes))
	if s.unwritten > 0 && len(s.firstReads) > 0 {
		return false
	}
	writes, step := s.writes[from:end], int(bytes>>(s.shift&3))
	first := writes[0]
	var lane, fromFirst, byLanes record // bits in which records differ from the first one, and from those of an instruction
	for at := 0; at < len(writes); at += step {
		differ := writes[at] ^ first
		fromFirst |= differ
		byLanes |= differ ^ lane
		lane += 1 << laneShift
	}
	if fromFirst>>epochShift != 0 || first.sameEpoch(base) && (byLanes != 0 || first.lane() != 0) {
		return false
	}
	if first.meets(base) {
		if g.reportPair(first, base, from); g.repeated.finding != nil {
			g.repeated.times += uint64(lanes-1) * uint64(s.step(from))
		}
	}
	for at := 0; at < len(writes); at += step {
		writes[at] = base
		base += 1 << laneShift
	}
	for at := from; at < end && s.unwritten > 0; at += uint(step) {
		s.setWritten(at, uint(step))
	}
	return true
}

// storesFirst reports that the lane of the last store to a granule stores there in the current instruction too, in a row before that
// of a lane now, or as a lane before it: so that store was this one.
func (g *GroupCheck) storesFirst(before, now record, i *ldsInst, mask uint64, behind uint32, at uint) bool {
	l := before.lane()
	place := uint32(at<<g.lds.shift) - g.offsets[l]
	return before.sameWave(now) && mask>>l&1 != 0 && place < i.bytes && (place < behind || place == behind && l < now.lane())
}

// read checks and records loads of lanes, or atomic ones.
func (g *GroupCheck) read(i *ldsInst, base record, mask uint64, p *places) {
	s := &g.lds
	s.recordedReads = true
	if p.aligned && !s.madeAtomics {
		s.eachRow(i, p, func(behind uint32) { g.readRow(base, mask, p.offsets, behind) })
		return
	}
	step := s.stepOf(p)
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now, first := base|record(l)<<laneShift, p.offset(l)
		for part := range i.runs {
			from, end := s.granules(first+part*i.stride, i.bytes)
			for at := from; at < end; at += step {
				if before := s.writes[at]; before.meets(now) {
					g.reportPair(before, now, at)
				}
				if s.madeAtomics && i.kind == read && s.atomics[at].meets(now) {
					g.againstAll(i, s.atomics[at], &s.others[at].atomics, now, at)
				}
				if !s.reads[at].sameEpoch(now) {
					s.reads[at] = now
				} else {
					s.others[at].reads.add(&s.reads[at], now)
				}
			}
		}
	}
}

// write checks and records stores of lanes.
func (g *GroupCheck) write(i *ldsInst, base record, mask uint64) {
	s := &g.lds
	if g.aligned && !s.madeAtomics && i.runs == 1 {
		if g.packed && !s.recordedReads && i.bytes == uint32(s.stepOf(&g.places))<<s.shift && g.writePacked(base, bits.Len64(mask), i.bytes) {
			return
		}
		s.eachRow(i, &g.places, func(behind uint32) { g.writeRow(i, base, mask, behind) })
		return
	}
	s.number++
	step := s.stepOf(&g.places)
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now, first := base|record(l)<<laneShift, g.offset(l)
		for part := range i.runs {
			from, end := s.granules(first+part*i.stride, i.bytes)
			for at := from; at < end; at += step {
				if before := s.writes[at]; before.meets(now) {
					if s.numbers[at] == s.number {
						g.overlap(before, now, at)
					} else {
						g.reportPair(before, now, at)
					}
				}
				if s.reads[at].meets(now) {
					g.againstAll(i, s.reads[at], &s.others[at].reads, now, at)
				}
				if s.madeAtomics && s.atomics[at].meets(now) {
					g.againstAll(i, s.atomics[at], &s.others[at].atomics, now, at)
				}
				s.writes[at], s.numbers[at] = now, s.number
				if !s.isWritten(at) {
					g.firstWrite(i, now, at)
				}
			}
		}
	}
}

// update checks and records atomics of lanes that write.
func (g *GroupCheck) update(i *ldsInst, base record, mask uint64) {
	s := &g.lds
	step := s.stepOf(&g.places)
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		now := base | record(l)<<laneShift
		from, end := s.granules(g.offset(l), i.bytes)
		for at := from; at < end; at += step {
			if before := s.writes[at]; before.meets(now) {
				g.reportPair(before, now, at)
			}
			if s.reads[at].meets(now) {
				g.againstAll(i, s.reads[at], &s.others[at].reads, now, at)
			}
			if !s.isWritten(at) {
				g.firstWrite(i, now, at)
			}
			s.others[at].atomics.add(&s.atomics[at], now)
		}
	}
}

// readFirst looks at reads of granules that nothing has written.
func (g *GroupCheck) readFirst(i *ldsInst, base record, mask uint64) {
	s := &g.lds
	if g.aligned && i.runs == 1 {
		mask = s.lacking(s.written, mask, g.offsets, i.bytes)
	}
	step := s.stepOf(&g.places)
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		for part := range i.runs {
			from, end := s.granules(g.offset(l)+part*i.stride, i.bytes)
			for at := from; at < end; at += step {
				if !s.isWritten(at) {
					g.firstWrite(i, base|record(l)<<laneShift, at)
				}
			}
		}
	}
}

// allReadByTwo reports that reads of two waves are recorded for all granules that lanes read; false: perhaps.
func (s *shadow) allReadByTwo(i *ldsInst, mask uint64, p *places) bool {
	switch {
	case p.packed:
		from, end := s.granules(p.offsets[0], i.bytes*uint32(bits.Len64(mask)))
		return hasAll(s.readByTwo, from, end)
	case p.aligned && i.runs == 1 && len(p.offsets) > 1:
		return s.lacking(s.readByTwo, mask, p.offsets, i.bytes) == 0
	}
	return false
}

// hasAll reports that a set has all numbers from one to before another one.
func hasAll(set []uint64, from, end uint) bool {
	for ; from < end; from = (from/64 + 1) * 64 {
		if want := ^uint64(0) >> (64 - min(end-from, 64-from%64)) << (from % 64); set[from/64]&want != want {
			return false
		}
	}
	return true
}

// lacking returns the lanes of a mask that may access granules which are not in a set. Their offsets are aligned.
func (s *shadow) lacking(set []uint64, mask uint64, offsets []uint32, bytes uint32) (lanes uint64) {
	shift := s.shift & 3
	all := uint64(1)<<(bytes>>shift) - 1 // of a word that it does not reach the end of
	if mask == 1<<len(offsets)-1 {
		seen := all
		for _, x := range offsets {
			at := uint(x) >> shift
			seen &= set[at/64] >> (at % 64)
		}
		if seen == all {
			return 0
		}
	}
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		at := uint(offsets[l]) >> shift
		if set[at/64]>>(at%64)&all != all {
			lanes |= 1 << l
		}
	}
	return lanes
}

// firstWrite looks at an access to a granule that nothing has written. A read is reported once it is known that no write of the same
// epoch could have come first: else the two are a race, and reported as that.
func (g *GroupCheck) firstWrite(i *ldsInst, now record, granule uint) {
	s, at := &g.lds, uint32(granule)
	before, found := s.firstReads[at]
	if !found && (!i.blind || i.result) {
		s.firstReads[at] = now
	}
	if !i.blind {
		return
	}
	s.setWritten(granule, s.step(granule))
	if found {
		delete(s.firstReads, at)
		if !before.sameEpoch(now) || !g.order.unordered(before, now) {
			g.report(unwritten, 0, before, at, s.step(granule))
		}
	}
}

// againstAll checks an access against those that stand beside each other.
func (g *GroupCheck) againstAll(i *ldsInst, last record, r *recent, now record, granule uint) {
	for _, before := range [...]record{last, r.wave, r.lane} {
		if i.kind != atomicWrite || !before.atomic() {
			g.reportPair(before, now, granule)
		}
	}
}

// reportPair reports an access that has no order with an earlier one.
func (g *GroupCheck) reportPair(before, now record, granule uint) {
	if g.repeated.is(uint64(before&^anyLane), uint64(now&^anyLane)) {
		g.repeated.times += uint64(g.lds.step(granule))
		return
	}
	if !before.sameEpoch(now) || !g.order.unordered(before, now) {
		return
	}
	if before.sameWave(now) {
		g.report(withinWave, before, now, uint32(granule), g.lds.step(granule))
		return
	}
	g.countRepeated()
	f := g.report(betweenWaves, before, now, uint32(granule), g.lds.step(granule))
	g.repeated = repeated{finding: f, before: uint64(before &^ anyLane), now: uint64(now &^ anyLane)}
}

// overlap reports two lanes of one instruction that store different values to granules which have one record.
func (g *GroupCheck) overlap(before, now record, granule uint) {
	for at := granule; at < granule+g.lds.step(granule); at++ {
		from := uint32(at << g.lds.shift)
		for b := from; b < from+1<<g.lds.shift; b++ {
			x, okX := g.storedByte(before.lane(), b)
			y, okY := g.storedByte(now.lane(), b)
			if okX && okY && x != y {
				g.report(sameInstruction, before, now, uint32(at), 1)
				break
			}
		}
	}
}

// storedByte returns the byte that a lane stores at an offset; false if it stores none there.
func (a *access) storedByte(l int, at uint32) (value byte, ok bool) {
	size := elementBytes(a.in)
	for k := range int(a.in.Mem.Count) {
		from := a.offset(l) + a.in.Mem.ElementOffset(k, size)
		if at-from < size {
			value, ok = byte(lane.Value(a.st, a.in.Mem.Data[k], l, size == 8)>>(8*(at-from))), true
		}
	}
	return value, ok
}
