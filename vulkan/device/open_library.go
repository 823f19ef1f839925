//go:build !static && (darwin || freebsd || linux || netbsd)

package device

import (
	"cmp"
	"runtime"

	"github.com/ebitengine/purego"
)

// openLibrary opens the loader where the system's linker finds it.
func openLibrary() (uintptr, error) {
	names := []string{"libvulkan.so.1", "libvulkan.so"}
	if runtime.GOOS == "darwin" {
		names = []string{"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"}
	}
	var failure error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return handle, nil
		}
		failure = cmp.Or(failure, err)
	}
	return 0, failure
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
