package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// aWorker answers each point with its process id and the number of points before. It fails at "never", and at "alone"
// unless it is the first.
const aWorker = `n=0
while read line; do
  case $line in
    *never*) echo the machine is on fire >&2; exit 3 ;;
    *alone*) if [ $n -gt 0 ]; then exit 4; fi ;;
  esac
  echo "{\"status\": \"done\", \"version\": \"$$\", \"work\": $n}"
  n=$((n + 1))
done
`

// Points share a process as long as it lasts. A point that fails after others runs again in a new process, so that only
// its own failures count.
func TestWorkerSharesProcess(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	script := filepath.Join(t.TempDir(), "worker.sh")
	suite.OK(t, os.WriteFile(script, []byte(aWorker), 0o644))
	store, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var specs []Spec
	for i, job := range []string{"a", "b", "alone", "c", "never", "d", "e"} {
		specs = append(specs, Spec{Key: fmt.Sprint(i), Job: job})
	}
	var text []string
	processes := map[string]bool{}
	w := &Workers{Command: []string{shell, script}, Count: 1, Store: store}
	err = w.Run(t.Context(), specs, func(r *Record) {
		if r.Status == Crashed {
			text = append(text, r.Error)
			return
		}
		processes[r.Version] = true
		text = append(text, fmt.Sprint(r.Workgroups))
	})
	want := "0 1 0 1 the worker ended without a result: exit status 3\nthe machine is on fire 0 1"
	if got := strings.Join(text, " "); err != nil || got != want || len(processes) != 3 {
		t.Errorf("%v, points that ran before in %d processes: %s; want in 3: %s", err, len(processes), got, want)
	}
}

// A worker whose input ends while it has a point is orphaned; an idle one is not.
func TestWorkerOrphanedByClosedInput(t *testing.T) {
	for _, busy := range []bool{false, true} {
		lost := false
		p := &input{lines: make(chan []byte), orphaned: func() { lost = true }}
		in, out := io.Pipe()
		go p.read(in)
		fmt.Fprintln(out, "a point")
		<-p.lines
		if !busy {
			p.busy.Store(false)
		}
		out.Close()
		for range p.lines { // until it is closed
		}
		if lost != busy {
			t.Errorf("busy %t: lost %t", busy, lost)
		}
	}
}

// A worker keeps nothing of the points that it has run: its live memory after 50 and after 400 of them is the same.
func TestWorkerKeepsNothing(t *testing.T) {
	p := variedPlan(t)
	var points bytes.Buffer
	for i := range 400 {
		points.Write(append(suite.Must(json.Marshal(&p.Specs[i%len(p.Specs)]))(t), '\n'))
	}
	ran := 0
	live := map[int]uint64{}
	nothing := func(context.Context, *config.Run) (Output, error) {
		if ran++; ran%50 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			live[ran] = m.HeapAlloc
		}
		return Output{Stats: []byte("{}")}, nil
	}
	suite.OK(t, RunWorker(t.Context(), &points, io.Discard, nil, nothing, func() {}))
	if ran != 400 || live[400] > live[50]+512<<10 {
		t.Errorf("%d points, live bytes by points: %v", ran, live)
	}
}
