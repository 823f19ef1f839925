package spirv

import (
	"fmt"
	"strings"

	"spvsim/spirv/grammar"
)

// String returns the name of the opcode in the grammar.
func (op Op) String() string {
	if g := grammar.LookupOp(uint16(op)); g != nil {
		return g.Name
	}
	return fmt.Sprintf("Op(%d)", uint16(op))
}

// Grammar returns the opcode's row of the grammar, or nil.
func (op Op) Grammar() *grammar.Op { return grammar.LookupOp(uint16(op)) }

func enumString(k grammar.Kind, v uint32) string {
	if e := k.Lookup(v); e != nil {
		return e.Name
	}
	return fmt.Sprintf("%s(%d)", k, v)
}

// maskString joins the names of the bits with |, lowest bit first, as text
// modules do.
func maskString(k grammar.Kind, v uint32) string {
	if v == 0 {
		return "None"
	}
	var names []string
	for rest := v; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if e := k.Lookup(bit); e != nil {
			names = append(names, e.Name)
		} else {
			names = append(names, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(names, "|")
}

func extString(s *grammar.ExtSet, v uint32) string {
	if in := s.Lookup(v); in != nil {
		return in.Name
	}
	return fmt.Sprintf("%s(%d)", s.Name, v)
}
