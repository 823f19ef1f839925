package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A laid type is a type with its layout in memory, drawn at random, that knows the offset of each of its scalars.
type laid struct {
	name    string // of the type: it is declared where it is a scalar, a vector or a matrix
	bytes   uint64 // of its widest scalar
	elem    *laid  // of an array, a vector or a matrix
	n       uint64 // elements; 0: as many as the buffer has
	stride  uint64 // of an array
	matrix  bool   // its columns are elem
	scalars bool   // a vector
	members []laidMember
}

type laidMember struct {
	of       *laid
	offset   uint64
	rowMajor bool
	stride   uint64 // of a matrix, or of those of an array
}

// each visits the first and the last byte of each scalar of a type at a place; m is the member that it is in.
func (l *laid) each(at uint64, m *laidMember, visit func(from, to uint64)) {
	switch {
	case l.members != nil:
		for i := range l.members {
			l.members[i].of.each(at+l.members[i].offset, &l.members[i], visit)
		}
	case l.elem == nil:
		visit(at, at+l.bytes-1)
	case l.matrix:
		for c := range l.n {
			for r := range l.elem.n {
				place := c*m.stride + r*l.bytes
				if m.rowMajor {
					place = r*m.stride + c*l.bytes
				}
				visit(at+place, at+place+l.bytes-1)
			}
		}
	default:
		for i := range l.n {
			step := l.stride
			if l.scalars {
				step = l.bytes
			}
			l.elem.each(at+i*step, m, visit)
		}
	}
}

// end returns the first byte after a type at 0.
func (l *laid) end(m *laidMember) (end uint64) {
	l.each(0, m, func(_, to uint64) { end = max(end, to+1) })
	return end
}

// core returns the type that arrays are of.
func (l *laid) core() *laid {
	for l.elem != nil && !l.matrix && !l.scalars {
		l = l.elem
	}
	return l
}

// A layer draws types, and gathers their text.
type layer struct {
	r                  *rand.Rand
	types, decorations strings.Builder
	count              int
	plain              []*laid
}

func newLayer(seed uint64) *layer {
	l := &layer{r: rand.New(rand.NewPCG(seed, 5))}
	for _, s := range []laid{{name: "%uint", bytes: 4}, {name: "%float", bytes: 4}, {name: "%double", bytes: 8}} {
		scalar := &s
		l.plain = append(l.plain, scalar)
		for n := range uint64(3) {
			v := &laid{name: fmt.Sprintf("%sv%d", s.name, n+2), bytes: s.bytes, elem: scalar, n: n + 2, scalars: true}
			fmt.Fprintf(&l.types, "%s = OpTypeVector %s %d\n", v.name, s.name, v.n)
			l.plain = append(l.plain, v)
			if s.name != "%uint" {
				m := &laid{name: v.name + "m", bytes: s.bytes, elem: v, n: 2 + uint64(l.r.IntN(3)), matrix: true}
				fmt.Fprintf(&l.types, "%s = OpTypeMatrix %s %d\n", m.name, v.name, m.n)
				l.plain = append(l.plain, m)
			}
		}
	}
	for n := range 5 {
		fmt.Fprintf(&l.types, "%%n%d = OpConstant %%uint %d\n", n+1, n+1)
	}
	return l
}

func up(n, to uint64) uint64 { return (n + to - 1) / to * to }

// some draws a type; member holds the layout of an array of matrices.
func (l *layer) some(depth int, member *laidMember) *laid {
	switch kind := l.r.IntN(6); {
	case depth > 0 && kind < 2:
		return l.array(l.some(depth-1, member), 1+uint64(l.r.IntN(5)), member)
	case depth > 0 && kind == 2:
		return l.structure(depth-1, 1+l.r.IntN(4), false)
	}
	t := l.plain[l.r.IntN(len(l.plain))]
	if t.matrix {
		member.rowMajor = l.r.IntN(2) == 0
		across := t.elem.n
		if member.rowMajor {
			across = t.n
		}
		member.stride = across*t.bytes + uint64(l.r.IntN(2))*t.bytes
	}
	return t
}

func (l *layer) array(of *laid, n uint64, member *laidMember) *laid {
	l.count++
	a := &laid{name: fmt.Sprintf("%%a%d", l.count), bytes: of.bytes, elem: of, n: n}
	a.stride = up(of.end(member), of.bytes) + of.bytes*uint64(l.r.IntN(2))
	if n == 0 {
		fmt.Fprintf(&l.types, "%s = OpTypeRuntimeArray %s\n", a.name, of.name)
	} else {
		fmt.Fprintf(&l.types, "%s = OpTypeArray %s %%n%d\n", a.name, of.name, n)
	}
	fmt.Fprintf(&l.decorations, "OpDecorate %s ArrayStride %d\n", a.name, a.stride)
	return a
}

// structure has members in the order of their places or not, close together or not.
func (l *layer) structure(depth, n int, open bool) *laid {
	s := &laid{bytes: 1, members: make([]laidMember, n)}
	at, order := uint64(0), l.r.Perm(n)
	if open {
		order = append(slices.DeleteFunc(order, func(i int) bool { return i == n-1 }), n-1)
	}
	for _, i := range order {
		m := &s.members[i]
		if m.of = l.some(depth, m); open && i == n-1 {
			m.of = l.array(m.of, 0, m)
		}
		m.offset = up(at, m.of.bytes) + uint64(l.r.IntN(4)/3)*m.of.bytes
		at = m.offset + m.of.end(m)
		s.bytes = max(s.bytes, m.of.bytes)
	}
	l.count++
	s.name = fmt.Sprintf("%%t%d", l.count)
	fmt.Fprintf(&l.types, "%s = OpTypeStruct", s.name)
	for i := range s.members {
		fmt.Fprintf(&l.types, " %s", s.members[i].of.name)
		l.member(s.name, i, &s.members[i])
	}
	l.types.WriteByte('\n')
	return s
}

func (l *layer) member(name string, i int, m *laidMember) {
	fmt.Fprintf(&l.decorations, "OpMemberDecorate %s %d Offset %d\n", name, i, m.offset)
	if m.of.core().matrix {
		order := map[bool]string{true: "RowMajor", false: "ColMajor"}[m.rowMajor]
		fmt.Fprintf(&l.decorations, "OpMemberDecorate %s %d %s\nOpMemberDecorate %s %d MatrixStride %d\n", name, i, order, name, i, m.stride)
	}
}

// module has a buffer of the type.
func (l *layer) module(block *laid, decorations string) string {
	types := l.types.String() + "%pb = OpTypePointer StorageBuffer " + block.name + "\n%b = OpVariable %pb StorageBuffer"
	modes := decorations + "OpDecorate " + block.name + " Block\nOpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0"
	return "; Version: 1.3\n" + withParts("CAPS", "OpCapability Float64", "MODES", modes, "TYPES", "%double = OpTypeFloat 64\n"+types)
}

// broken returns the decorations with one of them changed so that the layout is wrong: each place is made to begin within an element, strides to be none or too
// short, and a member to begin where another one ends but for a byte of it.
func (l *layer) broken(block *laid) (list []string) {
	lines := strings.Split(strings.TrimSuffix(l.decorations.String(), "\n"), "\n")
	with := func(i int, line string) {
		next := slices.Clone(lines)
		next[i] = line
		list = append(list, strings.ReplaceAll(strings.Join(next, "\n")+"\n", "\n\n", "\n"))
	}
	for i, line := range lines {
		words := strings.Fields(line)
		last := words[len(words)-1]
		text := strings.TrimSuffix(line, last)
		var n uint64
		if _, err := fmt.Sscan(last, &n); err != nil {
			with(i, "") // neither order of a matrix
			continue
		}
		with(i, "")
		with(i, fmt.Sprint(text, n+2))
		if !strings.Contains(line, "Offset") {
			with(i, text+"0")
		}
	}
	for i := range block.members {
		for k := range block.members {
			a, b := &block.members[i], &block.members[k]
			if i != k && a.of.end(a) > b.of.bytes && a.of.bytes%b.of.bytes == 0 {
				within := a.offset + up(a.of.end(a), b.of.bytes) - b.of.bytes
				j := slices.Index(lines, fmt.Sprintf("OpMemberDecorate %s %d Offset %d", block.name, k, b.offset))
				with(j, fmt.Sprintf("OpMemberDecorate %s %d Offset %d", block.name, k, within))
			}
		}
	}
	return list
}

// A structure passes whose members and elements are at multiples of their widest scalar, one after the other, wherever that is; with one place, stride or order
// changed it does not.
func TestLayoutsOfStructures(t *testing.T) {
	for seed := range uint64(40) {
		l := newLayer(seed)
		block := l.structure(2, 1+int(seed%4), seed%3 == 0)
		if _, err := Check(assemble(t, l.module(block, l.decorations.String()))); err != nil {
			t.Errorf("seed %d: %v\n%s%s", seed, err, l.types.String(), l.decorations.String())
		}
		for _, bad := range l.broken(block) {
			if _, err := Check(assemble(t, l.module(block, bad))); firstRule(err) != "layout" {
				t.Errorf("seed %d: %v, want a fault of layout\n%s%s", seed, err, l.types.String(), bad)
			}
		}
	}
}

// Types have layouts where hosts or other invocations know their bytes: a member at byte 2 is a fault there, and nowhere else.
func TestPlacesThatHaveLayouts(t *testing.T) {
	const (
		set      = "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n"
		variable = "%p = OpTypePointer CLASS %s\n%b = OpVariable %p CLASS"
		physical = "OpCapability PhysicalStorageBufferAddresses\nOpExtension \"SPV_KHR_physical_storage_buffer\""
		shared   = "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\""
	)
	for _, c := range []struct {
		class, caps, modes, types string
		laid                      bool
	}{
		{"StorageBuffer", "", "OpDecorate %s Block\n" + set, variable, true},
		{"Uniform", "", "OpDecorate %s Block\n" + set, variable, true},
		{"StorageBuffer", "", "OpDecorate %s Block\n" + set, strings.ReplaceAll(variable, "%s", "%l"), true},
		{"PushConstant", "", "OpDecorate %s Block\n", variable, true},
		{"PhysicalStorageBuffer", physical, "", "%p = OpTypePointer CLASS %s", true},
		{"Workgroup", shared, "OpDecorate %s Block\n", variable, true},
		{"Workgroup", "", "", variable, false},
		{"Private", "", "", variable, false},
	} {
		for offset, good := range map[int]bool{0: true, 2: false, 4: true} {
			types := "%s = OpTypeStruct %uint\n%l = OpTypeArray %s %u4\n" + strings.ReplaceAll(c.types, "CLASS", c.class)
			modes := c.modes + fmt.Sprintf("OpMemberDecorate %%s 0 Offset %d", offset)
			text := "; Version: 1.4\n" + withParts("CAPS", c.caps, "MODES", modes, "TYPES", types)
			if c.caps == physical {
				text = strings.Replace(text, "Logical GLSL450", "PhysicalStorageBuffer64 GLSL450", 1)
			}
			want := ""
			if c.laid && !good {
				want = "layout"
			}
			if _, err := Check(assemble(t, text)); firstRule(err) != want {
				t.Errorf("%s %s, a member at %d: %v, want rule %q", c.class, c.modes, offset, err, want)
			}
		}
	}
	sent := strings.NewReplacer("%payload = OpTypeStruct %uint", "%payload = OpTypeStruct %uint\n%sent = OpTypeStruct %uint", "NodePayloadArrayAMDX %payload", "NodePayloadArrayAMDX %sent",
		"OpMemberDecorate", "OpDecorate %sent Block\nOpMemberDecorate %sent 0 Offset 2\nOpMemberDecorate").Replace((&drawnGraph{[][]bool{{true}}, []bool{true}}).text())
	if _, err := Check(assemble(t, sent)); firstRule(err) != "layout" {
		t.Errorf("payloads that are allocated: %v, want rule layout", err)
	}
}
