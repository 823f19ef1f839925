package functional

import (
	"spvsim/check"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/mem"
	"spvsim/simd"
)

// A stopReason is the reason for which a wave's turn ended.
type stopReason uint8

const (
	outOfInstructions stopReason = iota // it executed instructionsPerTurn
	polled                              // it polls memory without success
	arrived                             // it waits at the barrier
	reachedEnd
	failed
)

const (
	// instructionsPerTurn bounds the instructions of a wave's turn. Knob.
	instructionsPerTurn = 1 << 18
	// shortTurn bounds them where workgroups run beside each other: docs/model/sampling.md names it.
	shortTurn = 32
	// maxIdlePolls bounds the polls of a wave's turn without a write by the worker. Knob.
	maxIdlePolls = 16
)

// A wave is a wave of a resident workgroup.
type wave struct {
	state  isa.State
	env    mem.WaveBindings
	pc     int32
	status waveState
	regs   *simd.Registers
	length uint64 // instructions so far
	// idlePolls counts polls (coherent and atomic accesses) since the worker had made changesSeen writes.
	idlePolls   int
	changesSeen uint64
}

type waveState uint8

const (
	waveRuns waveState = iota
	waveWaits
	waveEnded
)

// runWave executes a wave's instructions until its turn ends. It is not inlined: in visit, too few of the host's
// registers would be left for it.
//
//go:noinline
func (k *worker) runWave(g *group, w *wave) stopReason {
	st, c := &w.state, g.code
	w.changesSeen, w.idlePolls = k.port.Functional().Modifications+k.lds.ChangeCount, 0
	run := isa.CompiledRun{Counts: g.table.entries, Budget: k.run.turn}
	for c.flow.Start(st, &run, w.pc); ; {
		n := c.flow.Run(st, &run)
		k.clock, run.Executed = k.clock+run.Executed, 0
		if n == isa.OutOfBudget {
			w.pc = run.ResumeAt
			return outOfInstructions
		}
		l := &c.exits[n]
		if !c.segmentEnds[l.pc] {
			k.runAccess(g, w, l)
			continue
		}
		w.pc = l.pc + 1
		switch l.path {
		case simd.PathCompute: // it writes the execution mask
			l.in.Exec(st, l.in)
		case simd.PathBranch:
			if isa.TakesBranch(st, l.in) {
				if run.Budget--; w.pc > l.in.Target && k.stopped() { // charged, so that empty loops end too
					return failed
				}
				w.pc = l.in.Target
			}
		case simd.PathMemory:
			if !k.memory(g, w, l) {
				return failed
			}
			if k.isSpinning(w, l.in) {
				return polled
			}
		case simd.PathLDS:
			if k.localMemory(g, w, l) {
				return polled
			}
		case simd.PathBarrier:
			if c := g.shared.Check; c != nil {
				c.Barrier(st.WaveInGroup)
			}
			w.status = waveWaits
			return arrived
		case simd.PathEnd:
			w.status = waveEnded
			return reachedEnd
		default:
			if !k.runExit(g, w, l) {
				return failed
			}
		}
		c.flow.Start(st, &run, w.pc)
	}
}

// runExit executes the rarer instructions at which a segment ends. It returns false if the run failed.
func (k *worker) runExit(g *group, w *wave, s *exit) bool {
	st := &w.state
	switch s.path {
	case simd.PathClock:
		st.Now = k.run.options.Clock + k.clock
		st.Nanoseconds = st.Now * 1000 / uint64(max(k.run.options.ClockMHz, 1))
		s.in.Exec(st, s.in)
	case simd.PathPrint:
		k.run.print(k.clock, g, st, s.in)
	case simd.PathPayload, simd.PathRelease:
		p := k.run.options.Payloads
		if p == nil {
			return k.run.fail(ErrNoGraph)
		}
		p.Execute(g.wg.Index, st, int(s.pc), s.in)
		if err := p.Err(); err != nil {
			return k.run.fail(err)
		}
	case simd.PathFence:
		k.run.fence.Add(1) // a locked operation: it orders the host's memory accesses
	}
	return true
}

// runAccess executes an access that does not end a segment, because no wave polls it.
func (k *worker) runAccess(g *group, w *wave, s *exit) {
	if s.access == nil {
		k.localMemory(g, w, s)
		return
	}
	if st := &w.state; k.run.options.Payloads == nil && g.shared.Check == nil && st.Helpers == 0 {
		s.access(k.port, 0, st, &w.env, s.in)
	} else {
		k.memory(g, w, s)
	}
	k.isSpinning(w, s.in)
}

// memory executes an access to device memory. It returns false if the run failed.
func (k *worker) memory(g *group, w *wave, s *exit) bool {
	p := k.run.options.Payloads
	if p == nil || !s.in.Mem.Payload {
		k.checkedAccess(g, w, s)
		return true
	}
	st := &w.state
	denied, ok := p.Check(g.wg.Index, st, int(s.pc), s.in)
	if !ok {
		err := p.Err()
		return err == nil || k.run.fail(err)
	}
	exec := st.Exec
	st.Exec = exec &^ denied
	k.checkedAccess(g, w, s)
	st.Exec = exec
	return true
}

// checkedAccess executes an access to device memory that the payloads allow.
func (k *worker) checkedAccess(g *group, w *wave, s *exit) {
	if c := g.shared.Check; c != nil && c.ChecksBuffer(int(s.pc), s.in) {
		k.checkAccess(c, w, s)
		k.memoryAccess(w, s.access, s.in)
		c.AfterAtomics(s.in)
		return
	}
	k.memoryAccess(w, s.access, s.in)
}

func (k *worker) memoryAccess(w *wave, access mem.Access, in *isa.Inst) {
	st := &w.state
	if st.Helpers == 0 {
		access(k.port, 0, st, &w.env, in)
		return
	}
	exec := st.Exec
	st.Exec = st.WriteMask(in)
	if st.Exec != 0 || exec == 0 {
		access(k.port, 0, st, &w.env, in)
	}
	st.Exec = exec
}

// checkAccess has an access to device memory checked.
func (k *worker) checkAccess(c *check.GroupCheck, w *wave, s *exit) {
	st := &w.state
	exec := st.Exec
	st.Exec = st.WriteMask(s.in)
	t := k.port.Touched(st, &w.env, s.in)
	st.Exec = exec
	if t.Mask != 0 {
		c.AccessBuffer(st, int(s.pc), s.in, &t)
	}
}

// localMemory executes an access to the LDS, and reports whether the wave polls
// it without success.
func (k *worker) localMemory(g *group, w *wave, s *exit) (polls bool) {
	st, in := &w.state, s.in
	if c := g.shared.Check; c != nil {
		c.AccessLDS(st, int(s.pc), in)
	}
	if d := k.run.options.LDS; d != nil {
		k.measured(d, st, in, g.local.Bytes)
		return k.isSpinning(w, in)
	}
	if s.local != nil && k.lds.AccessFast(st, s.local, g.local.Bytes) {
		return false
	}
	k.lds.Access(st, in, g.local.Bytes)
	return k.isSpinning(w, in)
}

// measured executes an access to the LDS, and adds up the cycles for which it occupies the LDS.
func (k *worker) measured(d *lds.LDS, st *isa.State, in *isa.Inst, region []byte) {
	changes, faults := d.ChangeCount, d.Faults
	k.counts.LDSUnit += d.Measured(st, in, region)
	k.lds.ChangeCount += d.ChangeCount - changes
	if n := d.Faults - faults; n > 0 {
		k.lds.Faults += n
		k.lds.First = append(k.lds.First, d.First...)
		d.First = nil
	}
}

// isSpinning reports whether a wave has polled memory more than maxIdlePolls times
// in this turn, without a write by the worker since.
func (k *worker) isSpinning(w *wave, in *isa.Inst) bool {
	if changes := k.port.Functional().Modifications + k.lds.ChangeCount; changes != w.changesSeen {
		w.changesSeen, w.idlePolls = changes, 0
		return false
	}
	if in.Mem.Coherent || in.Op.Has(isa.FlagAtomic) {
		w.idlePolls++
	}
	return w.idlePolls > maxIdlePolls
}
