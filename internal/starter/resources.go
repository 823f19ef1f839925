package starter

import (
	"cmp"
	"fmt"
	"strings"

	"spvsim/config"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Guesses of sizes that no type determines.
const (
	guessElements  = 1024 // of a run-time array
	guessSide      = 64   // texels of a side of an image
	guessDepth     = 8    // of a 3D image
	mostElements   = 16   // of an array of descriptors that are bound
	guessMeshUnits = 64   // workgroups of a mesh node
)

// A buffer is one resource of the job.
type buffer struct {
	name         string
	bound        bool
	set, binding uint32
	kind         ir.BindingKind
	count        uint32 // descriptors; 0: the job determines their number
	body, note   string // data or image, and a note about its guesses
	bytes        uint64
}

// A meshOutput sends an output of a mesh node to a buffer.
type meshOutput struct{ node, output, buffer string }

// collect lists the resources of the entry points' bindings, each once.
func (w *writer) collect() {
	for _, e := range w.entries {
		for i := range e.prog.Bindings {
			b := &e.prog.Bindings[i]
			switch b.Kind {
			case ir.MeshOutput:
				w.addMesh(e, b)
			case ir.ColorOutput:
				w.addAttachment(b)
			default:
				w.add(b)
			}
		}
	}
}

func (w *writer) add(b *ir.Binding) {
	made := &buffer{bound: true, set: b.Set, binding: b.Binding, kind: b.Kind, count: b.Count}
	w.fill(made)
	for _, o := range w.buffers {
		if o.bound && o.set == b.Set && o.binding == b.Binding && (o.kind == ir.Sampler) == (b.Kind == ir.Sampler) {
			if made.bytes > o.bytes { // views of one buffer: the largest counts
				o.bytes, o.body, o.note = made.bytes, made.body, made.note
			}
			o.count = max(o.count, b.Count)
			return
		}
	}
	if b.Kind != ir.Sampler { // job files give samplers no name
		made.name = w.unique(b.Name, fmt.Sprintf("set%d_binding%d", b.Set, b.Binding))
	}
	w.buffers = append(w.buffers, made)
}

// unique returns a name that no other buffer has.
func (w *writer) unique(name, otherwise string) string {
	name = cmp.Or(name, otherwise)
	base := name
	for i := 2; w.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	w.names[name] = true
	return name
}

func (w *writer) addMesh(e *entry, b *ir.Binding) {
	name := cmp.Or(b.Alias, b.Name)
	made := &buffer{name: w.unique(name, "output"), body: fmt.Sprintf("data: {zero: %d}", uint64(b.Stride)*guessMeshUnits),
		note: fmt.Sprintf("guess: for %d workgroups of %d bytes", guessMeshUnits, b.Stride)}
	w.buffers = append(w.buffers, made)
	w.mesh = append(w.mesh, meshOutput{e.Name, name, made.name})
}

// fill guesses the contents from the types of the variables at the binding.
func (w *writer) fill(b *buffer) {
	for i := range w.m.Raw.Instructions {
		in := &w.m.Raw.Instructions[i]
		if in.Op != spirv.OpVariable || !w.bindsTo(in.Result, b) {
			continue
		}
		t := w.m.TypeOf(in.Result).Elem
		if t.Kind == validate.KindArray || t.Kind == validate.KindRuntimeArray {
			t = t.Elem
		}
		w.fillFrom(b, t)
	}
	if b.body == "" {
		b.body = fmt.Sprintf("data: {zero: %d}", b.bytes)
	}
}

func (w *writer) bindsTo(id spirv.ID, b *buffer) bool {
	set, ok1 := w.m.Decoration(id, spirv.DecorationDescriptorSet)
	binding, ok2 := w.m.Decoration(id, spirv.DecorationBinding)
	return ok1 && ok2 && set == b.set && binding == b.binding
}

func (w *writer) fillFrom(b *buffer, t *validate.Type) {
	if t.Kind == validate.KindSampledImage {
		t = t.Elem
	}
	if t.Kind == validate.KindImage {
		b.body, b.note = image(t)
		return
	}
	bytes, stride := w.sizes.size(t)
	if total := max(plus(bytes, times(guessElements, stride)), 4); total > b.bytes {
		b.bytes, b.note = total, ""
		if stride > 0 {
			b.note = fmt.Sprintf("guess: %d elements of %d bytes", guessElements, stride)
		}
	}
	clear(w.pointing)
	w.pointers(b, t)
}

// pointers reports the addresses in a block, because a zero is not an address. It reports each structure within the
// block once.
func (w *writer) pointers(b *buffer, t *validate.Type) {
	if w.pointing[t] {
		return
	}
	w.pointing[t] = true
	for i, m := range t.Members {
		if m.Kind == validate.KindRuntimeArray || m.Kind == validate.KindArray {
			m = m.Elem
		}
		if m.Kind == validate.KindPointer {
			w.open("set %d, binding %d: member %d (%s) is an address: want data with address_of and the name of a buffer", b.set, b.binding, i, w.m.MemberName(t.ID, i))
		}
		if t.Kind == validate.KindStruct && m.Kind == validate.KindStruct {
			w.pointers(b, m)
		}
	}
}

// addressed adds a buffer that push constants point to, and returns its name.
func (w *writer) addressed(name string, t *validate.Type) string {
	bytes := uint64(4 * guessElements)
	if t.Elem != nil {
		fixed, stride := w.sizes.size(t.Elem)
		bytes = max(plus(fixed, times(guessElements, stride)), times(guessElements, max(fixed, 4))) // a pointer to one is often to many
	}
	b := &buffer{name: w.unique(name, "pointed"), body: fmt.Sprintf("data: {zero: %d}", bytes), note: "guess: its size"}
	w.buffers = append(w.buffers, b)
	return b.name
}

// addAttachment adds the image of an output location.
func (w *writer) addAttachment(b *ir.Binding) {
	format := "Rgba32f"
	for i := range w.m.Raw.Instructions {
		in := &w.m.Raw.Instructions[i]
		at, ok := w.m.Decoration(in.Result, spirv.DecorationLocation)
		if in.Op != spirv.OpVariable || spirv.StorageClass(in.Operands[0]) != spirv.StorageClassOutput || !ok || at != b.Binding {
			continue
		}
		t := w.m.TypeOf(in.Result).Elem
		if t.Kind == validate.KindVector {
			t = t.Elem
		}
		format = openFormat(t)
	}
	made := &buffer{name: w.unique(b.Name, fmt.Sprintf("color%d", b.Binding)), note: "guess: its size and format",
		body: fmt.Sprintf("image: {format: %s, width: %d, height: %d}", format, guessSide, guessSide)}
	w.buffers = append(w.buffers, made)
	w.colors = append(w.colors, fmt.Sprintf("    - {location: %d, buffer: %s, clear: [0]}", b.Binding, quoted(made.name)))
}

// formats of texels where the type leaves the format open, by the type that is sampled.
func openFormat(t *validate.Type) string {
	switch {
	case t != nil && t.Kind == validate.KindInt && t.Signed:
		return "Rgba32i"
	case t != nil && t.Kind == validate.KindInt:
		return "Rgba32ui"
	}
	return "Rgba32f"
}

// image guesses the size of an image, and its format where the type leaves it open.
func image(t *validate.Type) (body, note string) {
	format, note := t.Format.String(), "guess: its size"
	if config.TexelBytes(format) == 0 {
		format, note = openFormat(t.Elem), "guess: its size and format"
	}
	if t.Dim == spirv.DimBuffer {
		return fmt.Sprintf("texel_buffer: %s, data: {zero: %d}", format, guessElements*config.TexelBytes(format)), note
	}
	parts := []string{"format: " + format, fmt.Sprintf("width: %d", guessSide)}
	layers := 1
	if t.Dim != spirv.Dim1D {
		parts = append(parts, fmt.Sprintf("height: %d", guessSide))
	}
	if t.Dim == spirv.Dim3D {
		parts = append(parts, fmt.Sprintf("depth: %d", guessDepth))
	}
	if t.Dim == spirv.DimCube {
		layers = 6
	}
	if t.Arrayed {
		layers *= 2
	}
	if layers > 1 {
		parts = append(parts, fmt.Sprintf("layers: %d", layers))
	}
	return fmt.Sprintf("image: {%s}", strings.Join(parts, ", ")), note
}

// resources writes buffers, images and samplers.
func (w *writer) resources() {
	var buffers, samplers []string
	for _, b := range w.buffers {
		n := min(max(b.count, 1), mostElements)
		if b.count > mostElements {
			w.open("set %d, binding %d has %d descriptors: %d are bound", b.set, b.binding, b.count, n)
		}
		for i := range n {
			if b.kind == ir.Sampler && b.bound {
				samplers = append(samplers, fmt.Sprintf("  - {%s}", b.bindingText(i)))
				continue
			}
			name := b.name
			if n > 1 {
				name = fmt.Sprintf("%s_%d", name, i)
			}
			buffers = append(buffers, fmt.Sprintf("  - {%s, name: %s, %s}%s", b.bindingText(i), quoted(name), b.body, comment(b.note)))
		}
	}
	if len(buffers) > 0 {
		w.line("buffers:\n%s", strings.Join(buffers, "\n"))
	}
	if len(samplers) > 0 {
		w.line("samplers:\n%s", strings.Join(samplers, "\n"))
	}
}

// bindingText formats the binding of a descriptor.
func (b *buffer) bindingText(i uint32) string {
	switch {
	case !b.bound:
		return "unbound: true"
	case i > 0:
		return fmt.Sprintf("set: %d, binding: %d, index: %d", b.set, b.binding, i)
	}
	return fmt.Sprintf("set: %d, binding: %d", b.set, b.binding)
}
