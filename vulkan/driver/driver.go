// Package driver is a Vulkan driver for simulated GPUs: it implements the loader's calls in Go. Objects are handles
// to its own tables; memory is mapped for the application and for the machine alike; dispatches run on a machine of
// package gpu, in simulated time. The function CreateBuffer is the command vkCreateBuffer, and so on.
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
	"errors"
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

	commandLevel uint8
	answer       uint8

	// A command is an entry point of the API; call is nil for commands that no queue or device of the driver supports.
	command struct {
		name   string
		level  commandLevel
		answer answer
		call   func(*args) uint64
	}

	// named is the index of a command in the table, and the core version or extension that provides it under a name.
	named struct {
		index    int
		provider string
	}

	extension struct {
		name     string
		version  uint32
		instance bool
	}
)

// level is the type of a command's first parameter.
const (
	ofLoader commandLevel = iota
	ofInstance
	ofPhysicalDevice
	ofDevice
)

// answer is the type of a command's result.
const (
	answersNothing answer = iota
	answersResult
	answersValue
)

// state is locked by every call, and by the queue while it looks for work or ends it.
var state sync.Mutex

// changed signals that work has ended, or that a semaphore or fence has changed.
var changed = sync.NewCond(&state)

// A misuse is a call that the API does not allow, or that needs what the driver lacks. The call returns its result, and
// a message gives the reason.
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

// guard turns the panic of a call into its result: no panic may reach the application.
func guard(c *command, a *args, result *uint64) {
	p := recover()
	if p == nil {
		return
	}
	m := misuseOf(p)
	state.Lock()
	defer state.Unlock()
	refuse(c.name, m)
	if strings.HasPrefix(c.name, "vkCmd") {
		if cb, ok := lookUp[*commandBuffer](a[0]); ok && !cb.device.physical.spoofing.goesOn {
			cb.fault = m
		}
	}
	*result = 0
	if c.answer == answersResult {
		*result = uint64(uint32(m.result))
	}
}

// misuseOf classifies a panic: a misuse, an invalid pointer of the application, or a fault of the driver.
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

// trace returns the stack of a panic if SPVSIM_DRIVER_TRACE is set.
func trace() string {
	if os.Getenv("SPVSIM_DRIVER_TRACE") == "" {
		return ""
	}
	return "\n" + string(debug.Stack())
}

// refuse reports a failed call or a lost device, and adds it to the file SPVSIM_REFUSED, as a program may see no error of
// it.
func refuse(command string, m misuse) {
	report(command, m)
	path := os.Getenv("SPVSIM_REFUSED")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err == nil {
		text, _, _ := strings.Cut(m.text, "\n")
		_, err = fmt.Fprintf(f, "%s: %s\n", command, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_REFUSED: %v\n", err)
	}
}

// report reports a misuse, on standard error and to the application's messengers.
func report(command string, m misuse) {
	text := fmt.Sprintf("spvsim: %s: %s", command, m.text)
	fmt.Fprintln(os.Stderr, text)
	tellMessengers(text)
}

// FindCommand returns the index of a command, or -1 if the application may not have it. handle is the instance (0: none) or
// device that is queried.
func FindCommand(handle uint64, name string, device bool) int {
	state.Lock()
	defer state.Unlock()
	list, ok := names[name]
	if !ok {
		return -1
	}
	for _, n := range list {
		if isOffered(&commands[n.index], n.provider, handle, device) {
			return n.index
		}
	}
	return -1
}

// isOffered reports whether the caller may have a command. An instance offers device commands whether or not their
// extension will be enabled, because the loader looks them up before a device exists.
func isOffered(c *command, of string, handle uint64, device bool) bool {
	i := slices.IndexFunc(extensions, func(e extension) bool { return e.name == of })
	switch {
	case device && c.level != ofDevice:
		return false
	case i < 0 || !device && !extensions[i].instance:
		return true
	case device:
		d, ok := lookUp[*logicalDevice](handle)
		return ok && (d.enabled[of] || extensions[i].instance)
	}
	in, ok := lookUp[*instance](handle)
	return !ok || in.enabled[of]
}

// Physical returns the index of a command on physical devices, or -1; the loader distinguishes them.
func Physical(name string) int {
	for _, n := range names[name] {
		if commands[n.index].level == ofPhysicalDevice {
			return n.index
		}
	}
	return -1
}
