// The reference of the package: a SIMD written the plain way. It looks at every wave in every cycle, keeps what it knows in maps and
// lists, and evaluates each condition of an instruction anew. TestSIMDMatchesReference runs random programs on both.
//
// The model:
//
//   - Issue cycle. The SIMD issues in every cadence-th cycle, at its own phase: cycles c with c mod cadence = index mod cadence.
//   - Ready. A wave may issue its next instruction i from the latest of: the end of the last one's issue cycles; the cycle in which
//     each register that i reads or writes, and the execution mask if i depends on it, is ready; the return of its oldest vector
//     memory access if as many as allowed are outstanding; for a memory barrier, a payload enqueue and the end, the return of
//     all accesses; the fetch of i's line of instructions. The latest is the reason that the wave's cycles are charged to.
//   - Unit. i also needs its unit and, where all categories share it, the issue port. The cycles that a ready wave waits for them
//     are charged to the unit.
//   - Choice. Of the waves that may issue, the policy picks up to width: the oldest; the one that issued last, else the oldest; or the
//     next slot in turn. With a port for each category, no two are of one unit.
//   - Cost. An instruction occupies the wave for its issue cycles, its unit for its busy cycles, and its results are ready after its
//     latency. An access takes what the compute unit responds, and the latency of its class. A branch that is taken costs the
//     row of taken branches, and the next instruction may issue after its latency.
//   - Zero cost. Instructions without a class execute with the one before them as soon as their sources are known; they
//     are ready when their sources are.
//   - Barrier. A wave waits until all waves of its workgroup that have not ended have arrived, and the barrier's cycles longer.
//   - Slots. A slot is empty from the end of its last wave's issue cycles to the placement of the next one.

package simd

import (
	"math/bits"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/tracing/probe"
)

// A when is a cycle, what it is waited for until then, and the cycle from which that is known.
type when struct {
	cycle uint64
	why   account.Reason
	known uint64
}

// A plain wave is one of the plain SIMD.
type plainWave struct {
	number  int // in the order of starts
	slot    int
	group   int
	prog    *program.Program
	state   isa.State
	pc      int
	freeAt  uint64
	from    when
	regs    map[uint16]when
	exec    when
	all     []when // accesses and payload operations
	flight  []when // accesses to vector memory
	lastMem uint64
	lastWhy account.Reason
	asked   int // accesses and payload operations so far
	line    int
	lineAt  uint64
	waits   bool // at a barrier
	ended   bool
}

// A plainSIMD is driven cycle by cycle.
type plainSIMD struct {
	c        *course
	waves    []*plainWave // resident, oldest first
	emptyAt  []uint64
	ports    map[string]uint64
	units    map[string]uint64
	last     int
	cycles   account.SlotCycles
	counts   map[*program.Program][]account.InstCount
	log      *log
	finished []uint64 // scalar registers of waves that ended
}

func newPlain(c *course) *plainSIMD {
	s := &plainSIMD{c: c, emptyAt: make([]uint64, c.shape.WaveSlots), ports: map[string]uint64{}, units: map[string]uint64{},
		last: -1, counts: map[*program.Program][]account.InstCount{}, log: &log{}}
	for _, p := range c.programs {
		s.counts[p] = make([]account.InstCount, len(p.Insts))
	}
	return s
}

// cost is that of an instruction, and whether it has any.
func (s *plainSIMD) cost(in *isa.Inst) (Class, bool) {
	if in.Class == isa.ClassNone {
		return Class{}, false
	}
	c, ok := s.c.timing.Cost(in.Class, &s.c.shape, s.c.shape.WaveSize)
	if !ok {
		panic(in.Class)
	}
	return c, true
}

// start puts a wave into the slot that has been empty for longest.
func (s *plainSIMD) start(now uint64, number int) {
	b := s.c.waves[number]
	w := &plainWave{number: number, slot: -1, group: b.group, prog: s.c.programs[b.program], regs: map[uint16]when{}}
	taken := map[int]bool{}
	for _, other := range s.waves {
		taken[other.slot] = true
	}
	for i, at := range s.emptyAt {
		if !taken[i] && (w.slot < 0 || at < s.emptyAt[w.slot]) {
			w.slot = i
		}
	}
	w.freeAt = max(now-b.placedBefore, s.emptyAt[w.slot])
	s.cycles[account.Empty] += w.freeAt - s.emptyAt[w.slot]
	w.state = s.c.state(number, make([]uint32, w.prog.VectorRows*w.prog.WaveSize), make([]uint64, w.prog.ScalarWords))
	for i := range w.prog.Prologue {
		if in := &w.prog.Prologue[i]; in.Exec != nil {
			in.Exec(&w.state, in)
		}
	}
	s.waves = append(s.waves, w)
	s.log.add("begin", s.place(w), w.freeAt, s.c.groups[w.group].Index, number)
	s.goOn(w, when{cycle: max(now+b.startsAfter, w.freeAt), why: account.Dispatch}, now)
}

func (s *plainSIMD) place(w *plainWave) probe.WaveSlotID {
	return probe.WaveSlotID{Unit: courseUnit, SIMD: s.c.index, Slot: w.slot}
}

// goOn does the instructions that cost nothing, up to one with a source whose
// end is not known, and enters the line of the next one.
func (s *plainSIMD) goOn(w *plainWave, from when, now uint64) {
	w.from = from
	for {
		in := &w.prog.Insts[w.pc]
		if in.Class != isa.ClassNone || in.Exec != nil && w.operands(in).known > now {
			break
		}
		w.pc++
		if isa.TakesBranch(&w.state, in) {
			w.pc = int(in.Target)
		} else if in.Exec != nil {
			ready := w.operands(in)
			in.Exec(&w.state, in)
			for _, r := range in.Writes {
				w.regs[r] = ready
			}
		}
	}
	if f := &s.c.fetch; f.Enabled {
		if line := 1 + (s.c.base+w.pc*f.InstructionBytes)/f.LineBytes; line != w.line {
			w.line, w.lineAt = line, w.freeAt+s.c.fetchDelay(line)
		}
	}
}

// operands is when all registers of an instruction, and the execution mask where it counts, are ready.
func (w *plainWave) operands(in *isa.Inst) (last when) {
	for _, r := range in.Deps {
		last = laterOf(last, w.regs[r])
	}
	if looksAtMask(in) {
		last = laterOf(last, w.exec)
	}
	return last
}

// laterOf is the later of two, and in one cycle the one whose reason is later in the list.
func laterOf(a, b when) when {
	known := max(a.known, b.known)
	if b.cycle > a.cycle || b.cycle == a.cycle && b.why > a.why {
		a = b
	}
	a.known = known
	return a
}

// looksAtMask says that lanes matter: of vector instructions, of memory, and where the mask itself is asked or set.
func looksAtMask(in *isa.Inst) bool {
	switch in.Op {
	case isa.MaskSplit, isa.MaskPark, isa.MaskJoin, isa.MaskKill, isa.BranchExecZ, isa.BranchExecNZ:
		return true
	case isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.Barrier, isa.MemoryBarrier, isa.DebugPrint, isa.End,
		isa.PayloadAlloc, isa.PayloadEnqueue:
		return false
	}
	return in.Mem != nil || !in.Uniform
}

// ready is when the wave may issue and what it waits for until then; false while that is not known.
func (s *plainSIMD) ready(w *plainWave, now uint64) (when, bool) {
	in, known, at := &w.prog.Insts[w.pc], !w.waits && w.from.known <= now, w.from
	wait := func(x when) {
		known = known && x.known <= now
		if x.cycle > at.cycle {
			at = x
		}
	}
	wait(w.operands(in))
	if n := s.c.outstanding; in.Class == isa.ClassVMEM || in.Class == isa.ClassVMEMStore {
		if len(w.flight) >= n {
			x := w.flight[len(w.flight)-n]
			wait(when{x.cycle, account.Memory, x.known})
		}
	}
	switch in.Op {
	case isa.MemoryBarrier, isa.PayloadEnqueue, isa.End:
		for _, x := range w.all {
			known = known && x.known <= now
		}
		wait(when{cycle: w.lastMem, why: w.lastWhy})
	}
	wait(when{cycle: w.lineAt, why: account.Fetch})
	at.cycle = max(at.cycle, w.freeAt)
	return at, known
}

// receive is what comes before the turn of a cycle: a wave that waits for what is
// not known looks again when the end of one of its accesses becomes known.
func (s *plainSIMD) receive(now uint64) {
	for _, w := range s.waves {
		if _, known := s.ready(w, now-1); known || w.waits || w.from.known > now {
			continue
		}
		from := w.from
		for _, x := range w.all {
			if x.known == now && now > from.cycle {
				from = when{cycle: now, why: x.why}
			}
		}
		if w.prog.Insts[w.pc].Class == isa.ClassNone {
			s.goOn(w, from, now)
		}
		w.from = from
	}
}

// A plainReady is a wave that could issue.
type plainReady struct {
	w  *plainWave
	at when
	c  Class
}

// turn is what the SIMD does in a cycle that is its turn.
func (s *plainSIMD) turn(now uint64) {
	if now%uint64(s.c.issue.Cadence) != uint64(s.c.index%s.c.issue.Cadence) {
		return
	}
	var ready []plainReady
	for _, w := range s.waves {
		at, known := s.ready(w, now)
		c, _ := s.cost(&w.prog.Insts[w.pc])
		if known && at.cycle <= now && s.ports[s.port(c.Unit)] <= now && s.open(c.Unit, now) {
			ready = append(ready, plainReady{w, at, c})
		}
	}
	for n := 0; n < s.c.issue.Width && len(ready) > 0; n++ {
		r := ready[s.choose(ready)]
		s.last = r.w.slot
		s.do(r, now)
		var rest []plainReady
		for _, other := range ready {
			if other.w != r.w && (!s.c.issue.PerCategory || other.c.Unit != r.c.Unit) && s.open(other.c.Unit, now) {
				rest = append(rest, other)
			}
		}
		ready = rest
	}
	var stay []*plainWave
	for _, w := range s.waves {
		if !w.ended {
			stay = append(stay, w)
		}
	}
	s.waves = stay
}

func (s *plainSIMD) port(unit string) string {
	if s.c.issue.PerCategory {
		return unit
	}
	return "the one"
}

func (s *plainSIMD) open(unit string, now uint64) bool {
	return s.units[unit] <= now && s.units["shared "+unit] <= now
}

func (s *plainSIMD) choose(ready []plainReady) int {
	switch s.c.issue.Policy {
	case "greedy":
		for i := range ready {
			if ready[i].w.slot == s.last {
				return i
			}
		}
	case "round-robin":
		for step := 1; step <= len(s.emptyAt)+1; step++ {
			for i := range ready {
				if n := len(s.emptyAt); (s.last+step+n)%n == ready[i].w.slot {
					return i
				}
			}
		}
	}
	return 0
}

// charge adds cycles to a reason, of the SIMD and of the instruction that the wave is at.
func (s *plainSIMD) charge(w *plainWave, why account.Reason, from, to uint64) {
	s.cycles[why] += to - from
	s.counts[w.prog][w.pc].Cycles[why] += to - from
}

// do carries out the instruction of a wave in cycle now.
func (s *plainSIMD) do(r plainReady, now uint64) {
	w, in, c := r.w, &r.w.prog.Insts[r.w.pc], r.c
	s.counts[w.prog][w.pc].Issues++
	s.counts[w.prog][w.pc].Idle += uint64(w.state.Lanes - bits.OnesCount64(w.state.Exec))
	s.charge(w, r.at.why, w.freeAt, r.at.cycle)
	s.charge(w, account.Unit, r.at.cycle, now)
	to, takes := w.pc+1, isa.TakesBranch(&w.state, in)
	if takes {
		c, _ = s.c.timing.Cost(isa.ClassBranchTaken, &s.c.shape, s.c.shape.WaveSize)
		to = int(in.Target)
	}
	next := when{cycle: now + uint64(c.Issue), why: account.Unit}
	switch in.Op {
	case isa.Branch, isa.BranchTrue, isa.BranchFalse, isa.BranchExecZ, isa.BranchExecNZ:
		next = when{cycle: now + uint64(c.Latency), why: account.Fetch}
	case isa.PayloadAlloc, isa.PayloadEnqueue:
		next = s.payload(w, in, &c, now)
	case isa.Barrier, isa.MemoryBarrier, isa.DebugPrint, isa.End:
	default:
		s.compute(w, in, &c, now)
	}
	s.log.add("issue", s.place(w), w.pc, w.state.Exec, r.at.why, w.freeAt, r.at.cycle, now, now+uint64(c.Issue))
	s.charge(w, account.Issued, now, now+uint64(c.Issue))
	w.freeAt = now + uint64(c.Issue)
	s.ports[s.port(c.Unit)] = max(s.ports[s.port(c.Unit)], w.freeAt)
	s.units[c.Unit] = max(s.units[c.Unit], now+uint64(c.Busy))
	switch in.Op {
	case isa.Barrier:
		w.waits = true
		s.release(w.group, now)
	case isa.End:
		s.end(w, now)
	default:
		w.pc = to
		s.goOn(w, next, now)
	}
}

// compute carries out an instruction that has a result.
func (s *plainSIMD) compute(w *plainWave, in *isa.Inst, c *Class, now uint64) {
	ready := when{cycle: now + uint64(c.Latency), why: account.Operand}
	if in.Mem != nil {
		a := s.c.answer(w.number, w.asked)
		w.asked++
		ready = a.ready(now, c, account.Memory)
		if in.Mem.Space == isa.SpaceLDS {
			ready.why = account.LDS
			s.counts[w.prog][w.pc].LDSPasses += uint64(a.passes)
			s.counts[w.prog][w.pc].ConflictPasses += uint64(a.conflicts)
		}
		w.all = append(w.all, ready)
		if c.Unit == "vmem" {
			w.flight = append(w.flight, ready)
		}
		if why := waitsForLast(in.Class); ready.cycle > w.lastMem || ready.cycle == w.lastMem && why > w.lastWhy {
			w.lastMem, w.lastWhy = ready.cycle, why
		}
		s.units[c.Unit] = max(s.units[c.Unit], now+a.own)
		s.units["shared "+c.Unit] = max(s.units["shared "+c.Unit], now+a.free)
	} else if in.Exec != nil {
		w.state.Now, w.state.Nanoseconds = now, now*1000/uint64(s.c.shape.ClockMHz)
		in.Exec(&w.state, in)
	}
	for _, r := range in.Writes {
		w.regs[r] = ready
	}
	if in.Op == isa.MaskSplit || in.Op == isa.MaskJoin {
		w.exec = ready
	}
}

// payload carries out an operation on payloads; the wave goes on when the queue lets it.
func (s *plainSIMD) payload(w *plainWave, in *isa.Inst, c *Class, now uint64) (next when) {
	a := s.c.answer(w.number, w.asked)
	w.asked++
	ready := a.ready(now, c, account.Payload)
	w.all = append(w.all, ready)
	for _, r := range in.Writes {
		w.regs[r] = ready
	}
	if a.holds {
		return when{max(now+uint64(c.Issue), now+a.later+a.done), account.Payload, now + a.later}
	}
	return when{cycle: max(now+uint64(c.Issue), now+a.free), why: account.Payload}
}

// release lets a group go on when all of its waves that have not ended wait.
func (s *plainSIMD) release(group int, now uint64) {
	var all []*plainWave
	for _, w := range s.waves {
		if w.group == group && !w.ended {
			all = append(all, w)
			if !w.waits {
				return
			}
		}
	}
	for _, w := range all {
		to := max(now+s.c.barrier, w.freeAt)
		s.charge(w, account.Barrier, w.freeAt, to)
		s.log.add("waited", s.place(w), w.freeAt, to)
		w.freeAt, w.waits = to, false
		w.pc++
		s.goOn(w, when{cycle: to, why: account.Barrier}, now)
	}
}

func (s *plainSIMD) end(w *plainWave, now uint64) {
	w.ended = true
	s.emptyAt[w.slot] = w.freeAt
	s.log.add("end", s.place(w), w.freeAt)
	s.finished = append(append(s.finished, uint64(w.number), w.lastMem), w.state.S...)
	s.release(w.group, now)
}

// settle charges the slots that are empty.
func (s *plainSIMD) settle(end uint64) {
	taken := map[int]bool{}
	for _, w := range s.waves {
		taken[w.slot] = true
	}
	for i, at := range s.emptyAt {
		if !taken[i] && at < end {
			s.cycles[account.Empty] += end - at
			s.emptyAt[i] = end
		}
	}
}
