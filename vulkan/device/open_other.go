//go:build static || (!darwin && !freebsd && !linux && !netbsd && !windows)

package device

import (
	"fmt"
	"runtime"
)

// openLibrary is of a program that opens no libraries: it was built to be static, or for a system where purego can't.
func openLibrary() (uintptr, error) {
	return 0, fmt.Errorf("this program was built without it (-tags static, or for %s)", runtime.GOOS)
}

func symbol(uintptr, string) (uintptr, error) { return openLibrary() }

func register(any, uintptr) {}
