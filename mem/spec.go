package mem

import (
	"errors"
	"fmt"
	"math/bits"
)

// A WritePolicy says what a store does in a cache.
type WritePolicy uint8

// Write policies.
const (
	WriteThrough WritePolicy = iota // passed on; a line that is present stays
	WriteBack                       // kept until evicted
	ReadOnly                        // passed on without looking
)

// CacheSpec is one level. Bytes 0 means that the machine has no such level.
type CacheSpec struct {
	Name            string
	Bytes           int // of one instance, over all slices
	LineBytes       int
	Ways            int
	Slices          int
	InterleaveBytes int // consecutive bytes in one slice; 0: one line
	SharedBy        int // compute units of one engine that share an instance; 0: the whole machine
	LatencyCycles   int // added to a request
	BytesPerCycle   float64
	Write           WritePolicy
	WriteAllocate   bool
	Misses          int // outstanding missing lines of a slice; 0: no limit
}

// Present says whether the machine has this level.
func (c CacheSpec) Present() bool { return c.Bytes > 0 }

// ChannelSpec is the device memory.
type ChannelSpec struct {
	Channels        int
	InterleaveBytes int
	BytesPerCycle   float64 // of one channel
	LatencyCycles   int
}

// PathSpec is the address path of a compute unit: an instruction occupies it
// for max(lanes/LanesPerCycle, lines/LinesPerCycle, bytes/L1 bandwidth) cycles.
type PathSpec struct {
	LanesPerCycle int
	LinesPerCycle int
}

// TextureSpec is the texture unit of a compute unit. Zero fields count as 1, but
// for the latency.
type TextureSpec struct {
	QuadsPerCycle   int // quads filtered, bilinear and of texels of up to TexelBytes
	TexelBytes      int // larger texels take as many passes as they have times these
	TrilinearPasses int // of a quad that two levels of detail are read for
	LatencyCycles   int // added to a sample behind the cache
}

// Spec is the memory of a machine.
type Spec struct {
	Engines, ComputeUnits int // engines, and compute units of each
	Path                  PathSpec
	VectorL1, ScalarL1    CacheSpec
	ShaderArray, L2       CacheSpec
	MemorySide            CacheSpec
	Memory                ChannelSpec
	Texture               TextureSpec
	// AtomicCycles is what each further update of one element costs where the
	// atomics of a line are carried out. Knob: no published figure.
	AtomicCycles int
}

// DefaultSpec is a machine like AMD's R9 Nano (64 compute units, HBM), with the
// figures that MGPUSim uses where AMD gives none.
func DefaultSpec() Spec {
	return Spec{
		Engines: 4, ComputeUnits: 16,
		Path: PathSpec{LanesPerCycle: 16, LinesPerCycle: 1},
		VectorL1: CacheSpec{Name: "vector_l1", Bytes: 16 << 10, LineBytes: 64, Ways: 4, Slices: 1, SharedBy: 1,
			LatencyCycles: 60, BytesPerCycle: 64, Misses: 64},
		ScalarL1: CacheSpec{Name: "scalar_l1", Bytes: 16 << 10, LineBytes: 64, Ways: 4, Slices: 1, SharedBy: 4,
			LatencyCycles: 25, BytesPerCycle: 16, Write: ReadOnly, Misses: 16},
		L2: CacheSpec{Name: "l2", Bytes: 2 << 20, LineBytes: 64, Ways: 16, Slices: 16, InterleaveBytes: 256,
			LatencyCycles: 80, BytesPerCycle: 64, Write: WriteBack, WriteAllocate: true, Misses: 64},
		Memory:       ChannelSpec{Channels: 16, InterleaveBytes: 256, BytesPerCycle: 32, LatencyCycles: 160},
		AtomicCycles: 1,
	}
}

// Validate reports every field that the model cannot work with.
func (s Spec) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(s.Engines > 0, "engines = %d: want at least 1", s.Engines)
	bad(s.ComputeUnits > 0, "compute_units = %d: want at least 1", s.ComputeUnits)
	bad(s.Path.LanesPerCycle > 0, "lanes_per_cycle = %d: want at least 1", s.Path.LanesPerCycle)
	bad(s.Path.LinesPerCycle > 0, "lines_per_cycle = %d: want at least 1", s.Path.LinesPerCycle)
	bad(s.AtomicCycles >= 0, "atomic_cycles = %d: want 0 or more", s.AtomicCycles)
	bad(s.VectorL1.Present(), "vector_l1.bytes = %d: want a vector cache", s.VectorL1.Bytes)
	bad(s.ScalarL1.Present(), "scalar_l1.bytes = %d: want a scalar cache", s.ScalarL1.Bytes)
	for _, c := range []CacheSpec{s.VectorL1, s.ScalarL1, s.ShaderArray, s.L2, s.MemorySide} {
		errs = append(errs, c.validate()...)
	}
	m := s.Memory
	bad(m.Channels > 0, "memory.channels = %d: want at least 1", m.Channels)
	bad(m.BytesPerCycle >= minBandwidth, "memory.bytes_per_cycle = %g: want at least %g", m.BytesPerCycle, minBandwidth)
	bad(powerOfTwo(m.InterleaveBytes), "memory.interleave_bytes = %d: want a power of two", m.InterleaveBytes)
	bad(m.LatencyCycles >= 0, "memory.latency_cycles = %d: want 0 or more", m.LatencyCycles)
	return errors.Join(errs...)
}

// minBandwidth keeps a booked transfer within the fixed-point clock.
const minBandwidth = 1.0 / 1024

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

func (c CacheSpec) validate() (errs []error) {
	if !c.Present() {
		return nil
	}
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(c.Name+"."+format, args...))
		}
	}
	bad(powerOfTwo(c.LineBytes) && c.LineBytes >= 16, "line_bytes = %d: want a power of two from 16", c.LineBytes)
	bad(c.Ways > 0, "ways = %d: want at least 1", c.Ways)
	bad(c.Slices > 0, "slices = %d: want at least 1", c.Slices)
	bad(c.SharedBy >= 0, "shared_by = %d: want 0 or more", c.SharedBy)
	bad(c.InterleaveBytes == 0 || powerOfTwo(c.InterleaveBytes) && c.InterleaveBytes >= c.LineBytes,
		"interleave_bytes = %d: want 0 or a power of two of at least a line", c.InterleaveBytes)
	bad(c.BytesPerCycle >= minBandwidth, "bytes_per_cycle = %g: want at least %g", c.BytesPerCycle, minBandwidth)
	bad(c.LatencyCycles >= 0, "latency_cycles = %d: want 0 or more", c.LatencyCycles)
	bad(c.Misses >= 0, "misses = %d: want 0 or more", c.Misses)
	bad(c.LineBytes <= 0 || c.Ways <= 0 || c.Slices <= 0 || c.Bytes >= c.LineBytes*c.Ways*c.Slices,
		"bytes = %d: want at least one set a slice", c.Bytes)
	return errs
}

func log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }
