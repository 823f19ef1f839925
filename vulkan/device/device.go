package device

import (
	"fmt"
	"time"
	"unsafe"

	"spvsim/internal/lists"
	"spvsim/vulkan/vk"
)

// A Device is an open device with one queue.
type Device struct {
	*Physical
	commands
	handle   vk.Device
	queue    vk.Queue
	pool     vk.CommandPool
	buffer   vk.CommandBuffer
	fence    vk.Fence
	memory   vk.PhysicalDeviceMemoryProperties
	staging  *Buffer
	cleanup  []func() // in reverse order
	deadline time.Time
}

// Open opens the device. What it waits for ends at the deadline; zero: never.
func (p *Physical) Open(deadline time.Time) (*Device, error) {
	if p.family == ^uint32(0) {
		return nil, fmt.Errorf("%s: no queue of the device computes", p.Name)
	}
	if p.properties.ApiVersion < version12 {
		return nil, fmt.Errorf("%s: the driver is of Vulkan %s: want 1.2 or later", p.Name, p.API())
	}
	chain, extensions := p.enabled()
	priority := float32(1)
	queue := &vk.DeviceQueueCreateInfo{SType: vk.StructureTypeDeviceQueueCreateInfo, QueueFamilyIndex: p.family, QueueCount: 1, PQueuePriorities: &priority}
	names := lists.Map(extensions, text)
	d := &Device{Physical: p, commands: p.instance.commands, deadline: deadline}
	info := &vk.DeviceCreateInfo{
		SType: vk.StructureTypeDeviceCreateInfo, PNext: unsafe.Pointer(chain.first), QueueCreateInfoCount: 1, PQueueCreateInfos: queue,
		EnabledExtensionCount: uint32(len(names)), PpEnabledExtensionNames: first(names),
	}
	if err := call("vkCreateDevice", d.CreateDevice(p.handle, info, nil, &d.handle)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	d.atClose(func() { d.DestroyDevice(d.handle, nil) })
	d.GetDeviceQueue(d.handle, p.family, 0, &d.queue)
	d.GetPhysicalDeviceMemoryProperties(p.handle, &d.memory)
	if err := d.makeCommands(); err != nil {
		d.Close()
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return d, nil
}

// atClose adds what Close does first.
func (d *Device) atClose(do func()) { d.cleanup = append(d.cleanup, do) }

// Close destroys everything that was made on the device, which does no work.
func (d *Device) Close() {
	for i := len(d.cleanup) - 1; i >= 0; i-- {
		d.cleanup[i]()
	}
	d.cleanup = nil
}

// stagingBytes is the size of the buffer through which bytes come and go.
const stagingBytes = 64 << 20

// makeCommands makes the command buffer, its fence, and the buffer through which bytes come and go.
func (d *Device) makeCommands() error {
	pool := &vk.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo, Flags: vk.CommandPoolCreateFlags(vk.CommandPoolCreateResetCommandBufferBit), QueueFamilyIndex: d.family}
	if err := call("vkCreateCommandPool", d.CreateCommandPool(d.handle, pool, nil, &d.pool)); err != nil {
		return err
	}
	d.atClose(func() { d.DestroyCommandPool(d.handle, d.pool, nil) })
	info := &vk.CommandBufferAllocateInfo{SType: vk.StructureTypeCommandBufferAllocateInfo, CommandPool: d.pool, CommandBufferCount: 1}
	if err := call("vkAllocateCommandBuffers", d.AllocateCommandBuffers(d.handle, info, &d.buffer)); err != nil {
		return err
	}
	if err := call("vkCreateFence", d.CreateFence(d.handle, &vk.FenceCreateInfo{SType: vk.StructureTypeFenceCreateInfo}, nil, &d.fence)); err != nil {
		return err
	}
	d.atClose(func() { d.DestroyFence(d.handle, d.fence, nil) })
	var err error
	d.staging, err = d.newBuffer(stagingBytes, vk.MemoryPropertyHostVisibleBit|vk.MemoryPropertyHostCoherentBit)
	return err
}

// MemoryBytes is the size of the device's largest heap of its own memory.
func (d *Device) MemoryBytes() (most uint64) {
	for _, h := range d.memory.MemoryHeaps[:d.memory.MemoryHeapCount] {
		if h.Flags&vk.MemoryHeapDeviceLocalBit != 0 {
			most = max(most, h.Size)
		}
	}
	return most
}

// Do records commands, submits them and waits until the device has carried them out.
func (d *Device) Do(record func(c *Commands) error) error {
	begin := &vk.CommandBufferBeginInfo{SType: vk.StructureTypeCommandBufferBeginInfo, Flags: vk.CommandBufferUsageFlags(vk.CommandBufferUsageOneTimeSubmitBit)}
	if err := call("vkBeginCommandBuffer", d.BeginCommandBuffer(d.buffer, begin)); err != nil {
		return err
	}
	if err := record(&Commands{d}); err != nil {
		d.EndCommandBuffer(d.buffer)
		return err
	}
	if err := call("vkEndCommandBuffer", d.EndCommandBuffer(d.buffer)); err != nil {
		return err
	}
	submit := &vk.SubmitInfo{SType: vk.StructureTypeSubmitInfo, CommandBufferCount: 1, PCommandBuffers: &d.buffer}
	if err := call("vkQueueSubmit", d.QueueSubmit(d.queue, 1, submit, d.fence)); err != nil {
		return err
	}
	wait := ^uint64(0)
	if !d.deadline.IsZero() {
		wait = uint64(max(0, time.Until(d.deadline)))
	}
	if err := call("vkWaitForFences", d.WaitForFences(d.handle, 1, &d.fence, 1, wait)); err != nil {
		return err
	}
	return call("vkResetFences", d.ResetFences(d.handle, 1, &d.fence))
}
