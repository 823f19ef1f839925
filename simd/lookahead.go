package simd

// A Lookahead is what a SIMD promises of the turns to come, as long as no workgroup
// comes, no operation that is pending ends and no barrier is released.
type Lookahead struct {
	// Turn is the next cycle in which a wave may issue more than what concerns it alone; Never if there is none.
	Turn uint64
	due  uint64 // the next cycle in which a wave may issue, which may be before
}

// none is the lookahead of a SIMD without waves.
var none = Lookahead{Turn: Never, due: Never}

// A scope is who can observe that an instruction issued.
type scope uint8

const (
	scopeMachine scope = iota
	// scopeLoad is of loads from memory: the compute unit's waves alone where that memory does not change (Env.LoadAhead).
	scopeLoad
	// scopeUnit are the compute unit's waves.
	scopeUnit
)

// unitKinds are the kinds of instructions that only the waves of one compute unit can observe.
var unitKinds = [...]bool{kindCompute: true, kindClock: true, kindBranch: true, kindLDS: true, kindBarrier: true, kindMemoryBarrier: true, kindEnd: false}

// A site is what a wave is at: the unit of its next instruction, and who can observe that it issued.
type site struct {
	unit  unit
	scope scope
	alone uint16 // cycles from there on in which the wave does at least what concerns it alone
}

// site is what a wave is at that issues o next.
func (o *op) site(load bool) site {
	switch {
	case o.readsPayloads():
		return site{unit: o.unit, scope: scopeMachine}
	case unitKinds[o.kind]:
		return site{unit: o.unit, scope: scopeUnit}
	case load && sharedUnits[o.unit]:
		return site{unit: o.unit, scope: scopeLoad}
	}
	return site{unit: o.unit, scope: scopeMachine}
}

// sharedUnits are those that the SIMDs of a compute unit share.
var sharedUnits = [unitTable]bool{unitLDS: true, unitVMEM: true, unitSMEM: true}

// Lookahead is that of each SIMD.
func (s *Shared) Lookahead() []Lookahead { return s.ahead }

// Pending says that operations are under way of which the unit does not know the end.
func (s *Shared) Pending() bool { return s.pending > 0 }

// MayAffect says whether the turn of cycle now may do something that others than
// the compute unit's waves can observe: a wave that could does not where older ones take
// all that the SIMD issues.
func (s *SIMD) MayAffect(now uint64) bool {
	s.CatchUp(now)
	if s.portFree > now {
		return false
	}
	left, used := s.width, uint(0)
	sites := s.at[:len(s.ready)]
	for i, from := range s.ready {
		if from > now {
			continue
		}
		at := sites[i]
		u := at.unit % unitTable
		if s.openAt(u) > now || used>>u&1 != 0 {
			continue
		}
		if at.scope != scopeUnit && !(s.shared.LoadsAhead && at.scope == scopeLoad && s.env.LoadAhead(s.order[i], s.order[i].at())) {
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
