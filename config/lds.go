package config

import (
	"fmt"
	"strconv"
	"strings"
)

// LDS is the local data share of a compute unit.
//
// One access of a wave is served in phases: groups of lanes whose addresses are looked at together. A phase takes as many
// passes as the busiest bank has different words. The time that the LDS is busy with an access is
//
//	fixed_cycles + ceil(wave64_cycles * lanes / 64) + (passes - phases) * conflict_cycles
//
// where lanes is the wave's size. The latency of timing class "lds" is that of a conflict-free 32-bit read; a longer
// access's result comes later by the difference of their busy times.
type LDS struct {
	Bytes             int         `yaml:"bytes" range:"1024..16777216" unit:"bytes" doc:"bytes of each compute unit's LDS"`
	Banks             int         `yaml:"banks" range:"1..1024" pow2:"true" doc:"banks"`
	BankBytes         int         `yaml:"bank_bytes" range:"1..64" pow2:"true" unit:"bytes" doc:"bytes that a bank delivers in one pass: its word"`
	Mapping           string      `yaml:"mapping" enum:"modulo|xor|padded" doc:"bank of a word w: w mod banks; (w xor w/banks) mod banks; or (w + w/banks) mod banks"`
	GranuleBytes      int         `yaml:"granule_bytes" range:"1..65536" pow2:"true" unit:"bytes" doc:"a workgroup's LDS is allocated in multiples of this"`
	MaxWorkgroupBytes int         `yaml:"max_workgroup_bytes" range:"0..16777216" unit:"bytes" doc:"most LDS of one workgroup"`
	BytesPerCycle     int         `yaml:"bytes_per_cycle" range:"1..65536" unit:"bytes/cycle" doc:"most bytes each cycle over all waves of the compute unit: two accesses overlap when both fit"`
	WaveBytesPerCycle int         `yaml:"wave_bytes_per_cycle" range:"1..65536" unit:"bytes/cycle" doc:"most bytes each cycle of one wave's access"`
	ConflictCycles    int         `yaml:"conflict_cycles" range:"0..1024" unit:"cycles" doc:"cycles for each pass beyond a phase's first"`
	Accesses          LDSAccesses `yaml:"accesses" doc:"phases and conflict-free time of each kind of access"`
}

// LDSAccesses has a row for each kind and width; narrower accesses than 32 bits use the 32-bit rows.
type LDSAccesses struct {
	ReadB32    LDSAccess `yaml:"read_b32" doc:"read of 32 bits a lane, or less"`
	ReadB64    LDSAccess `yaml:"read_b64" doc:"read of 64 bits a lane"`
	ReadB96    LDSAccess `yaml:"read_b96" doc:"read of 96 bits a lane"`
	ReadB128   LDSAccess `yaml:"read_b128" doc:"read of 128 bits a lane"`
	WriteB32   LDSAccess `yaml:"write_b32" doc:"write of 32 bits a lane, or less"`
	WriteB64   LDSAccess `yaml:"write_b64" doc:"write of 64 bits a lane"`
	WriteB96   LDSAccess `yaml:"write_b96" doc:"write of 96 bits a lane"`
	WriteB128  LDSAccess `yaml:"write_b128" doc:"write of 128 bits a lane"`
	AtomicB32  LDSAccess `yaml:"atomic_b32" doc:"32-bit atomic with return"`
	AtomicB64  LDSAccess `yaml:"atomic_b64" doc:"64-bit atomic with return"`
	CmpSwapB32 LDSAccess `yaml:"cmpswap_b32" doc:"32-bit compare and swap"`
	CmpSwapB64 LDSAccess `yaml:"cmpswap_b64" doc:"64-bit compare and swap"`
}

// LDSAccess is one kind of access.
type LDSAccess struct {
	PhaseLanes   int      `yaml:"phase_lanes" range:"1..64" pow2:"true" unit:"lanes" doc:"lanes of a phase"`
	Lanes        []string `yaml:"lanes" doc:"lanes of each phase of the first 32 lanes as ranges (\"0-3 20-23\"), the pattern repeating each 32 lanes; empty: consecutive lanes"`
	FixedCycles  int      `yaml:"fixed_cycles" range:"0..1024" unit:"cycles" doc:"busy cycles of an access whatever its lanes"`
	Wave64Cycles int      `yaml:"wave64_cycles" range:"0..1024" unit:"cycles" doc:"busy cycles that 64 lanes add when no bank conflicts; fewer lanes in proportion"`
}

// BusyCycles is the time of a conflict-free access of a wave of the given lanes.
func (a LDSAccess) BusyCycles(lanes int) int {
	return a.FixedCycles + (a.Wave64Cycles*lanes+63)/64
}

// Phases lists the lanes of each phase of a wave, in order. Every lane is in exactly one phase.
func (a LDSAccess) Phases(waveLanes int) ([][]int, error) {
	if len(a.Lanes) == 0 {
		return consecutive(waveLanes, max(a.PhaseLanes, 1)), nil
	}
	pattern, err := a.pattern()
	if err != nil {
		return nil, err
	}
	var out [][]int
	for first := 0; first < waveLanes; first += patternLanes {
		for _, p := range pattern {
			if lanes := shiftLanes(p, first, waveLanes); len(lanes) > 0 {
				out = append(out, lanes)
			}
		}
	}
	return out, nil
}

// patternLanes is the number of lanes after which the published phase patterns repeat.
const patternLanes = 32

func consecutive(waveLanes, phaseLanes int) [][]int {
	var out [][]int
	for first := 0; first < waveLanes; first += phaseLanes {
		var p []int
		for l := first; l < min(first+phaseLanes, waveLanes); l++ {
			p = append(p, l)
		}
		out = append(out, p)
	}
	return out
}

func shiftLanes(lanes []int, by, end int) []int {
	var out []int
	for _, l := range lanes {
		if l+by < end {
			out = append(out, l+by)
		}
	}
	return out
}

// pattern reads Lanes and checks that it covers each of the first 32 lanes once.
func (a LDSAccess) pattern() ([][]int, error) {
	var seen [patternLanes]bool
	var out [][]int
	n := 0
	for _, text := range a.Lanes {
		p, err := parseLanes(text)
		if err != nil {
			return nil, err
		}
		for _, l := range p {
			if seen[l] {
				return nil, fmt.Errorf("lane %d is in two phases", l)
			}
			seen[l] = true
			n++
		}
		out = append(out, p)
	}
	if n != patternLanes {
		return nil, fmt.Errorf("%d lanes: want each of lanes 0 to %d once", n, patternLanes-1)
	}
	return out, nil
}

// parseLanes reads "0-3 20-23".
func parseLanes(text string) ([]int, error) {
	var out []int
	for _, word := range strings.Fields(text) {
		a, b, isRange := strings.Cut(word, "-")
		if !isRange {
			b = a
		}
		first, err1 := strconv.Atoi(a)
		last, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || first < 0 || last < first || last >= patternLanes {
			return nil, fmt.Errorf("found %q: want lanes or ranges of lanes in 0-%d", word, patternLanes-1)
		}
		for l := first; l <= last; l++ {
			out = append(out, l)
		}
	}
	return out, nil
}
