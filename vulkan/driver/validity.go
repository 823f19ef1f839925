package driver

import (
	"fmt"
	"slices"

	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/vulkan/vk"
)

// Checks of the objects that a dispatch needs: of the pipeline layout when the pipeline is created, of the bound sets
// when it is recorded, and of the resources of descriptors when it is submitted.

// bindingName names a binding of a program in messages.
func bindingName(want *ir.Binding) string {
	if want.Name == "" {
		return fmt.Sprintf("set %d, binding %d", want.Set, want.Binding)
	}
	return fmt.Sprintf("set %d, binding %d (%s)", want.Set, want.Binding, want.Name)
}

// acceptedTypes lists the descriptor types that a program's binding accepts (Vulkan 1.3, "Shader Resource and Descriptor Type
// Correspondence").
var acceptedTypes = map[ir.BindingKind][]vk.DescriptorType{
	ir.StorageBuffer: {vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageBufferDynamic},
	ir.UniformBuffer: {vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeUniformBufferDynamic, vk.DescriptorTypeInlineUniformBlock},
	ir.StorageImage:  {vk.DescriptorTypeStorageImage},
	ir.TexelBuffer:   {vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer},
	ir.SampledImage:  {vk.DescriptorTypeSampledImage, vk.DescriptorTypeCombinedImageSampler},
	ir.Sampler:       {vk.DescriptorTypeSampler, vk.DescriptorTypeCombinedImageSampler},
}

// accepts returns an error if a layout does not match a program.
func (l *pipelineLayout) accepts(p *program.Program) error {
	for i := range p.Bindings {
		if err := l.takesBinding(&p.Bindings[i]); err != nil {
			return fmt.Errorf("%s: %w", bindingName(&p.Bindings[i]), err)
		}
	}
	if p.PushBytes > l.pushBytes {
		return fmt.Errorf("the shader has %d bytes of push constants: the pipeline layout has ranges up to byte %d", p.PushBytes, l.pushBytes)
	}
	return nil
}

func (l *pipelineLayout) takesBinding(want *ir.Binding) error {
	kinds := acceptedTypes[want.Kind]
	if kinds == nil {
		return nil // no descriptor
	}
	if int(want.Set) >= len(l.sets) || l.sets[want.Set] == nil {
		return fmt.Errorf("the pipeline layout has no such set")
	}
	set := l.sets[want.Set]
	i := set.bindingIndex(want.Binding)
	if i < 0 {
		return fmt.Errorf("the layout of the set has no such binding")
	}
	switch b := &set.bindings[i]; {
	case !slices.Contains(kinds, b.kind):
		return fmt.Errorf("the layout of the set has %s there: the shader wants %s", typeName(b.kind), typeName(kinds[0]))
	case b.stages&vk.ShaderStageFlags(vk.ShaderStageComputeBit) == 0:
		return fmt.Errorf("the layout of the set has it for stages %#x, without VK_SHADER_STAGE_COMPUTE_BIT", b.stages)
	case b.count < want.Count && b.kind != vk.DescriptorTypeInlineUniformBlock:
		return fmt.Errorf("the layout of the set has %d descriptors there: the shader has an array of %d", b.count, want.Count)
	}
	return nil
}

// equals reports whether two layouts are defined in the same way.
func (l *setLayout) equals(other *setLayout) bool {
	return l == other || l != nil && other != nil && l.push == other.push && slices.EqualFunc(l.bindings, other.bindings, func(a, b layoutBinding) bool {
		return a.number == b.number && a.kind == b.kind && a.count == b.count && a.flags == b.flags && a.stages == b.stages && slices.Equal(a.samplers, b.samplers)
	})
}

// compatible reports whether a set that was bound with one layout stays bound for another: the sets up to it and the
// push constants are the same (Vulkan 1.3, "Pipeline Layout Compatibility").
func (l *pipelineLayout) compatible(other *pipelineLayout, set int) bool {
	if !slices.Equal(l.ranges, other.ranges) {
		return false
	}
	for i := range set + 1 {
		if i >= len(l.sets) || i >= len(other.sets) || !l.sets[i].equals(other.sets[i]) {
			return false
		}
	}
	return true
}

// checkBound refuses a dispatch for which a set is missing or of another layout, and warns about inputs that a program
// is likely to lack.
func (b *commandBuffer) checkBound(d *dispatch, l *pipelineLayout) {
	b.computes()
	push := uint32(0)
	for _, p := range d.programs {
		push = max(push, p.PushBytes)
		for i := range p.Bindings {
			want := &p.Bindings[i]
			if acceptedTypes[want.Kind] == nil {
				continue
			}
			if int(want.Set) >= len(d.sets) || d.sets[want.Set].set == nil {
				fail(vk.ErrorUnknown, "%s: %s: no descriptor set is bound", d.title, bindingName(want))
			}
			switch bound := &d.sets[want.Set]; {
			case !bound.set.layout.equals(l.sets[want.Set]):
				fail(vk.ErrorUnknown, "%s: %s: the set that is bound has another layout than the pipeline", d.title, bindingName(want))
			case !bound.layout.compatible(l, int(want.Set)):
				b.device.warn("dispatch", "%s: set %d was bound with a pipeline layout that is not compatible with that of the pipeline: push constant ranges or lower sets differ", d.title, want.Set)
			}
		}
	}
	if push > 0 && d.push == nil {
		b.device.warn("dispatch", "%s: the shader has %d bytes of push constants, and none were set: they are zero", d.title, push)
	}
	b.dispatches = append(b.dispatches, d)
}

// checkDynamic warns of dynamic offsets that are not aligned, or lead out of the buffer.
func (s *descriptorSet) checkDynamic(offsets []uint32) {
	for i := range s.layout.bindings {
		if !s.layout.bindings[i].dynamic() {
			continue
		}
		number := s.layout.bindings[i].number
		for k := range s.elements[i] {
			e, offset := &s.elements[i][k], offsets[0]
			offsets = offsets[1:]
			if e.buffer == nil {
				continue
			}
			if offset%offsetAlignment != 0 {
				s.pool.device.warn("vkCmdBindDescriptorSets", "binding %d: dynamic offset %d: want a multiple of %d (minStorageBufferOffsetAlignment, minUniformBufferOffsetAlignment)", number, offset, offsetAlignment)
			}
			if end := e.offset + uint64(offset); end > e.buffer.size || !e.toEnd && e.bytes > e.buffer.size-end {
				s.pool.device.warn("vkCmdBindDescriptorSets", "binding %d: dynamic offset %d: its %d bytes from there on end beyond %v of %d", number, offset, e.bytes, e.buffer.object, e.buffer.size)
			}
		}
	}
}

// tooMany returns an error if a dispatch has more workgroups than the device supports.
func (d *dispatch) tooMany(groups [3]uint32) error {
	for i, most := range mostGroups {
		if uint64(d.base[i])+uint64(groups[i]) > uint64(most) {
			return fmt.Errorf("%s: workgroups %d to %d in dimension %d: want at most %d (maxComputeWorkGroupCount)", d.title, d.base[i], uint64(d.base[i])+uint64(groups[i]), i, most)
		}
	}
	return nil
}

// unusable returns the reason why a resource can't be used; empty: it can.
func (r *resource) unusable() string {
	if r.destroyed() {
		return fmt.Sprintf("%v was destroyed", r.object)
	}
	if lacks := r.memory.lacks(); lacks != "" {
		return fmt.Sprintf("%v has no memory: %s", r.object, lacks)
	}
	return ""
}

// missing returns the reason why a descriptor's resource can't be used; empty: it can, or there is none.
func (e *descriptor) missing() string {
	switch {
	case e.view != nil && e.view.destroyed():
		return fmt.Sprintf("%v was destroyed", e.view.object)
	case e.view != nil:
		return e.view.image.unusable()
	case e.texels != nil && e.texels.destroyed():
		return fmt.Sprintf("%v was destroyed", e.texels.object)
	case e.texels != nil:
		return e.texels.buffer.unusable()
	case e.buffer != nil:
		return e.buffer.unusable()
	case e.sampler != nil && e.sampler.destroyed():
		return fmt.Sprintf("%v was destroyed", e.sampler.object)
	}
	return ""
}

// describe adds the objects that a descriptor refers to.
func (e *descriptor) describe(to map[*object]bool) {
	buffer := e.buffer
	if e.texels != nil {
		to[e.texels.object] = true
		buffer = e.texels.buffer
	}
	if e.view != nil {
		to[e.view.object], to[e.view.image.object], to[e.view.image.memory.object] = true, true, true
	}
	if buffer != nil {
		to[buffer.object], to[buffer.memory.object] = true, true
	}
	if e.sampler != nil {
		to[e.sampler.object] = true
	}
}

// check refuses a submission of commands that use destroyed objects.
func (s *submission) check(b *commandBuffer) {
	for o := range b.used {
		if o != nil && o.destroyed {
			fail(vk.ErrorUnknown, "%v has a command that uses %v, which was destroyed or freed after it was recorded", b.object, o)
		}
	}
	for second, version := range b.seconds {
		if second.version != version {
			s.queue.device.warn("vkQueueSubmit", "%v executes %v, which was reset or recorded again: what was recorded first runs", b.object, second.object)
		}
	}
	for _, d := range b.dispatches {
		for _, p := range d.programs {
			for i := range p.Bindings {
				s.checkBinding(d, &p.Bindings[i])
			}
		}
	}
}

// checkBinding checks the descriptors of a program's binding, except partially bound ones and those that may be updated
// after binding.
func (s *submission) checkBinding(d *dispatch, want *ir.Binding) {
	if int(want.Set) >= len(d.sets) || d.sets[want.Set].set == nil {
		return
	}
	bound := &d.sets[want.Set]
	i := bound.set.layout.bindingIndex(want.Binding)
	if i < 0 || bound.set.layout.bindings[i].flags&(vk.DescriptorBindingPartiallyBoundBit|vk.DescriptorBindingUpdateAfterBindBit) != 0 {
		return
	}
	if bound.version != bound.set.version && bound.set.pool != nil {
		s.queue.device.warn("vkQueueSubmit", "%s: %v was updated after it was bound: commands read its present contents", d.title, bound.set.object)
	}
	elements := bound.set.elements[i]
	for k := range elements[:min(len(elements), max(int(want.Count), 1))] {
		e := &elements[k]
		if why := e.missing(); why != "" {
			fail(vk.ErrorUnknown, "%s: %s: %s", d.title, bindingName(want), why)
		}
		if !e.written {
			s.queue.device.warn("vkQueueSubmit", "%s: %s: descriptor %d was never written: reads give zero, and stores are dropped", d.title, bindingName(want), k)
		}
		e.describe(s.described)
	}
}
