package lds

import (
	"errors"
	"fmt"
	"strings"
)

// A Kind is a kind of access: a row of the machine's table.
type Kind uint8

// Kinds of access. Accesses narrower than 32 bits count as 32 bits.
const (
	ReadB32 Kind = iota
	ReadB64
	ReadB96
	ReadB128
	WriteB32
	WriteB64
	WriteB96
	WriteB128
	AtomicB32
	AtomicB64
	CmpSwapB32
	CmpSwapB64
	NumKinds
)

var kindNames = [NumKinds]string{"read_b32", "read_b64", "read_b96", "read_b128", "write_b32", "write_b64", "write_b96",
	"write_b128", "atomic_b32", "atomic_b64", "cmpswap_b32", "cmpswap_b64"}

func (k Kind) String() string { return kindNames[k] }

// AccessSpec is the cost of one kind of access: FixedCycles plus Wave64Cycles in
// proportion to the wave's lanes, when no bank conflicts.
type AccessSpec struct {
	PhaseLanes   int
	Lanes        []string // lanes of each phase of the first 32 lanes ("0-3 20-23"), repeating each 32; empty: consecutive
	FixedCycles  int
	Wave64Cycles int
}

func (a AccessSpec) busy(lanes int) int { return a.FixedCycles + (a.Wave64Cycles*lanes+63)/64 }

// A Mapping gives the bank of a word on a machine of 1<<shift banks.
type Mapping func(word uint32, shift uint) uint32

// Mappings are the bank mappings by name.
var Mappings = map[string]Mapping{"modulo": Modulo, "xor": XOR, "padded": Padded}

// Modulo puts consecutive words in consecutive banks.
func Modulo(word uint32, shift uint) uint32 { return word & (1<<shift - 1) }

// XOR permutes the banks of each row of words by the row's number.
func XOR(word uint32, shift uint) uint32 { return (word ^ word>>shift) & (1<<shift - 1) }

// Padded rotates the banks by one with each row of words, as an array padded by
// a word a row would.
func Padded(word uint32, shift uint) uint32 { return (word + word>>shift) & (1<<shift - 1) }

// Spec is the LDS of one compute unit.
type Spec struct {
	Bytes             int
	Banks             int
	BankBytes         int // bytes that a bank delivers in one pass: its word
	Mapping           string
	ConflictCycles    int // for each pass of a phase beyond its first
	LatencyCycles     int // until the result of a conflict-free 32-bit read
	BytesPerCycle     int // over all waves of the compute unit
	WaveBytesPerCycle int // of one wave's access
	Accesses          [NumKinds]AccessSpec
}

// readB128Lanes are the lane groups of ds_read_b128 (ROCm composable_kernel,
// LDS bank conflicts).
var readB128Lanes = []string{"0-3 20-23", "4-7 16-19", "8-11 28-31", "12-15 24-27"}

// DefaultSpec is GCN's: 32 banks of 4 bytes, phases and conflict-free times as
// CLRX measured them (GcnTimings.md); latency from LLVM's and ACO's models.
func DefaultSpec() Spec {
	return Spec{
		Bytes: 64 << 10, Banks: 32, BankBytes: 4, Mapping: "modulo", ConflictCycles: 1, LatencyCycles: 20,
		BytesPerCycle: 128, WaveBytesPerCycle: 64,
		Accesses: [NumKinds]AccessSpec{
			ReadB32:    {PhaseLanes: 32, Wave64Cycles: 4},
			ReadB64:    {PhaseLanes: 16, Wave64Cycles: 8},
			ReadB96:    {PhaseLanes: 8, Wave64Cycles: 16}, // phases: a guess, only those of b128 are published
			ReadB128:   {PhaseLanes: 8, Lanes: readB128Lanes, Wave64Cycles: 16},
			WriteB32:   {PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 4},
			WriteB64:   {PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 8},
			WriteB96:   {PhaseLanes: 8, FixedCycles: 4, Wave64Cycles: 12},
			WriteB128:  {PhaseLanes: 8, FixedCycles: 4, Wave64Cycles: 16},
			AtomicB32:  {PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 4},
			AtomicB64:  {PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 8},
			CmpSwapB32: {PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 8},
			CmpSwapB64: {PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 16},
		},
	}
}

// maxBanks bounds the tables of the conflict counter.
const maxBanks = 1024

// Validate reports every field that the model cannot work with.
func (s Spec) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("lds."+format, args...))
		}
	}
	bad(s.Bytes > 0, "bytes = %d: want at least 1", s.Bytes)
	bad(powerOfTwo(s.Banks) && s.Banks <= maxBanks, "banks = %d: want a power of two to %d", s.Banks, maxBanks)
	bad(powerOfTwo(s.BankBytes), "bank_bytes = %d: want a power of two", s.BankBytes)
	bad(Mappings[s.Mapping] != nil, "mapping = %q: want modulo, xor or padded", s.Mapping)
	bad(s.ConflictCycles >= 0, "conflict_cycles = %d: want 0 or more", s.ConflictCycles)
	bad(s.LatencyCycles >= 0, "latency = %d: want 0 or more", s.LatencyCycles)
	bad(s.BytesPerCycle > 0, "bytes_per_cycle = %d: want at least 1", s.BytesPerCycle)
	bad(s.WaveBytesPerCycle > 0, "wave_bytes_per_cycle = %d: want at least 1", s.WaveBytesPerCycle)
	for k, a := range s.Accesses {
		if err := a.validate(); err != nil {
			errs = append(errs, fmt.Errorf("lds.accesses.%s: %w", Kind(k), err))
		}
	}
	return errors.Join(errs...)
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

func (a AccessSpec) validate() error {
	if !powerOfTwo(a.PhaseLanes) || a.PhaseLanes > 64 {
		return fmt.Errorf("phase_lanes = %d: want a power of two to 64", a.PhaseLanes)
	}
	if a.FixedCycles < 0 || a.Wave64Cycles < 0 {
		return fmt.Errorf("cycles = %d + %d: want 0 or more", a.FixedCycles, a.Wave64Cycles)
	}
	_, err := a.phases()
	return err
}

// phases are the lane masks of a wave64's phases.
func (a AccessSpec) phases() ([]uint64, error) {
	if len(a.Lanes) == 0 {
		return consecutive(a.PhaseLanes), nil
	}
	var first []uint64
	var all uint64
	for _, text := range a.Lanes {
		m, err := parseLanes(text)
		if err != nil {
			return nil, err
		}
		if all&m != 0 {
			return nil, fmt.Errorf("lanes %q: a lane is in two phases", text)
		}
		all |= m
		first = append(first, m)
	}
	if all != 1<<32-1 {
		return nil, fmt.Errorf("lanes: phases hold the lanes %#x; want each of 0 to 31 once", all)
	}
	for _, m := range first {
		first = append(first, m<<32)
	}
	return first, nil
}

func consecutive(lanes int) (list []uint64) {
	for at := 0; at < 64; at += lanes {
		list = append(list, ^uint64(0)>>(64-uint(lanes))<<uint(at))
	}
	return list
}

// parseLanes reads ranges of lanes below 32: "0-3 20-23".
func parseLanes(text string) (mask uint64, err error) {
	for _, f := range strings.Fields(text) {
		var lo, hi int
		if n, err := fmt.Sscanf(f, "%d-%d", &lo, &hi); n == 1 {
			hi = lo
		} else if err != nil {
			return 0, fmt.Errorf("lanes %q: want ranges like 0-3", text)
		}
		if lo < 0 || hi < lo || hi > 31 {
			return 0, fmt.Errorf("lanes %q: range %s is not within 0-31", text, f)
		}
		mask |= (1<<uint(hi-lo+1) - 1) << uint(lo)
	}
	return mask, nil
}
