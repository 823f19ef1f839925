package driver

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"spvsim/mem/texture"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A jobWriter writes a capture as a job file, and records the first error.
type jobWriter struct {
	*capture
	strings.Builder
	blockParts []string // descriptions of parts of blocks, by their number
	err        error
}

func (w *jobWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// job returns the text of the job file, without expected results: a single dispatch as such, else steps over buffers
// that each binds for itself.
func (c *capture) job(name string) (string, error) {
	w := &jobWriter{capture: c}
	w.printf("# captured from an application; run it with spvsim run\ndescription: %q\n", strings.ToValidUTF8(name, "?"))
	c.writeMachine(&w.Builder)
	if one := &c.steps[0]; len(c.steps) == 1 && one.dispatch != nil && one.dispatch.indirect.Bytes == nil {
		w.single(one)
		return w.String(), w.err
	}
	body := &jobWriter{capture: c}
	body.steps()
	w.printf("buffers:\n")
	w.writeBlocks()
	for i, text := range body.blockParts {
		w.printf("  - {unbound: true, name: part%d, %s}\n", i, text)
	}
	w.WriteString(body.String())
	return w.String(), cmp.Or(w.err, body.err)
}

// single writes a job of one dispatch, whose keys are the job's own.
func (w *jobWriter) single(s *jobStep) {
	d := s.dispatch
	w.printf("%s", strings.Join(w.kernel(d), "\n")+"\n")
	w.printf("buffers:\n")
	w.writeBlocks()
	samplers := ""
	for i, list := range s.bound[0].elements {
		want := &s.bound[0].program.Bindings[i]
		for k := range list {
			if list[k].Sampler != nil {
				samplers += "  - " + samplerText(want, k, list[k].Sampler) + "\n"
			} else if len(list[k].Bytes) > 0 {
				w.printf("  - {set: %d, binding: %d, index: %d, name: binding%d_%d, %s}\n", want.Set, want.Binding, k, i, k, w.blockPart(want.Kind, &list[k]))
			}
		}
	}
	if samplers != "" {
		w.printf("samplers:\n%s", samplers)
	}
}

// kernel writes the program of a dispatch, its parameters and its number of workgroups.
func (w *jobWriter) kernel(d *dispatch) (list []string) {
	p := d.pipeline
	list = append(list, "shader: "+w.storeData(p.setup.Module.Raw.Encode(binary.LittleEndian), ".spv"), fmt.Sprintf("entry: %q", p.entry),
		fmt.Sprintf("wave_size: %d", p.kernel.Program.WaveSize))
	if d.indirect.Bytes != nil {
		block, offset := w.blockOf(d.indirect.Addr)
		list = append(list, fmt.Sprintf("indirect: {buffer: %s, offset: %d}", block, offset))
	} else {
		list = append(list, fmt.Sprintf("dispatch: [%d, %d, %d]", d.groups[0], d.groups[1], d.groups[2]))
	}
	if d.base != [3]uint32{} {
		list = append(list, fmt.Sprintf("base: [%d, %d, %d]", d.base[0], d.base[1], d.base[2]))
	}
	if text := constants(p.setup.Module, p.setup.Specialization); text != "" {
		list = append(list, text)
	}
	if n := int(p.kernel.Program.PushBytes); n > 0 {
		list = append(list, pushText(d.push, n))
	}
	return list
}

// pushText is a block of push constants.
func pushText(have []byte, bytes int) string {
	push := make([]byte, (bytes+3)/4*4)
	copy(push, have)
	var words []string
	for i := 0; i < len(push); i += 4 {
		words = append(words, fmt.Sprintf("{u32: %d}", binary.LittleEndian.Uint32(push[i:])))
	}
	return "push_constants: [" + strings.Join(words, ", ") + "]"
}

// writeBlocks writes the memory, each block at its address in the device.
func (w *jobWriter) writeBlocks() {
	for i := range w.blocks {
		w.printf("  - {unbound: true, name: memory%d, address: %d, data: {file: %s}}\n", i, w.blocks[i].addr, w.storeData(w.blocks[i].bytes, ".bin"))
	}
}

// storeData is the file of some bytes.
func (w *jobWriter) storeData(data []byte, ext string) string {
	name, err := w.capturer.storeData(data, ext)
	w.err = cmp.Or(w.err, err)
	return name
}

// blockOf returns the block of an address, and the offset in it.
func (w *jobWriter) blockOf(addr uint64) (block string, offset uint64) {
	for i := range w.blocks {
		if b := &w.blocks[i]; b.contains(addr) {
			return fmt.Sprintf("memory%d", i), addr - b.addr
		}
	}
	w.err = cmp.Or(w.err, fmt.Errorf("no memory is at address %#x", addr))
	return "", 0
}

// blockPart describes a descriptor as a part of a block.
func (w *jobWriter) blockPart(kind ir.BindingKind, e *mem.Descriptor) string {
	block, offset := w.blockOf(e.Addr)
	bytes := uint64(len(e.Bytes))
	if i := e.Image; i != nil {
		bytes = min(bytes, i.Size())
		if i.Stored != 0 || i.Swizzle != [4]texture.Component{} {
			w.err = cmp.Or(w.err, errors.New("a view of several levels of some layers, or with swizzled components: a job has images only as they are in memory"))
		}
	}
	return fmt.Sprintf("part_of: %s, offset: %d, bytes: %d%s", block, offset, bytes, shapeOf(kind, e.Image))
}

// partName is the buffer that is a descriptor's part, one for all that are alike.
func (w *jobWriter) partName(kind ir.BindingKind, e *mem.Descriptor) string {
	text := w.blockPart(kind, e)
	i := slices.Index(w.blockParts, text)
	if i < 0 {
		i = len(w.blockParts)
		w.blockParts = append(w.blockParts, text)
	}
	return fmt.Sprintf("part%d", i)
}

// bindings are the buffers and samplers that a program finds.
func (w *jobWriter) bindings(b *bound) (buffers, samplers []string) {
	for i, list := range b.elements {
		want := &b.program.Bindings[i]
		for k := range list {
			if list[k].Sampler != nil {
				samplers = append(samplers, samplerText(want, k, list[k].Sampler))
			} else if len(list[k].Bytes) > 0 {
				buffers = append(buffers, fmt.Sprintf("{set: %d, binding: %d, index: %d, buffer: %s}", want.Set, want.Binding, k, w.partName(want.Kind, &list[k])))
			}
		}
	}
	return buffers, samplers
}

// steps writes the nodes of the graph, if any, and the steps.
func (w *jobWriter) steps() {
	if i := slices.IndexFunc(w.capture.steps, func(s jobStep) bool { return s.graph != nil }); i >= 0 {
		w.nodes(&w.capture.steps[i])
	}
	w.printf("steps:\n")
	for i := range w.capture.steps {
		s := &w.capture.steps[i]
		list := []string{fmt.Sprintf("name: %q", s.name)}
		switch {
		case s.dispatch != nil:
			list = append(list, w.kernel(s.dispatch)...)
			list = append(list, w.lists(&s.bound[0])...)
		case s.graph != nil:
			list = append(list, "graph: ["+strings.Join(w.entries(s.graph), ", ")+"]")
		default:
			list = append(list, w.moveList(s))
		}
		w.printf("  - %s\n", strings.Join(list, "\n    "))
	}
}

// lists writes the keys for the bindings of a step or node.
func (w *jobWriter) lists(b *bound) (list []string) {
	buffers, samplers := w.bindings(b)
	if buffers != nil {
		list = append(list, "bindings: ["+strings.Join(buffers, ", ")+"]")
	}
	if samplers != nil {
		list = append(list, "samplers: ["+strings.Join(samplers, ", ")+"]")
	}
	return list
}

// moveList writes the copies of a transfer.
func (w *jobWriter) moveList(s *jobStep) string {
	var list []string
	for i := range s.moves {
		m := &s.moves[i]
		if m.bytes*m.rows == 0 {
			continue
		}
		to, at := w.blockOf(m.to.Addr)
		text := fmt.Sprintf("{to: %s, at: %d, bytes: %d, rows: %d, to_row: %d", to, at, m.bytes, m.rows, m.toRow)
		if m.data != nil {
			text += fmt.Sprintf(", data: {file: %s}}", w.storeData(m.data, ".bin"))
		} else {
			from, offset := w.blockOf(m.from.Addr)
			text += fmt.Sprintf(", from: %s, offset: %d, from_row: %d}", from, offset, m.ofRow)
		}
		list = append(list, text)
	}
	return fmt.Sprintf("transfer: {bytes: %d, moves: [%s]}", s.bytes, strings.Join(list, ", "))
}

func (c *capture) writeMachine(b *strings.Builder) {
	s := readSettings()
	machine := cmp.Or(s.machines[c.device.physical.index], config.DefaultMachine)
	if strings.ContainsAny(machine, "./") { // a file: a job looks for it in its own folder
		if full, err := filepath.Abs(machine); err == nil {
			machine = full
		}
	}
	fmt.Fprintf(b, "machine: %q\n", machine)
	if len(s.set) > 0 {
		b.WriteString("set:\n")
	}
	for _, text := range s.set {
		key, value, _ := strings.Cut(text, "=")
		fmt.Fprintf(b, "  %q: %s\n", key, value)
	}
}

// constants are specialization constants as values of their types.
func constants(m *validate.Module, values map[uint32]uint64) string {
	var list []string
	done := map[uint32]bool{}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		id, ok := m.Decoration(in.Result, spirv.DecorationSpecId)
		bits, set := values[id]
		if in.Result == 0 || !ok || !set || done[id] {
			continue
		}
		text := strconv.FormatUint(bits, 10)
		if t := m.Type(in.Type); t.Kind == validate.KindFloat {
			text = strconv.FormatFloat(floatOf(bits, t.Width), 'g', -1, 64)
		}
		done[id] = true // one value serves all constants of that number
		list = append(list, fmt.Sprintf("%d: %s", id, text))
	}
	if list == nil {
		return ""
	}
	return "specialization: {" + strings.Join(list, ", ") + "}"
}

func floatOf(bits uint64, width int) float64 {
	switch width {
	case 64:
		return math.Float64frombits(bits)
	case 16:
		return float64(isa.HalfToFloat32(uint16(bits)))
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// shapeOf writes the shape of an image: its format, extent, mips, layers and samples.
func shapeOf(kind ir.BindingKind, i *texture.Image) string {
	switch {
	case i == nil:
		return ""
	case kind == ir.TexelBuffer:
		return ", texel_buffer: " + i.Format.Name
	}
	text := fmt.Sprintf(", image: {format: %s, width: %d, height: %d, depth: %d, layers: %d", i.Format.Name, i.Width, i.Height, i.Depth, i.Layers)
	if i.Levels > 1 {
		text += fmt.Sprintf(", mips: data, levels: %d", i.Levels)
	}
	if i.Samples > 1 {
		text += fmt.Sprintf(", samples: %d", i.Samples)
	}
	return text + "}"
}

// samplerText writes a sampler in the job's syntax.
func samplerText(want *ir.Binding, index int, s *texture.Sampler) string {
	filter := map[bool]string{false: "nearest", true: "linear"}
	var wrap []string
	for _, one := range s.Wrap {
		wrap = append(wrap, wrapNames[one])
	}
	text := fmt.Sprintf("{set: %d, binding: %d, index: %d, filter: %s, magnify: %s, mip: %s, wrap: [%s], bias: %g, min_lod: %g, max_lod: %g", want.Set, want.Binding, index,
		filter[s.MinLinear], filter[s.MagLinear], filter[s.MipLinear], strings.Join(wrap, ", "), s.Bias,
		min(max(s.MinLod, 0), mostLod), min(max(s.MaxLod, math.SmallestNonzeroFloat32), mostLod)) // of a highest level 0 a job has no limit
	if s.Unnormalized {
		text += ", unnormalized: true"
	}
	if name := borderNames[s.Border]; name != "" {
		text += ", border: " + name
	}
	if s.Compare != nil {
		text += ", compare: " + comparisonName(s.Compare)
	}
	return text + "}"
}

// mostLod is the largest level of detail of a job: no image has as many.
const mostLod = 1000

var wrapNames = map[texture.Wrap]string{texture.WrapRepeat: "repeat", texture.WrapMirror: "mirror", texture.WrapClamp: "clamp", texture.WrapBorder: "border", texture.WrapMirrorOnce: "mirror-once"}

var borderNames = map[[4]uint32]string{{3: 1}: "black", {1, 1, 1, 1}: "white"}

// comparisonName identifies a comparison by its results for less, equal and greater.
func comparisonName(passes func(reference, depth float64) bool) string {
	return map[[3]bool]string{
		{false, false, false}: "never", {true, false, false}: "less", {false, true, false}: "equal", {true, true, false}: "less-or-equal",
		{false, false, true}: "greater", {true, false, true}: "not-equal", {false, true, true}: "greater-or-equal", {true, true, true}: "always",
	}[[3]bool{passes(0, 1), passes(0, 0), passes(1, 0)}]
}
