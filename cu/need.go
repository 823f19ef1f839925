package cu

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spvsim/program"
)

// ErrFit reports a workgroup that can never be resident on the machine.
var ErrFit = errors.New("cu: the workgroup does not fit")

// Resources of a compute unit that one workgroup of a program occupies.
type Resources struct {
	Waves      int
	VectorRegs int // of each wave, in rows of the register file
	ScalarRegs int // of each wave
	LDSBytes   int // rounded up to granules
	Barriers   int
}

// NewResources returns the resources that a workgroup of prog occupies under the limits,
// and ErrFit if it does not fit on an empty compute unit.
func NewResources(prog *program.Program, m *Limits) (Resources, error) {
	local := invocations(prog.LocalSize)
	rows := m.Rows(prog.WaveSize)
	r := &m.Registers
	spilled := max(prog.ScalarRegs-r.ScalarMax, 0)
	n := Resources{
		Waves:      max((local+prog.WaveSize-1)/prog.WaveSize, 1),
		VectorRegs: vectorRows(prog.VectorRegs+lanesFor(spilled, prog.WaveSize), rows, r),
		ScalarRegs: registers(prog.ScalarRegs-spilled, r.ScalarGranule, r.ScalarMax, r.Scalar),
		LDSBytes:   roundUp(int(prog.LDSBytes), m.LDS.GranuleBytes),
	}
	if n.Waves > 1 {
		n.Barriers = 1
	}
	if n.Waves > n.wavesPerSIMD(m)*m.SIMDs && prog.VectorRegs > r.VectorMax {
		// A compiler spills down to VectorMax if the workgroup would not fit otherwise.
		n.VectorRegs = vectorRows(r.VectorMax, rows, r)
	}
	return n, n.check(prog, m)
}

// maxInvocations is above the capacity of any compute unit.
const maxInvocations = 1 << 30

// invocations returns the size of a workgroup, at most maxInvocations.
func invocations(local [3]uint32) int {
	n := uint64(1)
	for _, size := range local {
		n = min(n*uint64(size), maxInvocations)
	}
	return int(n)
}

// lanesFor returns the vector registers that hold spilled scalars, one per lane, as in
// LLVM and ACO: 100 scalars of a wave64 are 2 registers.
func lanesFor(scalars, waveSize int) int { return (scalars + waveSize - 1) / waveSize }

// registers returns how many of a SIMD's registers a wave occupies: want, rounded up to granules. A wave that needs more
// than a wave's maximum gets all, so that it runs alone. Programs that are lowered for the machine spill instead, as far as their
// values can be spilled.
func registers(want, granule, most, all int) int {
	if want > most {
		return max(all, 1)
	}
	return max(min(roundUp(max(want, 1), granule), all), 1)
}

// vectorRows is registers for vector registers of several rows each, counted in rows. Granules are of rows, so that registers of two rows
// have half the granule (as in LLVM: on GFX10.3, 16 registers of a wave32 and 8 of a wave64).
func vectorRows(want, rows int, r *RegistersSpec) int {
	return max(registers(want*rows, r.VectorGranule, r.VectorMax*rows, r.Vector/rows*rows), rows)
}

func (n Resources) check(prog *program.Program, m *Limits) error {
	var errs []error
	limit := func(what string, want, most int) {
		if want > most {
			errs = append(errs, fmt.Errorf("%w: %s needs %d %s, a compute unit of %s has %d", ErrFit, prog.Name, want, what, m.Machine, most))
		}
	}
	if limit("bytes of LDS", int(prog.LDSBytes), m.LDS.MaxWorkgroupBytes); errs == nil {
		limit("bytes of LDS in whole granules", n.LDSBytes, m.LDS.Bytes/m.LDS.GranuleBytes*m.LDS.GranuleBytes)
	}
	if most := n.wavesPerSIMD(m) * m.SIMDs; n.Waves > most && n.Waves <= m.WaveSlots*m.SIMDs {
		errs = append(errs, fmt.Errorf("%w: %s needs %d vector and %d scalar registers a wave, so that %d waves fit on a compute unit of %s: its workgroups have %d",
			ErrFit, prog.Name, prog.VectorRegs, prog.ScalarRegs, most, m.Machine, n.Waves))
	} else {
		limit("waves", n.Waves, most)
	}
	return errors.Join(errs...)
}

// wavesPerSIMD returns how many waves of the program fit on one SIMD.
func (n Resources) wavesPerSIMD(m *Limits) int {
	return min(m.WaveSlots, m.Registers.Vector/n.VectorRegs, m.Registers.Scalar/n.ScalarRegs)
}

// Occupancy returns how many workgroups fit on an empty compute unit.
func (n Resources) Occupancy(m *Limits) int {
	least := math.MaxInt
	n.eachLimit(m, func(b OccupancyLimit) { least = min(least, b.Groups) })
	return least
}

func roundUp(n, granule int) int { return (n + granule - 1) / granule * granule }

// An OccupancyLimit is the number of workgroups that one resource of a compute unit allows.
type OccupancyLimit struct {
	Resource string
	Groups   int
}

// OccupancyLimits returns the limits of all resources that a workgroup occupies, the tightest first, and equal ones in the order of
// eachLimit.
func (n Resources) OccupancyLimits(m *Limits) (list []OccupancyLimit) {
	n.eachLimit(m, func(b OccupancyLimit) { list = append(list, b) })
	slices.SortStableFunc(list, func(a, b OccupancyLimit) int { return a.Groups - b.Groups })
	return list
}

// eachLimit calls a function with each limit.
func (n Resources) eachLimit(m *Limits, bound func(OccupancyLimit)) {
	waves := func(perSIMD int) int { return perSIMD * m.SIMDs / n.Waves }
	bound(OccupancyLimit{"wave slots", waves(m.WaveSlots)})
	bound(OccupancyLimit{"vector registers", waves(m.Registers.Vector / n.VectorRegs)})
	bound(OccupancyLimit{"scalar registers", waves(m.Registers.Scalar / n.ScalarRegs)})
	if n.LDSBytes > 0 {
		bound(OccupancyLimit{"LDS", m.LDS.Bytes / n.LDSBytes})
	}
	if n.Barriers > 0 {
		bound(OccupancyLimit{"barriers", m.Barriers})
	}
	if m.Workgroups > 0 {
		bound(OccupancyLimit{"workgroups of a compute unit", m.Workgroups})
	}
}
