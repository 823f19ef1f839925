package gpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/mem/hierarchy"
	"spvsim/program/ir"
)

// ErrHostLimit reports that a job needs more of the host's memory than limits.host_bytes allows.
var ErrHostLimit = errors.New("limits.host_bytes")

// A budget limits the host memory of a run. Large allocations are reserved in it first.
type budget struct{ limit, used uint64 }

// newBudget returns the job's limit of host memory, or by default what a host of this size can spare.
func newBudget(l *config.Limits) *budget {
	if l.HostBytes > 0 {
		return &budget{limit: uint64(l.HostBytes)}
	}
	return &budget{limit: defaultHostBytes()}
}

func (b *budget) free() uint64 { return b.limit - b.used }

// reserve asks for bytes that the key or thing named what needs.
func (b *budget) reserve(bytes uint64, what string) error {
	if bytes > b.free() {
		return fmt.Errorf("%s: found %d bytes of this computer's memory: %w leaves %d of %d", what, bytes, ErrHostLimit, b.free(), b.limit)
	}
	b.used += bytes
	return nil
}

// unknownHostBytes is taken for the memory of a computer that does not say what it has.
const unknownHostBytes = 8 << 30

// defaultHostBytes returns four fifths of the memory of this computer, or of the control group that the process is in.
func defaultHostBytes() uint64 {
	total := uint64(unknownHostBytes)
	if n, ok := memTotal("/proc/meminfo"); ok {
		total = n
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if n, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil {
			total = min(total, n)
		}
	}
	return total / 5 * 4
}

// memTotal reads Linux's table of memory (proc(5): sizes in units of 1024 bytes).
func memTotal(file string) (bytes uint64, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "MemTotal:" {
			n, err := strconv.ParseUint(words[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// heapBytes returns the memory that the process has allocated and not returned to the system.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// What the parts of a machine take of the host's memory, in bytes, rounded up from what Go's heap profile of the presets shows.
const (
	unitHostBytes  = 48 << 10 // a compute unit: its ports' tables of lines, and its place in the cluster's calendar
	simdHostBytes  = 2 << 10
	waveHostBytes  = 1 << 10
	fetchHostBytes = 12 // a line of an instruction cache
	cacheHostBytes = 20 // a line of a cache
	sliceHostBytes = 256
)

// machineBytes estimates the host memory of a machine: of its parts, and of its caches when all lines are in use.
func machineBytes(m *config.Machine) uint64 {
	units := uint64(m.Units())
	waves := uint64(m.UnitSlots())
	wave := waveHostBytes + 8*uint64(m.VectorMemory.MaxOutstanding)
	sum := units * (unitHostBytes + uint64(m.SIMDs)*simdHostBytes + waves*wave + uint64(m.LDS.Bytes))
	if m.Fetch.Enabled {
		sum += instances(m, m.Fetch.SharedBy) * uint64(m.Fetch.Bytes/m.Fetch.LineBytes) * fetchHostBytes
	}
	for _, name := range hierarchy.LevelNames {
		c := m.Level(name)
		if c.Present() {
			sum += instances(m, c.SharedBy) * (uint64(c.Bytes/c.LineBytes)*cacheHostBytes + uint64(c.Slices)*(sliceHostBytes+8*uint64(c.Misses)))
		}
	}
	return sum
}

func instances(m *config.Machine, sharedBy int) uint64 {
	all, _ := m.Instances(sharedBy)
	return uint64(all)
}

// maxDescriptors bounds the elements of a descriptor array, as the indices of jobs are bounded.
const maxDescriptors = 1 << 20

// descriptorHostBytes is the host memory of one descriptor.
const descriptorHostBytes = 128

// checkArray refuses descriptor arrays that no host memory is there for. A module may declare them all the same.
func (r *resources) checkArray(want *ir.Binding) error {
	if want.Count > maxDescriptors {
		return fmt.Errorf("set %d, binding %d (%s): found an array of %d descriptors: want at most %d", want.Set, want.Binding, want.Name, want.Count, maxDescriptors)
	}
	return r.budget.reserve(uint64(want.Count)*descriptorHostBytes, fmt.Sprintf("the descriptors of set %d, binding %d", want.Set, want.Binding))
}

// space returns the largest size of a buffer, by the memory left on the device and on the host, and the key of the tighter limit.
func (r *resources) space() (bytes uint64, bound string) {
	bytes, bound = r.store.FreeBytes(), "memory.bytes"
	if left := r.budget.free(); left < bytes {
		bytes, bound = left, ErrHostLimit.Error()
	}
	return bytes, bound
}

// scratchHostBytes is the host memory of a wave slot's scratch before a wave uses it.
const scratchHostBytes = 32

func machineName(m *config.Machine) string {
	return fmt.Sprintf("%s of %d compute units (shader_engines x compute_units)", m.Name, m.Units())
}
