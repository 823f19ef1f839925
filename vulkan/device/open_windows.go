//go:build !static

package device

import "golang.org/x/sys/windows"

// openLibrary opens the loader from the system's folder.
func openLibrary() (uintptr, error) {
	handle, err := windows.LoadLibraryEx("vulkan-1.dll", 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(handle), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}
