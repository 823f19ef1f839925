//go:build akita

package daisen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sarchlab/akita/v3/sim"
	akita "github.com/sarchlab/akita/v3/tracing"

	"spvsim/isa"
	"spvsim/tracing/probe"
)

// A clock gives Akita's tracer the time of the current task: the tracer reads it when a task starts and ends, and both
// calls are made once both times are known.
type clock struct {
	now  sim.VTimeInSec
	freq sim.Freq
}

// CurrentTime implements sim.TimeTeller.
func (c *clock) CurrentTime() sim.VTimeInSec { return c.now }

func (c *clock) set(cycle uint64) { c.now = sim.VTimeInSec(float64(cycle) / float64(c.freq)) }

// A Writer is a probe.Tracer that writes a database. Close ends it.
type Writer struct {
	probe.NopTracer
	from, to uint64 // cycles
	units    func(int) bool

	file     string
	backend  *akita.SQLiteTraceWriter
	tracer   *akita.DBTracer
	clock    clock
	geometry probe.Geometry
	err      error

	serial          uint64
	firstCycle, end uint64 // cycles
	launch          string // the task of the launch that runs
	step            probe.LaunchInfo
	groups          map[groupKey]workgroupTask // resident
	waves           []wave                     // by wave slot
}

type groupKey struct {
	unit  int
	index uint64
}

type workgroupTask struct {
	task string
	probe.Workgroup
}

type wave struct {
	task string
	probe.Wave
}

// New creates an empty database. It records only tasks that overlap the cycles from one to another (0: to the end), on
// selected units.
func New(file string, from, to uint64, units func(unit int) bool) (w *Writer, err error) {
	base, ok := strings.CutSuffix(file, Suffix)
	switch {
	case !ok || base == "":
		return nil, fmt.Errorf("%w: %q", ErrName, file)
	}
	if err := replace(file); err != nil {
		return nil, err
	}
	if to == 0 {
		to = probe.Unknown
	}
	w = &Writer{file: file, firstCycle: probe.Unknown, from: from, to: to, units: units, groups: map[groupKey]workgroupTask{}}
	err = w.guarded(func() {
		w.backend = akita.NewSQLiteTraceWriter(base)
		w.backend.Init()
		w.tracer = akita.NewDBTracer(&w.clock, w.backend)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// replace removes the database of an earlier run: Akita's writer requires that no file exists. It refuses other files,
// and places where none can be created.
func replace(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666) // Akita's writer prints errors on standard output
	if err != nil {
		return err
	}
	head := make([]byte, 16)
	n, err := f.Read(head)
	if err != nil && err != io.EOF {
		return errors.Join(err, f.Close())
	}
	f.Close()
	// https://www.sqlite.org/fileformat.html, section 1.2: magic header string
	if n > 0 && !bytes.Equal(head[:n], []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%w: %s", ErrFile, file)
	}
	return os.Remove(file)
}

// guarded calls Akita's writer, which panics on errors, and prints messages on standard output. After an error nothing
// more is written.
func (w *Writer) guarded(f func()) (err error) {
	if w.err != nil {
		return w.err
	}
	stdout := os.Stdout
	os.Stdout = nil // writes to it fail, unheard
	defer func() {
		os.Stdout = stdout
		if p := recover(); p != nil {
			w.err = fmt.Errorf("%w: %s: %w", ErrWrite, w.file, w.cause(p))
			err = w.err
		}
	}()
	f()
	return nil
}

// probeBytes is more than one page of a database.
const probeBytes = 1 << 16

// cause returns the reason for a panic of Akita's writer. If its disk is full, its last message is that a transaction
// is gone; writing a file next to the database shows the error.
func (w *Writer) cause(p any) error {
	f, err := os.CreateTemp(filepath.Dir(w.file), "spvsim-probe-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	_ = errors.Join(f.Close(), os.Remove(f.Name()))
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return fmt.Errorf("%v", p)
}

// RunBegin implements probe.Tracer.
func (w *Writer) RunBegin(g *probe.Geometry) {
	w.geometry = *g
	w.clock.freq = sim.Freq(g.ClockMHz) * sim.MHz
	w.waves = make([]wave, g.Total())
}

// name returns the next task's identifier: it is counted in each run, so that a job gives the same database every time.
func (w *Writer) name(kind string) string {
	w.serial++
	return kind + strconv.FormatUint(w.serial, 10)
}

// root is the task of the whole run; Daisen looks for its kind.
const root = "simulation"

// task writes a task if it touches the window.
func (w *Writer) task(from, to uint64, t akita.Task) {
	if to < w.from || from > w.to || w.err != nil {
		return
	}
	_ = w.guarded(func() { // Close returns the error
		w.clock.set(from)
		w.tracer.StartTask(t)
		w.clock.set(to)
		w.tracer.EndTask(t)
	})
}

// LaunchBegin implements probe.Tracer.
func (w *Writer) LaunchBegin(l *probe.LaunchInfo) {
	w.firstCycle = min(w.firstCycle, l.At)
	w.step, w.launch = *l, w.name("launch")
}

// LaunchEnd implements probe.Tracer.
func (w *Writer) LaunchEnd(end uint64) {
	w.end = max(w.end, end)
	w.task(w.step.At, end, akita.Task{ID: w.launch, ParentID: root, Kind: "kernel", What: w.step.Step, Where: "Dispatcher"})
	w.launch = ""
}

// WorkgroupBegin implements probe.Tracer.
func (w *Writer) WorkgroupBegin(g *probe.Workgroup) {
	w.groups[groupKey{g.Unit, g.Index}] = workgroupTask{w.name("group"), *g}
}

// WorkgroupEnd implements probe.Tracer.
func (w *Writer) WorkgroupEnd(at uint64, unit int, index uint64) {
	g := w.groups[groupKey{unit, index}]
	delete(w.groups, groupKey{unit, index})
	if w.units(unit) {
		what := fmt.Sprintf("%s %d,%d,%d", g.Name, g.ID[0], g.ID[1], g.ID[2])
		w.task(g.At, at, akita.Task{ID: g.task, ParentID: w.launch, Kind: "workgroup", What: what, Where: w.geometry.UnitName(unit)})
	}
}

// WaveBegin implements probe.Tracer.
func (w *Writer) WaveBegin(x *probe.Wave) {
	w.waves[w.geometry.Index(x.WaveSlotID)] = wave{w.name("wave"), *x}
}

// WaveEnd implements probe.Tracer.
func (w *Writer) WaveEnd(at uint64, p probe.WaveSlotID) {
	w.end = max(w.end, at)
	if x := &w.waves[w.geometry.Index(p)]; w.units(p.Unit) {
		parent := w.groups[groupKey{p.Unit, x.Group}].task
		w.task(x.At, at, akita.Task{ID: x.task, ParentID: parent, Kind: "wave", What: x.Program.Name, Where: w.location(p)})
	}
}

// Issue implements probe.Tracer: the task begins when the wave is at the
// instruction and ends when the issue port is free, so that waits can be seen.
func (w *Writer) Issue(i *probe.Issue) {
	w.end = max(w.end, i.End)
	if w.units(i.Unit) {
		x := &w.waves[w.geometry.Index(i.WaveSlotID)]
		w.task(i.From, i.End, akita.Task{ID: w.name("inst"), ParentID: x.task, Kind: "inst",
			What: isa.Table[x.Program.Insts[i.PC].Op].Name, Where: w.location(i.WaveSlotID)})
	}
}

// location is the name of a SIMD, as the machine's parts are named.
func (w *Writer) location(p probe.WaveSlotID) string {
	return fmt.Sprintf("%s.SIMD[%d]", w.geometry.UnitName(p.Unit), p.SIMD)
}

// Close writes the remaining tasks and that of the run, and closes the database.
func (w *Writer) Close() error {
	if w.launch != "" && w.firstCycle <= w.end { // the launch was cut short
		w.LaunchEnd(max(w.end, w.step.At))
	}
	if w.firstCycle <= w.end {
		w.from, w.to = 0, probe.Unknown
		w.task(w.firstCycle, w.end, akita.Task{ID: root, Kind: "Simulation", What: w.geometry.Machine, Where: "Simulation"})
	}
	_ = w.guarded(func() { w.tracer.Terminate() }) // w.err keeps the error
	closed := w.backend.Close()
	if w.err != nil {
		return w.err // the error of closing is a consequence
	}
	return closed
}
