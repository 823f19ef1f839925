// Package mutate makes small changes to SPIR-V modules that keep their binary form: it replaces an operand by
// another id of the same type, moves an instruction, or replaces a capability. Most results are invalid in only one
// place, so that readers process much of them before they refuse them. It changes YAML documents and bytes likewise.
//
// The package does not know which modules are valid. The same random numbers give the same module.
package mutate

import (
	"math/rand/v2"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// An edit changes the module in one place. apply returns false if the random place has nothing to change.
type edit struct {
	name        string
	weight      int // weight among all edits
	validWeight int // weight with Options.PreferValid
	apply       func(*mutator) bool
}

var edits = []edit{
	{"an id of the same type", 20, 40, (*mutator).sameType},
	{"any id", 12, 0, (*mutator).anyID},
	{"a literal", 14, 40, (*mutator).literal},
	{"an enumerant", 12, 1, (*mutator).enumerant},
	{"the opcode", 10, 8, (*mutator).opcode},
	{"the order of two operands", 6, 10, (*mutator).swapOperands},
	{"the result type", 6, 0, (*mutator).resultType},
	{"an instruction left out", 6, 1, (*mutator).remove},
	{"an instruction twice", 4, 6, (*mutator).repeat},
	{"an instruction elsewhere", 6, 2, (*mutator).moveInstruction},
	{"an operand more or less", 3, 0, (*mutator).resize},
	{"any word", 2, 0, (*mutator).word},
}

// Options configure the changes to a module.
type Options struct {
	Edits       int  // at least 1
	PreferValid bool // prefer edits that leave modules valid
}

// Module returns a changed copy.
func Module(m *spirv.Module, rng *rand.Rand, o Options) *spirv.Module {
	x := newMutator(m, rng)
	for range o.Edits {
		for range 50 { // a random place may have nothing to change
			if x.pick(o.PreferValid).apply(x) {
				break
			}
		}
	}
	return x.module
}

// mutator is a module with the indices that edits use.
type mutator struct {
	module  *spirv.Module
	rng     *rand.Rand
	context *spirv.Context
	byType  map[spirv.ID][]uint32 // values by their type
	types   []uint32
	ids     []uint32
	defined map[uint32]spirv.ID // type of each value
}

func newMutator(m *spirv.Module, rng *rand.Rand) *mutator {
	c := *m
	c.Instructions = append([]spirv.Instruction(nil), m.Instructions...)
	x := &mutator{module: &c, rng: rng, context: spirv.NewContext(int(m.Bound)), byType: map[spirv.ID][]uint32{}, defined: map[uint32]spirv.ID{}}
	for i := range c.Instructions {
		in := &c.Instructions[i]
		in.Operands = append([]uint32(nil), in.Operands...)
		x.context.Note(in)
		if in.Result == 0 {
			continue
		}
		id := uint32(in.Result)
		x.ids = append(x.ids, id)
		if in.Type != 0 {
			x.byType[in.Type] = append(x.byType[in.Type], id)
			x.defined[id] = in.Type
		} else if in.Op >= spirv.OpTypeVoid && in.Op <= spirv.OpTypeForwardPointer {
			x.types = append(x.types, id)
		}
	}
	return x
}

func (x *mutator) pick(gentle bool) *edit {
	weight := func(e *edit) int {
		if gentle {
			return e.validWeight
		}
		return e.weight
	}
	sum := 0
	for i := range edits {
		sum += weight(&edits[i])
	}
	n := x.rng.IntN(sum)
	for i := range edits {
		if n -= weight(&edits[i]); n < 0 {
			return &edits[i]
		}
	}
	return &edits[0]
}

// randomInstruction returns the index of a random instruction, or -1. It avoids names and lines, which are most instructions outside
// of functions.
func (x *mutator) randomInstruction() int {
	list := x.module.Instructions
	if len(list) == 0 {
		return -1
	}
	for range 4 {
		i := x.rng.IntN(len(list))
		if op := list[i].Op; op != spirv.OpName && op != spirv.OpMemberName && op != spirv.OpLine && op != spirv.OpSource {
			return i
		}
	}
	return x.rng.IntN(len(list))
}

// operand returns a random operand, among those of a random instruction for which wanted is true.
func (x *mutator) operand(wanted func(spirv.Operand) bool) (in *spirv.Instruction, o spirv.Operand, ok bool) {
	i := x.randomInstruction()
	if i < 0 {
		return nil, o, false
	}
	in = &x.module.Instructions[i]
	var list []spirv.Operand
	_ = spirv.Walk(in, x.context, func(o spirv.Operand) error { // operands after an error are ignored
		if wanted(o) {
			list = append(list, o)
		}
		return nil
	})
	if len(list) == 0 {
		return in, o, false
	}
	return in, list[x.rng.IntN(len(list))], true
}

func isID(o spirv.Operand) bool { return o.Kind.IsID() }

func randomElement(rng *rand.Rand, list []uint32) uint32 { return list[rng.IntN(len(list))] }

func (x *mutator) sameType() bool {
	_, o, ok := x.operand(isID)
	if !ok {
		return false
	}
	same := x.byType[x.defined[o.Words[0]]]
	if len(same) < 2 {
		return false
	}
	o.Words[0] = randomElement(x.rng, same)
	return true
}

func (x *mutator) anyID() bool {
	_, o, ok := x.operand(isID)
	if !ok || len(x.ids) == 0 {
		return false
	}
	o.Words[0] = randomElement(x.rng, x.ids)
	return true
}

// corners are boundary values.
var corners = []uint32{0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1023, 1024, 1025, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
	0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x3F800000, 0x7F800000, 0xFFC00000, 0x80000001}

func (x *mutator) literal() bool {
	_, o, ok := x.operand(func(o spirv.Operand) bool { return o.Kind.Info().Category == grammar.Literal })
	if !ok {
		return false
	}
	w := &o.Words[x.rng.IntN(len(o.Words))]
	switch x.rng.IntN(4) {
	case 0:
		*w++
	case 1:
		*w--
	case 2:
		*w ^= 1 << x.rng.IntN(32)
	default:
		*w = randomElement(x.rng, corners)
	}
	return true
}

// enumerant replaces an enumerant: a capability, decoration, storage class, built-in and the like.
func (x *mutator) enumerant() bool {
	_, o, ok := x.operand(func(o spirv.Operand) bool {
		c := o.Kind.Info().Category
		return c == grammar.ValueEnum || c == grammar.BitEnum
	})
	if !ok {
		return false
	}
	info := o.Kind.Info()
	e := &info.Enumerants[x.rng.IntN(len(info.Enumerants))]
	if info.Category == grammar.BitEnum {
		o.Words[0] ^= e.Value
	} else {
		o.Words[0] = e.Value
	}
	return true
}

// opcode replaces an operation by another one with the same kinds of operands.
func (x *mutator) opcode() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	in := &x.module.Instructions[i]
	g := in.Op.Grammar()
	if g == nil {
		return false
	}
	first := x.rng.IntN(len(grammar.Ops))
	for k := range grammar.Ops {
		other := &grammar.Ops[(first+k)%len(grammar.Ops)]
		if other.Code != g.Code && sameOperands(g, other) {
			in.Op = spirv.Op(other.Code)
			return true
		}
	}
	return false
}

func sameOperands(a, b *grammar.Op) bool {
	if a.HasType != b.HasType || a.HasResult != b.HasResult || a.Class != b.Class || len(a.Operands) != len(b.Operands) {
		return false
	}
	for i := range a.Operands {
		if a.Operands[i].Kind != b.Operands[i].Kind || a.Operands[i].Quantifier != b.Operands[i].Quantifier {
			return false
		}
	}
	return true
}

func (x *mutator) swapOperands() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	list := x.module.Instructions[i].Operands
	if len(list) < 2 {
		return false
	}
	a, b := x.rng.IntN(len(list)), x.rng.IntN(len(list))
	list[a], list[b] = list[b], list[a]
	return a != b
}

func (x *mutator) resultType() bool {
	i := x.randomInstruction()
	if i < 0 || x.module.Instructions[i].Type == 0 || len(x.types) == 0 {
		return false
	}
	x.module.Instructions[i].Type = spirv.ID(randomElement(x.rng, x.types))
	return true
}

func (x *mutator) remove() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	x.module.Instructions = append(x.module.Instructions[:i], x.module.Instructions[i+1:]...)
	return true
}

// repeat duplicates an instruction, with a new result id.
func (x *mutator) repeat() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	in := x.module.Instructions[i]
	in.Operands = append([]uint32(nil), in.Operands...)
	if in.Result != 0 {
		in.Result = spirv.ID(x.module.Bound)
		x.module.Bound++
	}
	x.insert(i+1, in)
	return true
}

func (x *mutator) insert(at int, in spirv.Instruction) {
	list := append(x.module.Instructions, spirv.Instruction{})
	copy(list[at+1:], list[at:])
	list[at] = in
	x.module.Instructions = list
}

// moveInstruction moves an instruction by up to 4 places or, in one of four cases, anywhere.
func (x *mutator) moveInstruction() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	in, n := x.module.Instructions[i], len(x.module.Instructions)
	x.module.Instructions = append(x.module.Instructions[:i], x.module.Instructions[i+1:]...)
	at := x.rng.IntN(n)
	if x.rng.IntN(4) > 0 {
		at = min(max(i+x.rng.IntN(9)-4, 0), n-1)
	}
	x.insert(at, in)
	return true
}

func (x *mutator) resize() bool {
	i := x.randomInstruction()
	if i < 0 {
		return false
	}
	in := &x.module.Instructions[i]
	if n := len(in.Operands); n > 0 && x.rng.IntN(2) == 0 {
		in.Operands = in.Operands[:n-1]
	} else if len(x.ids) > 0 {
		in.Operands = append(in.Operands, randomElement(x.rng, x.ids))
	}
	return true
}

func (x *mutator) word() bool {
	i := x.randomInstruction()
	if i < 0 || len(x.module.Instructions[i].Operands) == 0 {
		return false
	}
	list := x.module.Instructions[i].Operands
	list[x.rng.IntN(len(list))] = x.rng.Uint32()
	return true
}
