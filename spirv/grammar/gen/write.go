package main

import (
	"bytes"
	"fmt"
	"strings"
)

var quantifiers = map[string]string{"": "One", "?": "Optional", "*": "Any"}

func writeTables(b *bytes.Buffer, s *source) error {
	b.WriteString("package grammar\n\n// Kind is the kind of an operand.\ntype Kind uint8\n\nconst (\n")
	for i, k := range s.kinds() {
		fmt.Fprintf(b, "Kind%s Kind = %d\n", k.Kind, i)
	}
	insts := s.core.Instructions
	fmt.Fprintf(b, ")\n\nconst maxOpcode = %d\n\n", insts[len(insts)-1].Code)
	if err := s.writeOps(b); err != nil {
		return err
	}
	if err := s.writeKinds(b); err != nil {
		return err
	}
	return s.writeSets(b)
}

func (s *source) writeOps(b *bytes.Buffer) error {
	b.WriteString("// Ops are the instructions in order of opcode.\nvar Ops = [...]Op{\n")
	for _, in := range s.core.Instructions {
		fmt.Fprintf(b, "{Name: %q, Code: %d", in.Name, in.Code)
		ops := in.Operands
		if len(ops) > 0 && ops[0].Kind == "IdResultType" {
			b.WriteString(", HasType: true")
			ops = ops[1:]
		}
		if len(ops) > 0 && ops[0].Kind == "IdResult" {
			b.WriteString(", HasResult: true")
			ops = ops[1:]
		}
		fmt.Fprintf(b, ", Class: %q", in.Class)
		if err := s.writeRest(b, "Operands", ops, in.jsonCommon); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
	return nil
}

func (s *source) writeKinds(b *bytes.Buffer) error {
	b.WriteString("// Kinds describes each Kind, in order.\nvar Kinds = [...]KindInfo{\n")
	for _, k := range s.kinds() {
		fmt.Fprintf(b, "{Name: %q, Category: %s", k.Kind, k.Category)
		if len(k.Bases) > 0 {
			fmt.Fprintf(b, ", Bases: []Kind{Kind%s}", strings.Join(k.Bases, ", Kind"))
		}
		if len(k.Enumerants) > 0 {
			b.WriteString(", Enumerants: []Enumerant{\n")
			for _, e := range k.Enumerants {
				fmt.Fprintf(b, "{Name: %q, Value: %d", e.Name, e.Value)
				if err := s.writeRest(b, "Parameters", e.Parameters, e.jsonCommon); err != nil {
					return fmt.Errorf("%s: %s: %w", k.Kind, e.Name, err)
				}
				b.WriteString("},\n")
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
	return nil
}

func (s *source) writeSets(b *bytes.Buffer) error {
	b.WriteString("// Sets are the extended instruction sets that the grammar knows.\nvar Sets = [...]ExtSet{\n")
	for _, set := range s.sets {
		fmt.Fprintf(b, "{Name: %q, Instructions: []ExtInst{\n", set.set)
		for _, in := range set.insts {
			fmt.Fprintf(b, "{Name: %q, Code: %d", in.Name, in.Code)
			// Sets have no versions, and these have no aliases.
			common := jsonCommon{Capabilities: in.Capabilities, Extensions: in.Extensions}
			if err := s.writeRest(b, "Operands", in.Operands, common); err != nil {
				return fmt.Errorf("%s: %s: %w", set.set, in.Name, err)
			}
			b.WriteString("},\n")
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return nil
}

// writeRest writes the fields that instructions and enumerants share.
func (s *source) writeRest(b *bytes.Buffer, field string, ops []jsonOperand, c jsonCommon) error {
	if len(ops) > 0 {
		fmt.Fprintf(b, ", %s: []Operand{", field)
		for _, o := range ops {
			q, ok := quantifiers[o.Quantifier]
			if !ok {
				return fmt.Errorf("unknown quantifier %q", o.Quantifier)
			}
			fmt.Fprintf(b, "{Kind%s, %s, %q},", o.Kind, q, o.Name)
		}
		b.WriteString("}")
	}
	if err := s.writeNeeds(b, c); err != nil {
		return err
	}
	writeStrings(b, "Extensions", c.Extensions)
	writeStrings(b, "Aliases", c.Aliases)
	if c.Provisional {
		b.WriteString(", Provisional: true")
	}
	return nil
}

func (s *source) writeNeeds(b *bytes.Buffer, c jsonCommon) error {
	if len(c.Capabilities) > 0 {
		b.WriteString(", Capabilities: []uint32{")
		for _, name := range c.Capabilities {
			v, ok := s.caps[name]
			if !ok {
				return fmt.Errorf("unknown capability %q", name)
			}
			fmt.Fprintf(b, "%d,", v)
		}
		b.WriteString("}")
	}
	for _, f := range [][2]string{{"Version", c.Version}, {"LastVersion", c.LastVersion}} {
		v, err := version(f[1])
		if err != nil {
			return err
		}
		if v != "0" {
			fmt.Fprintf(b, ", %s: %s", f[0], v)
		}
	}
	return nil
}

func writeStrings(b *bytes.Buffer, field string, list []string) {
	if len(list) > 0 {
		fmt.Fprintf(b, ", %s: %#v", field, list)
	}
}

func writeEnums(b *bytes.Buffer, s *source) error {
	b.WriteString("package spirv\n\nimport \"spvsim/spirv/grammar\"\n\n// Op is an opcode.\ntype Op uint16\n\nconst (\n")
	for _, in := range s.core.Instructions {
		fmt.Fprintf(b, "%s Op = %d\n", in.Name, in.Code)
		for _, a := range in.Aliases {
			fmt.Fprintf(b, "%s = %s\n", a, in.Name)
		}
	}
	b.WriteString(")\n\n")
	for _, k := range s.core.Kinds {
		if len(k.Enumerants) > 0 {
			writeEnum(b, k)
		}
	}
	for i, set := range s.sets {
		fmt.Fprintf(b, "// %s is an instruction of the extended set %s.\ntype %[1]s uint32\n\nconst (\n", set.prefix, set.set)
		for _, in := range set.insts {
			fmt.Fprintf(b, "%s%s %s = %d\n", set.prefix, exported(in.Name), set.prefix, in.Code)
		}
		fmt.Fprintf(b, ")\n\nfunc (v %s) String() string { return extString(&grammar.Sets[%d], uint32(v)) }\n\n", set.prefix, i)
	}
	return nil
}

// exported writes a name as Go does: s_mul_hi becomes SMulHi.
func exported(name string) string {
	var out strings.Builder
	for _, word := range strings.Split(name, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

func writeEnum(b *bytes.Buffer, k jsonKind) {
	what, format := "an enumerant", "enumString"
	if k.Category == "BitEnum" {
		what, format = "a mask", "maskString"
	}
	fmt.Fprintf(b, "// %s is %s of the SPIR-V grammar.\ntype %[1]s uint32\n\nconst (\n", k.Kind, what)
	for _, e := range k.Enumerants {
		fmt.Fprintf(b, "%s%s %s = %d\n", k.Kind, e.Name, k.Kind, e.Value)
		for _, a := range e.Aliases {
			fmt.Fprintf(b, "%s%s = %s%s\n", k.Kind, a, k.Kind, e.Name)
		}
	}
	fmt.Fprintf(b, ")\n\nfunc (v %s) String() string { return %s(grammar.Kind%[1]s, uint32(v)) }\n\n", k.Kind, format)
}
