package driver

import (
	"debug/elf"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// buildID distinguishes this build of the driver from every other one: Go's build ID of the file that this code was
// loaded from, which depends on all of its sources. Empty: unknown.
var buildID = sync.OnceValue(func() string {
	path := loadedFrom(reflect.ValueOf(loadedFrom).Pointer())
	if path == "" {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", data)
})

// loadedFrom is the file that is mapped at an address (proc(5): maps).
func loadedFrom(address uintptr) string {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		a, err1 := strconv.ParseUint(from, 16, 64)
		b, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil && uint64(address) >= a && uint64(address) < b {
			return strings.TrimSpace(line[strings.Index(line, "/"):])
		}
	}
	return ""
}
