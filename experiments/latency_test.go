package experiments

import (
	"cmp"
	"encoding/binary"
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// The parts of each slot of the latency shader's result: operations, as the timing table names them, or plain classes.
var measured = []struct {
	classes   []string
	operation string // that the table may expand
	typ       string // of the operation; i32 when empty
	issue     bool   // independent instructions
}{
	{classes: []string{"valu32", "valu32"}},
	{classes: []string{"fma32"}},
	{classes: []string{"cvt", "cvt"}},
	{classes: []string{"trans"}},
	{classes: []string{"imul32"}},
	{classes: []string{"shift64"}},
	{classes: []string{"int64", "int64"}},
	{classes: []string{"f64add"}},
	{classes: []string{"f64mul"}},
	{operation: "swizzle_quad"},
	{operation: "swizzle_sixteen"},
	{operation: "swizzle_masked"},
	{operation: "write_lane"},
	{classes: []string{"readlane", "valu32"}},
	{classes: []string{"valu32", "lds"}}, // the index times four, then the access
	{classes: []string{"salu", "salu"}},
	{classes: []string{"clock"}, issue: true},
	{operation: "rsq", typ: "f64"},
}

// The latency shader reads the latencies of the timing table with TimeAMD, on every preset and in both lowerings.
func TestLatencyShaderReadsTheTimingTable(t *testing.T) {
	for i, preset := range config.Presets() {
		for k, lowering := range []string{"dpp", "lds"} {
			if testing.Short() && i%2 != k {
				continue
			}
			t.Run(preset+"/"+lowering, func(t *testing.T) {
				job := load(t, "latency")
				job.Expect = nil
				set := "timing.lowering=" + lowering
				m := suite.Must(config.LoadMachine(config.Request{Machine: preset, Job: job, Set: []string{set}}))(t)
				cycles := execute(t, job, preset, set)["cycles"]
				for slot, c := range measured {
					got, want := int(binary.LittleEndian.Uint32(cycles[4*slot:])), 0
					for _, name := range slices.Concat(c.classes, expansion(m, c.operation, cmp.Or(c.typ, "i32"))) {
						class := m.Timing.Classes[name]
						if c.issue {
							want += class.Issue
						} else {
							want += max(class.Latency, class.Issue)
						}
					}
					if got != want {
						t.Errorf("%v %s: %d cycles, want %d", c.classes, c.operation, got, want)
					}
				}
			})
		}
	}
}

// expansion returns the classes into which the table expands an operation; without an entry, the operation is an
// instruction of its class.
func expansion(m *config.Machine, operation, typ string) []string {
	classes, _, ok := m.Timing.Expand(operation, typ, m.WaveSize)
	if op, known := isa.Lookup(operation); !ok && known && typ == "f64" {
		return []string{isa.Table[op].Class.F64.String()}
	}
	return classes
}

// The clock has the machine's width and wraps: the shader, which counts with 20 bits, reads the same from one of 20 as
// from one of 64, and a different value from one of 10.
func TestLatencyShaderOnANarrowClock(t *testing.T) {
	job := load(t, "latency")
	job.Expect = nil
	wide := execute(t, job, "", "clock_bits=64")["cycles"]
	if string(wide) != string(execute(t, job, "", "clock_bits=20")["cycles"]) {
		t.Error("clocks of 20 and 64 bits read differently")
	}
	if string(wide) == string(execute(t, job, "", "clock_bits=10")["cycles"]) {
		t.Error("a clock of 10 bits reads as one of 64")
	}
}
