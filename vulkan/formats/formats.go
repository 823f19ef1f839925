// Package formats maps formats of Vulkan to the texel formats of machines and jobs.
package formats

import "spvsim/vulkan/vk"

// Texels maps formats to the texel formats of machines and jobs, as SPIR-V spells them. Packed formats of four bytes map to the formats of
// their bytes, and depth formats to red components.
var Texels = map[vk.Format]string{
	vk.FormatR32g32b32a32Sfloat: "Rgba32f", vk.FormatR16g16b16a16Sfloat: "Rgba16f", vk.FormatR32Sfloat: "R32f",
	vk.FormatR8g8b8a8Unorm: "Rgba8", vk.FormatR8g8b8a8Snorm: "Rgba8Snorm", vk.FormatR32g32Sfloat: "Rg32f",
	vk.FormatR16g16Sfloat: "Rg16f", vk.FormatB10g11r11UfloatPack32: "R11fG11fB10f", vk.FormatR16Sfloat: "R16f",
	vk.FormatR16g16b16a16Unorm: "Rgba16", vk.FormatA2b10g10r10UnormPack32: "Rgb10A2", vk.FormatR16g16Unorm: "Rg16",
	vk.FormatR8g8Unorm: "Rg8", vk.FormatR16Unorm: "R16", vk.FormatR8Unorm: "R8", vk.FormatR16g16b16a16Snorm: "Rgba16Snorm",
	vk.FormatR16g16Snorm: "Rg16Snorm", vk.FormatR8g8Snorm: "Rg8Snorm", vk.FormatR16Snorm: "R16Snorm", vk.FormatR8Snorm: "R8Snorm",
	vk.FormatR32g32b32a32Sint: "Rgba32i", vk.FormatR16g16b16a16Sint: "Rgba16i", vk.FormatR8g8b8a8Sint: "Rgba8i", vk.FormatR32Sint: "R32i",
	vk.FormatR32g32Sint: "Rg32i", vk.FormatR16g16Sint: "Rg16i", vk.FormatR8g8Sint: "Rg8i", vk.FormatR16Sint: "R16i", vk.FormatR8Sint: "R8i",
	vk.FormatR32g32b32a32Uint: "Rgba32ui", vk.FormatR16g16b16a16Uint: "Rgba16ui", vk.FormatR8g8b8a8Uint: "Rgba8ui",
	vk.FormatR32Uint: "R32ui", vk.FormatA2b10g10r10UintPack32: "Rgb10a2ui", vk.FormatR32g32Uint: "Rg32ui", vk.FormatR16g16Uint: "Rg16ui",
	vk.FormatA8b8g8r8UnormPack32: "Rgba8", vk.FormatA8b8g8r8SnormPack32: "Rgba8Snorm", vk.FormatA8b8g8r8UintPack32: "Rgba8ui",
	vk.FormatA8b8g8r8SintPack32: "Rgba8i", vk.FormatA8b8g8r8SrgbPack32: "Rgba8Srgb",
	vk.FormatR8g8b8a8Srgb: "Rgba8Srgb", vk.FormatR8g8Srgb: "Rg8Srgb", vk.FormatR8Srgb: "R8Srgb",
	vk.FormatB8g8r8a8Unorm: "Bgra8", vk.FormatB8g8r8a8Snorm: "Bgra8Snorm", vk.FormatB8g8r8a8Sint: "Bgra8i",
	vk.FormatB8g8r8a8Uint: "Bgra8ui", vk.FormatB8g8r8a8Srgb: "Bgra8Srgb",
	vk.FormatA2r10g10b10UnormPack32: "Bgr10A2", vk.FormatA2r10g10b10UintPack32: "Bgr10a2ui", vk.FormatA1r5g5b5UnormPack16: "Bgr5A1",
	vk.FormatR5g6b5UnormPack16: "Bgr565", vk.FormatB4g4r4a4UnormPack16: "Argb4", vk.FormatE5b9g9r9UfloatPack32: "Rgb9E5",
	vk.FormatA4r4g4b4UnormPack16: "Bgra4", vk.FormatA4b4g4r4UnormPack16: "Rgba4", vk.FormatA1b5g5r5UnormPack16: "Rgb5A1", vk.FormatA8Unorm: "A8",
	vk.FormatD16Unorm: "R16", vk.FormatD32Sfloat: "R32f",
	vk.FormatR8g8Uint: "Rg8ui", vk.FormatR16Uint: "R16ui", vk.FormatR8Uint: "R8ui", vk.FormatR64Uint: "R64ui", vk.FormatR64Sint: "R64i",
}

// OfTexels returns the format of texels, the first one where several have it; 0: none.
func OfTexels(texels string) (least vk.Format) {
	for f, name := range Texels {
		if name == texels && (least == 0 || f < least) {
			least = f
		}
	}
	return least
}
