package ir

import (
	"fmt"
	"io"
	"strings"

	"spvsim/isa"
)

var spaceNames = [...]string{"buffer", "flat", "push", "lds", "scratch", "image"}

var termNames = [...]string{"jump", "cond", "return", "unreachable"}

// Print writes a function as text, for tests and for the curious.
func Print(w io.Writer, f *Func) error {
	var s strings.Builder
	fmt.Fprintf(&s, "func %q size %v lds %d push %d\n", f.Name, f.LocalSize, f.LDSBytes, f.PushBytes)
	for i, d := range f.Bindings {
		fmt.Fprintf(&s, "binding %d: set %d binding %d kind %d count %d writes %t %q\n",
			i, d.Set, d.Binding, d.Kind, d.Count, d.Writes, d.Name)
	}
	for _, l := range f.Locals {
		fmt.Fprintf(&s, "local %d: %d slots of %d words %q\n", l.ID, len(l.Slots), l.SlotWords, l.Name)
	}
	for _, b := range f.Blocks {
		printBlock(&s, b)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func printBlock(s *strings.Builder, b *Block) {
	fmt.Fprintf(s, "b%d:", b.ID)
	for _, p := range b.Preds {
		fmt.Fprintf(s, " <b%d", p.ID)
	}
	if b.Merge != nil {
		fmt.Fprintf(s, " merge b%d", b.Merge.ID)
	}
	if b.Continue != nil {
		fmt.Fprintf(s, " continue b%d", b.Continue.ID)
	}
	s.WriteByte('\n')
	for _, v := range b.Phis {
		fmt.Fprintf(s, "\t%s\n", v)
	}
	for _, v := range b.Code {
		fmt.Fprintf(s, "\t%s\n", v)
	}
	fmt.Fprintf(s, "\t%s", termNames[b.Term])
	if b.Cond != nil {
		fmt.Fprintf(s, " v%d", b.Cond.ID)
	}
	for _, t := range b.Succs {
		fmt.Fprintf(s, " b%d", t.ID)
	}
	s.WriteByte('\n')
}

// String returns the value in the form of Print.
func (v *Value) String() string {
	var s strings.Builder
	if v.R != isa.Void {
		fmt.Fprintf(&s, "v%d:%s = ", v.ID, v.R)
	} else if v.Mem != nil && (v.Op == isa.Load || v.Op == isa.ImageLoad || v.Op.Has(isa.FlagSamples)) {
		fmt.Fprintf(&s, "v%d = ", v.ID)
	}
	s.WriteString(isa.Table[v.Op].Name)
	if v.T != v.R {
		fmt.Fprintf(&s, ".%s", v.T)
	}
	if v.From != isa.Void {
		fmt.Fprintf(&s, " from %s", v.From)
	}
	for _, a := range v.Args {
		if a.Op == isa.Const {
			fmt.Fprintf(&s, " #%#x", a.Imm)
		} else {
			fmt.Fprintf(&s, " v%d", a.ID)
		}
	}
	if v.Imm != 0 || v.Op == isa.Const || v.Op == isa.Proj {
		fmt.Fprintf(&s, " imm %#x", v.Imm)
	}
	if v.Mod.Any() {
		fmt.Fprintf(&s, " neg %#b abs %#b clamp %v", v.Mod.Neg, v.Mod.Abs, v.Mod.Clamp)
	}
	if v.Mem != nil {
		s.WriteString(v.Mem.String())
	}
	if v.SPIRV != 0 {
		fmt.Fprintf(&s, "  ; %%%d", v.SPIRV)
	}
	return s.String()
}

// String returns the access in the form of Print.
func (m *Mem) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, " [%s", spaceNames[m.Space])
	switch {
	case m.Dynamic:
		s.WriteString(" dynamic")
	case m.Space == isa.SpaceBuffer || m.Space == isa.SpaceImage:
		fmt.Fprintf(&s, " %d", m.Binding)
	case m.Local != nil:
		fmt.Fprintf(&s, " %d", m.Local.ID)
	}
	for _, part := range []struct {
		has  bool
		name string
	}{
		{m.HasBase, "base"}, {m.HasIndex, "index"}, {m.HasBindex, "bindex"},
		{m.ReadOnly, "readonly"}, {m.NonWritable, "nonwritable"}, {m.Volatile, "volatile"}, {m.Coherent, "coherent"},
	} {
		if part.has {
			s.WriteString(" " + part.name)
		}
	}
	fmt.Fprintf(&s, " +%d %s x%d object %d align %d", m.Offset, m.Elem, m.Count, m.Object, m.Align)
	if m.PairStride > 0 {
		fmt.Fprintf(&s, " apart %d", m.PairStride)
	}
	s.WriteByte(']')
	return s.String()
}
