// Package driver is a Vulkan driver for simulated GPUs: it implements the loader's calls in Go. Objects are handles
// to its own tables; memory is mapped for the application and for the machine alike; dispatches run on a machine of
// package gpu, in simulated time.
//
//	calls        every command with its function; generated
//	objects      handles
//	physical     what a machine offers: features, limits, formats
//	memory, images, descriptors, pipelines, commands: what an application makes
//	queue        submissions, in order, on the machine
//
// The package knows nothing of the loader's way to call it (package main of folder vulkan) nor of how the machine computes.
package driver

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"spvsim/vulkan/vk"
)

type (
	// args are the words of a call, as the trampolines lay them out.
	args [16]uint64

	level  uint8
	answer uint8

	// A command is one that the loader may call; call is nil where no queue or device of the driver takes it.
	command struct {
		name   string
		level  level
		answer answer
		call   func(*args) uint64
	}

	// named says where in the table a command is, and which version or extension has it under that name.
	named struct {
		index int
		of    string
	}

	extension struct {
		name     string
		version  uint32
		instance bool
	}
)

// What a command's first parameter is.
const (
	ofLoader level = iota
	ofInstance
	ofPhysicalDevice
	ofDevice
)

// What a command returns.
const (
	answersNothing answer = iota
	answersResult
	answersValue
)

// state is held by every call, and by the queue while it looks for work or ends it.
var state sync.Mutex

// changed notifies those who wait that work has ended or a semaphore or fence has changed.
var changed = sync.NewCond(&state)

// A misuse is a call that the API does not allow, or that asks for what is not there. The call gives its result, and a message says why.
type misuse struct {
	result vk.Result
	text   string
}

func (m misuse) Error() string { return m.text }

// fail ends the call.
func fail(result vk.Result, format string, args ...any) {
	panic(misuse{result, fmt.Sprintf(format, args...)})
}

// Call carries out a command of the table.
func Call(number uint32, words unsafe.Pointer) (result uint64) {
	c, a := &commands[number], (*args)(words)
	defer guard(c, a, &result)
	debug.SetPanicOnFault(true)
	state.Lock()
	defer state.Unlock()
	if c.call == nil {
		if strings.HasPrefix(c.name, "vkDestroy") && a[1] == 0 {
			return 0 // no object: the API allows that for every kind
		}
		fail(vk.ErrorFeatureNotPresent, "the device does not support this command")
	}
	return c.call(a)
}

// guard turns what ended a call into its result: nothing may pass on into the application.
func guard(c *command, a *args, result *uint64) {
	p := recover()
	if p == nil {
		return
	}
	m := misuseOf(p)
	state.Lock()
	defer state.Unlock()
	report(c.name, m)
	if strings.HasPrefix(c.name, "vkCmd") {
		if cb, ok := find[*commandBuffer](a[0]); ok {
			cb.fault = m
		}
	}
	*result = 0
	if c.answer == answersResult {
		*result = uint64(uint32(m.result))
	}
}

// misuseOf says what a panic was: a misuse, memory of the application that is not there, or a fault of the driver.
func misuseOf(p any) misuse {
	if m, ok := p.(misuse); ok {
		return m
	}
	if e, ok := p.(runtime.Error); ok && strings.Contains(e.Error(), "invalid memory address") {
		return misuse{vk.ErrorUnknown, "found a pointer to memory that does not exist" + trace()}
	}
	if e, ok := p.(runtime.Error); ok && strings.Contains(e.Error(), "unsafe.Slice: ") {
		return misuse{vk.ErrorOutOfHostMemory, "found a count or size that no memory has" + trace()}
	}
	return misuse{vk.ErrorUnknown, fmt.Sprintf("a fault of the driver: %v%s", p, trace())}
}

// trace is where a panic came from, for those who ask for it.
func trace() string {
	if os.Getenv("SPVSIM_DRIVER_TRACE") == "" {
		return ""
	}
	return "\n" + string(debug.Stack())
}

// report reports a misuse, on standard error and to the application's messengers.
func report(command string, m misuse) {
	text := fmt.Sprintf("spvsim: %s: %s", command, m.text)
	fmt.Fprintln(os.Stderr, text)
	tellMessengers(text)
}

// Find gives the number of a command by its name, or -1 where an application may not have it. The handle is that of the instance (0:
// none) or device it is asked of.
func Find(handle uint64, name string, device bool) int {
	state.Lock()
	defer state.Unlock()
	list, ok := names[name]
	if !ok {
		return -1
	}
	for _, n := range list {
		if offered(&commands[n.index], n.of, handle, device) {
			return n.index
		}
	}
	return -1
}

// offered says whether a command is there to the caller. One of a device is offered by an instance whether or not its extension will be
// enabled, as the loader asks before there is a device.
func offered(c *command, of string, handle uint64, device bool) bool {
	i := slices.IndexFunc(extensions, func(e extension) bool { return e.name == of })
	switch {
	case device && c.level != ofDevice:
		return false
	case i < 0 || !device && !extensions[i].instance:
		return true
	case device:
		d, ok := find[*device_](handle)
		return ok && (d.enabled[of] || extensions[i].instance)
	}
	in, ok := find[*instance](handle)
	return !ok || in.enabled[of]
}

// Physical says whether a command is one of a physical device, for the loader.
func Physical(name string) int {
	for _, n := range names[name] {
		if commands[n.index].level == ofPhysicalDevice {
			return n.index
		}
	}
	return -1
}
