package driver

import (
	"spvsim/config"
	"spvsim/isa"
	"spvsim/vulkan/vk"
)

// Products of cooperative matrices, on machines that have a unit for them.

const matrixExtension = "VK_KHR_cooperative_matrix"

func hasMatrixUnit(m *config.Machine) bool {
	unit, ok := isa.FindMatrixUnit(m.Matrix.Unit)
	return ok && unit != isa.NoMatrixUnit
}

// has reports whether the device supports an extension of the driver.
func (p *physical) has(e *extension) bool {
	switch e.name {
	case matrixExtension:
		return hasMatrixUnit(p.machine)
	case physicalDeviceDrm, externalMemoryFd:
		return p.spoofing.extensions[e.name]
	}
	return true
}

// hasFeature reports whether the device supports a feature.
func (p *physical) hasFeature(feature string) bool {
	return features[feature] || p.spoofing.features[feature] || feature == "cooperativeMatrix" && hasMatrixUnit(p.machine)
}

// matrixComponents are the types that need no other extension.
var matrixComponents = map[isa.Type]vk.ComponentTypeKHR{
	isa.F16: vk.ComponentTypeFloat16Khr, isa.F32: vk.ComponentTypeFloat32Khr, isa.F64: vk.ComponentTypeFloat64Khr,
}

// GetPhysicalDeviceCooperativeMatrixPropertiesKHR is vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR: the shapes that
// are one instruction of the machine's unit, integers with every combination of signs. Larger matrices, whose sides are
// multiples of these, work as well.
func GetPhysicalDeviceCooperativeMatrixPropertiesKHR(h vk.PhysicalDevice, count *uint32, out *vk.CooperativeMatrixPropertiesKHR) vk.Result {
	p := mustLookUp[*physical](uint64(h))
	list := matrixProperties(p.machine)
	if out != nil {
		for i, to := range items(out, min(*count, uint32(len(list)))) {
			list[i].PNext = to.PNext
		}
	}
	return enumerate(count, out, list)
}

func matrixProperties(m *config.Machine) (list []vk.CooperativeMatrixPropertiesKHR) {
	unit, ok := isa.FindMatrixUnit(m.Matrix.Unit)
	if !ok {
		return nil
	}
	for i := range isa.MatrixOps {
		if o := &isa.MatrixOps[i]; o.Unit == unit {
			list = append(list, propertiesOfMatrix(o)...)
		}
	}
	return list
}

func propertiesOfMatrix(o *isa.MatrixOp) (list []vk.CooperativeMatrixPropertiesKHR) {
	p := vk.CooperativeMatrixPropertiesKHR{
		SType: vk.StructureTypeCooperativeMatrixPropertiesKhr, MSize: isa.MatrixTile, NSize: isa.MatrixTile, KSize: uint32(o.K), Scope: vk.ScopeSubgroupKhr,
	}
	if o.A != isa.I8 {
		var known [3]bool
		p.AType, known[0] = matrixComponents[o.A]
		p.BType, known[1] = matrixComponents[o.B]
		p.CType, known[2] = matrixComponents[o.C]
		if known == [3]bool{true, true, true} {
			p.ResultType = p.CType
			list = append(list, p)
		}
		return list
	}
	narrow := []vk.ComponentTypeKHR{vk.ComponentTypeSint8Khr, vk.ComponentTypeUint8Khr}
	for _, a := range narrow {
		for _, b := range narrow {
			for _, c := range []vk.ComponentTypeKHR{vk.ComponentTypeSint32Khr, vk.ComponentTypeUint32Khr} {
				p.AType, p.BType, p.CType, p.ResultType = a, b, c, c
				list = append(list, p)
				p.SaturatingAccumulation = 1
				list = append(list, p)
				p.SaturatingAccumulation = 0
			}
		}
	}
	return list
}
