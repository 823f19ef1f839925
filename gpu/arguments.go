package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
	"spvsim/program"
	"spvsim/spirv/clc"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// compileSource compiles a shader of the job in OpenCL C.
func (p *programs) compileSource(text []byte, name string) ([]byte, error) {
	if p.job.Sandboxed() {
		return nil, fmt.Errorf("%s: found OpenCL C in a sandbox, where no compiler runs: want a compiled module (.spv)", name)
	}
	options, defines, err := p.job.CompileOptions()
	if err != nil {
		return nil, err
	}
	list, err := p.job.Included(name, text)
	if err != nil {
		return nil, err
	}
	s := &clc.Source{Name: name, Text: text, Options: options}
	for _, f := range list {
		s.Files = append(s.Files, clc.File{Name: f.Name, Text: f.Text})
	}
	for _, d := range defines {
		s.Defines = append(s.Defines, d.Name+"="+d.Value)
	}
	return clc.Compile(p.ctx, s)
}

// compileAlone compiles OpenCL C that no job names.
func compileAlone(ctx context.Context, text []byte, name string) ([]byte, error) {
	return clc.Compile(ctx, &clc.Source{Name: name, Text: text})
}

// kernelLaunch returns the launch of a kernel with what its interface decides: workgroups, and the argument block as
// push constants.
func (p *programs) kernelLaunch(l *config.Launch) (*config.Launch, error) {
	m, err := p.module(l)
	if err != nil {
		return nil, err
	}
	e := entryPoint(m, l.Entry)
	switch {
	case e == nil:
		return nil, p.noEntry(m, l)
	case !kernel.Is(e):
		return nil, p.job.Fault(l, "global", fmt.Errorf("found global for %q, which is no kernel of OpenCL: want dispatch", e.Name))
	}
	k, err := kernel.InterfaceOf(m, e)
	if err != nil {
		return nil, Named(l.Shader, err)
	}
	out, call := *l, *l.Kernel
	out.Kernel = &call
	call.LocalBytes = map[int]uint32{}
	if err := p.localSize(k, &out); err != nil {
		return nil, err
	}
	w := &argumentWriter{p: p, l: &out, k: k, m: m, layout: kernel.Layout{Module: m, Physical: k.Physical}}
	w.block.Bytes = make([]byte, k.Bytes)
	if err := w.arguments(); err != nil {
		return nil, err
	}
	w.hidden()
	out.Push = w.block
	return &out, nil
}

// noEntry is the error of a launch whose entry point the module does not have, or leaves open.
func (p *programs) noEntry(m *validate.Module, l *config.Launch) error {
	if l.Entry == "" {
		return p.job.Fault(l, "entry", fmt.Errorf("found no entry: want one of %s, the entry points of %s", entryNames(m), l.Shader))
	}
	return p.job.Fault(l, "entry", fmt.Errorf("found no entry point %q in %s: want one of %s", l.Entry, l.Shader, entryNames(m)))
}

// localSize decides the size of the workgroups and their number.
func (p *programs) localSize(k *kernel.Interface, l *config.Launch) error {
	c := l.Kernel
	none := [3]uint32{}
	switch {
	case c.Local == none:
		c.Local = DefaultLocalSize(k, c.Dims, c.Global)
	case k.RequiredSize != none && k.RequiredSize != c.Local:
		return p.job.Fault(l, "local", fmt.Errorf("found %s: want %s, as reqd_work_group_size of %s says", sizeText(c.Local), sizeText(k.RequiredSize), k.Name))
	}
	if n, most := items(c.Local), p.mostItems(l); n > most {
		return p.job.Fault(l, "local", fmt.Errorf("found %s = %d work-items: want at most %d in a workgroup", sizeText(c.Local), n, most))
	}
	for i := range c.Local {
		l.Dispatch[i] = uint32((uint64(c.Global[i]) + uint64(c.Local[i]) - 1) / uint64(c.Local[i]))
	}
	return nil
}

// maxLocalItems is what the hidden arguments can hold in a dimension.
const maxLocalItems = 1<<16 - 1

// mostItems is the number of work-items that a workgroup may have.
func (p *programs) mostItems(l *config.Launch) uint64 {
	if p.machine == nil {
		return maxLocalItems
	}
	size := p.size
	if l.WaveSize > 0 {
		size = l.WaveSize
	}
	return min(uint64(p.machine.WaveSlots)*uint64(p.machine.SIMDs)*uint64(size), maxLocalItems)
}

func items(n [3]uint32) uint64 {
	if n[0] > maxLocalItems || n[1] > maxLocalItems || n[2] > maxLocalItems {
		return maxLocalItems + 1
	}
	return uint64(n[0]) * uint64(n[1]) * uint64(n[2])
}

func sizeText(n [3]uint32) string { return fmt.Sprintf("%d x %d x %d", n[0], n[1], n[2]) }

// defaultLocalSizes are the workgroups of 256 work-items that a launch has without a size of its own, by dimensions.
var defaultLocalSizes = [4][3]uint32{{256, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}}

// DefaultLocalSize returns the size of a kernel's workgroups where the job leaves it open: reqd_work_group_size, else
// work_group_size_hint, else 256, 16 x 16 or 8 x 8 x 4 work-items, in no dimension more than the grid has.
func DefaultLocalSize(k *kernel.Interface, dims int, global [3]uint32) [3]uint32 {
	for _, n := range [][3]uint32{k.RequiredSize, k.SizeHint} {
		if n[0] > 0 {
			return n
		}
	}
	n := defaultLocalSizes[dims]
	for i := range n {
		n[i] = max(min(n[i], global[i]), 1)
	}
	return n
}

// GuessedLocalBytes is the LDS behind a local pointer where nothing says how much there is: four bytes for each
// work-item of 256.
const GuessedLocalBytes = 1024

// GuessKernel returns the launch options of a kernel that no job launches.
func GuessKernel(k *kernel.Interface) program.Kernel {
	out := program.Kernel{LocalSize: DefaultLocalSize(k, 1, defaultLocalSizes[1]), LocalBytes: map[int]uint32{}}
	for i := range k.Arguments {
		if k.Arguments[i].Kind == kernel.Local {
			out.LocalBytes[i] = GuessedLocalBytes
		}
	}
	return out
}

// kernelOptions are the options with which a launch's kernel is lowered; of other entry points none.
func kernelOptions(m *validate.Module, l *config.Launch) program.Kernel {
	if l.Kernel != nil {
		return program.Kernel{LocalSize: l.Kernel.Local, LocalBytes: l.Kernel.LocalBytes, Short: l.Kernel.Short()}
	}
	if e := entryPoint(m, l.Entry); kernel.Is(e) {
		if k, err := kernel.InterfaceOf(m, e); err == nil { // else lowering has the error
			return GuessKernel(k)
		}
	}
	return program.Kernel{}
}

// sameKernel reports whether two launches run the same code of a kernel.
func sameKernel(a, b *config.KernelCall) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Local == b.Local && a.Short() == b.Short() && maps.Equal(a.LocalBytes, b.LocalBytes)
}

// An argumentWriter fills the argument block of a launch.
type argumentWriter struct {
	p      *programs
	l      *config.Launch
	k      *kernel.Interface
	m      *validate.Module
	layout kernel.Layout
	block  config.Content
}

// arguments writes all explicit arguments.
func (w *argumentWriter) arguments() error {
	given := w.l.Kernel.Arguments
	if given.Members == nil {
		if len(given.List) != len(w.k.Arguments) {
			return w.fault("", fmt.Errorf("found %d arguments: want %d, %s", len(given.List), len(w.k.Arguments), w.signature()))
		}
		for i := range given.List {
			if err := w.argument(i, &given.List[i]); err != nil {
				return w.fault(fmt.Sprintf("[%d]", i), err)
			}
		}
		return nil
	}
	done := map[int]bool{}
	for i := range given.Members {
		v := &given.Members[i]
		at := slices.IndexFunc(w.k.Arguments, func(a kernel.Argument) bool { return a.Name == v.Name })
		if at < 0 {
			return w.fault("."+v.Name, fmt.Errorf("found an argument that %s does not have: want %s", w.k.Name, w.signature()))
		}
		if err := w.argument(at, v); err != nil {
			return w.fault("."+v.Name, err)
		}
		done[at] = true
	}
	for i := range w.k.Arguments {
		if !done[i] {
			return w.fault("", fmt.Errorf("missing %s: want %s", w.k.ArgumentName(i), w.signature()))
		}
	}
	return nil
}

func (w *argumentWriter) fault(under string, err error) error {
	return w.p.job.Fault(w.l, "arguments"+under, err)
}

// signature lists the parameters of the kernel.
func (w *argumentWriter) signature() string {
	var list []string
	for i := range w.k.Arguments {
		list = append(list, strings.TrimSpace(w.k.Spelling(i)+" "+w.k.Arguments[i].Name))
	}
	return fmt.Sprintf("%s(%s)", w.k.Name, strings.Join(list, ", "))
}

// found words what the job gives.
func foundValue(v *config.GivenValue) string {
	switch {
	case v.Text != "":
		return v.Text
	case v.Null:
		return "null"
	case v.Members != nil:
		return "a mapping"
	}
	return fmt.Sprintf("a list of %d", len(v.List))
}

func (w *argumentWriter) argument(i int, v *config.GivenValue) error {
	a := &w.k.Arguments[i]
	switch a.Kind {
	case kernel.Local:
		return w.local(i, v)
	case kernel.Global, kernel.Constant:
		return w.pointer(v, a.Offset, w.k.Spelling(i))
	case kernel.Image:
		n := w.buffer(v.Text)
		if n < 0 || w.p.job.Buffers[n].Image == nil {
			return fmt.Errorf("found %s: want the name of an image, for %s", foundValue(v), w.k.Spelling(i))
		}
		w.l.Bindings = append(slices.Clip(w.l.Bindings), config.NodeBinding{Binding: uint32(i), Buffer: v.Text})
		return nil
	case kernel.Sampler:
		return w.sampler(i, v)
	}
	word := strings.TrimRight(a.TypeName, "0123456789")
	return w.value(v, a.Type, word, a.Offset, w.k.Spelling(i))
}

func (w *argumentWriter) buffer(name string) int {
	return slices.IndexFunc(w.p.job.Buffers, func(b config.Buffer) bool { return name != "" && b.Name == name })
}

// pointer writes the address of a buffer: its name, {buffer: name, offset: bytes}, or null.
func (w *argumentWriter) pointer(v *config.GivenValue, at uint32, spelling string) error {
	if v.Null {
		return nil
	}
	name, plus := v.Text, uint64(0)
	for i := range v.Members {
		switch part := &v.Members[i]; part.Name {
		case "buffer":
			name = part.Text
		case "offset":
			n, err := givenInteger(part, 0, 1<<40)
			if err != nil {
				return fmt.Errorf("offset: %w", err)
			}
			plus = n
		default:
			return fmt.Errorf("found the key %s: want buffer, and offset in bytes, for %s", part.Name, spelling)
		}
	}
	if w.buffer(name) < 0 {
		if name == "" {
			return fmt.Errorf("found %s: want the name of a buffer, for %s", foundValue(v), spelling)
		}
		known := lists.Map(w.p.job.Buffers, func(b config.Buffer) string { return b.Name })
		return fmt.Errorf("found %s: want the name of a buffer, for %s%s", name, spelling, config.Hint(name, known))
	}
	w.block.Addresses = append(w.block.Addresses, config.AddressFixup{At: int(at), Buffer: name, Plus: plus, Short: w.k.Physical == 32})
	return nil
}

// local notes the bytes behind a local pointer: {local: bytes}.
func (w *argumentWriter) local(i int, v *config.GivenValue) error {
	if len(v.Members) != 1 || v.Members[0].Name != "local" {
		return fmt.Errorf("found %s: want {local: BYTES}, for %s", foundValue(v), w.k.Spelling(i))
	}
	most := uint64(1 << 20)
	if w.p.limits != nil {
		most = uint64(w.p.limits.LDS.MaxWorkgroupBytes)
	}
	n, err := givenInteger(&v.Members[0], 1, most)
	if err != nil {
		return fmt.Errorf("local: %w bytes of the LDS", err)
	}
	w.l.Kernel.LocalBytes[i] = uint32(n)
	return nil
}

func givenInteger(v *config.GivenValue, least, most uint64) (uint64, error) {
	if v.Err != nil || v.Text == "" {
		return 0, fmt.Errorf("found %s: want a number of %d to %d", foundValue(v), least, most)
	}
	n, err := v.Number.IntegerWithin(int64(least), most)
	if err != nil {
		return 0, err
	}
	return n.Bits(), nil
}

// samplerKeys are the keys of a sampler with their values, those of the job's samplers.
var samplerKeys = map[string][]string{
	"filter": {"nearest", "linear"}, "wrap": {"repeat", "mirror", "clamp", "border"}, "unnormalized": {"true", "false"},
}

// sampler binds a sampler: {filter: linear, wrap: clamp, unnormalized: true}.
func (w *argumentWriter) sampler(i int, v *config.GivenValue) error {
	if v.Members == nil {
		return fmt.Errorf("found %s: want a mapping with filter, wrap and unnormalized, for %s", foundValue(v), w.k.Spelling(i))
	}
	s := config.Sampler{Binding: uint32(i), Mip: "nearest"}
	for k := range v.Members {
		part := &v.Members[k]
		known := samplerKeys[part.Name]
		switch {
		case known == nil:
			return fmt.Errorf("found the key %s: want filter, wrap or unnormalized, for %s", part.Name, w.k.Spelling(i))
		case !slices.Contains(known, part.Text):
			return fmt.Errorf("%s: found %s: want %s, for %s", part.Name, foundValue(part), strings.Join(known, ", "), w.k.Spelling(i))
		case part.Name == "filter":
			s.Filter = part.Text
		case part.Name == "wrap":
			s.Wrap = []string{part.Text}
		default:
			s.Texels = part.Text == "true"
		}
	}
	w.l.Samplers = append(slices.Clip(w.l.Samplers), s)
	return nil
}

// value writes a value of a type. word is the type of its scalars in OpenCL C, for their sign; empty: either sign.
func (w *argumentWriter) value(v *config.GivenValue, t *validate.Type, word string, at uint32, spelling string) error {
	size, _, _ := w.layout.Extent(t)
	if v.Bytes != nil && !w.hasMember(t, v.Members[0].Name) {
		if uint64(len(v.Bytes)) != size {
			return fmt.Errorf("found %d bytes: want %d, for %s", len(v.Bytes), size, spelling)
		}
		copy(w.block.Bytes[at:], v.Bytes)
		return nil
	}
	switch t.Kind {
	case validate.KindPointer:
		return w.pointer(v, at, spelling)
	case validate.KindVector, validate.KindArray:
		if len(v.List) != t.Count || v.List == nil {
			return fmt.Errorf("found %s: want a list of %d values, for %s", foundValue(v), t.Count, spelling)
		}
		each, _, _ := w.layout.Extent(t.Elem)
		for i := range v.List {
			if err := w.value(&v.List[i], t.Elem, word, at+uint32(i)*uint32(each), spelling); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	case validate.KindStruct:
		return w.structure(v, t, at, spelling)
	}
	return w.scalar(v, t, word, at, spelling)
}

func (w *argumentWriter) hasMember(t *validate.Type, name string) bool {
	for i := range t.Members {
		if t.Kind == validate.KindStruct && w.m.MemberName(t.ID, i) == name {
			return true
		}
	}
	return false
}

// structure writes a structure: its members in order or, where the module names them, by name.
func (w *argumentWriter) structure(v *config.GivenValue, t *validate.Type, at uint32, spelling string) error {
	offsets, _ := w.layout.Members(t)
	list := v.List
	if v.Members != nil {
		list = make([]config.GivenValue, 0, len(t.Members))
		for i := range t.Members {
			for k := range v.Members {
				if v.Members[k].Name == w.m.MemberName(t.ID, i) {
					list = append(list, v.Members[k])
				}
			}
		}
	}
	if len(list) != len(t.Members) || v.Members != nil && len(v.Members) != len(list) {
		return fmt.Errorf("found %s: want its %d members in order, or {u8: [...]} of all its bytes, for %s", foundValue(v), len(t.Members), spelling)
	}
	for i := range list {
		if err := w.value(&list[i], t.Members[i], "", at+uint32(offsets[i]), spelling); err != nil {
			return fmt.Errorf("member %d: %w", i, err)
		}
	}
	return nil
}

// signs are the prefixes of element types to try for an integer in turn, by its type in OpenCL C.
func signs(word string) []string {
	switch word {
	case "char", "short", "int", "long", "ptrdiff_t", "intptr_t":
		return []string{"i"}
	case "uchar", "ushort", "uint", "ulong", "size_t", "uintptr_t", "unsigned char", "unsigned short", "unsigned int", "unsigned long":
		return []string{"u"}
	}
	return []string{"i", "u"}
}

func (w *argumentWriter) scalar(v *config.GivenValue, t *validate.Type, word string, at uint32, spelling string) error {
	if v.Text == "" || v.Err != nil {
		if v.Err != nil && w.buffer(v.Text) < 0 {
			return fmt.Errorf("%w, for %s", v.Err, spelling)
		}
		return fmt.Errorf("found %s: want a number, for %s", foundValue(v), spelling)
	}
	prefixes := []string{"f"}
	if t.Kind == validate.KindInt {
		prefixes = signs(word)
	}
	var err error
	for _, prefix := range prefixes {
		var b []byte
		if b, err = config.Encode(fmt.Sprintf("%s%d", prefix, t.Width), v.Number); err == nil {
			copy(w.block.Bytes[at:], b)
			return nil
		}
	}
	return fmt.Errorf("%w, for %s", err, spelling)
}

// hidden writes the hidden arguments: the grid in workgroups, as AMD's ABI has it.
func (w *argumentWriter) hidden() {
	c, b := w.l.Kernel, w.block.Bytes[w.k.Hidden:]
	for i := range c.Local {
		binary.LittleEndian.PutUint32(b[kernel.BlockCount+4*i:], c.Global[i]/c.Local[i])
		binary.LittleEndian.PutUint16(b[kernel.GroupSize+2*i:], uint16(c.Local[i]))
		binary.LittleEndian.PutUint16(b[kernel.Remainder+2*i:], uint16(c.Global[i]%c.Local[i]))
		binary.LittleEndian.PutUint64(b[kernel.GlobalOffset+8*i:], c.Offset[i])
	}
	binary.LittleEndian.PutUint16(b[kernel.GridDims:], uint16(c.Dims))
}
