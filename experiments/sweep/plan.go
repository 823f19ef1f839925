package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// Identity identifies the simulator. Build distinguishes two simulators that may give different results; it is part of
// a record's key. Version is written to rows.
type Identity struct {
	Version string `json:"version"`
	Build   string `json:"build"`
}

// A Spec is one point in the form that a worker receives, independent of its experiment.
type Spec struct {
	Library    bool      `json:"library,omitempty"` // files are among the embedded experiments
	Dir        string    `json:"dir"`               // folder that files are relative to
	Sandbox    bool      `json:"sandbox,omitempty"` // the worker reads nothing outside of Dir
	Job        string    `json:"job"`
	Settings   []Setting `json:"settings"`
	Values     []Element `json:"values,omitempty"`
	Inputs     string    `json:"inputs"` // digest that the sweep computed, and that the worker must find too
	Key        string    `json:"key"`    // names the record
	Cells      []Cell    `json:"cells"`  // of the row, for people and for estimates
	Limits     Limits    `json:"limits"` // not part of the key
	Workgroups uint64    `json:"work"`   // workgroups to launch, for estimates
	Identity   Identity  `json:"identity"`

	idle []string
}

// Limits bound the cost of a point, which fails if it exceeds them; 0: no limit.
type Limits struct {
	Cycles  uint64  `json:"cycles,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // on the computer that simulates
}

// withDefaults returns the limits, with the job's for those that are not set.
func (l Limits) withDefaults(j *config.Limits) Limits {
	l.Cycles = cmp.Or(l.Cycles, uint64(j.Cycles))
	l.Seconds = cmp.Or(l.Seconds, j.HostSeconds)
	return l
}

// Element is one element of a buffer, as a result.
type Element struct {
	Name   string `json:"name"`
	Buffer string `json:"buffer"`
	Type   string `json:"type"`
	Index  int    `json:"index"`
}

// Setting is a path with its value as YAML.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// JobSettings are the settings of the job, without those of the machine.
func (s *Spec) JobSettings() (list []Setting) {
	return lists.Filter(s.Settings, func(x Setting) bool { return x.Path != "machine" && !strings.HasPrefix(x.Path, "machine.") })
}

// Cell is a named value: int64, float64 or string.
type Cell struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// A Plan is an experiment with its points, each made ready.
type Plan struct {
	Experiment *config.Experiment
	Small      bool
	Identity   Identity
	Specs      []Spec // in point order
	Points     int    // of the experiment; an outline has the specs of some of them
	// Idle are the keys that points set and that do nothing under the scheduler that they run under.
	Idle []string

	choice   Choice
	location FileLocation
}

// A Choice selects an experiment, with the overrides of a command line.
type Choice struct {
	Name     string   `json:"name"`              // a file if it ends in .yaml, else an embedded experiment; with axes or settings it may be a job's
	Machine  string   `json:"machine,omitempty"` // in place of the job's
	Axes     []string `json:"axes,omitempty"`
	Settings []string `json:"settings,omitempty"`
	WhatIf   []string `json:"what_if,omitempty"` // counterfactual machines, as config.ParseWhatIf reads them
	Sandbox  bool     `json:"sandbox,omitempty"` // read nothing outside of the file's folder

	system fs.FS // of the files; nil: that of the operating system
}

// Load finds an experiment by name.
func Load(name string) (*config.Experiment, FileLocation, error) { return Choice{Name: name}.Load() }

// Load finds the experiment that is chosen.
func (c Choice) Load() (*config.Experiment, FileLocation, error) {
	varied := len(c.Axes) > 0 || len(c.Settings) > 0 || c.Machine != "" || c.WhatIf != nil
	e, at, err := c.loadExperiment(varied)
	if err != nil || !varied {
		return e, at, err
	}
	machine, err := c.machine()
	if err != nil {
		return nil, at, err
	}
	if err := e.OnCommandLine(machine, c.Axes, c.Settings); err != nil {
		return nil, at, err
	}
	if c.WhatIf != nil {
		list, err := config.ParseWhatIf(c.WhatIf)
		if err == nil {
			err = e.AddWhatIf(list)
		}
		if err != nil {
			return nil, at, fmt.Errorf("--what-if: %w", err)
		}
	}
	e.DrawCycles()
	return e, at, nil
}

// machine resolves the machine's name for points, which are in another folder: a file of the command line is relative
// to the process's.
func (c Choice) machine() (string, error) {
	if ext := filepath.Ext(c.Machine); ext != ".yaml" && ext != ".yml" {
		return c.Machine, nil
	}
	return filepath.Abs(c.Machine)
}

func (c Choice) loadExperiment(jobs bool) (*config.Experiment, FileLocation, error) {
	if strings.HasSuffix(c.Name, ".yaml") || strings.HasSuffix(c.Name, ".yml") {
		return c.file(jobs)
	}
	at := FileLocation{choice: c, system: c.system}
	if at.system == nil {
		at.system = newInputs(files.OS())
	}
	fsys, file, err := experiments.LookupFigure(c.Name)
	if err != nil {
		if _, _, unknown := readyJob(c.Name); jobs && unknown == nil {
			return config.JobExperiment(at.system, c.Name), at, nil
		}
		return nil, FileLocation{}, err
	}
	e, err := config.LoadExperiment(fsys, file)
	at.Library = true
	return e, at, err
}

func (c Choice) file(jobs bool) (*config.Experiment, FileLocation, error) {
	dir, err := filepath.Abs(filepath.Dir(c.Name))
	if err != nil {
		return nil, FileLocation{}, err
	}
	at := FileLocation{Dir: dir, Sandbox: c.Sandbox, choice: c, system: c.system}
	if at.system == nil {
		fsys, err := at.onThisComputer()
		if err != nil {
			return nil, at, err
		}
		at.system = newInputs(fsys)
	}
	if jobs && config.KindOf(at.system, c.Name) == "job" {
		return config.JobExperiment(at.system, c.Name), at, nil
	}
	e, err := config.LoadExperiment(at.system, c.Name)
	return e, at, err
}

// FileLocation locates an experiment's files.
type FileLocation struct {
	Library bool   `json:"library,omitempty"`
	Dir     string `json:"dir"`
	Sandbox bool   `json:"sandbox,omitempty"` // nothing outside of Dir is read

	choice Choice // of the experiment
	system fs.FS  // of files that are not in the library
}

// In returns the location of an experiment whose files are in another folder.
func (p FileLocation) In(dir string) FileLocation {
	p.Library, p.Dir = false, dir
	return p
}

// inputs are the files that were read.
func (p FileLocation) inputs() *Inputs {
	if n, ok := p.system.(*Inputs); ok {
		return n
	}
	return newInputs(files.OS()) // of a plan without files: none
}

func (p FileLocation) onThisComputer() (fs.FS, error) {
	if p.Sandbox {
		return files.Sandbox(p.Dir)
	}
	return files.OS(), nil
}

func (p FileLocation) files() (*config.Files, error) {
	f := &config.Files{FS: p.system, CommandLine: p.system, Dir: p.Dir, Job: readyJob}
	if p.Library {
		fsys, err := experiments.FigureFiles()
		if err != nil {
			return nil, err
		}
		f.FS, f.Dir = fsys, ""
	}
	return f, nil
}

func readyJob(name string) (fs.FS, string, error) {
	fsys, file, _, err := experiments.Lookup(name)
	return fsys, file, err
}

// NewPlan expands an experiment and loads every point, so that errors of settings show before anything runs.
func NewPlan(ctx context.Context, e *config.Experiment, at FileLocation, small bool, limits Limits, id Identity) (*Plan, error) {
	return newPlan(ctx, e, at, small, limits, id, func(points []config.Point) []config.Point { return points })
}

// mostReady is the number of points up to which an outline has all of them. A point takes about 5 ms to make ready.
const mostReady = 1000

// NewOutline is NewPlan for commands that run nothing: of many points it makes only some ready, evenly spread.
func NewOutline(ctx context.Context, e *config.Experiment, at FileLocation, small bool, limits Limits, id Identity) (*Plan, error) {
	return newPlan(ctx, e, at, small, limits, id, func(points []config.Point) []config.Point {
		if len(points) <= mostReady {
			return points
		}
		return evenlySpread(points, mostReady/10)
	})
}

// evenlySpread chooses about count points: evenly over all, and the first one with each set of columns.
func evenlySpread(points []config.Point, count int) (chosen []config.Point) {
	seen := map[string]bool{}
	for i := range points {
		columns := ""
		for _, c := range points[i].Cells {
			columns += c.Name + "\x00"
		}
		if i%max(len(points)/count, 1) == 0 || !seen[columns] {
			chosen = append(chosen, points[i])
		}
		seen[columns] = true
	}
	return chosen
}

// Sample returns a plan of about count of the points without a result, evenly spread.
func (p *Plan) Sample(s *Store, count int) (*Plan, error) {
	missing, err := p.Missing(s)
	part := *p
	part.Specs = nil
	for k := range min(count, len(missing)) {
		i := missing[(2*k+1)*len(missing)/(2*min(count, len(missing)))]
		part.Specs = append(part.Specs, p.Specs[i])
	}
	return &part, err
}

func newPlan(ctx context.Context, e *config.Experiment, at FileLocation, small bool, limits Limits, id Identity, choose func([]config.Point) []config.Point) (*Plan, error) {
	points, err := e.Points(small)
	if err != nil {
		return nil, err
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: found every point excluded: want at least one", e.Name)
	}
	files, err := at.files()
	if err != nil {
		return nil, err
	}
	p := &Plan{Experiment: e, Small: small, Identity: id, Points: len(points), choice: at.choice, location: at}
	points = choose(points)
	for i := range points {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := newSpec(e, at, files, &points[i], limits, id)
		if err != nil {
			return nil, e.Explain(err, points[i].Settings)
		}
		p.Specs = append(p.Specs, *s)
		for _, text := range s.idle {
			p.Idle = lists.AppendNew(p.Idle, text)
		}
	}
	return p, nil
}

// IsComplete reports whether all points are ready.
func (p *Plan) IsComplete() bool { return len(p.Specs) == p.Points }

func newSpec(e *config.Experiment, at FileLocation, files *config.Files, p *config.Point, limits Limits, id Identity) (*Spec, error) {
	run, err := files.Load(e.Job, p.Settings)
	if err != nil {
		return nil, err
	}
	s := &Spec{Library: at.Library, Dir: at.Dir, Sandbox: at.Sandbox, Job: run.JobName, Inputs: run.Inputs, Workgroups: countWorkgroups(run.Job), Limits: limits.withDefaults(&run.Job.Limits), Identity: id}
	s.idle = run.Machine.WithoutEffect(run.Job.IsGraph())
	for _, x := range p.Settings {
		s.Settings = append(s.Settings, Setting{x.Path, x.Value.String()})
	}
	s.Cells = cellsOf(p)
	key := s.Inputs + "\n" + id.Build
	for _, v := range e.Values {
		s.Values = append(s.Values, Element(v))
		key += fmt.Sprintf("\n%q %q %s %d", v.Name, v.Buffer, v.Type, v.Index)
	}
	sum := sha256.Sum256([]byte(key))
	s.Key = hex.EncodeToString(sum[:16])
	return s, nil
}

// countWorkgroups counts the workgroups that a job launches from the host, over all its rounds; a graph's own enqueues are not known.
func countWorkgroups(j *config.Job) uint64 {
	var sum uint64
	err := j.EachLaunch(func(l *config.Launch) error {
		sum += uint64(l.Dispatch[0]) * uint64(l.Dispatch[1]) * uint64(l.Dispatch[2])
		return nil
	})
	rounds, err2 := j.Rounds()
	if err != nil || err2 != nil {
		return 0
	}
	return max(sum*uint64(rounds), 1)
}

// ErrChanged means that a file changed between the sweep's start and a point's.
var ErrChanged = errors.New("the machine, the job or a file that it names changed since the sweep started: start it again")

// Ready loads the files of a spec, in the worker. from is the bundle that has them; nil: they are on this computer.
func (s *Spec) Ready(from *Bundle) (*config.Run, error) {
	at := FileLocation{Library: s.Library, Dir: s.Dir, Sandbox: s.Sandbox, system: from}
	if from == nil {
		fsys, err := at.onThisComputer()
		if err != nil {
			return nil, err
		}
		at.system = fsys
	}
	files, err := at.files()
	if err != nil {
		return nil, err
	}
	files.Verified = from != nil
	var settings []config.Setting
	for _, x := range s.Settings {
		v, err := config.ParseValue(x.Value)
		if err != nil {
			return nil, err
		}
		settings = append(settings, config.Setting{Path: x.Path, Value: v})
	}
	run, err := files.Load(s.Job, settings)
	if err != nil {
		return nil, err
	}
	if from == nil && run.Inputs != s.Inputs {
		return nil, ErrChanged
	}
	run.Job.Limits.Cycles, run.Job.Limits.HostSeconds = int(s.Limits.Cycles), s.Limits.Seconds
	return run, nil
}
