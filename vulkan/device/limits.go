package device

import (
	"fmt"
	"slices"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Vendor and DeviceID are those of the PCI bus.
func (p *Physical) Vendor() uint32   { return p.properties.VendorID }
func (p *Physical) DeviceID() uint32 { return p.properties.DeviceID }

// MaxGroups are the workgroups that a dispatch may have in each dimension.
func (p *Physical) MaxGroups() [3]uint32 { return p.properties.Limits.MaxComputeWorkGroupCount }

// maxPushBytes is the size of the range of push constants of pipelines, where the device has as many.
const maxPushBytes = 256

// PushBytes is the size of the range of push constants.
func (p *Physical) PushBytes() uint32 {
	return min(maxPushBytes, p.properties.Limits.MaxPushConstantsSize)
}

// A Workgroup is what a workgroup of a shader needs of a device.
type Workgroup struct {
	Size                   [3]uint32
	SharedBytes, PushBytes uint32
}

// Exceeds lists the limits of the device that a workgroup exceeds.
func (p *Physical) Exceeds(w *Workgroup) (list []string) {
	l := &p.properties.Limits
	for i, n := range w.Size {
		if n > l.MaxComputeWorkGroupSize[i] {
			list = append(list, fmt.Sprintf("workgroups of %d invocations in dimension %d (the device takes %d)", n, i, l.MaxComputeWorkGroupSize[i]))
		}
	}
	if n := w.Size[0] * w.Size[1] * w.Size[2]; n > l.MaxComputeWorkGroupInvocations {
		list = append(list, fmt.Sprintf("workgroups of %d invocations (the device takes %d)", n, l.MaxComputeWorkGroupInvocations))
	}
	if w.SharedBytes > l.MaxComputeSharedMemorySize {
		list = append(list, fmt.Sprintf("%d bytes of shared memory in a workgroup (the device has %d)", w.SharedBytes, l.MaxComputeSharedMemorySize))
	}
	if w.PushBytes > p.PushBytes() {
		list = append(list, fmt.Sprintf("%d bytes of push constants (the device has %d)", w.PushBytes, p.PushBytes()))
	}
	return list
}

// A MatrixShape is a multiply-add of cooperative matrices: A (M x K) times B (K x N) plus C (M x N), with components f16, bf16, f32, s8, u8, ...
type MatrixShape struct {
	M, N, K, Scope uint32
	A, B, C        string
}

func (s MatrixShape) String() string {
	return fmt.Sprintf("%d x %d x %d (M, N, K) of %s and %s to %s", s.M, s.N, s.K, s.A, s.B, s.C)
}

// components are the names of components in the order of VkComponentTypeKHR.
var components = []string{"f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"}

// componentBFloat16 is VK_COMPONENT_TYPE_BFLOAT16_KHR.
const componentBFloat16 = 1000141000

func componentName(t vk.ComponentTypeKHR) string {
	switch {
	case t == componentBFloat16:
		return "bf16"
	case int(t) < len(components):
		return components[t]
	}
	return fmt.Sprint(int(t))
}

// Multiplies reports whether the device multiplies matrices of a shape.
func (p *Physical) Multiplies(s MatrixShape) bool {
	if !p.features["cooperativeMatrix"] || p.instance.GetPhysicalDeviceCooperativeMatrixPropertiesKHR == nil {
		return false
	}
	list, err := enumerate(func(n *uint32, list *vk.CooperativeMatrixPropertiesKHR) vk.Result {
		if list != nil {
			for i := range unsafe.Slice(list, *n) {
				unsafe.Slice(list, *n)[i].SType = vk.StructureTypeCooperativeMatrixPropertiesKhr
			}
		}
		return p.instance.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(p.handle, n, list)
	})
	return err == nil && slices.ContainsFunc(list, func(x vk.CooperativeMatrixPropertiesKHR) bool {
		return MatrixShape{x.MSize, x.NSize, x.KSize, uint32(x.Scope), componentName(x.AType), componentName(x.BType), componentName(x.CType)} == s
	})
}
