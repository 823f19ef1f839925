package lds

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"spvsim/internal/spec"
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

// An AccessSpec is the cost of one kind of access.
type AccessSpec struct {
	PhaseLanes   int      `yaml:"phase_lanes" range:"1..64" pow2:"true" unit:"lanes" doc:"lanes of a phase; if lanes is given, the number of lanes in each of its items"`
	Lanes        []string `yaml:"lanes" default:"" doc:"lanes of each phase, as ranges (\"0-3 20-23\"), for the first 32 lanes; the pattern repeats for each 32 lanes; empty: consecutive lanes"`
	FixedCycles  int      `yaml:"fixed_cycles" range:"0..1024" unit:"cycles" doc:"busy cycles of an access, whatever its number of lanes"`
	Wave64Cycles int      `yaml:"wave64_cycles" range:"0..1024" unit:"cycles" doc:"busy cycles that 64 lanes add without bank conflicts; fewer lanes in proportion"`
}

// Check reads the lanes of the phases. Where they are listed, they are as many in
// each phase as it says beside.
func (a AccessSpec) Check() []spec.Problem {
	phases, err := a.phases()
	switch {
	case err != nil:
		return []spec.Problem{spec.RangeProblem("lanes", "%v", err)}
	case len(a.Lanes) > 0 && slices.ContainsFunc(phases, func(p uint64) bool { return bits.OnesCount64(p) != a.PhaseLanes }):
		return []spec.Problem{spec.RangeProblem("phase_lanes", "found %d: want the number of lanes that each phase has in lanes", a.PhaseLanes)}
	}
	return nil
}

// busy is the time of a conflict-free access of a wave.
func (a *AccessSpec) busy(lanes int) int { return a.FixedCycles + (a.Wave64Cycles*lanes+63)/64 }

// Accesses has a row for each kind and width; narrower accesses than 32 bits use the 32-bit rows.
type Accesses struct {
	ReadB32    AccessSpec `yaml:"read_b32" doc:"read of 32 bits for each lane, or less"`
	ReadB64    AccessSpec `yaml:"read_b64" doc:"read of 64 bits for each lane"`
	ReadB96    AccessSpec `yaml:"read_b96" doc:"read of 96 bits for each lane"`
	ReadB128   AccessSpec `yaml:"read_b128" doc:"read of 128 bits for each lane"`
	WriteB32   AccessSpec `yaml:"write_b32" doc:"write of 32 bits for each lane, or less"`
	WriteB64   AccessSpec `yaml:"write_b64" doc:"write of 64 bits for each lane"`
	WriteB96   AccessSpec `yaml:"write_b96" doc:"write of 96 bits for each lane"`
	WriteB128  AccessSpec `yaml:"write_b128" doc:"write of 128 bits for each lane"`
	AtomicB32  AccessSpec `yaml:"atomic_b32" doc:"32-bit atomic with return"`
	AtomicB64  AccessSpec `yaml:"atomic_b64" doc:"64-bit atomic with return"`
	CmpSwapB32 AccessSpec `yaml:"cmpswap_b32" doc:"32-bit compare and swap"`
	CmpSwapB64 AccessSpec `yaml:"cmpswap_b64" doc:"64-bit compare and swap"`
}

// rows are the accesses by kind.
func (a *Accesses) rows() [NumKinds]*AccessSpec {
	return [NumKinds]*AccessSpec{
		ReadB32: &a.ReadB32, ReadB64: &a.ReadB64, ReadB96: &a.ReadB96, ReadB128: &a.ReadB128,
		WriteB32: &a.WriteB32, WriteB64: &a.WriteB64, WriteB96: &a.WriteB96, WriteB128: &a.WriteB128,
		AtomicB32: &a.AtomicB32, AtomicB64: &a.AtomicB64, CmpSwapB32: &a.CmpSwapB32, CmpSwapB64: &a.CmpSwapB64,
	}
}

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

// Spec is the local data share of a compute unit.
//
// One access of a wave is served in phases: groups of lanes whose addresses are
// looked at together. A phase takes as many passes as the busiest bank has
// different words. The time that the LDS is busy with an access is
//
//	fixed_cycles + ceil(wave64_cycles * lanes / 64) + (passes - phases) * conflict_cycles
//
// where lanes is the wave's size. The latency of timing class "lds" is that of a
// conflict-free 32-bit read; a longer access's result comes later by the
// difference of their busy times.
type Spec struct {
	Bytes             int      `yaml:"bytes" range:"1024..16777216" unit:"bytes" doc:"bytes of each compute unit's LDS"`
	Banks             int      `yaml:"banks" range:"1..1024" pow2:"true" doc:"banks of the LDS, over which words spread by mapping; lanes of a phase that need different words of one bank wait for each other; banks x bank_bytes above bytes_per_cycle avoid such conflicts and add no bandwidth"`
	BankBytes         int      `yaml:"bank_bytes" range:"1..64" pow2:"true" unit:"bytes" doc:"bytes that a bank delivers in one pass (its word)"`
	Mapping           string   `yaml:"mapping" enum:"modulo|xor|padded" required:"true" doc:"bank of word w. modulo: w mod banks; xor: (w xor w/banks) mod banks; padded: (w + w/banks) mod banks"`
	GranuleBytes      int      `yaml:"granule_bytes" range:"1..65536" unit:"bytes" doc:"a workgroup's LDS is allocated in multiples of this"`
	MaxWorkgroupBytes int      `yaml:"max_workgroup_bytes" range:"0..16777216" unit:"bytes" doc:"most LDS of one workgroup"`
	BytesPerCycle     int      `yaml:"bytes_per_cycle" range:"1..65536" unit:"bytes/cycle" doc:"most bytes each cycle over all waves of the compute unit; two accesses overlap if both fit"`
	WaveBytesPerCycle int      `yaml:"wave_bytes_per_cycle" range:"1..65536" unit:"bytes/cycle" doc:"bytes each cycle that the access of one wave takes of bytes_per_cycle; accesses has the time of an access by itself"`
	ConflictCycles    int      `yaml:"conflict_cycles" range:"0..1024" unit:"cycles" doc:"cycles for each pass of a phase after the first"`
	Accesses          Accesses `yaml:"accesses" doc:"phases, and time without bank conflicts, of each kind of access"`
}

// Check tests a workgroup's share against the whole.
func (s Spec) Check() []spec.Problem {
	if s.MaxWorkgroupBytes <= s.Bytes {
		return nil
	}
	return []spec.Problem{spec.RangeProblem("max_workgroup_bytes", "found %d: want at most lds.bytes, %d", s.MaxWorkgroupBytes, s.Bytes)}
}

// readB128Lanes are the lane groups of ds_read_b128 (ROCm composable_kernel,
// LDS bank conflicts).
var readB128Lanes = []string{"0-3 20-23", "4-7 16-19", "8-11 28-31", "12-15 24-27"}

// DefaultSpec is GCN's: 32 banks of 4 bytes, phases and conflict-free times as
// CLRX measured them (GcnTimings.md).
func DefaultSpec() Spec {
	return Spec{
		Bytes: 64 << 10, Banks: 32, BankBytes: 4, Mapping: "modulo", GranuleBytes: 512, MaxWorkgroupBytes: 64 << 10,
		ConflictCycles: 1, BytesPerCycle: 128, WaveBytesPerCycle: 64,
		Accesses: Accesses{
			ReadB32:    AccessSpec{PhaseLanes: 32, Wave64Cycles: 4},
			ReadB64:    AccessSpec{PhaseLanes: 16, Wave64Cycles: 8},
			ReadB96:    AccessSpec{PhaseLanes: 8, Wave64Cycles: 16}, // phases: a guess, only those of b128 are published
			ReadB128:   AccessSpec{PhaseLanes: 8, Lanes: readB128Lanes, Wave64Cycles: 16},
			WriteB32:   AccessSpec{PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 4},
			WriteB64:   AccessSpec{PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 8},
			WriteB96:   AccessSpec{PhaseLanes: 8, FixedCycles: 4, Wave64Cycles: 12},
			WriteB128:  AccessSpec{PhaseLanes: 8, FixedCycles: 4, Wave64Cycles: 16},
			AtomicB32:  AccessSpec{PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 4},
			AtomicB64:  AccessSpec{PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 8},
			CmpSwapB32: AccessSpec{PhaseLanes: 32, FixedCycles: 4, Wave64Cycles: 8},
			CmpSwapB64: AccessSpec{PhaseLanes: 16, FixedCycles: 4, Wave64Cycles: 16},
		},
	}
}

// maxBanks bounds the tables of the conflict counter: no more may be asked for.
const maxBanks = 1024

// phases are the lane masks of a wave64's phases.
func (a *AccessSpec) phases() ([]uint64, error) {
	if len(a.Lanes) == 0 {
		return consecutive(max(a.PhaseLanes, 1)), nil
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
	if n := bits.OnesCount64(all); n != 32 {
		return nil, fmt.Errorf("%d lanes: want each of lanes 0 to 31 once", n)
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
	for _, word := range strings.Fields(text) {
		a, b, isRange := strings.Cut(word, "-")
		if !isRange {
			b = a
		}
		first, err1 := strconv.Atoi(a)
		last, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || first < 0 || last < first || last > 31 {
			return 0, fmt.Errorf("found %q: want lanes or ranges of lanes in 0-31", word)
		}
		mask |= (1<<uint(last-first+1) - 1) << uint(first)
	}
	return mask, nil
}
