package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"spvsim/program"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// contents prints a module's interface to a job: entry points, resources, specialization constants. It uses the
// specialization of o alone.
func contents(w io.Writer, m *validate.Module, o program.Options) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	version := m.Raw.Version
	fmt.Fprintf(t, "version\tSPIR-V %d.%d, %d instructions, id bound %d, generator %d version %d\n", version>>16&0xff, version>>8&0xff,
		len(m.Raw.Instructions), m.Raw.Bound, m.Raw.Generator>>16, m.Raw.Generator&0xffff)
	fmt.Fprintf(t, "memory\t%v, %v\n", m.Addressing, m.Memory)
	fmt.Fprintf(t, "capabilities\t%s\n", strings.Join(declared(m, spirv.OpCapability), ", "))
	if extensions := declared(m, spirv.OpExtension); len(extensions) > 0 {
		fmt.Fprintf(t, "extensions\t%s\n", strings.Join(extensions, ", "))
	}
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		fmt.Fprintf(t, "entry point\t%s (%v)%s\n", e.Name, e.Model, localSize(m, e))
	}
	for _, d := range declarations(m) {
		fmt.Fprintf(t, "%s\t%s\n", d.kind, d.text)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := overlays(w, m); err != nil {
		return err
	}
	return nodes(w, m, o)
}

// nodes prints the interfaces of the entry points of an execution graph's module.
func nodes(w io.Writer, m *validate.Module, o program.Options) error {
	if !m.Has(spirv.CapabilityShaderEnqueueAMDX) {
		return nil
	}
	for _, e := range m.EntryPoints {
		o.Entry = e.Name
		n, size, err := program.Interface(m, o)
		if errors.Is(err, validate.ErrInput) {
			fmt.Fprintf(w, "node %q: %v\n", e.Name, err)
			continue
		}
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if _, err := io.WriteString(w, program.DescribeNode(e.Name, n.ShaderIndex, size, n)); err != nil {
			return err
		}
	}
	return nil
}

// declared lists the capabilities or the extensions in the module's order.
func declared(m *validate.Module, op spirv.Op) []string {
	var out []string
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if in.Op != op {
			continue
		}
		if op == spirv.OpCapability {
			out = append(out, spirv.Capability(in.Operands[0]).String())
			continue
		}
		name, _ := spirv.DecodeString(in.Operands)
		out = append(out, name)
	}
	return out
}

// localSize describes the workgroup size of an entry point.
func localSize(m *validate.Module, e *validate.EntryPoint) string {
	if mode := e.Mode(spirv.ExecutionModeLocalSize); mode != nil {
		return fmt.Sprintf(", workgroups of %d x %d x %d", mode.Args[0], mode.Args[1], mode.Args[2])
	}
	if mode := e.Mode(spirv.ExecutionModeLocalSizeId); mode != nil {
		return fmt.Sprintf(", workgroups of %s x %s x %s", constantText(m, mode.Args[0]), constantText(m, mode.Args[1]), constantText(m, mode.Args[2]))
	}
	return ""
}

// constantText returns the value of a plain constant, or the id of a specialization constant.
func constantText(m *validate.Module, id uint32) string {
	if in := m.Def(spirv.ID(id)); in != nil && in.Op == spirv.OpConstant {
		return fmt.Sprint(in.Operands[0])
	}
	return named(m, spirv.ID(id))
}

// declaration is a line on something that the job sets or that limits occupancy. Lines are sorted by rank.
type declaration struct {
	kind, text string
	rank       uint64
}

// Ranks of declarations; specialization constants and resources count on by SpecId, and by set and binding.
const (
	rankSpecialization uint64 = iota << 62
	rankResource
	rankPush
	rankWorkgroup
)

// declarations lists specialization constants, resources, push constants and LDS variables.
func declarations(m *validate.Module) []declaration {
	var out []declaration
	types := newTypeWriter(m)
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if id, ok := m.Decoration(in.Result, spirv.DecorationSpecId); ok {
			text := fmt.Sprintf("%d: %s %s%s", id, types.text(m.Type(in.Type)), m.Name(in.Result), preset(m, in))
			out = append(out, declaration{"specialization", text, rankSpecialization + uint64(id)})
		}
		if in.Op == spirv.OpVariable {
			out = append(out, variable(types, in)...)
		}
	}
	slices.SortStableFunc(out, func(a, b declaration) int { return cmp.Compare(a.rank, b.rank) })
	return out
}

// variable describes a variable that is a resource, the push constants or LDS; it returns nothing for others.
func variable(types *typeWriter, in *spirv.Instruction) []declaration {
	m, storage := types.m, spirv.StorageClass(in.Operands[0])
	pointee := m.Type(in.Type).Elem
	text := types.text(pointee)
	if storage == spirv.StorageClassPushConstant {
		return []declaration{{"push constants", text, rankPush}}
	}
	if storage == spirv.StorageClassWorkgroup {
		return []declaration{{"workgroup", text + " " + named(m, in.Result), rankWorkgroup}}
	}
	set, hasSet := m.Decoration(in.Result, spirv.DecorationDescriptorSet)
	binding, hasBinding := m.Decoration(in.Result, spirv.DecorationBinding)
	if !hasSet || !hasBinding {
		return nil
	}
	name := m.Name(in.Result)
	if name == "" && pointee != nil {
		name = named(m, pointee.ID) // GLSL blocks without an instance name
	}
	text = fmt.Sprintf("set %d binding %d: %v %s %s", set, binding, storage, name, text)
	return []declaration{{"resource", text, rankResource + uint64(set)<<30 + uint64(binding)}}
}

// named is an id's name, or the id.
func named(m *validate.Module, id spirv.ID) string {
	return cmp.Or(m.Name(id), fmt.Sprintf("%%%d", id))
}

// preset describes the default value of a specialization constant.
func preset(m *validate.Module, in *spirv.Instruction) string {
	switch in.Op {
	case spirv.OpSpecConstantTrue:
		return " = true"
	case spirv.OpSpecConstantFalse:
		return " = false"
	case spirv.OpSpecConstant:
		return " = " + numberText(in.Operands, m.Type(in.Type))
	}
	return ""
}

// numberText writes a literal of an integer or float type. Halves are shown by their bits.
func numberText(words []uint32, t *validate.Type) string {
	bits := uint64(words[0])
	if len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch {
	case t.Kind == validate.KindFloat && t.Width == 32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case t.Kind == validate.KindFloat && t.Width == 64:
		return fmt.Sprint(math.Float64frombits(bits))
	case t.Kind == validate.KindFloat:
		return fmt.Sprintf("%#x", bits)
	case t.Signed && t.Width == 64:
		return fmt.Sprint(int64(bits))
	case t.Signed:
		return fmt.Sprint(int32(bits)) // narrow integers are stored sign-extended
	}
	return fmt.Sprint(bits)
}

// A typeWriter writes types. It first counts the parts of a type, each type once, as structures may contain one another
// many times.
type typeWriter struct {
	m          *validate.Module
	partCounts map[*validate.Type]uint64
}

func newTypeWriter(m *validate.Module) *typeWriter {
	return &typeWriter{m, map[*validate.Type]uint64{}}
}

// mostParts bounds the types within a type that are written.
const mostParts = 500

// count returns the number of types that the text of a type names.
func (w *typeWriter) count(t *validate.Type) uint64 {
	if n, ok := w.partCounts[t]; ok {
		return n
	}
	n := uint64(1)
	if t.Kind != validate.KindPointer && t.Elem != nil {
		n += w.count(t.Elem)
	}
	if t.Kind == validate.KindStruct {
		for _, member := range t.Members {
			if n += w.count(member); n > math.MaxUint64/2 {
				n = math.MaxUint64 / 2 // and not beyond
			}
		}
	}
	w.partCounts[t] = n
	return n
}

// text writes a type as a job's author thinks of it: u32, f32[], {u32 n, f32[] a}.
func (w *typeWriter) text(t *validate.Type) string {
	if t == nil {
		return "untyped"
	}
	if n := w.count(t); n > mostParts {
		return fmt.Sprintf("{%d members, of %d types in all: not written, as they are more than %d}", len(t.Members), n, mostParts)
	}
	switch t.Kind {
	case validate.KindBool:
		return "bool"
	case validate.KindInt:
		return intText(t)
	case validate.KindFloat:
		return fmt.Sprintf("f%d", t.Width)
	case validate.KindVector, validate.KindMatrix:
		return fmt.Sprintf("%sx%d", w.text(t.Elem), t.Count)
	case validate.KindArray:
		return fmt.Sprintf("%s[%s]", w.text(t.Elem), constantText(w.m, uint32(t.CountID)))
	case validate.KindRuntimeArray:
		return w.text(t.Elem) + "[]"
	case validate.KindStruct:
		return w.structure(t)
	case validate.KindPointer:
		return "pointer to " + named(w.m, t.Elem.ID)
	case validate.KindImage:
		return fmt.Sprintf("image %v %v of %s", t.Dim, t.Format, w.text(t.Elem))
	}
	return strings.TrimPrefix(t.Def.Op.String(), "OpType")
}

func intText(t *validate.Type) string {
	if t.Signed {
		return fmt.Sprintf("i%d", t.Width)
	}
	return fmt.Sprintf("u%d", t.Width)
}

// structure writes the members, with their offsets if the module has a layout for them.
func (w *typeWriter) structure(t *validate.Type) string {
	members := make([]string, len(t.Members))
	for i, member := range t.Members {
		text := w.text(member)
		if name := w.m.MemberName(t.ID, i); name != "" {
			text += " " + name
		}
		if offset, ok := w.m.MemberDecoration(t.ID, i, spirv.DecorationOffset); ok {
			text += fmt.Sprintf(" at %d", offset)
		}
		members[i] = text
	}
	return "{" + strings.Join(members, ", ") + "}"
}
