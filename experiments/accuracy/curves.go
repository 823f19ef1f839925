package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/expression"
)

// A curve represents rows of a file of published values by a job.
type curve struct {
	File   string             `yaml:"file"`
	Rows   map[string]string  `yaml:"rows"`   // values of other columns; empty: all rows
	X      string             `yaml:"x"`      // column of x
	Column string             `yaml:"column"` // of the values; empty: that of the series' name
	At     []float64          `yaml:"at"`     // values of x that are compared; empty: all
	Values map[float64]string `yaml:"values"` // instead of a file: values by x
	Unit   string             `yaml:"unit"`   // of the values: cycles for a unit of work, or GB/s, of which work is in bytes
	Job    string             `yaml:"job"`
	Work   string             `yaml:"work"` // of a run, by the parameters of the job
	Set    map[string]string  `yaml:"set"`  // of the job and the machine; x is the point's
	// Few and Many are of two runs: a value is the difference of their work by that of their times, so that a launch and warm caches
	// cost nothing.
	Few    map[string]string            `yaml:"few"`
	Many   map[string]string            `yaml:"many"`
	Window *window                      `yaml:"window"` // instead of few and many
	Series map[string]map[string]string `yaml:"series"` // what each sets
}

// A window is the timed part of two runs of a stream, in lanes from the first one on; x is the lanes of a workgroup.
type window struct {
	From int `yaml:"from"`
	Few  int `yaml:"few"`
	Many int `yaml:"many"`
}

// pair is two runs whose difference is a point of a curve, by what they set.
type pair struct {
	unit, work string
	few, many  []config.Setting
}

// curvePoints are the selected rows of the published curves in a folder.
func curvePoints(folder string) ([]point, error) {
	list, err := readTable[[]*curve]("curves.yaml")
	if err != nil {
		return nil, err
	}
	var points []point
	for _, c := range list {
		some, err := c.points(folder)
		if err != nil {
			return nil, err
		}
		points = append(points, some...)
	}
	return points, nil
}

func (c *curve) points(folder string) (points []point, err error) {
	add := func(series string, x float64, value string) error {
		p, err := c.point(series, x, value)
		points = append(points, p)
		return err
	}
	for _, x := range slices.Sorted(maps.Keys(c.Values)) {
		if err := add(slices.Sorted(maps.Keys(c.Series))[0], x, c.Values[x]); err != nil {
			return nil, fmt.Errorf("curves.yaml: %s: %w", c.File, err)
		}
	}
	if len(c.Values) > 0 {
		return points, nil
	}
	name := filepath.Join(folder, c.File+".csv")
	rows, err := readCells(name, -1)
	if err != nil {
		return nil, err
	}
	for _, series := range slices.Sorted(maps.Keys(c.Series)) {
		names := append([]string{c.X, cmp.Or(c.Column, series)}, slices.Sorted(maps.Keys(c.Rows))...)
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: found nothing: want a line of column names", name)
		}
		at, ok := columnIndices(rows[0], names)
		if !ok {
			return nil, fmt.Errorf("%s:1: found columns %s: want %s", name, strings.Join(rows[0], ", "), strings.Join(names, ", "))
		}
		for i, row := range rows[1:] {
			if len(row) < len(rows[0]) {
				continue // the measurement ended in it
			}
			cells := pick(row, at)
			x, err := strconv.ParseFloat(cells[0], 64)
			if err == nil && c.has(x, names[2:], cells[2:]) {
				err = add(series, x, cells[1])
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
			}
		}
	}
	return points, nil
}

func (c *curve) has(x float64, names, cells []string) bool {
	for i, n := range names {
		if c.Rows[n] != cells[i] {
			return false
		}
	}
	return len(c.At) == 0 || slices.Contains(c.At, x)
}

func (c *curve) point(series string, x float64, value string) (point, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0) {
		return point{}, fmt.Errorf("found %q: want a number above 0", value)
	}
	p := point{kernel: c.File, problem: series + " " + strconv.FormatFloat(x, 'f', -1, 64), job: c.Job, microseconds: v, pair: &pair{unit: c.Unit, work: cmp.Or(c.Series[series][workKey], c.Work)}}
	if p.settings, err = settings(x, map[string]string{"expect": "[]"}, c.Set, c.Series[series]); err != nil {
		return p, err
	}
	few, many := c.Few, c.Many
	if w := c.Window; w != nil {
		few, many = w.of(w.Few, int(x)), w.of(w.Many, int(x))
	}
	if p.pair.few, err = settings(x, few); err == nil {
		p.pair.many, err = settings(x, many)
	}
	return p, err
}

// of sets the timed workgroups; those behind them do not run.
func (w *window) of(timed, lanes int) map[string]string {
	first, n := w.From/lanes, timed/lanes
	return map[string]string{
		"time":              fmt.Sprintf("{workgroups: [%d, %d]}", first, first+n-1),
		"parameters.groups": strconv.Itoa(first + n),
	}
}

// workKey is a key of a series that is no setting.
const workKey = "work"

var wordX = regexp.MustCompile(`\bx\b`)

// settings are those of several maps, in the order of the maps.
func settings(x float64, sets ...map[string]string) (list []config.Setting, err error) {
	for _, set := range sets {
		texts := map[string]string{}
		for path, text := range set {
			if path != workKey {
				texts[path] = wordX.ReplaceAllString(text, fmt.Sprint(int(x)))
			}
		}
		some, err := settingsOf(texts)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// value is the point of the curve.
func (p *pair) value(ctx context.Context, job string, set []config.Setting) (float64, error) {
	var cycles, work [2]float64
	var mhz int
	for i, more := range [][]config.Setting{p.few, p.many} {
		run, amount, err := p.load(job, slices.Concat(set, more))
		if err != nil {
			return 0, err
		}
		out, err := gpu.Run(ctx, gpu.Setup{Machine: run.Machine, Job: run.Job})
		if err != nil {
			return 0, err
		}
		cycles[i], work[i], mhz = float64(out.Stats.Cycles), amount, out.Stats.ClockMHz
	}
	each := (cycles[1] - cycles[0]) / (work[1] - work[0])
	if p.unit == "GB/s" {
		return float64(mhz) / 1e3 / each, nil
	}
	return each, nil
}

// load loads a run and its work.
func (p *pair) load(job string, set []config.Setting) (*config.Run, float64, error) {
	loader := config.Files{FS: embedded, Dir: ".", Job: readyJob}
	run, err := loader.Load(job, set)
	if err != nil {
		return nil, 0, err
	}
	code, err := expression.Cached(p.work, expression.Reals)
	if err != nil {
		return nil, 0, err
	}
	v, err := code.Run(func(name string) (any, error) {
		v, ok := run.Job.Parameter(name)
		if !ok {
			return nil, fmt.Errorf("found %s: want a parameter of %s", name, job)
		}
		return v, nil
	})
	amount, ok := v.(float64)
	if err == nil && !ok {
		err = fmt.Errorf("work %q: want a number", p.work)
	}
	return run, amount, err
}

func readyJob(name string) (fs.FS, string, error) {
	files, job, _, err := experiments.Lookup(name)
	return files, job, err
}
