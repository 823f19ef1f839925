package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// superwords finds pairs of f32 operations that one packed instruction computes, where LLVM finds them:
//
//   - components 2k and 2k+1 of a vector operation of the source;
//   - its SLP vectorizer's trees (S. Larsen, S. Amarasinghe, Exploiting Superword Level Parallelism with Multimedia
//     Instruction Sets, PLDI 2000): from two words that a store writes side by side, or from two phis of a block, to the
//     operations that compute both, and on to their operands. Operations that nothing of the kind joins, such as copies of an
//     unrolled loop's body that store far apart, stay single. So does a tree by which nothing is gained: of multiply-adds, for
//     example, as the cost model for AMDGPU counts a product that is added as free, but not one of a pair.
//
// The halves of each operand are assumed to be in a pair of registers, as LLVM's costs assume: inserting an element is free.
type superwords struct {
	first []*ir.Value // by id of a pair's second value: its first one
	pairs map[*ir.Value]*ir.Value
	u     *uses
	phis  map[[2]*ir.Value]bool // pairs of phis that the present tree has followed
	grown []*ir.Value           // first ones of the present tree's pairs
}

// Superwords pairs the operations of a function, and lets the second of each pair follow the first. It returns, by id of a
// second, the first.
func Superwords(f *ir.Func) []*ir.Value {
	s := findSuperwords(f)
	for _, b := range f.Blocks {
		s.order(b)
	}
	return s.first
}

func findSuperwords(f *ir.Func) *superwords {
	s := &superwords{first: make([]*ir.Value, f.NumValues()), pairs: map[*ir.Value]*ir.Value{}, u: newUses(f), phis: map[[2]*ir.Value]bool{}}
	for _, b := range f.Blocks {
		s.components(b)
	}
	for _, b := range f.Blocks {
		s.grow(f32s(b.Phis), 0)
		for _, v := range b.Code {
			if v.Op == isa.Store && v.Mem.Elem == isa.F32 {
				_, _, _, data := v.MemArgs()
				s.grow(data, apart(v))
			}
		}
	}
	return s
}

func f32s(list []*ir.Value) (kept []*ir.Value) {
	for _, v := range list {
		if v.R == isa.F32 && !v.Uniform {
			kept = append(kept, v)
		}
	}
	return kept
}

// apart returns what the cost model gains by an access to two words: 1 if the source accesses each by itself.
func apart(v *ir.Value) int {
	if v.Mem.Joined {
		return 1
	}
	return 0
}

// components pairs the components of vector operations. There is no packed subtraction: LLVM makes one of two components an
// addition, and takes wider ones apart.
func (s *superwords) components(b *ir.Block) {
	type key struct {
		id   uint32
		op   isa.Op
		half uint8
	}
	even, wide := map[key]*ir.Value{}, map[uint32]bool{}
	for _, v := range b.Code {
		if v.Op == isa.FSub && v.Component >= 2 {
			wide[v.SPIRV] = true
		}
	}
	for _, v := range b.Code {
		if !packedOps[v.Op] || v.SPIRV == 0 || v.Op == isa.FSub && wide[v.SPIRV] {
			continue
		}
		k := key{v.SPIRV, v.Op, v.Component / 2}
		if v.Component%2 == 0 {
			even[k] = v
		} else if u := even[k]; u != nil && packsWith(u, v) {
			s.join(u, v)
			delete(even, k)
		}
	}
}

func (s *superwords) join(u, v *ir.Value) {
	s.pairs[u], s.pairs[v], s.first[v.ID] = v, u, u
}

func (s *superwords) undo(u, v *ir.Value) {
	s.pairs[u], s.pairs[v], s.first[u.ID], s.first[v.ID] = nil, nil, nil, nil
}

// grow follows neighbours two by two, and keeps the trees by which something is gained, the gain of their roots included.
func (s *superwords) grow(list []*ir.Value, root int) {
	for ; len(list) >= 2; list = list[2:] {
		s.grown = s.grown[:0]
		clear(s.phis)
		if root+s.tree(list[0], list[1]) > 0 {
			continue
		}
		for _, u := range s.grown {
			s.undo(u, s.pairs[u])
		}
	}
}

// tree pairs two operations, and then those that compute their operands. It returns the instructions that it gains by the
// count of LLVM's cost model.
func (s *superwords) tree(u, v *ir.Value) (gain int) {
	switch {
	case u == v || s.pairs[u] != nil || s.pairs[v] != nil:
		return 0
	case u.Op == isa.Phi && v.Op == isa.Phi && u.Block == v.Block:
		if s.phis[[2]*ir.Value{u, v}] {
			return 0
		}
		s.phis[[2]*ir.Value{u, v}] = true
	case u.Op == isa.Proj && v.Op == isa.Proj && u.Args[0] == v.Args[0] && u.Args[0].Op == isa.Load && v.Imm == u.Imm+1:
		return apart(u.Args[0])
	case packsWith(u, v):
		s.join(u, v)
		s.grown = append(s.grown, u)
		gain = s.gain(u, v)
	default:
		return 0
	}
	for k := range u.Args {
		gain += s.tree(u.Args[k], v.Args[k])
	}
	return gain
}

// gain returns the cost of two operations less that of the one that computes both. A product that is added is free when
// single (GCNTTIImpl::getArithmeticInstrCost), so a product and a sum that became a multiply-add gain nothing.
func (s *superwords) gain(u, v *ir.Value) int {
	gain := -1
	for _, w := range []*ir.Value{u, v} {
		if !s.added(w) {
			gain++
		}
	}
	if u.Contracted {
		gain--
	}
	return gain
}

// added reports a product whose one use adds to it, be it fused or not.
func (s *superwords) added(v *ir.Value) bool {
	if fuses(v, s.u) {
		return true
	}
	users := s.u.users(v)
	return v.Op == isa.FMul && !v.NoContract && len(users) == 1 && users[0].Contracted && users[0].Args[2] == v
}

// packsWith reports whether one packed instruction may compute both values: v_pk_fma_f32 has signs for each half, one clamp,
// and no absolute values; a scalar or a literal goes to both halves.
func packsWith(u, v *ir.Value) bool {
	if u.Op != v.Op || !packedOps[u.Op] || u.T != isa.F32 || v.T != isa.F32 || u.Block != v.Block || u.Uniform || v.Uniform ||
		u.Mod.Abs|v.Mod.Abs != 0 || u.Mod.Clamp != v.Mod.Clamp {
		return false
	}
	for k, x := range u.Args {
		if y := v.Args[k]; x != y && (inScalarFile(x) || inScalarFile(y)) || y == u || x == v {
			return false
		}
	}
	return true
}

func inScalarFile(v *ir.Value) bool { return literal(v) || v.Uniform }

// packedOps have a packed form for f32. A subtraction of two words is an addition with a sign.
var packedOps = map[isa.Op]bool{isa.FAdd: true, isa.FSub: true, isa.FMul: true, isa.Fma: true}

// order moves values of a block so that the two of a pair follow each other, and undoes pairs where they cannot, because one
// depends on the other. All else keeps its order as far as operands allow.
func (s *superwords) order(b *ir.Block) {
	for !s.tryOrder(b) {
	}
}

func (s *superwords) tryOrder(b *ir.Block) bool {
	place := map[*ir.Value]int{} // of a value, or of its pair: that of the first of the two in the block
	paired := false
	for i, v := range b.Code {
		place[v] = i
		if u := s.pairs[v]; u != nil {
			paired = true
			if at, ok := place[u]; ok {
				place[v] = at
			}
		}
	}
	if !paired {
		return true
	}
	waits, next := make([]int, len(b.Code)), make([][]int, len(b.Code))
	members, lastEffect := make([][]*ir.Value, len(b.Code)), -1
	after := func(at, from int) {
		if from != at {
			next[from] = append(next[from], at)
			waits[at]++
		}
	}
	for _, v := range b.Code {
		at := place[v]
		members[at] = append(members[at], v)
		for _, a := range v.Args {
			if from, ok := place[a]; ok {
				after(at, from)
			}
		}
		if v.Mem != nil || !v.Op.Has(isa.FlagPure) && !literal(v) {
			if lastEffect >= 0 {
				after(at, lastEffect)
			}
			lastEffect = at
		}
	}
	var ready heap
	for at, list := range members {
		if len(list) > 0 && waits[at] == 0 {
			ready.push(at)
		}
	}
	out := make([]*ir.Value, 0, len(b.Code))
	for len(ready) > 0 {
		at := ready.pop()
		list := members[at]
		if len(list) == 2 && s.first[list[0].ID] != nil {
			slices.Reverse(list)
		}
		out, members[at] = append(out, list...), nil
		for _, k := range next[at] {
			if waits[k]--; waits[k] == 0 {
				ready.push(k)
			}
		}
	}
	if len(out) < len(b.Code) {
		s.part(members)
		return false
	}
	copy(b.Code, out)
	return true
}

// part undoes the pairs that wait for each other, or for such.
func (s *superwords) part(members [][]*ir.Value) {
	for _, list := range members {
		if len(list) == 2 {
			s.undo(list[0], list[1])
		}
	}
}
