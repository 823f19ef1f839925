// Package vk holds the structures and constants of Vulkan that the driver and programs on devices use, laid out as C lays them out on 64-bit machines. All but
// this file is generated from the registry.
package vk

// Constants of the API that stand in no enumeration.
const (
	WholeSize            = ^uint64(0)
	QueueFamilyIgnored   = ^uint32(0)
	RemainingMipLevels   = ^uint32(0)
	RemainingArrayLayers = ^uint32(0)
)

// A Requirement is what a device must have for a module: a version of the API, an extension, a feature, or bits of a property.
type Requirement struct {
	Version            uint32
	Extension, Feature string
	Property           string
	Bits               uint32
}
