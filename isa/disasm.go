package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Disasm returns the instruction as one line of a listing: the unit, the operation
// and its type, the destination, the sources. 64-bit values in vector registers
// show both rows; literals of float types show their value.
//
//	v_fma.f32 v12, v3, s4, 1.0
//	s_lshladd.i32 s7, s2, 2, s1
//	buffer_load.f32x4 v[8:11], b2[v5 + s3 + 16]
//	s_branch_execz 41
//	v_fmul.f32 v1, v2, v3 :: v_fadd.f32 v4, v5, v6
func Disasm(in *Inst) string {
	if in.Second != nil {
		first := *in
		first.Second = nil
		return Disasm(&first) + " :: " + Disasm(in.Second)
	}
	if in.Mem != nil {
		return disasmAccess(in)
	}
	if in.Matrix != nil {
		return disasmMatrix(in)
	}
	var operands []string
	if in.Dst.Kind != None {
		operands = append(operands, regText(in.Dst, in.resultType()))
	}
	for i, r := range in.Src {
		if r.Kind != None {
			operands = append(operands, in.Mod.text(i, regText(r, SourceType(in.Op, i, in.T, in.From))))
		}
	}
	operands = append(operands, immediates(in)...)
	text := strings.TrimSpace(mnemonic(in) + " " + strings.Join(operands, ", "))
	if in.Mod.Clamp {
		text += " clamp"
	}
	return text
}

// text returns source k with its sign modifiers.
func (m Modifiers) text(k int, source string) string {
	if m.Abs>>k&1 != 0 {
		source = "|" + source + "|"
	}
	if m.Neg>>k&1 != 0 {
		source = "-" + source
	}
	return source
}

// immediates returns the operands of an instruction that are not registers.
func immediates(in *Inst) []string {
	switch in.Op {
	case Reduce, InclusiveScan, ExclusiveScan:
		g, cluster := SplitGroupImm(in.Imm)
		if cluster == 0 {
			return []string{g.String()}
		}
		return []string{g.String(), fmt.Sprintf("cluster(%d)", cluster)}
	case QuadSwap:
		return []string{[...]string{"horizontal", "vertical", "diagonal"}[in.Imm%3]}
	case DebugPrint:
		return []string{fmt.Sprintf("format(%d)", in.Imm)}
	case Branch, BranchTrue, BranchFalse, BranchExecZ, BranchExecNZ:
		return []string{strconv.Itoa(int(in.Target))}
	}
	return nil
}

// mnemonic returns unit, name and types: v_ for the vector unit, s_ for the scalar unit and the wave's own
// instructions.
func mnemonic(in *Inst) string {
	unit, class := "v_", ClassOf(in)
	if in.Op == Micro {
		class = in.Class
	}
	switch class {
	case ClassSALU, ClassBranch, ClassBarrier, ClassWaitcnt, ClassClock, ClassMessage, ClassEnd, ClassNone:
		if class != ClassNone || in.Dst.Kind != Vector {
			unit = "s_"
		}
	}
	name := unit + Table[in.Op].Name
	if in.Op == Micro {
		name = unit + Table[Op(in.Imm)].Name + "_step"
	}
	if in.T != Void {
		name += "." + in.T.String()
	}
	if in.From != Void && in.From != in.T {
		name += "." + in.From.String()
	}
	return name
}

var groupNames = [...]string{
	"iadd", "imul", "fadd", "fmul", "smin", "umin", "fmin", "smax", "umax", "fmax", "and", "or", "xor",
}

func (g GroupOperator) String() string { return groupNames[g] }

func regText(r Reg, t Type) string {
	switch r.Kind {
	case Vector:
		return rowsText(int(r.Index), max(1, t.Rows()))
	case Scalar:
		return "s" + strconv.Itoa(int(r.Index))
	case Imm:
		return literalText(r.Val, t)
	}
	return "-"
}

func rowsText(first, n int) string {
	if n == 1 {
		return "v" + strconv.Itoa(first)
	}
	return fmt.Sprintf("v[%d:%d]", first, first+n-1)
}

// literalText writes small integers in decimal, of either sign, others as hex.
func literalText(v uint64, t Type) string {
	switch {
	case t == Bool:
		return strconv.FormatBool(v != 0)
	case t.IsFloat():
		return floatText(v, t)
	case t.IsInt() && signed(v, t.Bits()) < 0 && signed(v, t.Bits()) >= -0x10000:
		return strconv.FormatInt(signed(v, t.Bits()), 10)
	case v > 0xffff:
		return "0x" + strconv.FormatUint(v, 16)
	}
	return strconv.FormatUint(v, 10)
}

// floatText returns the shortest text that reads back as the same float64, or float32
// for the narrower types, with a point or an exponent.
func floatText(v uint64, t Type) string {
	width := 64
	if t != F64 {
		width = 32
	}
	s := strconv.FormatFloat(FloatOf(t, v), 'g', -1, width)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	return s + ".0"
}

var spaceNames = [...]string{"buffer", "flat", "push", "lds", "scratch", "image", "table"}

func (s Space) String() string { return spaceNames[s] }

func disasmAccess(in *Inst) string {
	m := in.Mem
	if m.Space == SpaceTable && m.Words < 4 {
		given := groupRegs(m.Dsts[1:], I32)
		if len(given) == 0 {
			given = groupRegs(m.Dsts[:1], I32)
		}
		return fmt.Sprintf("s_grid_load.i32x%d %s, [%d]", m.Words, strings.Join(given, ", "), m.Offset)
	}
	if m.Space == SpaceTable {
		return fmt.Sprintf("s_descriptor_load.i32x%d %s, b%d", m.Words, regText(m.Dsts[0], I32), m.Binding)
	}
	unit := m.Space.String() + "_"
	if m.Scalar {
		unit = "s_" + unit
	}
	name := unit + strings.TrimPrefix(Table[in.Op].Name, "image_") + apartText(m)
	if m.Elem != Void {
		name += "." + m.Elem.String()
	}
	if _, n := m.Runs(); n > 1 {
		name += "x" + strconv.Itoa(n)
	}
	operands := groupRegs(append([]Reg{in.Dst}, m.Dsts[:]...), m.Elem)
	operands = append(operands, addressText(m))
	operands = append(operands, groupRegs(append(append([]Reg(nil), m.Data[:]...), in.Src[:]...), m.Elem)...)
	return name + " " + strings.Join(operands, ", ") + accessNotes(m)
}

// apartText returns the suffix of instructions that move two parts. Those with offsets in units of 64 elements have a
// separate one.
func apartText(m *Mem) string {
	parts, n := m.Runs()
	switch unit := 64 * uint32(n) * uint32(m.Elem.Bits()/8); {
	case parts == 1:
		return ""
	case m.PairStride%unit == 0 && m.Offset%unit == 0:
		return "2st64"
	}
	return "2"
}

func accessNotes(m *Mem) (notes string) {
	if m.Coherent {
		notes = " coherent"
	}
	for _, n := range []struct {
		name string
		r    Reg
		t    Type
	}{{"compare", m.Reference, F32}, {"offset", m.TexelOffset, I32}} {
		if n.r.Kind != None {
			notes += " " + n.name + "(" + regText(n.r, n.t) + ")"
		}
	}
	return notes
}

// disasmMatrix returns the machine's name of the product, then D, A, B and C.
func disasmMatrix(in *Inst) string {
	m := SplitMatrixImm(in.Imm)
	o := &MatrixOps[m.Op]
	ab, c := o.matrixTypes()
	var operands []string
	for _, list := range []struct {
		regs []Reg
		t    Type
	}{{in.Matrix.D, c}, {in.Matrix.A, ab}, {in.Matrix.B, ab}, {in.Matrix.C, c}} {
		if list.regs[0].Kind == Imm && list.t == I32 && o.C == F32 {
			list.t = F32
		}
		operands = append(operands, strings.Join(groupRegs(list.regs, list.t), " "))
	}
	text := "v_" + o.Name + " " + strings.Join(operands, ", ")
	if m.Saturate {
		text += " clamp"
	}
	return text
}

// groupRegs writes registers, with a run of consecutive vector rows as one.
func groupRegs(regs []Reg, t Type) (text []string) {
	n := max(1, t.Rows())
	for i := 0; i < len(regs); i++ {
		r, rows := regs[i], n
		if r.Kind == None || i > 0 && r == regs[i-1] && r.Kind != Imm {
			continue
		}
		for r.Kind == Vector && i+1 < len(regs) && regs[i+1] == V(int(r.Index)+rows) {
			rows += n
			i++
		}
		if r.Kind == Vector {
			text = append(text, rowsText(int(r.Index), rows))
		} else {
			text = append(text, regText(r, t))
		}
	}
	return text
}

func addressText(m *Mem) string {
	address := I32
	if m.Space == SpaceFlat {
		address = I64
	}
	var parts []string
	for _, r := range append([]Reg{m.Base, m.Index}, m.Coords[:]...) {
		if r.Kind != None {
			parts = append(parts, regText(r, address))
		}
	}
	sep := " + "
	if m.Space == SpaceImage {
		sep = ", "
	}
	text := bindingText(m) + "[" + strings.Join(withOffset(parts, m.Offset), sep) + "]"
	if m.PairStride > 0 {
		text += ", [" + strings.Join(withOffset(parts, m.Offset+m.PairStride), sep) + "]"
	}
	return text
}

func withOffset(parts []string, offset uint32) []string {
	if offset == 0 && len(parts) > 0 {
		return parts
	}
	return append(slices.Clip(parts), strconv.FormatUint(uint64(offset), 10))
}

// bindingText returns the buffer or image: b2, b2(v3) for an element of an array of
// descriptors, b(v3) for one chosen at run time.
func bindingText(m *Mem) string {
	if m.Space != SpaceBuffer && m.Space != SpaceImage {
		return ""
	}
	name := "b"
	if !m.Dynamic {
		name += strconv.Itoa(m.Binding)
	}
	if m.BindingIndex.Kind != None {
		name += "(" + regText(m.BindingIndex, I32) + ")"
	}
	return name
}
