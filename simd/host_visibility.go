// Visibility: for the host's speed alone. Package cu/lookahead learns from it which issue cycles of a compute unit may be carried out ahead
// of the engine, by any thread.
//
// Law: MayAffect is false of a cycle only if no instruction that may issue in it is visible beyond the waves of the compute unit,
// whichever of the waves that may issue do: it errs towards true. A unit that goes ahead then does what it would do in its events.
//
// Tests: TestGoingAheadChangesNothing, TestThreadsChangeNothing and TestDrawnJobsGoAhead in package systemtest.

package simd

import "math/bits"

// A scope is who can observe that an instruction issued.
type scope uint8

const (
	scopeMachine scope = iota
	// scopeLoad is of loads from memory: the compute unit's waves alone where that memory does not change (ComputeUnit.LoadAhead).
	scopeLoad
	// scopeUnit are the compute unit's waves.
	scopeUnit
)

// unitKinds are the kinds of instructions that only the waves of one compute unit can observe.
var unitKinds = [...]bool{PathCompute: true, PathClock: true, PathBranch: true, PathLDS: true, PathBarrier: true, PathFence: true, PathEnd: false}

// A site is what a wave is at, in one word: the unit of its next instruction, who can observe that it issued, and for how many cycles from there
// on the wave does at least what concerns it alone.
type site uint32

func newSite(u unit, by scope) site { return site(u) | site(by)<<8 }

func (s site) unit() unit    { return unit(s % unitTable) }
func (s site) scope() scope  { return scope(s >> 8) }
func (s site) alone() uint64 { return uint64(s >> 16) }

// lasting is the site with so many cycles for alone.
func (s site) lasting(alone int) site { return s&(1<<16-1) | site(alone)<<16 }

// site is what a wave is at that issues o next.
func (o *op) site(load bool) site {
	by := scopeMachine
	switch {
	case o.readsPayloads():
	case unitKinds[o.kind]:
		by = scopeUnit
	case load && sharedUnits[o.unit]:
		by = scopeLoad
	}
	return newSite(o.unit, by)
}

// sharedUnits are those that the SIMDs of a compute unit share.
var sharedUnits = [unitTable]bool{unitLDS: true, unitVMEM: true, unitSMEM: true}

// Pending says that operations are under way of which the unit does not know the end.
func (s *Shared) Pending() bool { return s.pending > 0 }

// MayAffect says whether the turn of cycle now may do something that others than
// the compute unit's waves can observe: a wave that could does not where older ones take
// all that the SIMD issues.
func (s *SIMD) MayAffect(now uint64) bool {
	s.CatchUp(now)
	if *s.next > now || s.portFree > now {
		return false
	}
	left, used := s.width, uint(0)
	for m := candidates(s, now); m != 0; m &= m - 1 {
		w := s.order[bits.TrailingZeros64(m)%maxSlots]
		u := w.unit()
		if s.free.key(w) > now || used>>u&1 != 0 {
			continue
		}
		if by := w.scope(); by != scopeUnit && !(s.shared.LoadsAhead && by == scopeLoad && s.cu.LoadAhead(w, w.at())) {
			return true
		}
		if s.policy != nil {
			continue // another wave may come before it
		}
		used |= 1<<u | 1<<besides[u]
		if sharedUnits[u] {
			continue // another SIMD may come before it
		}
		if left--; left == 0 {
			return false
		}
	}
	return false
}
