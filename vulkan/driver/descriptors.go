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
	// A setLayout lists the bindings of a descriptor set.
	setLayout struct {
		bindings []layoutBinding // by number
		push     bool
		lenient  bool // see settings
	}
	layoutBinding struct {
		number   uint32
		kind     vk.DescriptorType
		count    uint32 // of an inline uniform block, bytes
		stages   vk.ShaderStageFlags
		flags    vk.DescriptorBindingFlags
		samplers []*sampler // immutable samplers; nil: none
	}

	// A descriptorSet holds the descriptors of each binding, in the order of its layout.
	descriptorSet struct {
		self
		layout   *setLayout
		pool     *descriptorPool
		variable int64  // the count of its last binding, see newSet
		version  uint64 // counts updates of bindings without UPDATE_AFTER_BIND: recorded commands must find the same version again
		elements [][]descriptor
		blocks   []inlineBlock
	}
	// An inlineBlock is the bytes of an inline uniform block, with an address for the caches.
	inlineBlock struct {
		bytes []byte
		addr  uint64
	}
	// A descriptor is one element of a binding; the zero descriptor is empty.
	descriptor struct {
		written       bool
		buffer        *buffer
		offset, bytes uint64
		toEnd         bool // up to the end of the buffer
		texels        *bufferView
		view          *imageView
		sampler       *sampler
	}

	descriptorPool struct {
		self
		device    *logicalDevice
		sets      map[uint64]*descriptorSet
		max       int
		freeing   bool
		remaining map[vk.DescriptorType]uint64 // descriptors, of inline blocks bytes
	}
)

func CreateDescriptorSetLayout(h vk.Device, info *vk.DescriptorSetLayoutCreateInfo, _ *vk.AllocationCallbacks, out *vk.DescriptorSetLayout) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	*out = vk.DescriptorSetLayout(addObject(newSetLayout(info, d.physical.lenient), d.handle))
	return vk.Success
}

func newSetLayout(info *vk.DescriptorSetLayoutCreateInfo, lenient bool) *setLayout {
	l := &setLayout{lenient: lenient, push: info.Flags&vk.DescriptorSetLayoutCreatePushDescriptorBit != 0}
	var flags []vk.DescriptorBindingFlags
	if f := next[vk.DescriptorSetLayoutBindingFlagsCreateInfo](info.PNext, vk.StructureTypeDescriptorSetLayoutBindingFlagsCreateInfo); f != nil {
		flags = items(f.PBindingFlags, f.BindingCount)
	}
	for i, b := range items(info.PBindings, info.BindingCount) {
		made := layoutBinding{number: b.Binding, kind: b.DescriptorType, count: b.DescriptorCount, stages: b.StageFlags}
		if i < len(flags) {
			made.flags = flags[i]
		}
		if sampled := b.DescriptorType == vk.DescriptorTypeSampler || b.DescriptorType == vk.DescriptorTypeCombinedImageSampler; sampled {
			made.samplers = l.immutable(&b)
		}
		l.bindings = append(l.bindings, made)
	}
	slices.SortStableFunc(l.bindings, func(a, b layoutBinding) int { return cmp.Compare(a.number, b.number) })
	l.check()
	return l
}

// check refuses layouts that no set can have.
func (l *setLayout) check() {
	total := uint64(0)
	for i := range l.bindings {
		b := &l.bindings[i]
		switch {
		case i > 0 && b.number == l.bindings[i-1].number:
			fail(vk.ErrorUnknown, "binding %d is there twice, as %s and %s", b.number, typeName(l.bindings[i-1].kind), typeName(b.kind))
		case b.kind == vk.DescriptorTypeInlineUniformBlock && b.count > maxInlineBytes:
			fail(vk.ErrorOutOfHostMemory, "binding %d: an inline block of %d bytes: want at most %d (maxInlineUniformBlockSize)", b.number, b.count, maxInlineBytes)
		case l.push && (b.dynamic() || b.kind == vk.DescriptorTypeInlineUniformBlock):
			fail(vk.ErrorUnknown, "binding %d: %s can't be pushed", b.number, typeName(b.kind))
		}
		total += uint64(b.count)
	}
	most := uint64(mostInSet)
	if l.push {
		most = maxPushDescriptors
	}
	if total > most {
		fail(vk.ErrorOutOfHostMemory, "%d descriptors in a set: want at most %d", total, most)
	}
}

// typeNames are the descriptor types of Vulkan 1.0, by their numbers.
var typeNames = []string{"SAMPLER", "COMBINED_IMAGE_SAMPLER", "SAMPLED_IMAGE", "STORAGE_IMAGE", "UNIFORM_TEXEL_BUFFER", "STORAGE_TEXEL_BUFFER", "UNIFORM_BUFFER",
	"STORAGE_BUFFER", "UNIFORM_BUFFER_DYNAMIC", "STORAGE_BUFFER_DYNAMIC", "INPUT_ATTACHMENT"}

func typeName(t vk.DescriptorType) string {
	switch {
	case int(t) < len(typeNames) && t >= 0:
		return "VK_DESCRIPTOR_TYPE_" + typeNames[t]
	case t == vk.DescriptorTypeInlineUniformBlock:
		return "VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK"
	}
	return fmt.Sprintf("VkDescriptorType %d", t)
}

// immutable returns the immutable samplers of a binding. If any is null, a lenient layout treats the binding as one
// without: writes supply the samplers.
func (l *setLayout) immutable(b *vk.DescriptorSetLayoutBinding) (list []*sampler) {
	given := itemsIf(b.PImmutableSamplers, b.DescriptorCount)
	if l.lenient && slices.Contains(given, 0) {
		l.tolerate("vkCreateDescriptorSetLayout", "binding %d: an immutable sampler is null: the binding has none", b.Binding)
		return nil
	}
	for _, s := range given {
		list = append(list, mustLookUp[*sampler](uint64(s)))
	}
	return list
}

// tolerate reports a violation of the API that is tolerated.
func (l *setLayout) tolerate(command, format string, args ...any) {
	report(command, misuse{text: fmt.Sprintf(format, args...) + " (lenient)"})
}

func GetDescriptorSetLayoutSupport(_ vk.Device, info *vk.DescriptorSetLayoutCreateInfo, out *vk.DescriptorSetLayoutSupport) {
	total := uint64(0)
	for _, b := range items(info.PBindings, info.BindingCount) {
		total += uint64(b.DescriptorCount)
	}
	out.Supported = truth(total <= mostInSet)
	if v := next[vk.DescriptorSetVariableDescriptorCountLayoutSupport](unsafe.Pointer(out.PNext), vk.StructureTypeDescriptorSetVariableDescriptorCountLayoutSupport); v != nil {
		v.MaxVariableDescriptorCount = maxDescriptors
	}
}

// bindingIndex is the place of a binding in the layout, or -1.
func (l *setLayout) bindingIndex(number uint32) int {
	return slices.IndexFunc(l.bindings, func(b layoutBinding) bool { return b.number == number })
}

// newSet creates an empty set; variable is the descriptor count of a last binding of variable size, or -1.
func (l *setLayout) newSet(d *logicalDevice, variable int64) *descriptorSet {
	s := &descriptorSet{layout: l, variable: variable, elements: make([][]descriptor, len(l.bindings)), blocks: make([]inlineBlock, len(l.bindings))}
	for i := range l.bindings {
		b := &l.bindings[i]
		count := b.countIn(variable)
		if b.kind == vk.DescriptorTypeInlineUniformBlock {
			s.blocks[i] = inlineBlock{make([]byte, count), d.heap.next}
			d.heap.next += (uint64(count) + addressStep) / addressStep * addressStep
			continue
		}
		s.elements[i] = make([]descriptor, count)
		for k, sampler := range b.samplers {
			s.elements[i][k].sampler, s.elements[i][k].written = sampler, b.kind == vk.DescriptorTypeSampler
		}
	}
	return s
}

// countIn is the count of a binding in a set with a variable count.
func (b *layoutBinding) countIn(variable int64) uint32 {
	if b.flags&vk.DescriptorBindingVariableDescriptorCountBit != 0 && variable >= 0 {
		return min(b.count, uint32(variable))
	}
	return b.count
}

func CreateDescriptorPool(h vk.Device, info *vk.DescriptorPoolCreateInfo, _ *vk.AllocationCallbacks, out *vk.DescriptorPool) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	p := &descriptorPool{device: d, sets: map[uint64]*descriptorSet{}, max: int(info.MaxSets), freeing: info.Flags&vk.DescriptorPoolCreateFreeDescriptorSetBit != 0,
		remaining: map[vk.DescriptorType]uint64{}}
	for _, s := range items(info.PPoolSizes, info.PoolSizeCount) {
		p.remaining[s.Type] += uint64(s.DescriptorCount)
	}
	*out = vk.DescriptorPool(addObject(p, d.handle))
	return vk.Success
}

func DestroyDescriptorPool(_ vk.Device, h vk.DescriptorPool, _ *vk.AllocationCallbacks) {
	if p, ok := removeObject[*descriptorPool](uint64(h)); ok {
		p.reset()
	}
}

func ResetDescriptorPool(_ vk.Device, h vk.DescriptorPool, _ vk.DescriptorPoolResetFlags) vk.Result {
	mustLookUp[*descriptorPool](uint64(h)).reset()
	return vk.Success
}

func (p *descriptorPool) reset() {
	for h, s := range p.sets {
		p.device.freeing("a reset or the end of a descriptor pool", objects[h])
		remove(h)
		p.giveBack(s)
	}
	clear(p.sets)
}

// allocate reserves the descriptors of a set in the pool; false: the pool has too few left.
func (p *descriptorPool) allocate(wanted map[vk.DescriptorType]uint64) bool {
	for kind, n := range wanted {
		if n > p.remaining[kind] {
			return false
		}
	}
	p.device.heap.host.reserve(hostBytes(wanted), "a descriptor set")
	for kind, n := range wanted {
		p.remaining[kind] -= n
	}
	return true
}

// hostBytes returns the host memory of a set; a byte of an inline block is counted as a descriptor too.
func hostBytes(counts map[vk.DescriptorType]uint64) uint64 {
	n := uint64(unsafe.Sizeof(descriptorSet{}))
	for _, count := range counts {
		n += count * uint64(unsafe.Sizeof(descriptor{}))
	}
	return n
}

func (p *descriptorPool) giveBack(s *descriptorSet) {
	counts := s.layout.counts(s.variable)
	p.device.heap.host.release(hostBytes(counts))
	for kind, n := range counts {
		p.remaining[kind] += n
	}
}

// counts are the descriptors of a set by their kind.
func (l *setLayout) counts(variable int64) map[vk.DescriptorType]uint64 {
	list := map[vk.DescriptorType]uint64{}
	for i := range l.bindings {
		list[l.bindings[i].kind] += uint64(l.bindings[i].countIn(variable))
	}
	return list
}

func AllocateDescriptorSets(h vk.Device, info *vk.DescriptorSetAllocateInfo, out *vk.DescriptorSet) vk.Result {
	p := mustLookUp[*descriptorPool](uint64(info.DescriptorPool))
	layouts := items(info.PSetLayouts, info.DescriptorSetCount)
	to := items(out, info.DescriptorSetCount)
	clear(to)
	if len(layouts) > p.max-len(p.sets) {
		return vk.ErrorOutOfPoolMemory
	}
	var counts []uint32
	if v := next[vk.DescriptorSetVariableDescriptorCountAllocateInfo](info.PNext, vk.StructureTypeDescriptorSetVariableDescriptorCountAllocateInfo); v != nil {
		counts = items(v.PDescriptorCounts, v.DescriptorSetCount)
	}
	made := 0
	defer func() { // frees all sets if the call fails for any reason
		if made < len(layouts) {
			p.free(to[:made])
			clear(to)
		}
	}()
	for i, l := range layouts {
		variable := int64(0)
		if i < len(counts) {
			variable = int64(counts[i])
		}
		layout := mustLookUp[*setLayout](uint64(l))
		if layout.push {
			fail(vk.ErrorUnknown, "set %d: its layout is of a set that commands push", i)
		}
		if !p.allocate(layout.counts(variable)) {
			return vk.ErrorOutOfPoolMemory
		}
		s := layout.newSet(p.device, variable)
		s.pool = p
		to[i] = vk.DescriptorSet(addObject(s, p.device.handle))
		p.sets[uint64(to[i])] = s
		made++
	}
	return vk.Success
}

func FreeDescriptorSets(_ vk.Device, pool vk.DescriptorPool, count uint32, list *vk.DescriptorSet) vk.Result {
	p := mustLookUp[*descriptorPool](uint64(pool))
	if !p.freeing {
		p.device.warn("vkFreeDescriptorSets", "%v was not created with VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT: its sets are freed by a reset", p.object)
	}
	p.free(items(list, count))
	return vk.Success
}

func (p *descriptorPool) free(list []vk.DescriptorSet) {
	for _, h := range list {
		if s, ok := destroy[*descriptorSet](vk.Device(p.device.handle), "vkFreeDescriptorSets", uint64(h)); ok {
			delete(s.pool.sets, uint64(h))
			s.pool.giveBack(s)
		}
	}
}

func UpdateDescriptorSets(_ vk.Device, writeCount uint32, writes *vk.WriteDescriptorSet, copyCount uint32, copies *vk.CopyDescriptorSet) {
	for _, w := range items(writes, writeCount) {
		mustLookUp[*descriptorSet](uint64(w.DstSet)).write(&w)
	}
	for _, c := range items(copies, copyCount) {
		from, to := mustLookUp[*descriptorSet](uint64(c.SrcSet)), mustLookUp[*descriptorSet](uint64(c.DstSet))
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
	s.updating(at)
	for i := range w.DescriptorCount {
		if s.layout.lenient && at.atEnd() {
			s.layout.tolerate("writes of descriptors", "binding %d: %d descriptors are %d more than the set has, which are left out", w.DstBinding, w.DescriptorCount, w.DescriptorCount-i)
			return
		}
		e, b := at.next()
		if b.kind != w.DescriptorType {
			fail(vk.ErrorUnknown, "binding %d is of %s in the set's layout: found %s", b.number, typeName(b.kind), typeName(w.DescriptorType))
		}
		e.written = true
		switch w.DescriptorType {
		case vk.DescriptorTypeSampler, vk.DescriptorTypeCombinedImageSampler, vk.DescriptorTypeSampledImage, vk.DescriptorTypeStorageImage:
			e.setImage(w.DescriptorType, b, &items(w.PImageInfo, w.DescriptorCount)[i])
		case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
			e.texels = optional[*bufferView](uint64(items(w.PTexelBufferView, w.DescriptorCount)[i]))
		default:
			e.setBuffer(b, &items(w.PBufferInfo, w.DescriptorCount)[i])
		}
	}
}

func (s *descriptorSet) setInline(binding, offset uint32, data []byte) {
	i := s.layout.bindingIndex(binding)
	if i < 0 || uint64(offset)+uint64(len(data)) > uint64(len(s.blocks[i].bytes)) {
		fail(vk.ErrorUnknown, "binding %d: %d bytes of an inline block at byte %d", binding, len(data), offset)
	}
	s.updating(&walk{set: s, binding: i})
	copy(s.blocks[i].bytes[offset:], data)
}

// updating counts an update of a set from a binding on, and warns if submitted commands may read what changes.
func (s *descriptorSet) updating(at *walk) {
	if at.atEnd() || s.layout.bindings[at.binding].flags&vk.DescriptorBindingUpdateAfterBindBit != 0 {
		return
	}
	s.version++
	if s.pool == nil || s.layout.bindings[at.binding].flags&vk.DescriptorBindingUpdateUnusedWhilePendingBit != 0 {
		return
	}
	if d := s.pool.device; d.worker.uses(s.object) {
		d.warn("vkUpdateDescriptorSets", "%v is updated while submitted work uses it: which of both contents that work reads is undefined", s.object)
	}
}

func (e *descriptor) setBuffer(b *layoutBinding, i *vk.DescriptorBufferInfo) {
	e.buffer = optional[*buffer](uint64(i.Buffer))
	if e.buffer == nil {
		return
	}
	e.offset, e.bytes, e.toEnd = i.Offset, e.buffer.span(i.Offset, i.Range), i.Range == vk.WholeSize
	const command = "vkUpdateDescriptorSets"
	if b.kind == vk.DescriptorTypeUniformBuffer || b.kind == vk.DescriptorTypeUniformBufferDynamic {
		e.buffer.checkUsage(command, vk.BufferUsageUniformBufferBit, "UNIFORM_BUFFER")
	} else {
		e.buffer.checkUsage(command, vk.BufferUsageStorageBufferBit, "STORAGE_BUFFER")
	}
	switch d := e.buffer.device; {
	case i.Offset%offsetAlignment != 0:
		d.warn(command, "binding %d: byte %d of %v: want a multiple of %d (minStorageBufferOffsetAlignment, minUniformBufferOffsetAlignment)", b.number, i.Offset, e.buffer.object, offsetAlignment)
	case e.bytes == 0:
		d.warn(command, "binding %d: no bytes of %v", b.number, e.buffer.object)
	}
}

func (e *descriptor) setImage(kind vk.DescriptorType, b *layoutBinding, i *vk.DescriptorImageInfo) {
	if kind != vk.DescriptorTypeSampler {
		if e.view = optional[*imageView](uint64(i.ImageView)); e.view != nil {
			e.view.checkShaderUse(kind, b, i.ImageLayout)
		}
	}
	if (kind == vk.DescriptorTypeSampler || kind == vk.DescriptorTypeCombinedImageSampler) && b.samplers == nil {
		e.sampler = mustLookUp[*sampler](uint64(i.Sampler))
	}
}

// checkShaderUse warns of an image that shaders may not see: by its usage, or its layout.
func (v *imageView) checkShaderUse(kind vk.DescriptorType, b *layoutBinding, layout vk.ImageLayout) {
	const command = "vkUpdateDescriptorSets"
	if kind == vk.DescriptorTypeStorageImage {
		v.image.checkUsage(command, vk.ImageUsageStorageBit, "STORAGE")
	} else {
		v.image.checkUsage(command, vk.ImageUsageSampledBit, "SAMPLED")
	}
	if layout == vk.ImageLayoutUndefined || layout == vk.ImageLayoutPreinitialized || kind == vk.DescriptorTypeStorageImage && layout != vk.ImageLayoutGeneral {
		v.image.device.warn(command, "binding %d: %v in layout %s: shaders read no image in that layout", b.number, v.image.object, layoutName(layout))
	}
}

func (s *descriptorSet) copyTo(to *descriptorSet, c *vk.CopyDescriptorSet) {
	if i := s.layout.bindingIndex(c.SrcBinding); i >= 0 && s.layout.bindings[i].kind == vk.DescriptorTypeInlineUniformBlock {
		b := s.blocks[i].bytes
		if uint64(c.SrcArrayElement)+uint64(c.DescriptorCount) > uint64(len(b)) {
			fail(vk.ErrorUnknown, "binding %d: %d bytes from byte %d on: the block has %d", c.SrcBinding, c.DescriptorCount, c.SrcArrayElement, len(b))
		}
		to.setInline(c.DstBinding, c.DstArrayElement, b[c.SrcArrayElement:][:c.DescriptorCount])
		return
	}
	from, into := s.from(c.SrcBinding, c.SrcArrayElement), to.from(c.DstBinding, c.DstArrayElement)
	to.updating(into)
	for range c.DescriptorCount {
		e, of := from.next()
		t, b := into.next()
		if of.kind != b.kind {
			fail(vk.ErrorUnknown, "binding %d is of %s, and binding %d of the other set of %s", of.number, typeName(of.kind), b.number, typeName(b.kind))
		}
		kept := t.sampler
		*t = *e
		if b.samplers != nil {
			t.sampler = kept
		}
	}
}

// A walk iterates over the elements of a set: after the last of a binding, the first of the next one.
type walk struct {
	set              *descriptorSet
	binding, element int
}

func (s *descriptorSet) from(binding, element uint32) *walk {
	i := s.layout.bindingIndex(binding)
	if i < 0 {
		fail(vk.ErrorUnknown, "the layout has no binding %d", binding)
	}
	return &walk{s, i, int(element)}
}

// atEnd advances to the next existing element, and reports whether there is none.
func (w *walk) atEnd() bool {
	for w.binding < len(w.set.elements) && w.element >= len(w.set.elements[w.binding]) {
		w.element -= len(w.set.elements[w.binding])
		w.binding++
	}
	return w.binding >= len(w.set.elements)
}

func (w *walk) next() (*descriptor, *layoutBinding) {
	if w.atEnd() {
		fail(vk.ErrorUnknown, "more descriptors than the set has")
	}
	w.element++
	return &w.set.elements[w.binding][w.element-1], &w.set.layout.bindings[w.binding]
}

// resolve lists the descriptors of a binding as a program sees them. The dynamic offsets are those of the set, in the
// order of its bindings. A destroyed resource reads as null, and is reported.
func (s *descriptorSet) resolve(want *ir.Binding, dynamic []uint32, missing func(why string)) []mem.Descriptor {
	i := s.layout.bindingIndex(want.Binding)
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
		if why := elements[k].missing(); why != "" {
			missing(why)
			continue
		}
		list[k] = elements[k].resolve(want.Kind, offset)
	}
	return list
}

// compares reports a shader that compares depths through a sampler without comparison; Vulkan leaves the result
// undefined.
func (s *sampler) compares(b *ir.Binding) {
	if s == nil || s.desc.Compare != nil || s.warned {
		return
	}
	s.warned = true
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
		return mem.Descriptor{Sampler: &e.sampler.desc}
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
