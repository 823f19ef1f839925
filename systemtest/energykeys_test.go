package systemtest

import (
	"fmt"
	"reflect"
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
	case f.Name == "activate_bytes":
		r.to = "32"
	case f.Name == "depth_power":
		r.to = "0.1" // of a queue that is shallower than the table's
	}
	return r
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
