package systemtest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spvsim/energy"
	"spvsim/internal/spec"
	"spvsim/tracing"
)

// energyJob are the jobs that show what keys of energies do, by the first of these that a key begins with; all others show in the first.
var energyJob = []struct{ key, job, on string }{
	{"", "all", "machine=rdna3-rx7900xtx "},
	{"energy.operations.matrix_", "matrices", matrices},
	{"energy.operations.barrier", "nbody", "machine=rdna3-rx7900xtx "},
	{"energy.operations.packed32", "nbody", "machine=cdna3-mi300a "},
	{"energy.memory.write_pj", "stores", passAll},
	{"energy.power.shader_engine.gated", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.power.compute_unit.gate_us", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.power.shader_engine.gate_us", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.power.chip.gate_us", "copies", "machine=rdna3-rx7900xtx energy.power.chip.gate_us=0 "},
	{"energy.power.memory.gate_us", "copies", "machine=rdna3-rx7900xtx energy.power.memory.gate_us=0 "},
	{"energy.voltage.", "all", "machine=rdna3-rx7900xtx clock_mhz=2000 "},
	{"energy.power.chip.gated", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.power.memory.gated", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.links.host_pj", "copies", "machine=rdna3-rx7900xtx "},
	{"energy.queue.core_launch_pj", "classify", "machine=rdna3-rx7900xtx scheduler.kind=firmware "},
	{"energy.queue.", "classify", "machine=rdna3-rx7900xtx scheduler.kind=hardware queue.ports=4 queue.depth=64 "},
	{"energy.memory.activate_bytes", "chain", "machine=rdna3-rx7900xtx "},
	{"energy.links.package_pj", "chain", "machine=rdna3-rx7900xtx "},
}

// energyRows has a row for each key of the table of energies: its highest value is more joules, and nothing else.
func energyRows() (rows []keyRow) {
	var add func(t reflect.Type, at string)
	add = func(t reflect.Type, at string) {
		for _, f := range spec.Fields(t) {
			path := at + "." + f.Name
			if i := slices.IndexFunc(limitRows, func(r keyRow) bool { return r.key == path }); i >= 0 {
				rows = append(rows, limitRows[i])
				continue
			}
			if f.Type.Kind() == reflect.Struct {
				add(f.Type, path)
				continue
			}
			rows = append(rows, energyRow(path, &f))
		}
	}
	add(reflect.TypeFor[energy.Table](), "energy")
	return rows
}

func energyRow(path string, f *spec.Field) keyRow {
	r := keyRow{key: path, job: energyJob[0].job, on: energyJob[0].on, to: strconv.FormatFloat(f.High, 'f', -1, 64), does: moreJoules}
	for _, j := range energyJob[1:] {
		if strings.HasPrefix(path, j.key) {
			r.job, r.on = j.job, j.on
			break
		}
	}
	switch {
	case f.Enum != nil:
		r.from, r.to = "unit", "package"
	case f.Name == "limit_watts":
		r.to, r.does = "2", limits
	case f.Name == "supply":
		r.to = "0.5"
	case f.Name == "table_mhz": // a table for a lower clock, so the machine's takes more
		r.to = "1500"
	case f.Name == "mhz":
		r.to = "[1200,1300,1400,5000]" // a flatter curve
	case f.Name == "volts":
		r.to = "[0.7,0.9,0.92,1.15]"
	case f.Name == "activate_bytes":
		r.to = "32"
	case f.Name == "depth_power":
		r.to = "0.1" // of a queue that is shallower than the table's
	}
	return r
}

// capped is a machine whose only unit takes more than the limit at the preset's clock.
const capped = "machine=rdna3-rx7900xtx energy.power.compute_unit.clock_watts=1000 energy.limit_watts=700 "

// limitRows are the rows of keys that choose the clock under a limit which the job exceeds.
var limitRows = []keyRow{
	{"energy.cap", "all", capped, "off", "on", clock(func(a, b int) bool { return b < a })},
	{"energy.governor_us", "copies", capped + "energy.cap=on ", "0", "1000000", clock(func(a, b int) bool { return b > a })},
	{"energy.voltage.step_mhz", "all", capped + "energy.cap=on ", "1", "1000", clock(func(a, b int) bool { return b < a })},
}

// clock is the effect of another clock.
func clock(right func(before, after int) bool) effect {
	return func(a, b *keyRun) string {
		if !right(a.ClockMHz, b.ClockMHz) {
			return fmt.Sprintf("%d MHz, then %d", a.ClockMHz, b.ClockMHz)
		}
		return ""
	}
}

func moreJoules(a, b *keyRun) string {
	x, y := a.Energy().Total(), b.Energy().Total()
	switch {
	case a.Cycles != b.Cycles || !reflect.DeepEqual(a.ByClass, b.ByClass):
		return "other cycles or instructions"
	case !(y > x):
		return fmt.Sprintf("%g J, then %g: want more", x, y)
	}
	return ""
}

// limits is the effect of the board's limit: it is shown.
func limits(_, b *keyRun) string {
	var text strings.Builder
	if err := tracing.WriteSummary(&text, b.Stats); err != nil || !strings.Contains(text.String(), " (limit 2 W") {
		return fmt.Sprintf("the summary does not say so (%v)", err)
	}
	return ""
}
