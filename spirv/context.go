package spirv

import "spvsim/spirv/grammar"

// Number is the type of a numeric literal. Width is 0 if it is unknown.
type Number struct {
	Width    int // bits
	Signed   bool
	Float    bool
	Encoded  bool       // a float other than of IEEE 754; Encoding names the format
	Encoding FPEncoding // only if Encoded
}

// Words returns how many words a literal of the type takes; 0 if not known.
func (n Number) Words() int { return (n.Width + 31) / 32 }

// Context holds the preceding declarations on which the form of an instruction may depend: scalar types, types of
// results, imported sets.
type Context struct {
	numbers map[ID]Number
	sets    map[ID]*Import
	dense   []ID // result type by result id, for ids below its length
	sparse  map[ID]ID
}

// Import is an OpExtInstImport. Set is nil if the grammar lacks the set.
type Import struct {
	Name string
	Set  *grammar.ExtSet
}

// NewContext returns an empty context that is quick for ids below n.
func NewContext(n int) *Context {
	return &Context{
		numbers: map[ID]Number{},
		sets:    map[ID]*Import{},
		dense:   make([]ID, n),
		sparse:  map[ID]ID{},
	}
}

// Note records an instruction. Of one that lacks operands it records nothing.
func (c *Context) Note(in *Instruction) {
	switch {
	case in.Op == OpTypeInt && len(in.Operands) == 2:
		c.numbers[in.Result] = Number{Width: int(in.Operands[0]), Signed: in.Operands[1] != 0}
	case in.Op == OpTypeFloat && len(in.Operands) > 0:
		c.numbers[in.Result] = floatNumber(in.Operands)
	case in.Op == OpExtInstImport:
		name, _ := DecodeString(in.Operands)
		c.sets[in.Result] = &Import{Name: name, Set: grammar.LookupSet(name)}
	}
	if in.Type == 0 || in.Result == 0 {
		return
	}
	if int(in.Result) < len(c.dense) {
		c.dense[in.Result] = in.Type
	} else {
		c.sparse[in.Result] = in.Type
	}
}

// TypeOf returns the result type of an id, or 0.
func (c *Context) TypeOf(id ID) ID {
	if int(id) < len(c.dense) {
		return c.dense[id]
	}
	return c.sparse[id]
}

// NumberType returns the type of number that a scalar numeric type id describes.
func (c *Context) NumberType(id ID) Number { return c.numbers[id] }

// Import returns the imported set of an id, or nil.
func (c *Context) Import(id ID) *Import { return c.sets[id] }

func floatNumber(operands []uint32) Number {
	n := Number{Width: int(operands[0]), Float: true}
	if len(operands) > 1 {
		n.Encoded, n.Encoding = true, FPEncoding(operands[1])
	}
	return n
}
