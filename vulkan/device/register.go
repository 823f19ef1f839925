//go:build !static && (darwin || freebsd || linux || netbsd || windows)

package device

import "github.com/ebitengine/purego"

// register makes a function of Go of a function of C at an address.
func register(function any, address uintptr) { purego.RegisterFunc(function, address) }
