//go:build !darwin && !freebsd && !linux && !netbsd && !windows

package device

import (
	"fmt"
	"runtime"
)

func openLibrary() (uintptr, error) {
	return 0, fmt.Errorf("shared libraries can't be opened at run time on %s", runtime.GOOS)
}

func symbol(uintptr, string) (uintptr, error) { return openLibrary() }
