//go:build akita

package daisen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	akita "github.com/sarchlab/akita/v3/tracing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// smaller are parameters with which jobs have databases of a few megabytes.
var smaller = map[string][]string{"reduce": {"groups=64"}}

func everyUnit(int) bool { return true }

// traced runs a ready job into a database and reads it back with Akita's reader.
func traced(t *testing.T, name string, from, to uint64, units func(int) bool) (*tracing.Stats, map[string]akita.Task, []akita.Task) {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJobWith(files, file, smaller[name]))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "gcn3-r9nano"}))(t)
	path := filepath.Join(t.TempDir(), "trace"+Suffix)
	w := suite.Must(New(path, from, to, units))(t)
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: w}))(t)
	suite.OK(t, w.Close())
	reader := akita.NewSQLiteTraceReader(path)
	reader.Init()
	defer reader.Close()
	list := reader.ListTasks(akita.TaskQuery{})
	byID := map[string]akita.Task{}
	for _, task := range list {
		byID[task.ID] = task
	}
	return r.Stats, byID, list
}

// TestAkitasReaderFindsTheRun: as many tasks of each kind as the statistics count, each within its parent.
func TestAkitasReaderFindsTheRun(t *testing.T) {
	for _, name := range []string{"reduce", "classify"} {
		s, byID, list := traced(t, name, 0, 0, everyUnit)
		kinds := map[string]uint64{}
		parents := map[string]string{"Simulation": "", "kernel": "Simulation", "workgroup": "kernel", "wave": "workgroup", "inst": "wave"}
		const second = 1e-12 // far less than a cycle
		for _, task := range list {
			kinds[task.Kind]++
			parent, ok := byID[task.ParentID]
			if parent.Kind != parents[task.Kind] || ok != (task.Kind != "Simulation") {
				t.Fatalf("%s: task %v has parent %v", name, task, parent)
			}
			if ok && task.Kind != "wave" && (task.StartTime < parent.StartTime-second || task.EndTime > parent.EndTime+second) {
				t.Fatalf("%s: task %v leaves its parent %v", name, task, parent)
			}
		}
		want := map[string]uint64{"Simulation": 1, "kernel": s.Launches, "workgroup": s.Workgroups, "wave": s.Waves, "inst": s.Instructions()}
		if d := cmp.Diff(want, kinds); d != "" {
			t.Errorf("%s: tasks (-statistics +database):\n%s", name, d)
		}
		if whole := byID[root]; float64(whole.EndTime-whole.StartTime)*float64(s.ClockMHz)*1e6 < float64(s.Cycles)-0.5 {
			t.Errorf("%s: the simulation is from %v to %v, want %d cycles", name, whole.StartTime, whole.EndTime, s.Cycles)
		}
	}
}

func TestSameJobSameTasks(t *testing.T) {
	_, _, a := traced(t, "classify", 0, 0, everyUnit)
	_, _, b := traced(t, "classify", 0, 0, everyUnit)
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("two databases of one job have %d and %d tasks", len(a), len(b))
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) { // cmp.Diff takes seconds for all of them
			t.Fatalf("two databases of one job (-first +second):\n%s", cmp.Diff(a[i], b[i]))
		}
	}
}

func TestWindow(t *testing.T) {
	const from, to = 2500, 2600
	_, _, whole := traced(t, "reduce", 0, 0, everyUnit)
	_, _, part := traced(t, "reduce", from, to, func(unit int) bool { return unit == 3 })
	want := 0
	for _, task := range whole {
		begin, end := float64(task.StartTime)*1e9, float64(task.EndTime)*1e9 // cycles of 1 GHz
		if task.Kind == "inst" && strings.HasPrefix(task.Where, "SE[0].CU[3].") && end > from-0.5 && begin < to+0.5 {
			want++
		}
	}
	got := 0
	for _, task := range part {
		if task.Kind == "inst" {
			got++
		}
	}
	if got != want || want == 0 {
		t.Errorf("%d instructions in the window, want %d", got, want)
	}
}

func TestOnlyDatabasesAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious"+Suffix)
	suite.OK(t, os.WriteFile(path, []byte("a diary"), 0o644))
	if _, err := New(path, 0, 0, everyUnit); !errors.Is(err, ErrFile) {
		t.Errorf("a file that is not a database: %v", err)
	}
	if _, err := New("trace.db", 0, 0, everyUnit); !errors.Is(err, ErrName) {
		t.Errorf("another suffix: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again"+Suffix)
	for range 2 {
		w := suite.Must(New(again, 0, 0, everyUnit))(t)
		suite.OK(t, w.Close())
	}
	if _, err := New(filepath.Join(t.TempDir(), "missing", "x"+Suffix), 0, 0, everyUnit); err == nil {
		t.Error("a folder that is not there: no error")
	}
}
