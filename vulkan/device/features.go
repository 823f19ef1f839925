package device

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"spvsim/vulkan/vk"
)

// featureStructs are the structures of features that modules of jobs may need, each with what brings it: a version of the API or an
// extension.
var featureStructs = []struct {
	kind      vk.StructureType
	version   uint32
	extension string
}{
	{vk.StructureTypePhysicalDeviceVulkan11Features, version12, ""},
	{vk.StructureTypePhysicalDeviceVulkan12Features, version12, ""},
	{vk.StructureTypePhysicalDeviceVulkan13Features, version13, ""},
	{vk.StructureTypePhysicalDeviceCooperativeMatrixFeaturesKhr, 0, "VK_KHR_cooperative_matrix"},
	{vk.StructureTypePhysicalDeviceShaderClockFeaturesKhr, 0, "VK_KHR_shader_clock"},
	{vk.StructureTypePhysicalDeviceShaderAtomicFloatFeaturesExt, 0, "VK_EXT_shader_atomic_float"},
	{vk.StructureTypePhysicalDeviceShaderAtomicFloat2FeaturesExt, 0, "VK_EXT_shader_atomic_float2"},
	{vk.StructureTypePhysicalDeviceShaderImageAtomicInt64FeaturesExt, 0, "VK_EXT_shader_image_atomic_int64"},
	{vk.StructureTypePhysicalDeviceShaderExpectAssumeFeatures, 0, "VK_KHR_shader_expect_assume"},
	{vk.StructureTypePhysicalDeviceShaderMaximalReconvergenceFeaturesKhr, 0, "VK_KHR_shader_maximal_reconvergence"},
	{vk.StructureTypePhysicalDeviceShaderQuadControlFeaturesKhr, 0, "VK_KHR_shader_quad_control"},
	{vk.StructureTypePhysicalDeviceShaderSubgroupRotateFeatures, 0, "VK_KHR_shader_subgroup_rotate"},
	{vk.StructureTypePhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKhr, 0, "VK_KHR_shader_subgroup_uniform_control_flow"},
	{vk.StructureTypePhysicalDeviceShaderUntypedPointersFeaturesKhr, 0, "VK_KHR_shader_untyped_pointers"},
	{vk.StructureTypePhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKhr, 0, "VK_KHR_workgroup_memory_explicit_layout"},
}

// plainExtensions are extensions without features that modules may need.
var plainExtensions = []string{
	"VK_AMD_gcn_shader", "VK_AMD_shader_ballot", "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote", "VK_KHR_shader_non_semantic_info",
	"VK_AMD_gpu_shader_half_float", "VK_AMD_gpu_shader_int16", "VK_GOOGLE_hlsl_functionality1", "VK_GOOGLE_decorate_string", "VK_GOOGLE_user_type",
}

// A featureChain is a chain of feature structures, all members of which are Bool32 after a header of 16 bytes.
type featureChain struct {
	first  *vk.PhysicalDeviceFeatures2
	memory [][]uint64
	kinds  []vk.StructureType
}

// newFeatureChain makes the structures of the device.
func (p *Physical) newFeatureChain() *featureChain {
	c := &featureChain{first: &vk.PhysicalDeviceFeatures2{SType: vk.StructureTypePhysicalDeviceFeatures2}}
	next := &c.first.PNext
	for _, s := range featureStructs {
		if s.extension != "" && !p.extensions[s.extension] || s.version > min(p.properties.ApiVersion, version13) {
			continue
		}
		words := make([]uint64, 2+(len(vk.FeatureStructs[s.kind])+1)/2)
		base := (*vk.BaseOutStructure)(unsafe.Pointer(&words[0]))
		base.SType = s.kind
		*next = unsafe.Pointer(base)
		next = (*unsafe.Pointer)(unsafe.Pointer(&base.PNext))
		c.memory, c.kinds = append(c.memory, words), append(c.kinds, s.kind)
	}
	return c
}

// each calls do with every member: its name and its place.
func (c *featureChain) each(do func(name string, value *vk.Bool32)) {
	members := unsafe.Slice((*vk.Bool32)(unsafe.Pointer(&c.first.Features)), len(vk.Features))
	for i, name := range vk.Features {
		do(name, &members[i])
	}
	for k, kind := range c.kinds {
		names := vk.FeatureStructs[kind]
		members := unsafe.Slice((*vk.Bool32)(unsafe.Pointer(&c.memory[k][2])), len(names))
		for i, name := range names {
			do(name, &members[i])
		}
	}
}

func (p *Physical) queryFeatures() {
	c := p.newFeatureChain()
	p.instance.GetPhysicalDeviceFeatures2(p.handle, c.first)
	c.each(func(name string, value *vk.Bool32) { p.features[name] = p.features[name] || *value != 0 })
}

// unwanted are features that change what shaders cost or that no job needs.
var unwanted = []string{"robustBufferAccess", "robustImageAccess", "bufferDeviceAddressCaptureReplay", "bufferDeviceAddressMultiDevice", "protectedMemory"}

// enabled is the chain of the features that a device is created with, and the extensions that bring them.
func (p *Physical) enabled() (*featureChain, []string) {
	c := p.newFeatureChain()
	c.each(func(name string, value *vk.Bool32) {
		if p.features[name] && !slices.Contains(unwanted, name) {
			*value = 1
		}
	})
	return c, p.enabledExtensions()
}

// enabledExtensions are the extensions that a device is created with.
func (p *Physical) enabledExtensions() (list []string) {
	for _, s := range featureStructs {
		if s.extension != "" && p.extensions[s.extension] {
			list = append(list, s.extension)
		}
	}
	for _, name := range append([]string{"VK_KHR_portability_subset"}, plainExtensions...) {
		if p.extensions[name] {
			list = append(list, name)
		}
	}
	return list
}

func (p *Physical) queryProperties() {
	v11 := &vk.PhysicalDeviceVulkan11Properties{SType: vk.StructureTypePhysicalDeviceVulkan11Properties}
	v12 := &vk.PhysicalDeviceVulkan12Properties{SType: vk.StructureTypePhysicalDeviceVulkan12Properties, PNext: unsafe.Pointer(v11)}
	v13 := &vk.PhysicalDeviceVulkan13Properties{SType: vk.StructureTypePhysicalDeviceVulkan13Properties, PNext: unsafe.Pointer(v12)}
	all := &vk.PhysicalDeviceProperties2{SType: vk.StructureTypePhysicalDeviceProperties2, PNext: unsafe.Pointer(v12)}
	if p.properties.ApiVersion >= version13 {
		all.PNext = unsafe.Pointer(v13)
	}
	p.instance.GetPhysicalDeviceProperties2(p.handle, all)
	for _, s := range []any{v11, v12, v13} {
		v := reflect.ValueOf(s).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Uint32 {
				p.reported[v.Type().Field(i).Name] = uint32(f.Uint())
			}
		}
	}
	p.Driver = strings.TrimSpace(goText(v12.DriverName[:]) + " " + goText(v12.DriverInfo[:]))
	p.SubgroupSize = v11.SubgroupSize
	if p.properties.ApiVersion >= version13 && v13.RequiredSubgroupSizeStages&vk.ShaderStageFlags(vk.ShaderStageComputeBit) != 0 {
		p.SubgroupRange = [2]uint32{v13.MinSubgroupSize, v13.MaxSubgroupSize}
	}
}

// has reports whether the device meets a requirement.
func (p *Physical) has(r *vk.Requirement) bool {
	switch {
	case r.Version != 0:
		return min(p.properties.ApiVersion, version13) >= r.Version
	case r.Extension != "":
		return slices.Contains(p.enabledExtensions(), r.Extension)
	case r.Feature != "":
		return p.features[r.Feature]
	}
	return p.reported[r.Property]&r.Bits == r.Bits
}

func word(r *vk.Requirement) string {
	switch {
	case r.Version != 0:
		return "Vulkan " + versionText(r.Version)
	case r.Extension != "":
		return r.Extension
	case r.Feature != "":
		return "the feature " + r.Feature
	}
	return fmt.Sprintf("bits %#x of the property %s", r.Bits, r.Property)
}

// A Need is what a module asks of a device.
type Need struct {
	Version      uint32 // of SPIR-V: major<<16 | minor<<8
	Capabilities []string
	Extensions   []string
}

// spirvVersion is the newest version of SPIR-V that the device takes (Vulkan 1.3, "Versions and Formats").
func (p *Physical) spirvVersion() uint32 {
	switch v := p.properties.ApiVersion; {
	case v >= version13:
		return 0x10600
	case v >= version12:
		return 0x10500
	}
	return 0x10300
}

// ballotAMD brings the capability Groups, which vk.xml does not say (SPV_AMD_shader_ballot: "requires Groups").
var ballotAMD = vk.Requirement{Extension: "VK_AMD_shader_ballot"}

// Missing lists what a module needs and the device lacks.
func (p *Physical) Missing(n *Need) (list []string) {
	if n.Version > p.spirvVersion() {
		list = append(list, fmt.Sprintf("SPIR-V %d.%d", n.Version>>16, n.Version>>8&0xff))
	}
	check := func(kind, name string, table map[string][]vk.Requirement) {
		any := table[name]
		if name == "Groups" && p.has(&ballotAMD) {
			return
		}
		if slices.ContainsFunc(any, func(r vk.Requirement) bool { return p.has(&r) }) {
			return
		}
		text := kind + " " + name
		var words []string
		for i := range any {
			words = append(words, word(&any[i]))
		}
		if len(words) > 0 {
			text += " (" + strings.Join(words, " or ") + ")"
		}
		list = append(list, text)
	}
	for _, name := range n.Capabilities {
		check("capability", name, vk.ModuleCapabilities)
	}
	for _, name := range n.Extensions {
		check("extension", name, vk.ModuleExtensions)
	}
	return list
}
