package energy

import (
	"slices"
	"testing"

	"spvsim/account"
	"spvsim/isa"
)

var threePoints = VoltageCurve{Table: 2000, MHz: []float64{1000, 2000, 2500}, Volts: []float64{0.7, 0.8, 1}, Step: 100}

// Between points a curve is linear, below the first it is flat, above the last it goes on.
func TestVoltageByClock(t *testing.T) {
	for mhz, want := range map[float64]float64{500: 0.7, 1000: 0.7, 1500: 0.75, 2000: 0.8, 2250: 0.9, 2500: 1, 3000: 1.2} {
		if got := threePoints.At(mhz); !near(got, want) {
			t.Errorf("%g MHz: %g V, want %g", mhz, got, want)
		}
	}
	if got := (&VoltageCurve{}).At(1500); got != 1 {
		t.Errorf("without points: %g", got)
	}
}

func TestVoltageCurvesAreChecked(t *testing.T) {
	for _, c := range []VoltageCurve{
		{MHz: []float64{1000, 2000}, Volts: []float64{0.7}},
		{MHz: []float64{1000}, Volts: []float64{0.7}},
		{MHz: []float64{2000, 2000}, Volts: []float64{0.7, 0.8}},
		{MHz: []float64{1000, 2000}, Volts: []float64{0.8, 0.7}},
	} {
		if len(c.Check()) == 0 {
			t.Errorf("%+v is accepted", c)
		}
	}
	if list := threePoints.Check(); len(list) > 0 {
		t.Error(list)
	}
}

// P = C V^2 f + I V: at half the clock, energies of the core's events follow the square of the voltage, the clock's power
// that and the clock, leakage the voltage; what lies behind the core does not change.
func TestEnergiesFollowTheVoltage(t *testing.T) {
	table := noTable()
	table.Operations.FMA32, table.MemorySide.Byte, table.Memory.Read = 10, 3, 5
	table.Voltage = VoltageCurve{Table: 2000, MHz: []float64{1000, 2000}, Volts: []float64{0.6, 0.8}}
	table.Power.Unit = PartPower{Leakage: 1, Clock: 2}
	table.Power.Chip = PartPower{Leakage: 7}
	const seconds = 3e-6
	counts := func(mhz uint64) *account.Counts {
		n := uint64(seconds * 1e6 * float64(mhz))
		return &account.Counts{Cycles: n, On: account.OnCycles{Units: n, Chip: n}, Lanes: account.LaneCounts{ByClass: classes(isa.ClassFMA32, 100)},
			Memory: []account.LevelCounts{{Name: "memory_side", Bytes: 100}, {Name: "memory", Bytes: 100}}}
	}
	full, half := New(&table, Plant{ClockMHz: 2000, Units: 1}).Compute(counts(2000)), New(&table, Plant{ClockMHz: 1000, Units: 1}).Compute(counts(1000))
	const v = 0.6 / 0.8
	for part, want := range map[Part]float64{Vector: 1000 * pico * v * v, Units: seconds * (1*v + 2*v*v/2), MemorySide: 300 * pico, Memory: 500 * pico, Chip: 7 * seconds} {
		if got := half.Joules[part]; !near(got, want) {
			t.Errorf("%v: %g J, want %g", part, got, want)
		}
	}
	if got := full.Joules[Units]; !near(full.Joules[Vector], 1000*pico) || !near(got, 3*seconds) {
		t.Errorf("at the table's clock: %g J of the unit", got)
	}
}

func TestClocksOfTheLimit(t *testing.T) {
	table := Table{Voltage: threePoints}
	if got := table.Clocks(1250); !slices.Equal(got, []int{1050, 1150, 1250}) {
		t.Error(got)
	}
}

func TestCapWantsALimitAndACurve(t *testing.T) {
	whole := Table{Cap: "on", LimitWatts: 100, Voltage: threePoints}
	if list := whole.Check(); len(list) > 0 {
		t.Error(list)
	}
	for _, bad := range []Table{{Cap: "on", Voltage: threePoints}, {Cap: "on", LimitWatts: 100}} {
		if len(bad.Check()) != 1 {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
