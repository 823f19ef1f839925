package driver

import (
	"unsafe"

	"spvsim/vulkan/vk"
)

// An updateTemplate maps offsets in an application's structure to descriptors of a set.
type updateTemplate struct {
	entries []vk.DescriptorUpdateTemplateEntry
	push    bool
	set     uint32
}

func CreateDescriptorUpdateTemplate(h vk.Device, info *vk.DescriptorUpdateTemplateCreateInfo, _ *vk.AllocationCallbacks, out *vk.DescriptorUpdateTemplate) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	t := &updateTemplate{set: info.Set, push: info.TemplateType == vk.DescriptorUpdateTemplateTypePushDescriptors}
	if info.DescriptorUpdateEntryCount > maxDescriptors {
		fail(vk.ErrorOutOfHostMemory, "%d entries: want at most %d", info.DescriptorUpdateEntryCount, maxDescriptors)
	}
	t.entries = append(t.entries, items(info.PDescriptorUpdateEntries, info.DescriptorUpdateEntryCount)...)
	*out = vk.DescriptorUpdateTemplate(addObject(t, d.handle))
	return vk.Success
}

func UpdateDescriptorSetWithTemplate(_ vk.Device, set vk.DescriptorSet, h vk.DescriptorUpdateTemplate, data unsafe.Pointer) {
	mustLookUp[*updateTemplate](uint64(h)).apply(mustLookUp[*descriptorSet](uint64(set)), data)
}

// apply writes the application's structure into a set.
func (t *updateTemplate) apply(s *descriptorSet, data unsafe.Pointer) {
	for i := range t.entries {
		e := &t.entries[i]
		if e.DescriptorType == vk.DescriptorTypeInlineUniformBlock {
			s.setInline(e.DstBinding, e.DstArrayElement, items((*byte)(unsafe.Add(data, e.Offset)), e.DescriptorCount))
			continue
		}
		for k := range e.DescriptorCount {
			if s.layout.lenient && s.from(e.DstBinding, e.DstArrayElement+k).atEnd() {
				s.layout.tolerate("writes of descriptors", "binding %d: %d descriptors are %d more than the set has, which are left out", e.DstBinding, e.DescriptorCount, e.DescriptorCount-k)
				break
			}
			p := unsafe.Add(data, e.Offset+uint64(k)*e.Stride)
			w := vk.WriteDescriptorSet{DstBinding: e.DstBinding, DstArrayElement: e.DstArrayElement + k, DescriptorCount: 1, DescriptorType: e.DescriptorType}
			w.PImageInfo, w.PBufferInfo, w.PTexelBufferView = (*vk.DescriptorImageInfo)(p), (*vk.DescriptorBufferInfo)(p), (*vk.BufferView)(p)
			s.write(&w)
		}
	}
}
