package driver

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/expression"
	"spvsim/vulkan/vk"
)

// apiVersion is 1.3, of no particular patch.
const apiVersion = 1<<22 | 3<<12

type instance struct {
	handle  uint64
	enabled map[string]bool
	devices []*physical
}

// settings are the environment variables of the driver.
type settings struct {
	machines []string
	set      []string
	mode     string
	// The set of answers, the source of the identity, and the conformance version of devices.
	answers, identity, conformance string
	// Tolerates violations of the API that other drivers tolerate.
	lenient bool
	// The clock that advances while nothing runs, and the one that timeouts are of.
	clock, timeouts string
	overlap         string // of launches
}

// readSettings reads the environment: SPVSIM_MACHINE, machines separated by commas; SPVSIM_SET, changes to them,
// separated by blanks; SPVSIM_MODE, how dispatches run; SPVSIM_ANSWERS, SPVSIM_IDENTITY and SPVSIM_CONFORMANCE, the
// reported capabilities and identity; SPVSIM_CLOCK and SPVSIM_TIMEOUTS, simulated or host time; SPVSIM_OVERLAP, whether
// launches that may overlap do; SPVSIM_LENIENT, whether violations that other drivers tolerate pass.
func readSettings() settings {
	s := settings{machines: []string{""}, set: strings.Fields(os.Getenv("SPVSIM_SET")), mode: os.Getenv("SPVSIM_MODE"),
		answers: os.Getenv("SPVSIM_ANSWERS"), identity: os.Getenv("SPVSIM_IDENTITY"), conformance: os.Getenv("SPVSIM_CONFORMANCE"),
		clock: wordOf("SPVSIM_CLOCK", "simulated", "host"), timeouts: wordOf("SPVSIM_TIMEOUTS", "host", "simulated"),
		overlap: wordOf("SPVSIM_OVERLAP", "submitted", "none"), lenient: wordOf("SPVSIM_LENIENT", "0", "1") == "1"}
	if list := os.Getenv("SPVSIM_MACHINE"); list != "" {
		s.machines = strings.Split(list, ",")
	}
	return s
}

// wordOf reads a variable whose value is one of some words; the first, if it is unset.
func wordOf(variable string, words ...string) string {
	value := cmp.Or(os.Getenv(variable), words[0])
	if !slices.Contains(words, value) {
		fail(vk.ErrorInitializationFailed, "%s: %q: want one of %s", variable, value, strings.Join(words, ", "))
	}
	return value
}

// number reads a limit from the environment, which is at least 0; 0 or unset: none.
func number(variable string) float64 {
	value := os.Getenv(variable)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 0 && n <= 1<<53) {
		fail(vk.ErrorInitializationFailed, "%s: %q: want a number from 0 to 2^53", variable, value)
	}
	return n
}

// integer reads a limit of the environment that is a count.
func integer(variable string) uint64 {
	value := os.Getenv(variable)
	if value == "" {
		return 0
	}
	n, err := expression.ParseWithin(value, 0, math.MaxInt64)
	if err != nil {
		fail(vk.ErrorInitializationFailed, "%s: %v", variable, err)
	}
	return uint64(n)
}

func CreateInstance(info *vk.InstanceCreateInfo, _ *vk.AllocationCallbacks, out *vk.Instance) vk.Result {
	in := &instance{enabled: map[string]bool{}}
	for _, p := range items(info.PpEnabledExtensionNames, info.EnabledExtensionCount) {
		name := text(p)
		if !slices.ContainsFunc(extensions, func(e extension) bool { return e.instance && e.name == name }) {
			fail(vk.ErrorExtensionNotPresent, "extension %s", name)
		}
		in.enabled[name] = true
	}
	s := readSettings()
	for i, name := range s.machines {
		m, err := config.LoadMachine(config.Request{Machine: name, Set: s.set})
		if err != nil {
			fail(vk.ErrorInitializationFailed, "%v", err)
		}
		p := newPhysical(in, m, i)
		p.applySettings(&s)
		in.devices = append(in.devices, p)
	}
	in.handle = addDispatchable(in, 0)
	for _, p := range in.devices {
		p.handle = addDispatchable(p, 0)
	}
	newRecorder(in).close() // writes the header even if the program creates no device
	*out = vk.Instance(in.handle)
	return vk.Success
}

func DestroyInstance(h vk.Instance, _ *vk.AllocationCallbacks) {
	in, ok := removeObject[*instance](uint64(h))
	if !ok {
		return
	}
	for _, p := range in.devices {
		remove(p.handle)
	}
}

// levels returns the names of all machines' memory levels, each once.
func (in *instance) levels() (list []string) {
	for _, p := range in.devices {
		for _, name := range gpu.Levels(p.machine) {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

func EnumerateInstanceVersion(version *uint32) vk.Result {
	*version = apiVersion
	return vk.Success
}

func EnumerateInstanceExtensionProperties(layer *byte, count *uint32, out *vk.ExtensionProperties) vk.Result {
	return listExtensions(layer, count, out, func(e *extension) bool { return e.instance })
}

func EnumerateDeviceExtensionProperties(p vk.PhysicalDevice, layer *byte, count *uint32, out *vk.ExtensionProperties) vk.Result {
	device := mustLookUp[*physical](uint64(p))
	return listExtensions(layer, count, out, func(e *extension) bool { return !e.instance && device.has(e) })
}

func listExtensions(layer *byte, count *uint32, out *vk.ExtensionProperties, has func(*extension) bool) vk.Result {
	var list []vk.ExtensionProperties
	for i := range extensions {
		if e := &extensions[i]; has(e) && layer == nil {
			p := vk.ExtensionProperties{SpecVersion: e.version}
			setText(p.ExtensionName[:], e.name)
			list = append(list, p)
		}
	}
	return enumerate(count, out, list)
}

// EnumerateInstanceLayerProperties is vkEnumerateInstanceLayerProperties: drivers have no layers.
func EnumerateInstanceLayerProperties(count *uint32, _ *vk.LayerProperties) vk.Result {
	*count = 0
	return vk.Success
}

// EnumerateDeviceLayerProperties is vkEnumerateDeviceLayerProperties: drivers have no layers.
func EnumerateDeviceLayerProperties(_ vk.PhysicalDevice, count *uint32, _ *vk.LayerProperties) vk.Result {
	*count = 0
	return vk.Success
}

func EnumeratePhysicalDevices(h vk.Instance, count *uint32, out *vk.PhysicalDevice) vk.Result {
	var list []vk.PhysicalDevice
	for _, p := range mustLookUp[*instance](uint64(h)).devices {
		list = append(list, vk.PhysicalDevice(p.handle))
	}
	return enumerate(count, out, list)
}

// EnumeratePhysicalDeviceGroups is vkEnumeratePhysicalDeviceGroups: each group has one device.
func EnumeratePhysicalDeviceGroups(h vk.Instance, count *uint32, out *vk.PhysicalDeviceGroupProperties) vk.Result {
	devices := mustLookUp[*instance](uint64(h)).devices
	if out == nil {
		*count = uint32(len(devices))
		return vk.Success
	}
	list := items(out, *count)
	n := min(len(list), len(devices))
	for i := range n {
		list[i].PhysicalDeviceCount, list[i].SubsetAllocation = 1, 0
		list[i].PhysicalDevices[0] = vk.PhysicalDevice(devices[i].handle)
	}
	*count = uint32(n)
	if n < len(devices) {
		return vk.Incomplete
	}
	return vk.Success
}
