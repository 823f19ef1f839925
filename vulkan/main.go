// Command vulkan is the Vulkan driver, as a shared library for the Vulkan loader. It is built with
//
//	go build -buildmode=c-shared -o libspvsim_vulkan.so ./vulkan
//
// The C side (trampolines.c) passes each call with its arguments as words to package driver, which does all the work.
package main

/*
#include <stdint.h>
#include <stdlib.h>
extern void spvsim_message(uintptr_t call, void *user, const char *text);
*/
import "C"

import (
	"unsafe"

	"spvsim/vulkan/driver"
)

func init() {
	driver.CallMessenger = func(call uintptr, user unsafe.Pointer, text string) {
		s := C.CString(text)
		defer C.free(unsafe.Pointer(s))
		C.spvsim_message(C.uintptr_t(call), user, s)
	}
}

//export spvsim_call
func spvsim_call(number C.uint32_t, words *C.uint64_t) C.uint64_t {
	return C.uint64_t(driver.Call(uint32(number), unsafe.Pointer(words)))
}

//export spvsim_find
func spvsim_find(handle C.uintptr_t, name *C.char, device C.int) C.int {
	return C.int(driver.FindCommand(uint64(handle), C.GoString(name), device != 0))
}

//export spvsim_physical
func spvsim_physical(name *C.char) C.int { return C.int(driver.Physical(C.GoString(name))) }

//export spvsim_leave
func spvsim_leave() { driver.WriteAtExit() }
