package spirv

import (
	"fmt"
	"strings"

	"spvsim/spirv/grammar"
)

// Operand is one operand of an instruction as the grammar divides it: composite kinds are split into their parts, and
// the parameters of an enumerant follow it. Result type and result id are not included.
type Operand struct {
	Kind   grammar.Kind
	Name   string             // of the operand in the grammar, may be empty
	Index  int                // of its first word in Instruction.Operands
	Words  []uint32           // never empty
	Number Number             // of numeric literals: LiteralContextDependentNumber, and LiteralInteger of OpSwitch
	Import *Import            // of LiteralExtInstInteger: its set, nil if the set was not imported
	Parent *grammar.Enumerant // of a parameter: its enumerant
}

// Walk divides the operands of an instruction and visits each. It returns an
// *OperandError where words don't follow the grammar, or the first error of
// visit. The context must have noted the instructions before this one.
func Walk(in *Instruction, c *Context, visit func(Operand) error) error {
	w := walker{in: in, c: c, visit: visit}
	return w.instruction()
}

// WalkIDs is Walk that visits the operands that are ids alone, with their places in Instruction.Operands.
func WalkIDs(in *Instruction, c *Context, visit func(index int, id ID) error) error {
	w := walker{in: in, c: c, visitID: visit}
	return w.instruction()
}

func (w *walker) instruction() error {
	in := w.in
	g := in.Op.Grammar()
	if g == nil {
		return &OperandError{Index: 0, Text: fmt.Sprintf("unknown opcode %d", uint16(in.Op))}
	}
	if err := w.list(g.Operands, nil); err != nil {
		return err
	}
	if w.pos < len(in.Operands) {
		return w.fault("%d words too many: %d wanted", len(in.Operands)-w.pos, w.pos)
	}
	return nil
}

// OperandError is a fault of one operand.
type OperandError struct {
	Index int    // word index in Instruction.Operands
	Name  string // of the operand, may be empty
	Text  string
}

func (e *OperandError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("operand %d (%s): %s", e.Index, e.Name, e.Text)
	}
	return fmt.Sprintf("operand %d: %s", e.Index, e.Text)
}

type walker struct {
	in      *Instruction
	c       *Context
	visit   func(Operand) error
	visitID func(index int, id ID) error // where visit is nil; nil: the form is tested alone
	bound   uint32                       // of ids; 0: none
	pos     int
	name    string
	inner   bool // within OpSpecConstantOp's own operation
}

func (w *walker) fault(format string, args ...any) error {
	return &OperandError{Index: w.pos, Name: w.name, Text: fmt.Sprintf(format, args...)}
}

func (w *walker) list(ops []grammar.Operand, parent *grammar.Enumerant) error {
	for i := range ops {
		o := &ops[i]
		for n := 0; ; n++ {
			if w.pos >= len(w.in.Operands) && o.Quantifier != grammar.One {
				break
			}
			if w.name = o.Name; w.name == "" {
				w.name = o.Kind.String()
			}
			var err error
			if w.visit == nil && w.pos < len(w.in.Operands) && o.Kind.IsID() {
				err = w.idAlone(w.in.Operands[w.pos])
			} else {
				err = w.operand(o.Kind, parent)
			}
			if err != nil {
				return err
			}
			if o.Quantifier != grammar.Any {
				break
			}
		}
	}
	return nil
}

func (w *walker) operand(k grammar.Kind, parent *grammar.Enumerant) error {
	if w.pos >= len(w.in.Operands) {
		return w.fault("missing: the instruction ends before it")
	}
	o := Operand{Kind: k, Name: w.name, Index: w.pos, Words: w.in.Operands[w.pos : w.pos+1], Parent: parent}
	switch grammar.Kinds[k].Category {
	case grammar.Id:
		return w.id(o)
	case grammar.ValueEnum:
		return w.enum(o)
	case grammar.BitEnum:
		return w.mask(o)
	case grammar.Composite:
		return w.composite(k)
	}
	return w.literal(o)
}

func (w *walker) emit(o Operand) error {
	if w.visit != nil {
		if err := w.visit(o); err != nil {
			return err
		}
	}
	w.pos += len(o.Words)
	return nil
}

func (w *walker) id(o Operand) error {
	if w.visit == nil {
		return w.idAlone(o.Words[0])
	}
	if o.Words[0] == 0 {
		return w.fault("id is 0")
	}
	return w.emit(o)
}

// idAlone is id without an Operand, which takes longer to make than to test.
func (w *walker) idAlone(word uint32) error {
	if word == 0 {
		return w.fault("id is 0")
	}
	if w.bound != 0 && word >= w.bound {
		return w.fault("id %d is not below the module's bound, %d", word, w.bound)
	}
	if w.visitID != nil {
		if err := w.visitID(w.pos, ID(word)); err != nil {
			return err
		}
	}
	w.pos++
	return nil
}

// noClass is what llvm-spirv writes for the storage class of a pointer to what has none, for debuggers.
const noClass = 1<<32 - 1

func (w *walker) enum(o Operand) error {
	e := o.Kind.Lookup(o.Words[0])
	if e == nil && w.in.Op == OpExtInst && o.Kind == grammar.KindStorageClass && o.Words[0] == noClass {
		return w.emit(o)
	}
	if e == nil {
		return w.fault("%d is no %s", o.Words[0], o.Kind)
	}
	if err := w.emit(o); err != nil {
		return err
	}
	return w.list(e.Parameters, e)
}

// mask takes the parameters of the bits from the lowest bit up, as the
// specification orders them.
func (w *walker) mask(o Operand) error {
	for rest := o.Words[0]; rest != 0; rest &= rest - 1 {
		if o.Kind.Lookup(rest&-rest) == nil {
			return w.fault("bit %#x is no %s", rest&-rest, o.Kind)
		}
	}
	if err := w.emit(o); err != nil {
		return err
	}
	for rest := o.Words[0]; rest != 0; rest &= rest - 1 {
		e := o.Kind.Lookup(rest & -rest)
		if err := w.list(e.Parameters, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) composite(k grammar.Kind) error {
	for _, base := range grammar.Kinds[k].Bases {
		if err := w.operand(base, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) literal(o Operand) error {
	switch o.Kind {
	case grammar.KindLiteralString:
		return w.text(o)
	case grammar.KindLiteralContextDependentNumber:
		return w.number(o, w.c.NumberType(w.in.Type))
	case grammar.KindLiteralExtInstInteger:
		return w.extInst(o)
	case grammar.KindLiteralSpecConstantOpInteger:
		return w.specOp(o)
	case grammar.KindLiteralInteger:
		if w.in.Op == OpSwitch {
			return w.caseLabel(o)
		}
	}
	return w.emit(o)
}

func (w *walker) text(o Operand) error {
	rest := w.in.Operands[w.pos:]
	for i, word := range rest {
		if hasZeroByte(word) {
			o.Words = rest[:i+1]
			return w.emit(o)
		}
	}
	return w.fault("the string has no end")
}

// number takes a literal of a type. When the type is not known, which the
// rules of modules forbid but the form does not, it takes all that is left.
func (w *walker) number(o Operand, t Number) error {
	n := t.Words()
	if n == 0 {
		n = len(w.in.Operands) - w.pos
	}
	if w.pos+n > len(w.in.Operands) {
		return w.fault("a literal of %d bits wants %d words, found %d", t.Width, n, len(w.in.Operands)-w.pos)
	}
	o.Words, o.Number = w.in.Operands[w.pos:w.pos+n], t
	return w.emit(o)
}

// caseLabel takes a literal as wide as the selector of OpSwitch; one word
// when the selector's type is not known.
func (w *walker) caseLabel(o Operand) error {
	t := w.c.NumberType(w.c.TypeOf(ID(w.in.Operands[0])))
	if t.Width == 0 {
		return w.emit(o)
	}
	return w.number(o, t)
}

// extInst takes the instruction's number, then operands by the grammar of its set. For sets that the grammar lacks, the
// operands are ids, as the grammar of OpExtInst says, and so are those of newer instructions of non-semantic sets.
func (w *walker) extInst(o Operand) error {
	imp := w.c.Import(ID(w.in.Operands[0]))
	o.Import = imp
	if imp == nil || imp.Set == nil {
		return w.emit(o)
	}
	ext := imp.Set.Lookup(o.Words[0])
	if ext == nil && strings.HasPrefix(imp.Name, "NonSemantic.") {
		return w.emit(o)
	}
	if ext == nil {
		return w.fault("%d is not an instruction of %s", o.Words[0], imp.Name)
	}
	if err := w.emit(o); err != nil {
		return err
	}
	if err := w.list(ext.Operands, nil); err != nil {
		return err
	}
	if n := len(w.in.Operands) - w.pos; n > 0 {
		return w.fault("%d words too many for %s", n, ext.Name)
	}
	return nil
}

// specOp takes the opcode of OpSpecConstantOp and that opcode's operands.
func (w *walker) specOp(o Operand) error {
	if w.inner {
		return w.fault("OpSpecConstantOp within itself")
	}
	if o.Words[0] > 0xFFFF || Op(o.Words[0]).Grammar() == nil {
		return w.fault("unknown opcode %d", o.Words[0])
	}
	g := Op(o.Words[0]).Grammar()
	if !g.HasType || !g.HasResult {
		return w.fault("%s has no result to be a constant", g.Name)
	}
	if err := w.emit(o); err != nil {
		return err
	}
	w.inner = true
	return w.list(g.Operands, nil)
}
