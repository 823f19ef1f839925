package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

// The properties of each preset's device, under each set of answers, are recorded: features, named properties, queue
// families, formats, kinds of images, memory, counters and matrix shapes. With -update the file is rewritten.
func TestWrittenDevices(t *testing.T) {
	state.Lock()
	t.Cleanup(state.Unlock)
	presets, sets := config.Presets(), []string{"", "attachments", "webgpu"}
	all := len(presets) * len(sets)
	suite.Lines(t, "devices.txt", *update, all+len(presets), func(i int) string {
		preset, answers := presets[i%len(presets)], "opencl"
		if i < all {
			preset, answers = presets[i/len(sets)], sets[i%len(sets)]
		}
		t.Setenv("SPVSIM_MACHINE", preset)
		t.Setenv("SPVSIM_ANSWERS", answers)
		t.Setenv("SPVSIM_IDENTITY", []string{"", "device"}[i%2])
		var h vk.Instance
		if err := misused(func() { CreateInstance(&vk.InstanceCreateInfo{}, nil, &h) }); err != nil {
			return preset + " " + answers + ": " + err.Error()
		}
		defer DestroyInstance(h, nil)
		return preset + " " + answers + ": " + deviceLine(mustLookUp[*instance](uint64(h)).devices[0])
	})
}

// deviceLine has a digest of each part.
func deviceLine(p *physical) string {
	var said, offered []string
	for _, name := range slices.Sorted(maps.Keys(p.properties)) {
		if !strings.HasSuffix(name, "UUID") { // of the build
			said = append(said, fmt.Sprint(name, "=", p.properties[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(features)) {
		if p.hasFeature(name) {
			offered = append(offered, name)
		}
	}
	for i := range extensions {
		if e := &extensions[i]; !e.instance && p.has(e) {
			offered = append(offered, fmt.Sprint(e.name, e.version))
		}
	}
	var memory vk.PhysicalDeviceMemoryProperties
	GetPhysicalDeviceMemoryProperties(vk.PhysicalDevice(p.handle), &memory)
	parts := []struct {
		name string
		of   any
	}{{"properties", said}, {"features", offered}, {"queues", p.families()}, {"formats", formatLines(p)}, {"memory", memory}, {"counters", fmt.Sprint(len(p.counters()))},
		{"matrices", fmt.Sprintf("%+v", matrixProperties(p.machine))}, {"dots", slices.Sorted(slices.Values(acceleratedDots(p.machine)))}}
	line := fmt.Sprintf("%d properties, %d features and extensions", len(said), len(offered))
	for _, part := range parts {
		line += ", " + part.name + " " + suite.Digest(fmt.Append(nil, part.of))
	}
	return line
}

// formatLines lists the features of each format, and the largest image of some kinds.
func formatLines(p *physical) (list []string) {
	for f := range vk.Format(200) {
		images, buffers := p.formatFeatures(f)
		list = append(list, fmt.Sprint(f, images, buffers))
		if images == 0 {
			continue
		}
		for kind := range vk.ImageType(3) {
			var out vk.ImageFormatProperties
			result := p.imageFormat(f, kind, vk.ImageTilingOptimal, vk.ImageUsageFlags(vk.ImageUsageSampledBit|vk.ImageUsageStorageBit), 0, &out)
			list = append(list, fmt.Sprint(kind, result, out))
		}
	}
	return list
}
