package driver

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"spvsim/mem"
	"spvsim/program/ir"
	"spvsim/vulkan/vk"
)

type (
	// A setLayout says what is bound where.
	setLayout struct {
		bindings []layoutBinding // by number
		push     bool
		lenient  bool // see settings
	}
	layoutBinding struct {
		number   uint32
		kind     vk.DescriptorType
		count    uint32 // of an inline uniform block, bytes
		flags    vk.DescriptorBindingFlags
		samplers []*sampler // that never change; nil: none
	}

	// A descriptorSet holds what is bound, by the place of the binding in its layout.
	descriptorSet struct {
		layout   *setLayout
		pool     *descriptorPool
		elements [][]descriptor
		blocks   []inlineBlock
	}
	// An inlineBlock is the bytes of an inline uniform block, with an address for the caches.
	inlineBlock struct {
		bytes []byte
		addr  uint64
	}
	// A descriptor is what one element of a binding names; the zero descriptor, nothing.
	descriptor struct {
		buffer        *buffer
		offset, bytes uint64
		texels        *bufferView
		view          *imageView
		sampler       *sampler
	}

	descriptorPool struct {
		device  *device_
		sets    map[uint64]*descriptorSet
		max     int
		freeing bool
		left    map[vk.DescriptorType]uint64 // descriptors, of inline blocks bytes
	}
)

// CreateDescriptorSetLayout is vkCreateDescriptorSetLayout.
func CreateDescriptorSetLayout(h vk.Device, info *vk.DescriptorSetLayoutCreateInfo, _ *vk.AllocationCallbacks, out *vk.DescriptorSetLayout) vk.Result {
	d := get[*device_](uint64(h))
	*out = vk.DescriptorSetLayout(put(newSetLayout(info, d.physical.lenient), d.handle))
	return vk.Success
}

func newSetLayout(info *vk.DescriptorSetLayoutCreateInfo, lenient bool) *setLayout {
	l := &setLayout{lenient: lenient, push: info.Flags&vk.DescriptorSetLayoutCreatePushDescriptorBit != 0}
	var flags []vk.DescriptorBindingFlags
	if f := next[vk.DescriptorSetLayoutBindingFlagsCreateInfo](info.PNext, vk.StructureTypeDescriptorSetLayoutBindingFlagsCreateInfo); f != nil {
		flags = items(f.PBindingFlags, f.BindingCount)
	}
	for i, b := range items(info.PBindings, info.BindingCount) {
		made := layoutBinding{number: b.Binding, kind: b.DescriptorType, count: b.DescriptorCount}
		if i < len(flags) {
			made.flags = flags[i]
		}
		if sampled := b.DescriptorType == vk.DescriptorTypeSampler || b.DescriptorType == vk.DescriptorTypeCombinedImageSampler; sampled {
			made.samplers = l.immutable(&b)
		}
		l.bindings = append(l.bindings, made)
	}
	slices.SortStableFunc(l.bindings, func(a, b layoutBinding) int { return cmp.Compare(a.number, b.number) })
	return l
}

// immutable are the samplers that a binding has for good. Null ones are none, where that passes: writes say what the sampler is.
func (l *setLayout) immutable(b *vk.DescriptorSetLayoutBinding) (list []*sampler) {
	given := items(b.PImmutableSamplers, b.DescriptorCount)
	if l.lenient && slices.Contains(given, 0) {
		l.pass("vkCreateDescriptorSetLayout", "binding %d: an immutable sampler is null: the binding has none", b.Binding)
		return nil
	}
	for _, s := range given {
		list = append(list, get[*sampler](uint64(s)))
	}
	return list
}

// pass reports what the API does not allow and is let through.
func (l *setLayout) pass(command, format string, args ...any) {
	report(command, misuse{text: fmt.Sprintf(format, args...) + " (lenient)"})
}

// DestroyDescriptorSetLayout is vkDestroyDescriptorSetLayout.
func DestroyDescriptorSetLayout(_ vk.Device, l vk.DescriptorSetLayout, _ *vk.AllocationCallbacks) {
	take[*setLayout](uint64(l))
}

// GetDescriptorSetLayoutSupport is vkGetDescriptorSetLayoutSupport.
func GetDescriptorSetLayoutSupport(_ vk.Device, info *vk.DescriptorSetLayoutCreateInfo, out *vk.DescriptorSetLayoutSupport) {
	total := uint64(0)
	for _, b := range items(info.PBindings, info.BindingCount) {
		total += uint64(b.DescriptorCount)
	}
	out.Supported = truth(total <= maxDescriptors)
	if v := next[vk.DescriptorSetVariableDescriptorCountLayoutSupport](unsafe.Pointer(out.PNext), vk.StructureTypeDescriptorSetVariableDescriptorCountLayoutSupport); v != nil {
		v.MaxVariableDescriptorCount = maxDescriptors
	}
}

// find is the place of a binding in the layout, or -1.
func (l *setLayout) find(number uint32) int {
	return slices.IndexFunc(l.bindings, func(b layoutBinding) bool { return b.number == number })
}

// newSet makes an empty set; variable is the count of a last binding that has none of its own, or -1.
func (l *setLayout) newSet(d *device_, variable int64) *descriptorSet {
	s := &descriptorSet{layout: l, elements: make([][]descriptor, len(l.bindings)), blocks: make([]inlineBlock, len(l.bindings))}
	for i := range l.bindings {
		b := &l.bindings[i]
		count := b.count
		if b.flags&vk.DescriptorBindingVariableDescriptorCountBit != 0 && variable >= 0 {
			count = min(count, uint32(variable))
		}
		if b.kind == vk.DescriptorTypeInlineUniformBlock {
			s.blocks[i] = inlineBlock{make([]byte, count), d.heap.next}
			d.heap.next += (uint64(count) + addressStep) / addressStep * addressStep
			continue
		}
		s.elements[i] = make([]descriptor, count)
		for k, sampler := range b.samplers {
			s.elements[i][k].sampler = sampler
		}
	}
	return s
}

// CreateDescriptorPool is vkCreateDescriptorPool.
func CreateDescriptorPool(h vk.Device, info *vk.DescriptorPoolCreateInfo, _ *vk.AllocationCallbacks, out *vk.DescriptorPool) vk.Result {
	d := get[*device_](uint64(h))
	p := &descriptorPool{device: d, sets: map[uint64]*descriptorSet{}, max: int(info.MaxSets), freeing: info.Flags&vk.DescriptorPoolCreateFreeDescriptorSetBit != 0,
		left: map[vk.DescriptorType]uint64{}}
	for _, s := range items(info.PPoolSizes, info.PoolSizeCount) {
		p.left[s.Type] += uint64(s.DescriptorCount)
	}
	*out = vk.DescriptorPool(put(p, d.handle))
	return vk.Success
}

// DestroyDescriptorPool is vkDestroyDescriptorPool.
func DestroyDescriptorPool(_ vk.Device, h vk.DescriptorPool, _ *vk.AllocationCallbacks) {
	if p, ok := take[*descriptorPool](uint64(h)); ok {
		p.reset()
	}
}

// ResetDescriptorPool is vkResetDescriptorPool.
func ResetDescriptorPool(_ vk.Device, h vk.DescriptorPool, _ vk.DescriptorPoolResetFlags) vk.Result {
	get[*descriptorPool](uint64(h)).reset()
	return vk.Success
}

func (p *descriptorPool) reset() {
	for h, s := range p.sets {
		delete(objects, h)
		p.giveBack(s)
	}
	clear(p.sets)
}

// takes counts the descriptors of a set, and says whether the pool has as many.
func (p *descriptorPool) takes(s *descriptorSet) bool {
	wanted := s.counts()
	for kind, n := range wanted {
		if n > p.left[kind] {
			return false
		}
	}
	for kind, n := range wanted {
		p.left[kind] -= n
	}
	return true
}

func (p *descriptorPool) giveBack(s *descriptorSet) {
	for kind, n := range s.counts() {
		p.left[kind] += n
	}
}

// counts are the descriptors of a set by their kind.
func (s *descriptorSet) counts() map[vk.DescriptorType]uint64 {
	list := map[vk.DescriptorType]uint64{}
	for i := range s.layout.bindings {
		list[s.layout.bindings[i].kind] += uint64(len(s.elements[i]) + len(s.blocks[i].bytes))
	}
	return list
}

// AllocateDescriptorSets is vkAllocateDescriptorSets.
func AllocateDescriptorSets(h vk.Device, info *vk.DescriptorSetAllocateInfo, out *vk.DescriptorSet) vk.Result {
	p := get[*descriptorPool](uint64(info.DescriptorPool))
	layouts := items(info.PSetLayouts, info.DescriptorSetCount)
	to := items(out, info.DescriptorSetCount)
	clear(to)
	if len(p.sets)+len(layouts) > p.max {
		return vk.ErrorOutOfPoolMemory
	}
	var counts []uint32
	if v := next[vk.DescriptorSetVariableDescriptorCountAllocateInfo](info.PNext, vk.StructureTypeDescriptorSetVariableDescriptorCountAllocateInfo); v != nil {
		counts = items(v.PDescriptorCounts, v.DescriptorSetCount)
	}
	for i, l := range layouts {
		variable := int64(0)
		if i < len(counts) {
			variable = int64(counts[i])
		}
		s := get[*setLayout](uint64(l)).newSet(p.device, variable)
		if s.pool = p; !p.takes(s) {
			FreeDescriptorSets(h, info.DescriptorPool, uint32(i), out)
			clear(to)
			return vk.ErrorOutOfPoolMemory
		}
		to[i] = vk.DescriptorSet(put(s, p.device.handle))
		p.sets[uint64(to[i])] = s
	}
	return vk.Success
}

// FreeDescriptorSets is vkFreeDescriptorSets.
func FreeDescriptorSets(_ vk.Device, _ vk.DescriptorPool, count uint32, list *vk.DescriptorSet) vk.Result {
	for _, h := range items(list, count) {
		if s, ok := take[*descriptorSet](uint64(h)); ok {
			delete(s.pool.sets, uint64(h))
			s.pool.giveBack(s)
		}
	}
	return vk.Success
}

// UpdateDescriptorSets is vkUpdateDescriptorSets.
func UpdateDescriptorSets(_ vk.Device, writeCount uint32, writes *vk.WriteDescriptorSet, copyCount uint32, copies *vk.CopyDescriptorSet) {
	for _, w := range items(writes, writeCount) {
		get[*descriptorSet](uint64(w.DstSet)).write(&w)
	}
	for _, c := range items(copies, copyCount) {
		from, to := get[*descriptorSet](uint64(c.SrcSet)), get[*descriptorSet](uint64(c.DstSet))
		from.copyTo(to, &c)
	}
}

// write carries out one write.
func (s *descriptorSet) write(w *vk.WriteDescriptorSet) {
	if w.DescriptorType == vk.DescriptorTypeInlineUniformBlock {
		b := next[vk.WriteDescriptorSetInlineUniformBlock](w.PNext, vk.StructureTypeWriteDescriptorSetInlineUniformBlock)
		if b == nil {
			fail(vk.ErrorUnknown, "binding %d: no inline data", w.DstBinding)
		}
		s.setInline(w.DstBinding, w.DstArrayElement, items((*byte)(b.PData), b.DataSize))
		return
	}
	at := s.from(w.DstBinding, w.DstArrayElement)
	for i := range w.DescriptorCount {
		if s.layout.lenient && at.ended() {
			s.layout.pass("writes of descriptors", "binding %d: %d descriptors are %d more than the set has, which are left out", w.DstBinding, w.DescriptorCount, w.DescriptorCount-i)
			return
		}
		e, b := at.next()
		switch w.DescriptorType {
		case vk.DescriptorTypeSampler, vk.DescriptorTypeCombinedImageSampler, vk.DescriptorTypeSampledImage, vk.DescriptorTypeStorageImage:
			e.setImage(w.DescriptorType, b, &items(w.PImageInfo, w.DescriptorCount)[i])
		case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
			e.texels = optional[*bufferView](uint64(items(w.PTexelBufferView, w.DescriptorCount)[i]))
		default:
			e.setBuffer(&items(w.PBufferInfo, w.DescriptorCount)[i])
		}
	}
}

func (s *descriptorSet) setInline(binding, offset uint32, data []byte) {
	i := s.layout.find(binding)
	if i < 0 || uint64(offset)+uint64(len(data)) > uint64(len(s.blocks[i].bytes)) {
		fail(vk.ErrorUnknown, "binding %d: %d bytes of an inline block at byte %d", binding, len(data), offset)
	}
	copy(s.blocks[i].bytes[offset:], data)
}

func (e *descriptor) setBuffer(i *vk.DescriptorBufferInfo) {
	e.buffer = optional[*buffer](uint64(i.Buffer))
	if e.buffer != nil {
		e.offset, e.bytes = i.Offset, e.buffer.span(i.Offset, i.Range)
	}
}

func (e *descriptor) setImage(kind vk.DescriptorType, b *layoutBinding, i *vk.DescriptorImageInfo) {
	if kind != vk.DescriptorTypeSampler {
		e.view = optional[*imageView](uint64(i.ImageView))
	}
	if (kind == vk.DescriptorTypeSampler || kind == vk.DescriptorTypeCombinedImageSampler) && b.samplers == nil {
		e.sampler = get[*sampler](uint64(i.Sampler))
	}
}

func (s *descriptorSet) copyTo(to *descriptorSet, c *vk.CopyDescriptorSet) {
	if i := s.layout.find(c.SrcBinding); i >= 0 && s.layout.bindings[i].kind == vk.DescriptorTypeInlineUniformBlock {
		b := s.blocks[i].bytes
		if uint64(c.SrcArrayElement)+uint64(c.DescriptorCount) > uint64(len(b)) {
			fail(vk.ErrorUnknown, "binding %d: %d bytes from byte %d on: the block has %d", c.SrcBinding, c.DescriptorCount, c.SrcArrayElement, len(b))
		}
		to.setInline(c.DstBinding, c.DstArrayElement, b[c.SrcArrayElement:][:c.DescriptorCount])
		return
	}
	from, into := s.from(c.SrcBinding, c.SrcArrayElement), to.from(c.DstBinding, c.DstArrayElement)
	for range c.DescriptorCount {
		e, _ := from.next()
		t, b := into.next()
		kept := t.sampler
		*t = *e
		if b.samplers != nil {
			t.sampler = kept
		}
	}
}

// A walk goes over elements of a set: after the last of a binding, the first of the next one.
type walk struct {
	set              *descriptorSet
	binding, element int
}

func (s *descriptorSet) from(binding, element uint32) *walk {
	i := s.layout.find(binding)
	if i < 0 {
		fail(vk.ErrorUnknown, "the layout has no binding %d", binding)
	}
	return &walk{s, i, int(element)}
}

// ended goes to the next element that there is, and says whether there is none.
func (w *walk) ended() bool {
	for w.binding < len(w.set.elements) && w.element >= len(w.set.elements[w.binding]) {
		w.element -= len(w.set.elements[w.binding])
		w.binding++
	}
	return w.binding >= len(w.set.elements)
}

func (w *walk) next() (*descriptor, *layoutBinding) {
	if w.ended() {
		fail(vk.ErrorUnknown, "more descriptors than the set has")
	}
	w.element++
	return &w.set.elements[w.binding][w.element-1], &w.set.layout.bindings[w.binding]
}

// resolve lists what a program sees of a binding. Dynamic offsets are those of the set, in the order of its bindings.
func (s *descriptorSet) resolve(want *ir.Binding, dynamic []uint32) []mem.Descriptor {
	i := s.layout.find(want.Binding)
	if i < 0 {
		return make([]mem.Descriptor, want.Count)
	}
	b := &s.layout.bindings[i]
	if b.kind == vk.DescriptorTypeInlineUniformBlock {
		return []mem.Descriptor{{Addr: s.blocks[i].addr, Bytes: s.blocks[i].bytes}}
	}
	elements := s.elements[i]
	if int(want.Count) > 0 && len(elements) > int(want.Count) {
		elements = elements[:want.Count]
	}
	list := make([]mem.Descriptor, max(int(want.Count), len(elements)))
	first := s.layout.dynamicBefore(i)
	for k := range elements {
		if want.Compares {
			elements[k].sampler.compares(want)
		}
		offset := uint64(0)
		if at := first + k; b.dynamic() && at < len(dynamic) {
			offset = uint64(dynamic[at])
		}
		list[k] = elements[k].resolve(want.Kind, offset)
	}
	return list
}

// compares reports a shader that compares depths through a sampler that does not; Vulkan leaves the result undefined.
func (s *sampler) compares(b *ir.Binding) {
	if s == nil || s.of.Compare != nil || s.told {
		return
	}
	s.told = true
	report("dispatch", misuse{text: fmt.Sprintf("the shader compares depths through set %d, binding %d (%s), whose sampler does not compare (compareEnable): no reference passes", b.Set, b.Binding, b.Name)})
}

func (b *layoutBinding) dynamic() bool {
	return b.kind == vk.DescriptorTypeUniformBufferDynamic || b.kind == vk.DescriptorTypeStorageBufferDynamic
}

// dynamicBefore counts the dynamic descriptors of the bindings before one.
func (l *setLayout) dynamicBefore(binding int) (n int) {
	for i := range binding {
		if l.bindings[i].dynamic() {
			n += int(l.bindings[i].count)
		}
	}
	return n
}

// dynamics counts the dynamic descriptors of a set.
func (l *setLayout) dynamics() int { return l.dynamicBefore(len(l.bindings)) }

func (e *descriptor) resolve(kind ir.BindingKind, offset uint64) mem.Descriptor {
	switch {
	case kind == ir.Sampler && e.sampler != nil:
		return mem.Descriptor{Sampler: &e.sampler.of}
	case kind == ir.Sampler:
		return mem.Descriptor{}
	case e.view != nil:
		return e.view.descriptor()
	case e.texels != nil:
		return e.texels.descriptor()
	case e.buffer != nil:
		at := min(e.offset+offset, e.buffer.size)
		return e.buffer.descriptor(at, min(e.bytes, e.buffer.size-at))
	}
	return mem.Descriptor{}
}
