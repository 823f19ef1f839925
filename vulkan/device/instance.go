package device

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Versions of the API.
const (
	version11 = 1<<22 | 1<<12
	version12 = 1<<22 | 2<<12
	version13 = 1<<22 | 3<<12
)

// ErrDevice reports that no device fits what was asked for.
var ErrDevice = errors.New("no such Vulkan device")

// An Instance lists the devices of this computer.
type Instance struct {
	commands
	library *library
	handle  vk.Instance
	Devices []*Physical
}

// A Physical is a device of this computer.
type Physical struct {
	instance   *Instance
	handle     vk.PhysicalDevice
	properties vk.PhysicalDeviceProperties
	extensions map[string]bool
	features   map[string]bool   // supported ones by the names of their members
	reported   map[string]uint32 // members of property structures by their names
	family     uint32
	validBits  uint32 // of timestamps

	Index         int
	Name          string
	Driver        string // with its version
	SubgroupSize  uint32
	SubgroupRange [2]uint32 // sizes that a pipeline can ask for; zero: none
}

// Kinds of devices by VkPhysicalDeviceType.
var kinds = []string{"other", "integrated", "discrete", "virtual", "software"}

// Kind is the kind of device: discrete, integrated, virtual, software or other.
func (p *Physical) Kind() string { return kinds[min(int(p.properties.DeviceType), len(kinds)-1)] }

// Software reports whether the device is a program on the host's processor, whose times say nothing of a GPU.
func (p *Physical) Software() bool { return p.Kind() == "software" }

// API is the version of Vulkan that the device supports.
func (p *Physical) API() string { return versionText(p.properties.ApiVersion) }

func versionText(v uint32) string { return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff) }

// NanosecondsPerTick is the period of timestamps; 0: the device has none.
func (p *Physical) NanosecondsPerTick() float64 {
	if p.validBits == 0 {
		return 0
	}
	return float64(p.properties.Limits.TimestampPeriod)
}

// TimestampBits is the number of valid bits of timestamps.
func (p *Physical) TimestampBits() uint32 { return p.validBits }

// Open finds the devices of this computer.
func Open() (*Instance, error) {
	l, err := loader()
	if err != nil {
		return nil, err
	}
	version := uint32(vkVersion10)
	if l.EnumerateInstanceVersion != nil {
		l.EnumerateInstanceVersion(&version)
	}
	if version < version12 {
		return nil, fmt.Errorf("%w: the loader is of version %s: want 1.2 or later", ErrLoader, versionText(version))
	}
	name := text("spvsim")
	app := &vk.ApplicationInfo{SType: vk.StructureTypeApplicationInfo, PApplicationName: name, PEngineName: name, ApiVersion: min(version, version13)}
	info := &vk.InstanceCreateInfo{SType: vk.StructureTypeInstanceCreateInfo, PApplicationInfo: app}
	i := &Instance{library: l}
	if r := l.CreateInstance(info, nil, &i.handle); r != vk.Success {
		return nil, fmt.Errorf("vkCreateInstance: %w", resultError(r))
	}
	if err := l.load(&i.commands, i.handle); err != nil {
		return nil, err
	}
	if err := i.list(); err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

const vkVersion10 = 1 << 22

// Close destroys the instance, whose devices are closed.
func (i *Instance) Close() { i.DestroyInstance(i.handle, nil) }

func (i *Instance) list() error {
	handles, err := enumerate(func(n *uint32, list *vk.PhysicalDevice) vk.Result {
		return i.EnumeratePhysicalDevices(i.handle, n, list)
	})
	if err != nil {
		return fmt.Errorf("vkEnumeratePhysicalDevices: %w", err)
	}
	for k, h := range handles {
		p := &Physical{instance: i, handle: h, Index: k, extensions: map[string]bool{}, features: map[string]bool{}, reported: map[string]uint32{}}
		if err := p.query(); err != nil {
			return err
		}
		i.Devices = append(i.Devices, p)
	}
	return nil
}

// enumerate calls a command of Vulkan that fills a list, first for its length.
func enumerate[T any](command func(n *uint32, list *T) vk.Result) ([]T, error) {
	for {
		n := uint32(0)
		if r := command(&n, nil); r != vk.Success {
			return nil, resultError(r)
		}
		if n == 0 {
			return nil, nil
		}
		list := make([]T, n)
		switch r := command(&n, &list[0]); r {
		case vk.Success:
			return list[:n], nil
		case vk.Incomplete: // it grew meanwhile
		default:
			return nil, resultError(r)
		}
	}
}

// query reads what the device can do.
func (p *Physical) query() error {
	i := p.instance
	i.GetPhysicalDeviceProperties(p.handle, &p.properties)
	p.Name = goText(p.properties.DeviceName[:])
	list, err := enumerate(func(n *uint32, list *vk.ExtensionProperties) vk.Result {
		return i.EnumerateDeviceExtensionProperties(p.handle, nil, n, list)
	})
	if err != nil {
		return fmt.Errorf("%s: vkEnumerateDeviceExtensionProperties: %w", p.Name, err)
	}
	for k := range list {
		p.extensions[goText(list[k].ExtensionName[:])] = true
	}
	p.queryFamily()
	p.queryProperties()
	p.queryFeatures()
	return nil
}

// queryFamily chooses the queue family: the first one that computes, with timestamps where one has them.
func (p *Physical) queryFamily() {
	n := uint32(0)
	p.instance.GetPhysicalDeviceQueueFamilyProperties(p.handle, &n, nil)
	list := make([]vk.QueueFamilyProperties, n)
	if n > 0 {
		p.instance.GetPhysicalDeviceQueueFamilyProperties(p.handle, &n, &list[0])
	}
	p.family = ^uint32(0)
	for k := range list {
		if list[k].QueueFlags&vk.QueueComputeBit == 0 || p.family != ^uint32(0) && (p.validBits > 0 || list[k].TimestampValidBits == 0) {
			continue
		}
		p.family, p.validBits = uint32(k), list[k].TimestampValidBits
	}
}

// Find returns a device by its number, or by a part of its name that no other one has; empty: the first one that is no software, else
// the first.
func (i *Instance) Find(name string) (*Physical, error) {
	if len(i.Devices) == 0 {
		return nil, fmt.Errorf("%w: the loader finds none: want a driver with its manifest in share/vulkan/icd.d (Debian: mesa-vulkan-drivers)", ErrDevice)
	}
	if name == "" {
		return i.Devices[max(0, slices.IndexFunc(i.Devices, func(p *Physical) bool { return !p.Software() }))], nil
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < 0 || n >= len(i.Devices) {
			return nil, fmt.Errorf("%w: found number %d: want 0 to %d", ErrDevice, n, len(i.Devices)-1)
		}
		return i.Devices[n], nil
	}
	var found []*Physical
	var names []string
	for _, p := range i.Devices {
		if strings.Contains(strings.ToLower(p.Name), strings.ToLower(name)) {
			found = append(found, p)
		}
		names = append(names, fmt.Sprintf("%d %s", p.Index, p.Name))
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%w: found %d with %q in their names: want one of %s", ErrDevice, len(found), name, strings.Join(names, ", "))
	}
	return found[0], nil
}

// text is a string of C.
func text(s string) *byte { return &append([]byte(s), 0)[0] }

// goText is the string of C in a fixed array.
func goText(b []byte) string {
	if n := slices.Index(b, 0); n >= 0 {
		b = b[:n]
	}
	return string(b)
}

// first is the address of a list's first element, or nil.
func first[T any](list []T) *T { return unsafe.SliceData(list[:len(list):len(list)]) }
