package cu

import (
	"errors"
	"fmt"

	"spvsim/program"
)

// ErrFit says that a workgroup can never be resident on the machine.
var ErrFit = errors.New("cu: the workgroup does not fit")

// A Need is what one workgroup of a program takes from a compute unit.
type Need struct {
	Waves      int
	VectorRegs int // of each wave, in the machine's allocation units
	ScalarRegs int // of each wave
	LDSBytes   int // in whole granules
	Barriers   int
}

// Limits are the resources of one compute unit.
type Limits struct {
	Machine      string // its name, for errors
	WaveSize     int    // lanes that vector registers are counted for; larger waves take more rows
	SIMDs, Slots int    // SIMDs, and wave slots of each

	Vector, VectorGranule, VectorMax int // vector registers of a SIMD's lane, allocation unit, most of one wave
	Scalar, ScalarGranule, ScalarMax int // scalar registers of a SIMD, allocation unit, most of one wave

	LDSBytes, LDSGranule, LDSMax int // bytes of the LDS, allocation unit, most of one workgroup
	Barriers                     int
}

// NewNeed works out what a workgroup of prog takes under the limits, and refuses
// one that does not even fit on an empty compute unit.
func NewNeed(prog *program.Program, m *Limits) (Need, error) {
	local := invocations(prog.LocalSize)
	rows := max(prog.WaveSize/max(m.WaveSize, 1), 1)
	n := Need{
		Waves:      max((local+prog.WaveSize-1)/prog.WaveSize, 1),
		VectorRegs: registers(prog.VectorRegs, m.VectorGranule, m.VectorMax, m.Vector/rows) * rows,
		ScalarRegs: registers(prog.ScalarRegs, m.ScalarGranule, m.ScalarMax, m.Scalar),
		LDSBytes:   roundUp(int(prog.LDSBytes), m.LDSGranule),
	}
	if n.Waves > 1 {
		n.Barriers = 1
	}
	return n, n.check(prog, m)
}

// maxInvocations is more than any compute unit holds.
const maxInvocations = 1 << 30

// invocations is the size of a workgroup, or maxInvocations if it is larger.
func invocations(local [3]uint32) int {
	n := uint64(1)
	for _, size := range local {
		n = min(n*uint64(size), maxInvocations)
	}
	return int(n)
}

// registers is what a wave takes of a SIMD's registers. A wave that needs more
// than it may have takes them all: it runs alone, as spills are not modelled.
func registers(want, granule, most, all int) int {
	if want > most {
		return max(all, 1)
	}
	return max(min(roundUp(max(want, 1), granule), all), 1)
}

func (n Need) check(prog *program.Program, m *Limits) error {
	var errs []error
	limit := func(what string, want, most int) {
		if want > most {
			errs = append(errs, fmt.Errorf("%w: %s needs %d %s, a compute unit of %s has %d", ErrFit, prog.Name, want, what, m.Machine, most))
		}
	}
	limit("bytes of LDS", int(prog.LDSBytes), min(m.LDSMax, m.LDSBytes))
	limit("bytes of LDS in whole granules", n.LDSBytes, m.LDSBytes/max(m.LDSGranule, 1)*max(m.LDSGranule, 1))
	if most := n.wavesPerSIMD(m) * m.SIMDs; n.Waves > most && n.Waves <= m.Slots*m.SIMDs {
		errs = append(errs, fmt.Errorf("%w: %s needs %d vector and %d scalar registers a wave, so that %d waves fit on a compute unit of %s: its workgroups have %d",
			ErrFit, prog.Name, prog.VectorRegs, prog.ScalarRegs, most, m.Machine, n.Waves))
	} else {
		limit("waves", n.Waves, most)
	}
	limit("barriers", n.Barriers, m.Barriers)
	return errors.Join(errs...)
}

// wavesPerSIMD is how many waves of the program fit on one SIMD.
func (n Need) wavesPerSIMD(m *Limits) int {
	return min(m.Slots, m.Vector/n.VectorRegs, m.Scalar/n.ScalarRegs)
}

// Occupancy is how many workgroups of this need fit on an empty compute unit.
func (n Need) Occupancy(m *Limits) int {
	groups := n.wavesPerSIMD(m) * m.SIMDs / n.Waves
	if n.LDSBytes > 0 {
		groups = min(groups, m.LDSBytes/n.LDSBytes)
	}
	if n.Barriers > 0 {
		groups = min(groups, m.Barriers)
	}
	return groups
}

func roundUp(n, granule int) int {
	granule = max(granule, 1)
	return (n + granule - 1) / granule * granule
}
