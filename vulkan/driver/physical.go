package driver

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"spvsim/config"
	"spvsim/vulkan/vk"
)

// A physical device is a machine's description.
type physical struct {
	handle     uint64
	instance   *instance
	machine    *config.Machine
	index      int // among the machines that the settings name
	uuid       [16]byte
	cacheUUID  [16]byte       // of the data of pipeline caches: it differs for another build, or for a machine with other programs
	targets    map[int]string // key of the machine's parameters that lowering depends on, by wave size
	properties map[string]any // by the names of members
	spoofing   *spoofing
	identity   deviceIdentity
	lenient    bool // see settings
}

func newPhysical(in *instance, m *config.Machine, index int) *physical {
	m = m.InCoreCycles()
	p := &physical{instance: in, machine: m, index: index, spoofing: spoofingSets[""]}
	sum := sha256.Sum256(fmt.Appendf(nil, "spvsim %s %d", m.Name, index))
	copy(p.uuid[:], sum[:])
	sum = sha256.Sum256(fmt.Appendf(nil, "%s %s", buildID(), p.target(m.WaveSize)))
	copy(p.cacheUUID[:], sum[:])
	p.properties = propertiesOf(m, p.uuid)
	return p
}

func GetPhysicalDeviceProperties(h vk.PhysicalDevice, out *vk.PhysicalDeviceProperties) {
	p := mustLookUp[*physical](uint64(h))
	*out = vk.PhysicalDeviceProperties{ApiVersion: apiVersion, DriverVersion: 1, VendorID: p.identity.vendor, DeviceID: p.identity.device, DeviceType: p.identity.kind}
	setText(out.DeviceName[:], p.identity.name)
	out.PipelineCacheUUID = p.cacheUUID
	fill(reflect.ValueOf(&out.Limits).Elem(), p.properties)
}

// vendorID is unused by any vendor (VK_VENDOR_ID numbers begin at 0x10000).
const vendorID = 0xFFFF

// driverID is unused too: the registry assigns VkDriverId consecutively from 1, and each defined value is another
// driver.
const driverID = 0xFFFF

func GetPhysicalDeviceProperties2(h vk.PhysicalDevice, out *vk.PhysicalDeviceProperties2) {
	GetPhysicalDeviceProperties(h, &out.Properties)
	values := mustLookUp[*physical](uint64(h)).properties
	chain(out.PNext, func(t vk.StructureType, s unsafe.Pointer) {
		if typ := vk.PropertyStructs[t]; typ != nil {
			fill(reflect.NewAt(typ, s).Elem(), values)
		}
	})
}

// fill sets the members of a structure by name; members without a value become 0.
func fill(to reflect.Value, values map[string]any) {
	for i := range to.NumField() {
		name, field := to.Type().Field(i).Name, to.Field(i)
		if name == "SType" || name == "PNext" {
			continue
		}
		v, ok := values[name]
		switch {
		case !ok:
			field.SetZero()
		case field.Kind() == reflect.Array && reflect.TypeOf(v).Kind() == reflect.String:
			setText(unsafe.Slice((*byte)(field.Addr().UnsafePointer()), field.Len()), v.(string))
		default:
			field.Set(reflect.ValueOf(v).Convert(field.Type()))
		}
	}
}

func GetPhysicalDeviceFeatures(h vk.PhysicalDevice, out *vk.PhysicalDeviceFeatures) {
	mustLookUp[*physical](uint64(h)).setFeatures(unsafe.Pointer(out), vk.Features)
}

func GetPhysicalDeviceFeatures2(h vk.PhysicalDevice, out *vk.PhysicalDeviceFeatures2) {
	GetPhysicalDeviceFeatures(h, &out.Features)
	p := mustLookUp[*physical](uint64(h))
	chain(out.PNext, func(t vk.StructureType, s unsafe.Pointer) {
		if list, ok := vk.FeatureStructs[t]; ok {
			p.setFeatures(unsafe.Add(s, featuresAt), list)
		}
	})
}

// featuresAt is the offset of the first member of a structure of features, after its type and pNext.
const featuresAt = 16

// setFeatures writes the supported features of a structure.
func (p *physical) setFeatures(at unsafe.Pointer, list []string) {
	for i, out := 0, unsafe.Slice((*vk.Bool32)(at), len(list)); i < len(out); i++ {
		out[i] = truth(p.hasFeature(list[i]))
	}
}

// checkFeatures refuses features that are requested and not supported, and adds the others that are requested to the enabled ones.
func (p *physical) checkFeatures(at unsafe.Pointer, list []string, enabled map[string]bool) {
	for i, wanted := range unsafe.Slice((*vk.Bool32)(at), len(list)) {
		if wanted != 0 && !p.hasFeature(list[i]) {
			fail(vk.ErrorFeatureNotPresent, "feature %s", list[i])
		}
		if wanted != 0 {
			enabled[list[i]] = true
		}
	}
}

func GetPhysicalDeviceQueueFamilyProperties(h vk.PhysicalDevice, count *uint32, out *vk.QueueFamilyProperties) {
	enumerate(count, out, mustLookUp[*physical](uint64(h)).families())
}

func GetPhysicalDeviceQueueFamilyProperties2(h vk.PhysicalDevice, count *uint32, out *vk.QueueFamilyProperties2) {
	families := mustLookUp[*physical](uint64(h)).families()
	if out == nil {
		*count = uint32(len(families))
		return
	}
	list := items(out, *count)
	n := min(len(list), len(families))
	for i := range n {
		list[i].QueueFamilyProperties = families[i]
		tellPriorities(&list[i])
	}
	*count = uint32(n)
}

// memoryTypes are all of the machine's one memory: for the device alone, or mapped, which costs the model nothing.
var memoryTypes = []vk.MemoryType{
	{PropertyFlags: vk.MemoryPropertyDeviceLocalBit},
	{PropertyFlags: vk.MemoryPropertyDeviceLocalBit | vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit},
	{PropertyFlags: vk.MemoryPropertyDeviceLocalBit | vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit | vk.MemoryPropertyHostCachedBit},
}

// allMemoryTypes has a bit for each of them.
const allMemoryTypes = 1<<3 - 1

func GetPhysicalDeviceMemoryProperties(h vk.PhysicalDevice, out *vk.PhysicalDeviceMemoryProperties) {
	p := mustLookUp[*physical](uint64(h))
	*out = vk.PhysicalDeviceMemoryProperties{MemoryTypeCount: uint32(len(memoryTypes)), MemoryHeapCount: 1}
	copy(out.MemoryTypes[:], memoryTypes)
	out.MemoryHeaps[0] = vk.MemoryHeap{Size: uint64(p.machine.Memory.Bytes), Flags: vk.MemoryHeapDeviceLocalBit}
}

func GetPhysicalDeviceMemoryProperties2(h vk.PhysicalDevice, out *vk.PhysicalDeviceMemoryProperties2) {
	GetPhysicalDeviceMemoryProperties(h, &out.MemoryProperties)
	b := next[vk.PhysicalDeviceMemoryBudgetPropertiesEXT](out.PNext, vk.StructureTypePhysicalDeviceMemoryBudgetPropertiesExt)
	if b == nil {
		return
	}
	p, used := mustLookUp[*physical](uint64(h)), uint64(0)
	for _, o := range objects {
		if d, ok := o.x.(*logicalDevice); ok && d.physical == p {
			used += d.heap.used
		}
	}
	clear(b.HeapBudget[:])
	clear(b.HeapUsage[:])
	b.HeapBudget[0], b.HeapUsage[0] = uint64(p.machine.Memory.Bytes), used
}

// GetPhysicalDeviceToolProperties is vkGetPhysicalDeviceToolProperties: no tools are active.
func GetPhysicalDeviceToolProperties(_ vk.PhysicalDevice, count *uint32, _ *vk.PhysicalDeviceToolProperties) vk.Result {
	*count = 0
	return vk.Success
}

// GetPhysicalDeviceExternalBufferProperties is vkGetPhysicalDeviceExternalBufferProperties: memory of the host can be
// imported, and opaque file descriptors are exported and imported where the device has the extension.
func GetPhysicalDeviceExternalBufferProperties(h vk.PhysicalDevice, info *vk.PhysicalDeviceExternalBufferInfo, out *vk.ExternalBufferProperties) {
	out.ExternalMemoryProperties = vk.ExternalMemoryProperties{}
	if info.HandleType == vk.ExternalMemoryHandleTypeHostAllocationBitExt {
		out.ExternalMemoryProperties = vk.ExternalMemoryProperties{
			ExternalMemoryFeatures: vk.ExternalMemoryFeatureImportableBit, CompatibleHandleTypes: vk.ExternalMemoryHandleTypeHostAllocationBitExt,
		}
	}
	if info.HandleType == vk.ExternalMemoryHandleTypeOpaqueFdBit && mustLookUp[*physical](uint64(h)).spoofing.extensions[externalMemoryFd] {
		out.ExternalMemoryProperties = vk.ExternalMemoryProperties{
			ExternalMemoryFeatures:        vk.ExternalMemoryFeatureExportableBit | vk.ExternalMemoryFeatureImportableBit,
			ExportFromImportedHandleTypes: vk.ExternalMemoryHandleTypeOpaqueFdBit, CompatibleHandleTypes: vk.ExternalMemoryHandleTypeOpaqueFdBit,
		}
	}
}

// GetPhysicalDeviceExternalFenceProperties is vkGetPhysicalDeviceExternalFenceProperties: no fences are external.
func GetPhysicalDeviceExternalFenceProperties(_ vk.PhysicalDevice, _ *vk.PhysicalDeviceExternalFenceInfo, out *vk.ExternalFenceProperties) {
	out.ExportFromImportedHandleTypes, out.CompatibleHandleTypes, out.ExternalFenceFeatures = 0, 0, 0
}

// GetPhysicalDeviceExternalSemaphoreProperties is vkGetPhysicalDeviceExternalSemaphoreProperties: no semaphores are
// external.
func GetPhysicalDeviceExternalSemaphoreProperties(_ vk.PhysicalDevice, _ *vk.PhysicalDeviceExternalSemaphoreInfo, out *vk.ExternalSemaphoreProperties) {
	out.ExportFromImportedHandleTypes, out.CompatibleHandleTypes, out.ExternalSemaphoreFeatures = 0, 0, 0
}

// waveRange is the smallest and largest wave size of a machine.
func waveRange(m *config.Machine) (low, high int) {
	sizes := waveSizes(m)
	return slices.Min(sizes), slices.Max(sizes)
}

// waveSizes lists the wave sizes that a pipeline may request.
func waveSizes(m *config.Machine) []int {
	if len(m.WaveSizes) == 0 {
		return []int{m.WaveSize}
	}
	return m.WaveSizes
}
