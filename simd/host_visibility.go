// Visibility: for the host's speed alone. Package cu/lookahead learns from it which issue cycles of a compute unit may be carried out ahead
// of the engine, by any thread.
//
// Law: MayAffect is false of a cycle only if no instruction that may issue in it is visible beyond the waves of the compute unit,
// whichever of the waves that may issue do: it errs towards true. A unit that goes ahead then does what it would do in its events.
//
// Tests: TestGoingAheadChangesNothing, TestThreadsChangeNothing and TestDrawnJobsGoAhead in package systemtest.

package simd

import "math/bits"

// A visibility is who can observe that an instruction issued.
type visibility uint8

const (
	visibleToMachine visibility = iota
	// visibleLoad is of loads from memory: the compute unit's waves alone where that memory does not change (ComputeUnit.LoadAhead).
	visibleLoad
	// visibleToUnit are the compute unit's waves.
	visibleToUnit
)

// unitPaths are the kinds of instructions that only the waves of one compute unit can observe.
var unitPaths = [...]bool{PathCompute: true, PathClock: true, PathBranch: true, PathLDS: true, PathBarrier: true, PathFence: true, PathEnd: false}

// A issueState is what a wave is at, in one word: the unit of its next instruction, who can observe that it issued, and for how many cycles from there
// on the wave does at least what concerns it alone.
type issueState uint32

func newIssueState(u unit, by visibility) issueState { return issueState(u) | issueState(by)<<8 }

func (s issueState) unit() unit             { return unit(s % unitTable) }
func (s issueState) visibility() visibility { return visibility(s >> 8) }
func (s issueState) privateCycles() uint64  { return uint64(s >> 16) }

// withPrivateCycles is the site with so many cycles for alone.
func (s issueState) withPrivateCycles(alone int) issueState {
	return s&(1<<16-1) | issueState(alone)<<16
}

// initialIssueState is what a wave is at that issues o next.
func (o *op) initialIssueState(load bool) issueState {
	by := visibleToMachine
	switch {
	case o.readsPayloads():
	case unitPaths[o.path]:
		by = visibleToUnit
	case load && sharedUnits[o.unit]:
		by = visibleLoad
	}
	return newIssueState(o.unit, by)
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
	if *s.nextVisible > now || s.portFree > now {
		return false
	}
	left, used := s.width, uint(0)
	for m := candidates(s, now); m != 0; m &= m - 1 {
		w := s.order[bits.TrailingZeros64(m)%maxSlots]
		u := w.unit()
		if s.unitFreeAt.issueAt(w) > now || used>>u&1 != 0 {
			continue
		}
		if by := w.visibility(); by != visibleToUnit && !(s.shared.LoadsAhead && by == visibleLoad && s.cu.LoadAhead(w, w.currentInst())) {
			return true
		}
		if s.policy != nil {
			continue // another wave may come before it
		}
		used |= 1<<u | 1<<portPartners[u]
		if sharedUnits[u] {
			continue // another SIMD may come before it
		}
		if left--; left == 0 {
			return false
		}
	}
	return false
}
