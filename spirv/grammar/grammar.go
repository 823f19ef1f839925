// Package grammar holds the tables of the SPIR-V grammar: every instruction,
// every enumerant and every extended instruction that the Khronos grammar
// names, with the kinds of their operands. It knows nothing of words, of
// modules, or of what any instruction means.
//
// tables.go (and ../enums.go) are generated from the JSON of SPIRV-Headers:
//
//	SPIRV_GRAMMAR=.../include/spirv/unified1 go generate ./spirv/grammar
package grammar

//go:generate go run ./gen -json ${SPIRV_GRAMMAR} -tables tables.go -enums ../enums.go

import (
	"sort"
	"sync"

	"spvsim/internal/lists"
)

// Quantifier is the number of times that an operand occurs.
type Quantifier uint8

const (
	One      Quantifier = iota // exactly once
	Optional                   // at most once
	Any                        // any number of times
)

// Category is the family of an operand kind.
type Category uint8

const (
	BitEnum Category = iota
	ValueEnum
	Id
	Literal
	Composite
)

// Version is a SPIR-V version, major<<8 | minor; 0: no version of the core specification has the entry, and an
// extension must be declared.
type Version uint16

// Operand is one operand of an instruction, or one parameter of an enumerant.
type Operand struct {
	Kind       Kind
	Quantifier Quantifier
	Name       string
}

// Op is one instruction. Operands excludes the result type and the result id, which HasType and HasResult announce:
// they always come first.
type Op struct {
	Name         string
	Code         uint16
	HasType      bool
	HasResult    bool
	Provisional  bool
	Version      Version
	LastVersion  Version
	Class        string // printing class, as "Type-Declaration"
	Operands     []Operand
	Capabilities []uint32 // any one of them is enough
	Extensions   []string // any one of them is enough
	Aliases      []string
}

// Enumerant is one value of an enum, or one bit of a mask.
type Enumerant struct {
	Name         string
	Value        uint32
	Provisional  bool
	Version      Version
	LastVersion  Version
	Parameters   []Operand
	Capabilities []uint32 // any one of them is enough
	Extensions   []string
	Aliases      []string
}

// KindInfo describes an operand kind. Enumerants are in order of value.
type KindInfo struct {
	Name       string
	Category   Category
	Enumerants []Enumerant
	Bases      []Kind // of a composite
}

// ExtInst is one instruction of an extended set.
type ExtInst struct {
	Name         string
	Code         uint32
	Operands     []Operand
	Capabilities []uint32
	Extensions   []string
}

// ExtSet is an extended instruction set, by the name that OpExtInstImport
// gives it. Instructions are in order of code.
type ExtSet struct {
	Name         string
	Instructions []ExtInst
}

// opIndex maps an opcode to 1 + its row in Ops; 0 is an unknown opcode.
var opIndex [maxOpcode + 1]uint16

func init() {
	for i := range Ops {
		opIndex[Ops[i].Code] = uint16(i + 1)
	}
}

// LookupOp returns the row of an opcode, or nil.
func LookupOp(code uint16) *Op {
	if int(code) >= len(opIndex) || opIndex[code] == 0 {
		return nil
	}
	return &Ops[opIndex[code]-1]
}

var opNames = sync.OnceValue(func() map[string]*Op {
	m := make(map[string]*Op, 2*len(Ops))
	for i := range Ops {
		m[Ops[i].Name] = &Ops[i]
		for _, a := range Ops[i].Aliases {
			m[a] = &Ops[i]
		}
	}
	return m
})

// OpByName returns the row of an instruction by its name or an alias of it.
func OpByName(name string) *Op { return opNames()[name] }

// Info returns the description of a kind.
func (k Kind) Info() *KindInfo { return &Kinds[k] }

func (k Kind) String() string {
	if int(k) < len(Kinds) {
		return Kinds[k].Name
	}
	return "Kind(?)"
}

// IsID reports whether an operand of the kind is one id.
func (k Kind) IsID() bool { return Kinds[k].Category == Id }

// Lookup returns the enumerant of a value (of a mask: of one bit, or of 0
// where the grammar names it), or nil.
func (k Kind) Lookup(value uint32) *Enumerant {
	es := Kinds[k].Enumerants
	// Most enums start dense at 0, so the value is often its own place.
	if int64(value) < int64(len(es)) && es[value].Value == value {
		return &es[value]
	}
	i := sort.Search(len(es), func(i int) bool { return es[i].Value >= value })
	if i < len(es) && es[i].Value == value {
		return &es[i]
	}
	return nil
}

// ByName returns the enumerant of a name or of an alias, or nil.
func (k Kind) ByName(name string) *Enumerant {
	es := Kinds[k].Enumerants
	for i := range es {
		if es[i].Name == name {
			return &es[i]
		}
		for _, a := range es[i].Aliases {
			if a == name {
				return &es[i]
			}
		}
	}
	return nil
}

// LookupSet returns the extended set of a name, or nil.
func LookupSet(name string) *ExtSet {
	for i := range Sets {
		if Sets[i].Name == name {
			return &Sets[i]
		}
	}
	return nil
}

// Lookup returns the instruction of a code, or nil.
func (s *ExtSet) Lookup(code uint32) *ExtInst {
	is := s.Instructions
	i := sort.Search(len(is), func(i int) bool { return is[i].Code >= code })
	if i < len(is) && is[i].Code == code {
		return &is[i]
	}
	return nil
}

// ByName returns the instruction of a name, or nil.
func (s *ExtSet) ByName(name string) *ExtInst {
	return lists.Find(s.Instructions, func(e *ExtInst) bool { return e.Name == name })
}
