package gpu

import (
	"fmt"
	"math"
	"slices"

	"spvsim/config"
	"spvsim/mem"
	"spvsim/mem/texture"
	"spvsim/program"
	"spvsim/program/ir"
)

// resources are the job's buffers and images in the machine's memory.
type resources struct {
	job     *config.Job
	store   *mem.Store
	budget  *budget
	buffers []*mem.Buffer // in the order of the job
	views   []mem.Descriptor
	fixups  [][]config.AddressFixup // in the initial contents of each buffer
	draw    *draw                   // that is being prepared; nil: none
	pushes  pushPlaces              // where push constants lie
	mesh    []config.MeshTarget     // where outputs of the mesh node that is bound go
	usage   *usage
}

// newResources allocates and fills all buffers.
func newResources(job *config.Job, store *mem.Store, host *budget) (*resources, error) {
	r := &resources{job: job, store: store, budget: host, pushes: pushPlaces{store: store}, usage: newUsage(job)}
	var contents []config.Content
	for i := range job.Buffers {
		b := &job.Buffers[i]
		at, err := b.Location(func(whole int) uint64 { return r.buffers[whole].Size })
		if err != nil {
			return nil, err
		}
		if at.Parent >= 0 {
			if err := r.addPart(b, &at); err != nil {
				return nil, fmt.Errorf("buffers[%d]: %w", i, err)
			}
			contents = append(contents, config.Content{})
			continue
		}
		c, err := b.ContentWithin(r.space())
		if err != nil {
			return nil, err
		}
		if err := host.reserve(uint64(len(c.Bytes)), fmt.Sprintf("buffers[%d]", i)); err != nil {
			return nil, err
		}
		if err := r.add(b, at.Address, c.Bytes); err != nil {
			return nil, fmt.Errorf("buffers[%d]: %w", i, err)
		}
		c.Bytes = nil // they are in the store
		contents = append(contents, c)
	}
	for i := range contents {
		config.Content{Bytes: r.buffers[i].Bytes, Addresses: contents[i].Addresses}.Resolve(r.address)
		r.fixups = append(r.fixups, contents[i].Addresses)
	}
	return r, nil
}

// add makes a buffer, at its address if it has one.
func (r *resources) add(b *config.Buffer, address uint64, data []byte) error {
	if address != 0 {
		if err := r.store.Attach(address, data, b.Name); err != nil {
			return err
		}
		return r.addView(b, r.store.Find(address))
	}
	m, err := r.store.Adopt(data, b.Name)
	if err != nil {
		return err
	}
	return r.addView(b, m)
}

// addPart makes a buffer of another one's bytes.
func (r *resources) addPart(b *config.Buffer, at *config.BufferLocation) error {
	whole := r.buffers[at.Parent]
	end := at.Offset + at.Bytes
	return r.addView(b, &mem.Buffer{Name: b.Name, Addr: whole.Addr + at.Offset, Size: at.Bytes, Bytes: whole.Bytes[at.Offset:end:end]})
}

func (r *resources) addView(b *config.Buffer, m *mem.Buffer) error {
	view, err := describe(b, m)
	if err != nil {
		return err
	}
	r.buffers, r.views = append(r.buffers, m), append(r.views, view)
	return nil
}

// describe makes the descriptor of a buffer, texel buffer or image.
func describe(b *config.Buffer, m *mem.Buffer) (mem.Descriptor, error) {
	switch {
	case b.Image != nil:
		s, err := b.Shape()
		if err != nil {
			return mem.Descriptor{}, err
		}
		image, err := texture.NewImage(b.Image.Format, uint32(s.Width), uint32(s.Height), uint32(s.Depth), uint32(s.Layers))
		if err != nil {
			return mem.Descriptor{}, err
		}
		image.Levels, image.Samples = uint32(s.Levels), uint32(s.Samples)
		if b.Image.Mips == "auto" {
			if err := image.BuildMips(m.Bytes); err != nil {
				return mem.Descriptor{}, err
			}
		}
		return mem.OfImage(m, image)
	case b.TexelBuffer != "":
		texel := max(config.TexelBytes(b.TexelBuffer), 1)
		image, err := texture.NewImage(b.TexelBuffer, uint32(len(m.Bytes)/texel), 1, 1, 1)
		if err != nil {
			return mem.Descriptor{}, err
		}
		return mem.OfImage(m, image)
	}
	return mem.DescriptorOf(m), nil
}

// bind makes the descriptors and push constants of a launch.
func (r *resources) bind(p *program.Program, l *config.Launch) (*mem.Bindings, error) {
	b := &mem.Bindings{Names: p.Bindings}
	for i := range p.Bindings {
		list, err := r.elements(&p.Bindings[i], l)
		if err != nil {
			return nil, err
		}
		b.Bind(list...)
	}
	return b, r.push(p, l, b)
}

// push gives a launch its push constants.
func (r *resources) push(p *program.Program, l *config.Launch, b *mem.Bindings) (err error) {
	if int(p.PushBytes) > len(l.Push.Bytes) {
		return fmt.Errorf("push_constants: found %d bytes: want %d, the size of the shader's block", len(l.Push.Bytes), p.PushBytes)
	}
	if len(l.Push.Bytes) == 0 {
		return nil
	}
	b.Push = slices.Clone(l.Push.Bytes)
	for _, a := range l.Push.Addresses {
		if err := r.checkShort(&a); err != nil {
			return err
		}
	}
	config.Content{Bytes: b.Push, Addresses: l.Push.Addresses}.Resolve(r.address)
	b.PushAddr, err = r.pushes.addressOf(len(b.Push))
	return err
}

// checkShort refuses a buffer that a pointer of 32 bits does not reach to its end.
func (r *resources) checkShort(a *config.AddressFixup) error {
	at := r.find(a.Buffer)
	if at < 0 || !a.Short {
		return nil
	}
	if end := r.buffers[at].Addr + max(r.buffers[at].Size, a.Plus); end > 1<<32 {
		return fmt.Errorf("arguments: buffer %s ends at address %#x: want at most 4 GB for pointers of 32 bits", a.Buffer, end)
	}
	return nil
}

// elements returns the descriptors of a binding. Elements of an array that the job does not bind stay empty.
func (r *resources) elements(want *ir.Binding, l *config.Launch) ([]mem.Descriptor, error) {
	switch want.Kind {
	case ir.MeshOutput:
		return r.meshOutput(want)
	case ir.ColorOutput:
		return r.draw.output(want)
	case ir.Sampler:
		return r.samplers(want, l.Samplers)
	}
	if err := r.checkArray(want); err != nil {
		return nil, err
	}
	list := make([]mem.Descriptor, want.Count)
	found := false
	for _, at := range r.bound(want, l.Bindings) {
		view := r.views[at.buffer]
		if want.Count != 0 && at.index >= want.Count {
			return nil, fmt.Errorf("buffers[%d]: found index %d of set %d, binding %d: want less than %d, the size of the shader's array", at.buffer, at.index, want.Set, want.Binding, want.Count)
		}
		if image := view.Image != nil; image != (want.Kind == ir.StorageImage || want.Kind == ir.SampledImage || want.Kind == ir.TexelBuffer) {
			return nil, fmt.Errorf("buffers[%d]: set %d, binding %d: found %s: want %s, as in the shader", at.buffer, want.Set, want.Binding, kindName(image), kindName(!image))
		}
		for uint32(len(list)) <= at.index {
			list = append(list, mem.Descriptor{})
		}
		if want.Kind == ir.SampledImage {
			view.Image.Tiled = true
		}
		list[at.index], found = view, true
	}
	if !found {
		return nil, fmt.Errorf("buffers: missing: want one at set %d, binding %d (%s), which the shader uses", want.Set, want.Binding, want.Name)
	}
	return list, nil
}

// A boundResource is a buffer of the job that is bound to an element of a binding.
type boundResource struct {
	buffer int
	index  uint32
}

// bound lists what the job binds at a binding; what a node binds there itself comes last, and so counts.
func (r *resources) bound(want *ir.Binding, local []config.NodeBinding) (list []boundResource) {
	for i := range r.job.Buffers {
		if b := &r.job.Buffers[i]; !b.Unbound && b.Set == want.Set && b.Binding == want.Binding {
			list = append(list, boundResource{i, b.Index})
		}
	}
	for _, l := range local {
		if i := r.find(l.Buffer); i >= 0 && l.Set == want.Set && l.Binding == want.Binding {
			list = append(list, boundResource{i, l.Index})
		}
	}
	return list
}

// nameAt returns the name of the buffer of a size at an address; empty: there is none with a name.
func (r *resources) nameAt(addr, size uint64) string {
	for _, b := range r.buffers {
		if b.Addr == addr && (b.Size == size || size == 0) {
			return b.Name
		}
	}
	return ""
}

// find returns the number of the buffer of that name, or -1.
func (r *resources) find(name string) int {
	return slices.IndexFunc(r.job.Buffers, func(b config.Buffer) bool { return b.Name == name })
}

// samplers returns the descriptors of a binding of samplers. The sampler of a combined variable may be missing if nothing is sampled.
func (r *resources) samplers(want *ir.Binding, local []config.Sampler) ([]mem.Descriptor, error) {
	if s := want.Fixed; s != nil {
		filter := "nearest"
		if s.Linear {
			filter = "linear"
		}
		return []mem.Descriptor{{Sampler: SamplerOf(&config.Sampler{Filter: filter, Wrap: []string{s.Wrap}, Texels: s.Unnormalized})}}, nil
	}
	if err := r.checkArray(want); err != nil {
		return nil, err
	}
	list := make([]mem.Descriptor, want.Count)
	found := !want.Samples
	for i, s := range slices.Concat(r.job.Samplers, local) { // the last one counts
		if s.Set != want.Set || s.Binding != want.Binding {
			continue
		}
		if want.Count != 0 && s.Index >= want.Count {
			return nil, fmt.Errorf("samplers[%d]: found index %d of set %d, binding %d: want less than %d, the size of the shader's array", i, s.Index, s.Set, s.Binding, want.Count)
		}
		for uint32(len(list)) <= s.Index {
			list = append(list, mem.Descriptor{})
		}
		if want.Compares && s.Compare == "" {
			return nil, fmt.Errorf("samplers[%d]: set %d, binding %d (%s): found no compare: want one, as the shader compares depths", i, s.Set, s.Binding, want.Name)
		}
		list[s.Index], found = mem.Descriptor{Sampler: SamplerOf(&s)}, true
	}
	if !found {
		return nil, fmt.Errorf("samplers: missing: want one at set %d, binding %d (%s), which the shader uses", want.Set, want.Binding, want.Name)
	}
	return list, nil
}

// wraps are the address modes by their names in job files.
var wraps = map[string]texture.Wrap{"repeat": texture.WrapRepeat, "mirror": texture.WrapMirror, "clamp": texture.WrapClamp, "border": texture.WrapBorder, "mirror-once": texture.WrapMirrorOnce}

// borders are the colours beyond the border by their names in job files.
var borders = map[string][4]uint32{"black": {3: 1}, "white": {1, 1, 1, 1}}

// comparisons are the comparisons of samplers by their names in job files.
var comparisons = map[string]func(reference, depth float64) bool{
	"never":            func(_, _ float64) bool { return false },
	"less":             func(r, d float64) bool { return r < d },
	"equal":            func(r, d float64) bool { return r == d },
	"less-or-equal":    func(r, d float64) bool { return r <= d },
	"greater":          func(r, d float64) bool { return r > d },
	"not-equal":        func(r, d float64) bool { return r != d },
	"greater-or-equal": func(r, d float64) bool { return r >= d },
	"always":           func(_, _ float64) bool { return true },
}

// SamplerOf returns the sampler that a job describes.
func SamplerOf(s *config.Sampler) *texture.Sampler {
	out := &texture.Sampler{
		MinLinear: s.Filter != "nearest", MipLinear: s.Mip != "nearest",
		Bias: s.Bias, MinLod: s.MinLod, MaxLod: s.MaxLod, Compare: comparisons[s.Compare],
		Border: borders[s.Border], Unnormalized: s.Texels,
	}
	out.MagLinear = out.MinLinear
	if s.Magnify != "" {
		out.MagLinear = s.Magnify == "linear"
	}
	if s.MaxLod == 0 {
		out.MaxLod = math.Inf(1)
	}
	for i := range out.Wrap {
		if n := len(s.Wrap); n > 0 {
			out.Wrap[i] = wraps[s.Wrap[min(i, n-1)]]
		}
	}
	return out
}

// meshOutput returns the buffer that the job names for an output of a mesh node.
func (r *resources) meshOutput(want *ir.Binding) ([]mem.Descriptor, error) {
	for _, t := range r.mesh {
		if t.Output != want.Name && t.Output != want.Alias {
			continue
		}
		if i := r.find(t.Buffer); i >= 0 {
			return []mem.Descriptor{r.views[i]}, nil
		}
	}
	name := want.Name
	if want.Alias != "" {
		name += " (" + want.Alias + ")"
	}
	return nil, fmt.Errorf("mesh_outputs: missing: want a buffer for the output %s, of %d bytes for each workgroup", name, want.Stride)
}

func kindName(image bool) string {
	if image {
		return "an image or texel buffer"
	}
	return "a buffer"
}

// bytesOf returns the bytes of the buffer of that name.
func (r *resources) bytesOf(name string) []byte {
	if i := r.find(name); i >= 0 {
		return r.buffers[i].Bytes
	}
	return nil
}

// address returns the device address of a named buffer.
func (r *resources) address(name string) uint64 {
	if i := r.find(name); i >= 0 {
		return r.buffers[i].Addr
	}
	return 0
}

func (r *resources) contents() (list []Buffer) {
	for i := range r.job.Buffers {
		b := &r.job.Buffers[i]
		list = append(list, Buffer{Name: b.Name, Set: b.Set, Binding: b.Binding, Bytes: r.buffers[i].Bytes, image: r.views[i].Image})
	}
	return list
}
