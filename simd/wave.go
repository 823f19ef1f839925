package simd

import (
	"math/bits"

	"spvsim/account"
	"spvsim/check"
	"spvsim/isa"
)

// Never is later than every cycle that a run can reach.
const Never = uint64(1) << 58

// reasonBits are the low bits of a scoreboard entry, which hold a stall reason below the cycle: the largest of several entries has the
// reason of the latest. Cycle 100 and reason 3 make 100<<4 | 3 = 1603.
const reasonBits = 4

// fromMatrix is the reason in scoreboard entries of a matrix unit's results: a product that accumulates onto them waits for fewer cycles.
const fromMatrix = account.Reason(1<<reasonBits - 1)

// reasons maps the reasons of scoreboard entries to the reasons that cycles are charged to.
var reasons = func() (list [1 << reasonBits]account.Reason) {
	for r := range account.NumReasons {
		list[r] = r
	}
	list[fromMatrix] = account.Operand
	return list
}()

// maxZeroCost bounds the zero-cost instructions executed together, and with them the work of one event.
const maxZeroCost = 1 << 14

// A Workgroup is resident on a compute unit.
type Workgroup struct {
	Index      uint64 // in launch order
	ID         [3]uint32
	Waves      []*Wave // that have not ended
	Arrived    int     // waves that wait at the barrier
	LDSBase    uint32  // where the workgroup's bytes start in the compute unit's LDS
	LDSSize    uint32
	Done       uint64            // cycle by which all accesses of its ended waves are done
	Check      *check.GroupCheck // nil: its accesses are not checked
	FirstIssue uint64            // cycle in which the first of its waves issued its first instruction, in execution graphs; 0: none has
}

// NoteFirstIssue notes the first issue of a wave of the group. SIMDs that run ahead call it out of the order of time.
func (g *Workgroup) NoteFirstIssue(now uint64) {
	if g.FirstIssue == 0 || now < g.FirstIssue {
		g.FirstIssue = now
	}
}

// Remove removes a wave that ended.
func (g *Workgroup) Remove(w *Wave) {
	for i, other := range g.Waves {
		if other == w {
			g.Waves = append(g.Waves[:i], g.Waves[i+1:]...)
			return
		}
	}
}

// A Wave is a wave slot of a SIMD, and the wave in it while there is one. The fields that every instruction needs are first.
type Wave struct {
	code               *Code
	scoreboard         []uint64       // the scoreboard: of the register memory
	op                 *op            // that it is at
	issueState                        // of that
	stallReason        account.Reason // what it waits for until its ready cycle
	blocked            bool           // it does not go on before Complete
	ready              uint64         // from when it may issue, but for its unit
	freeAt             uint64         // end of the cycles charged so far; earliest next issue
	execAt             uint64         // scoreboard entry of the execution mask
	backpressureBefore uint64         // cycles for which the path to memory had waited for full queues before it was ready for that path

	earliestIssue issueBound  // issue, but for what it waits for
	fetched       fetchedLine // of the instruction cache
	outstandingAccesses

	// Under compaction: the lanes that were active at the start, and those of the instructions since one of them issued.
	lanesAtStart, filledLanes int

	State     isa.State
	Workgroup *Workgroup
	Slot      int // of the SIMD
	SIMD      *SIMD
	registers *registerMemory
}

// An issueBound is a cycle before which a wave does not issue, with its reason.
type issueBound struct {
	from   uint64
	reason account.Reason
}

// A fetchedLine is a line of the instruction cache, and the cycle from which the wave has it.
type fetchedLine struct {
	line        uint32
	availableAt uint64
}

// outstandingAccesses are the accesses of a wave in flight.
type outstandingAccesses struct {
	pendingAccesses   int    // accesses of which the completion is not known
	lastMem           uint64 // completion of its last memory access
	lastReason        account.Reason
	returnCycles      []uint64
	lastOrderedReturn uint64          // when the accesses that return in order have returned
	pendingReturns    []pendingReturn // those from the first on of which that is not known yet
	nextReturn        int
}

// CurrentInst returns the next instruction of the wave, and its index.
func (w *Wave) CurrentInst() (pc int, in *isa.Inst) {
	return int(w.op.pc), w.op.in
}

// currentInst returns the next instruction of the wave.
func (w *Wave) currentInst() *isa.Inst { return w.op.in }

// WaitsFor returns the stall reason until cycle Ready.
func (w *Wave) WaitsFor() account.Reason { return w.stallReason }

// Ready returns the cycle from which the wave may issue; Never while a completion or a barrier decides it.
func (w *Wave) Ready() uint64 { return w.ready }

// Program returns the code that the wave runs.
func (w *Wave) Program() *Code { return w.code }

// LastMemory returns the cycle in which the last access of the wave completes.
func (w *Wave) LastMemory() uint64 { return w.lastMem }

// FreeAt returns the end of the issue cycles of the wave's last instruction.
func (w *Wave) FreeAt() uint64 { return w.freeAt }

// registerMemory holds the registers of one wave. The scoreboard has for each row and word the cycle from which it is ready, shifted
// left by reasonBits, and the reason.
type registerMemory struct {
	v             []uint32
	s, scoreboard []uint64
}

// A RegisterPool reuses register memory, that of the same code used most recently first. All SIMDs of a machine share it: the start
// and the end of a wave are never local to its unit.
type RegisterPool struct {
	codes []*Code // that have register memory lying idle
}

// DropUnused drops the register memory of code that has not run since the last call.
func (p *RegisterPool) DropUnused() {
	kept := p.codes[:0]
	for _, c := range p.codes {
		if c.used {
			c.used = false
			kept = append(kept, c)
		} else {
			c.freeRegisters = nil
		}
	}
	clear(p.codes[len(kept):])
	p.codes = kept
}

// allocate returns cleared register memory for a wave of code.
func (p *RegisterPool) allocate(code *Code) *registerMemory {
	code.used = true
	if n := len(code.freeRegisters); n > 0 {
		f := code.freeRegisters[n-1]
		code.freeRegisters = code.freeRegisters[:n-1]
		clear(f.v[:len(f.v)-len(code.fusedLiterals)]) // behind them are literals, and temporaries that a fused step writes before it reads them
		clear(f.s)
		clear(f.scoreboard)
		return f
	}
	prog := code.Program
	rows := prog.VectorRows * prog.WaveSize
	return &registerMemory{
		v:          append(make([]uint32, rows, rows+len(code.fusedLiterals)), code.fusedLiterals...),
		s:          make([]uint64, prog.ScalarWords),
		scoreboard: make([]uint64, code.scoreboardSize),
	}
}

func (p *RegisterPool) release(code *Code, f *registerMemory) {
	if code.freeRegisters == nil {
		p.codes = append(p.codes, code)
	}
	code.freeRegisters = append(code.freeRegisters, f)
}

// A Node is what a wave of an execution graph knows of its node and its input.
type Node struct {
	Input     uint64 // handle of the input payloads; 0: none
	Remaining uint32 // recursion levels
	Shader    uint32 // index of the node
	MeshGroup uint32
	Payloads  isa.PayloadTable // nil outside of a graph
	Lanes     int              // workgroups of one invocation that share the wave; 0: they do not
}

// A Start describes a wave that is to start.
type Start struct {
	Code          *Code
	Workgroup     *Workgroup
	WaveInGroup   uint32
	WavesInGroup  uint32
	NumWorkgroups [3]uint32
	Push          []byte // push constants
	SlotTakenAt   uint64 // cycle in which its slot was taken for it
	FirstIssueAt  uint64 // cycle from which its first instruction may issue
	Node          Node
	Fragments     *isa.Fragments // the quads that the wave is for; nil: invocations of a workgroup
}

// load puts a new wave into the slot and runs the prologue.
func (w *Wave) load(st *Start, s *SIMD) {
	prog := st.Code.Program
	f := s.pool.allocate(st.Code)
	w.code, w.registers, w.scoreboard, w.Workgroup, w.op = st.Code, f, f.scoreboard, st.Workgroup, &st.Code.ops[0]
	w.lastMem, w.lastReason, w.execAt, w.fetched, w.nextReturn, w.pendingAccesses, w.lastOrderedReturn = 0, 0, 0, fetchedLine{}, 0, 0, 0
	w.pendingReturns = w.pendingReturns[:0]
	if w.returnCycles == nil { // most slots of a small job stay empty
		w.returnCycles = make([]uint64, s.outstanding)
	}
	clear(w.returnCycles)
	st.Init(&w.State, prog, Registers{f.v, f.s, s.shared.tmp}, s.clockMask)
	w.lanesAtStart, w.filledLanes = bits.OnesCount64(w.State.Exec), 0
}

func laneMask(lanes int) uint64 {
	return ^uint64(0) >> (64 - uint(lanes))
}

// firstMask returns the execution mask at the start: a bit for each lane that holds an invocation.
func firstMask(local [3]uint32, wave uint32, lanes int) uint64 {
	total := int(local[0]) * int(local[1]) * int(local[2])
	left := total - int(wave)*lanes
	return laneMask(max(min(left, lanes), 1))
}

// depsReady returns the largest scoreboard entry that o depends on: a cycle and its reason.
func (w *Wave) depsReady(o *op) uint64 {
	board := w.scoreboard
	var latest uint64
	for _, d := range o.deps {
		latest = max(latest, board[d])
	}
	for _, d := range o.sum {
		entry := board[d]
		if account.Reason(entry&(1<<reasonBits-1)) == fromMatrix {
			entry -= o.earlyIssue
		}
		latest = max(latest, entry)
	}
	if o.readsExec {
		latest = max(latest, w.execAt)
	}
	return latest
}

// setReady enters cycle and reason for all results of o.
func (w *Wave) setReady(o *op, cycle uint64, why account.Reason) {
	entry := cycle<<reasonBits | uint64(why)
	board := w.scoreboard
	for _, d := range o.writes {
		board[d] = entry
	}
	if o.writesExec {
		w.execAt = entry
	}
}

// A pendingReturn is an access that returns after those before it.
type pendingReturn struct {
	done       uint64 // but for that; Never when it is not known yet
	o          *op
	returnSlot int32
}

// inOrder returns the cycle in which an access that would complete at the given cycle returns, after
// those before it; Never while that is not known.
func (w *Wave) inOrder(o *op, done uint64) uint64 {
	switch {
	case !o.returnsInOrder:
		return done
	case done >= Never || len(w.pendingReturns) > 0:
		w.pendingReturns = append(w.pendingReturns, pendingReturn{done, o, int32(w.nextReturn)})
		return Never
	}
	w.lastOrderedReturn = max(w.lastOrderedReturn, done)
	return w.lastOrderedReturn
}

// returned records the completion of an ordered access, and returns it and those after it in order.
func (w *Wave) returned(flight int32, done uint64, why account.Reason) {
	for i := range w.pendingReturns {
		if w.pendingReturns[i].returnSlot == flight {
			w.pendingReturns[i].done = done
		}
	}
	n := 0
	for ; n < len(w.pendingReturns) && w.pendingReturns[n].done < Never; n++ {
		a := &w.pendingReturns[n]
		w.lastOrderedReturn = max(w.lastOrderedReturn, a.done)
		w.completed(a.o, a.returnSlot, w.lastOrderedReturn, why)
	}
	w.pendingReturns = w.pendingReturns[:copy(w.pendingReturns, w.pendingReturns[n:])]
}

// completed records the completion of a pending access.
func (w *Wave) completed(o *op, flight int32, done uint64, why account.Reason) {
	w.pendingAccesses--
	w.setReady(o, done, why)
	if why != account.Payload {
		w.lastAccess(o, done)
	}
	if flight >= 0 {
		w.returnCycles[flight] = done
	}
}

// lastAccess records the latest completion, and the reason that a wave that waits for it is charged to: of two in one cycle, the larger reason.
func (w *Wave) lastAccess(o *op, done uint64) {
	if done > w.lastMem || done == w.lastMem && o.last > w.lastReason {
		w.lastMem, w.lastReason = done, o.last
	}
}

// waitsForLast returns the stall reason of a wave that has ended except for an outstanding access of this class.
func waitsForLast(c isa.Class) account.Reason {
	switch c {
	case isa.ClassVMEMStore:
		return account.MemoryWrite
	case isa.ClassVMEMAtomic:
		return account.MemoryAtomic
	}
	return account.Memory
}

// accessDone records an access that completes at the given cycle; Never: it is pending.
func (w *Wave) accessDone(o *op, cycle uint64) {
	if cycle < Never {
		w.lastAccess(o, cycle)
	} else {
		w.pendingAccesses++
	}
	if o.countsOutstanding {
		w.returnCycles[w.nextReturn] = cycle
		w.nextReturn++
		if w.nextReturn == len(w.returnCycles) {
			w.nextReturn = 0
		}
	}
}

// Ticket returns the ticket of the access that the wave issues now.
func (w *Wave) Ticket() Ticket {
	t := Ticket{w: w, o: w.op, returnSlot: -1}
	if w.op.countsOutstanding {
		t.returnSlot = int32(w.nextReturn)
	}
	return t
}
