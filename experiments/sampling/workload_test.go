package main

import (
	"slices"
	"strings"
	"testing"
)

// sameBut are the behaviours of a workload's table, with one field of all set alike.
func sameBut(rows []behaviour, clear func(b *behaviour)) bool {
	rows = slices.Clone(rows)
	for i := range rows {
		clear(&rows[i])
	}
	return !slices.ContainsFunc(rows, func(b behaviour) bool { return b != rows[0] })
}

// saysOfKind checks the properties of each kind of workload: which parameters differ between its parts, and which do
// not.
var saysOfKind = map[string]func(w *workload) bool{
	"phases": func(w *workload) bool {
		return len(w.rows) >= 2 && len(w.rows) <= 4 && slices.IsSorted(w.behaviourOf) && len(w.list) == 1
	},
	"hot launches": func(w *workload) bool {
		return len(w.rows) == 2 && w.rows[0] != w.rows[1]
	},
	"drift": func(w *workload) bool {
		return len(w.rows) == 48 && slices.IsSorted(w.behaviourOf) && sameBut(w.rows, func(b *behaviour) { b.rounds, b.arithmetic, b.loads = 0, 0, 0 })
	},
	"mixture": func(w *workload) bool {
		return len(w.rows) >= 2 && len(w.rows) <= 4 && !slices.IsSorted(w.behaviourOf)
	},
	"locality": func(w *workload) bool {
		return len(w.rows) == 2 && w.rows[0].span < 1<<14 && w.rows[1].span >= 1<<19-1 && w.rows[0].loads > 0 && sameBut(w.rows, func(b *behaviour) { b.span = 0 })
	},
	"shrinking": func(w *workload) bool {
		return slices.IsSortedFunc(w.list, func(a, b workloadLaunch) int { return b.groups - a.groups }) && len(w.rows) == 1
	},
	"growing": func(w *workload) bool {
		return slices.IsSortedFunc(w.list, func(a, b workloadLaunch) int { return a.groups - b.groups }) && len(w.rows) == 1
	},
	"period": func(w *workload) bool {
		return len(w.rows) == 2
	},
	"late launches": func(w *workload) bool {
		return len(w.rows) == 2
	},
	"contention": func(w *workload) bool {
		return len(w.rows) == 2 && sameBut(w.rows, func(b *behaviour) { b.bins = 0 }) && w.rows[0].atomics > 0
	},
	"skew": func(w *workload) bool {
		return len(w.rows) == 2 && w.rows[1].rounds >= 4*w.rows[0].rounds && sameBut(w.rows, func(b *behaviour) { b.rounds = 0 })
	},
	"scattered": func(w *workload) bool {
		return len(w.rows) == 1 && w.rows[0].loads > 0 && w.rows[0].stride == 0 && w.rows[0].span >= 1<<14-1
	},
	"launches of phases": func(w *workload) bool {
		return len(w.list) == 4 && w.list[0] == w.list[3] && len(w.rows) >= 2
	},
	"stores": func(w *workload) bool {
		return len(w.rows) == 1 && w.rows[0].stores > 0 && w.rows[0].atomics == 0
	},
	"barriers": func(w *workload) bool {
		return len(w.rows) == 2 && w.rows[0].passes > 0 && sameBut(w.rows, func(b *behaviour) { b.bank = 0 }) && min(w.rows[0].bank, w.rows[1].bank) >= 1 && max(w.rows[0].bank, w.rows[1].bank) <= 16
	},
	"graph": func(w *workload) bool {
		return len(w.rows) == 0 && strings.Contains(w.graphText, "graph_repeat")
	},
}

// Each kind of workload differs between its parts in the parameters of its name, and in no others.
func TestWorkloadKinds(t *testing.T) {
	differ := map[string]int{}
	const seeds = 20
	for seed := range uint64(seeds * len(forms)) {
		w := newWorkload(seed)
		if !saysOfKind[w.kind](w) {
			t.Errorf("seed %d: %s with %+v in launches %v", seed, w.kind, w.rows, w.list[:min(len(w.list), 5)])
		}
		if len(w.rows) == 2 && w.rows[0] != w.rows[1] {
			differ[w.kind]++
		}
	}
	for _, kind := range []string{"hot launches", "locality", "period", "contention", "skew", "late launches", "barriers"} {
		if differ[kind] < seeds/2 {
			t.Errorf("%s: the parts of %d workloads of %d differ", kind, differ[kind], seeds)
		}
	}
}

// Launches select workgroups within the table which, and the job has a dispatch for each.
func TestWorkloadLaunches(t *testing.T) {
	for seed := range uint64(4 * len(forms)) {
		w := newWorkload(seed)
		if w.kind == "graph" {
			continue
		}
		for i, l := range w.list {
			if last := l.first + l.stride*(l.groups-1); l.groups < 1 || l.first < 0 || last >= len(w.behaviourOf) || int(w.behaviourOf[last]) >= len(w.rows) {
				t.Errorf("seed %d, %s: launch %d is %+v of %d workgroups", seed, w.kind, i, l, len(w.behaviourOf))
			}
		}
		if n := strings.Count(w.text(), "dispatch: ["); n != len(w.list) {
			t.Errorf("seed %d, %s: %d dispatches in the job, want %d", seed, w.kind, n, len(w.list))
		}
	}
}
