package program

import (
	"slices"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

func loadsGrid(in *isa.Inst) bool {
	return in.Mem != nil && in.Mem.Space == isa.SpaceTable && in.Mem.Words < 4
}

// Before RDNA 2 the numbers of workgroups are loaded in the block that uses one first, and what uses it waits for the load that gives it;
// an address in registers that begin with an odd one moves first.
func TestNumbersOfWorkgroupsAreLoaded(t *testing.T) {
	for _, limit := range []isa.Op{isa.NumWorkgroupsX, isa.NumWorkgroupsZ, isa.WorkgroupIDX} {
		p := emitted(t, counting(limit), &Target{LoadsGrid: true})
		loads := placesOf(p, loadsGrid)
		if limit == isa.WorkgroupIDX {
			if len(loads) > 0 || p.TableBytes > 0 {
				t.Errorf("%v: loads at %v and a table of %d bytes, want none", limit, loads, p.TableBytes)
			}
			continue
		}
		if len(loads) != 2 || p.TableBytes != gridBytes {
			t.Fatalf("%v: loads at %v and a table of %d bytes, want two and %d", limit, loads, p.TableBytes, gridBytes)
		}
		number := p.Prologue[slices.IndexFunc(p.Prologue, func(in isa.Inst) bool { return in.Op == limit })].Dst
		for k, i := range loads {
			in := &p.Insts[i]
			gives := slices.Contains(in.Mem.Dsts[1:], number)
			if in.Class != isa.ClassSMEM || in.Mem.Words != uint8(2-k) || gives != (k == 1 == (limit == isa.NumWorkgroupsZ)) {
				t.Errorf("%v: load %d is %s of class %v", limit, k, isa.Disasm(in), in.Class)
			}
		}
		test := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.ULt })
		if len(test) == 0 || test[0] < loads[1] || !slices.ContainsFunc(p.Insts[test[0]].Deps, func(r uint16) bool {
			return slices.Contains(p.Insts[loads[0]].Writes, r) || slices.Contains(p.Insts[loads[1]].Writes, r)
		}) {
			t.Errorf("%v: the first of the tests at %v does not wait for the loads at %v", limit, test, loads)
		}
	}
}

// The address of the numbers comes after that of scratch memory and of each set of descriptors: it takes two moves where it begins with an odd register.
func TestAddressOfTheGridBeginsWithAnEvenRegister(t *testing.T) {
	length := func(sets int, loads bool) int {
		f := counting(isa.NumWorkgroupsX)
		for s := 1; s < sets; s++ {
			f.Bindings = append(f.Bindings, ir.Binding{Set: uint32(s), Count: 1})
		}
		return len(emitted(t, f, &Target{LoadsGrid: loads}).Insts)
	}
	for sets, moves := range map[int]int{1: 2, 2: 0, 3: 2} {
		if n := length(sets, true) - length(sets, false); n != 2+moves {
			t.Errorf("%d sets: %d more instructions, want two loads and %d moves", sets, n, moves)
		}
	}
}

// A block that accesses the LDS sets the register that bounds it, unless every way to it has passed one that did.
func TestRegisterThatBoundsTheLDS(t *testing.T) {
	f := generateEmpty()
	g := &gen{f: f, b: f.NewBlock()}
	at, store := g.storer(isa.SpaceLDS)
	first, second, after := f.NewBlock(), f.NewBlock(), f.NewBlock()
	inside := []*ir.Block{first, second}
	for i, b := range inside { // one after the other, each under a condition
		next := append(inside, after)[i+1]
		if i == 0 {
			next = f.NewBlock()
		}
		g.b.Merge = next
		g.b.SetSuccs(ir.Cond, g.val(isa.ULt, isa.I32, isa.Bool, at, g.constant(uint64(64<<i))), b, next)
		g.b = b
		store()
		store()
		b.SetSuccs(ir.Jump, nil, next)
		g.b = next
	}
	store()
	after.Term = ir.Return
	limits := func(p *Program) []int {
		return placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && in.Src[0] == isa.Lit(1<<32-1) })
	}
	if list := limits(emitted(t, f, &Target{LimitsLDS: true})); len(list) != 3 {
		t.Errorf("set at %v, want three blocks that do not follow from each other", list)
	}
}
