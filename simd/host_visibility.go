// Visibility: for the host's speed alone. Package cu/lookahead learns from it which issue cycles of a compute unit may be carried out ahead
// of the engine, by any thread.
//
// Law: MayAffect is false of a cycle only if no instruction that may issue in it is visible beyond the waves of the compute unit,
// whichever of the waves that may issue do: it errs towards true. A unit that goes ahead then does what it would do in its events.
//
// Tests: TestGoingAheadChangesNothing, TestThreadsChangeNothing and TestDrawnJobsGoAhead in package internal/systemtest.

package simd

import "math/bits"

// A visibility is the set of waves that can observe the issue of an instruction: all, or those of the compute unit.
type visibility uint8

const (
	visibleToMachine visibility = iota
	// visibleLoad is of loads from memory: visible to the compute unit's waves alone where that memory does not change (ComputeUnit.LoadAhead).
	visibleLoad
	// visibleToUnit: to the compute unit's waves.
	visibleToUnit
)

// unitPaths are the paths of instructions that only the waves of one compute unit can observe.
var unitPaths = [...]bool{PathCompute: true, PathClock: true, PathBranch: true, PathLDS: true, PathBarrier: true, PathFence: true, PathEnd: false}

// An issueState packs, for the wave's next instruction: its unit (8 bits), who can observe its issue (8 bits), and for how many cycles
// the wave stays unobservable (16 bits).
type issueState uint32

func newIssueState(u unit, by visibility) issueState { return issueState(u) | issueState(by)<<8 }

func (s issueState) unit() unit             { return unit(s % unitTable) }
func (s issueState) visibility() visibility { return visibility(s >> 8) }
func (s issueState) privateCycles() uint64  { return uint64(s >> 16) }

// withPrivateCycles returns the state with so many private cycles.
func (s issueState) withPrivateCycles(alone int) issueState {
	return s&(1<<16-1) | issueState(alone)<<16
}

// initialIssueState returns the state of a wave whose next instruction is o, without private cycles.
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

// sharedUnits are the units that the SIMDs of a compute unit share.
var sharedUnits = [unitTable]bool{unitLDS: true, unitVMEM: true, unitSMEM: true}

// Pending reports whether an access is under way whose completion comes by callback.
func (s *Shared) Pending() bool { return s.pending > 0 }

// MayAffect reports whether issue cycle now may do something visible beyond the compute unit's waves. A wave that
// could does not where older ones fill the issue width.
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
