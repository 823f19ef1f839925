package cu

import (
	"errors"
	"fmt"

	"spvsim/config"
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

// NewNeed works out what a workgroup of prog takes on machine m, and refuses
// one that does not even fit on an empty compute unit.
func NewNeed(prog *program.Program, m *config.Machine) (Need, error) {
	local := int(prog.LocalSize[0]) * int(prog.LocalSize[1]) * int(prog.LocalSize[2])
	rows := max(prog.WaveSize/max(m.WaveSize, 1), 1)
	n := Need{
		Waves:      max((local+prog.WaveSize-1)/prog.WaveSize, 1),
		VectorRegs: roundUp(max(prog.VectorRegs, 1), m.Registers.VectorGranule) * rows,
		ScalarRegs: roundUp(max(prog.ScalarRegs, 1), m.Registers.ScalarGranule),
		LDSBytes:   roundUp(int(prog.LDSBytes), m.LDS.GranuleBytes),
	}
	if n.Waves > 1 {
		n.Barriers = 1
	}
	return n, n.check(prog, m)
}

func (n Need) check(prog *program.Program, m *config.Machine) error {
	var errs []error
	limit := func(what string, want, most int) {
		if want > most {
			errs = append(errs, fmt.Errorf("%w: %s needs %d %s, the machine %s has %d", ErrFit, prog.Name, want, what, m.Name, most))
		}
	}
	r := &m.Registers
	limit("vector registers a wave", prog.VectorRegs, r.VectorMax)
	limit("scalar registers a wave", prog.ScalarRegs, r.ScalarMax)
	limit("bytes of LDS", int(prog.LDSBytes), min(m.LDS.MaxWorkgroupBytes, m.LDS.Bytes))
	limit("waves", n.Waves, n.wavesPerSIMD(m)*m.SIMDs)
	limit("barriers", n.Barriers, m.Barriers)
	return errors.Join(errs...)
}

// wavesPerSIMD is how many waves of the program fit on one SIMD.
func (n Need) wavesPerSIMD(m *config.Machine) int {
	return min(m.WaveSlots, m.Registers.Vector/n.VectorRegs, m.Registers.Scalar/n.ScalarRegs)
}

// Occupancy is how many workgroups of this need fit on an empty compute unit of m.
func (n Need) Occupancy(m *config.Machine) int {
	groups := n.wavesPerSIMD(m) * m.SIMDs / n.Waves
	if n.LDSBytes > 0 {
		groups = min(groups, m.LDS.Bytes/n.LDSBytes)
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
