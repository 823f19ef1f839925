// Command accuracy runs kernels that were measured on a device, compares simulated with measured times, and fits the
// parameters of the machine that have no other source. Of the measured kernels, some train, and the others judge: no
// parameter is chosen by them.
//
// It does not know how a job runs, nor how errors are shown in figures: it writes a table.
package main

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/config"
	"spvsim/internal/files"
)

//go:embed kernels.yaml fitted.yaml kernels/*.yaml kernels/*.spv
//go:embed curves.yaml devices.yaml devices/*.yaml micro/*.yaml micro/*.spv micro/*.spvasm
var embedded embed.FS

// A kernel is a measured kernel with the job that represents it, and the job's parameters from the words of a problem.
type kernel struct {
	Kernel  string         `yaml:"kernel"`
	Use     string         `yaml:"use"`
	Problem string         `yaml:"problem"`
	Set     map[string]any `yaml:"set"` // of the machine: what the measurement's clock adds to a launch
	pattern *regexp.Regexp
}

// Uses of a kernel: parameters may be chosen by its times, or not.
const (
	useTrain = "train"
	useJudge = "judge"
)

// A point is one measured time.
type point struct {
	kernel, problem  string  // of published times of devices: the device, and the row's words
	job              string  // file
	use              string  // empty: a published time of another device
	microseconds     float64 // of a curve: its value
	repetitionSpread float64 // mean over least measured time; 0: unknown
	settings         []config.Setting
	pair             *pair // of a curve
}

func (p *point) name() string { return p.kernel + " " + p.problem }

// maxSpread is the spread of the repetitions of a point above which it does not count: the device does not repeat it.
const maxSpread = 1.1

// repeats reports whether the device repeats the point.
func (p *point) repeats() bool { return p.repetitionSpread <= maxSpread }

// readTable reads a YAML table that the command carries.
func readTable[T any](name string) (table T, err error) {
	text, err := embedded.ReadFile(name)
	if err != nil {
		return table, err
	}
	if err := yaml.Unmarshal(text, &table); err != nil {
		return table, fmt.Errorf("%s: %w", name, err)
	}
	return table, nil
}

func readKernels() (map[string]*kernel, error) {
	list, err := readTable[[]*kernel]("kernels.yaml")
	if err != nil {
		return nil, err
	}
	byName := map[string]*kernel{}
	for _, k := range list {
		if k.pattern, err = regexp.Compile("^" + k.Problem + "$"); err != nil {
			return nil, fmt.Errorf("kernels.yaml: %s: %w", k.Kernel, err)
		}
		if k.Use != useTrain && k.Use != useJudge {
			return nil, fmt.Errorf("kernels.yaml: %s: use: found %q: want %s or %s", k.Kernel, k.Use, useTrain, useJudge)
		}
		byName[k.Kernel] = k
	}
	return byName, nil
}

// job is the file of the kernel's job.
func (k *kernel) job() string { return "kernels/" + k.Kernel + ".yaml" }

// settings are the job parameters that a problem names, and what the measurement sets. Results are expected at the job's own size only.
func (k *kernel) settings(problem string) ([]config.Setting, error) {
	words := k.pattern.FindStringSubmatch(problem)
	if words == nil {
		return nil, fmt.Errorf("problem %q of %s: want %s", problem, k.Kernel, k.Problem)
	}
	texts := map[string]string{"expect": "[]"}
	for i, name := range k.pattern.SubexpNames() {
		if name != "" {
			texts["parameters."+name] = words[i]
		}
	}
	for path, v := range k.Set {
		texts["machine."+path] = fmt.Sprint(v)
	}
	return settingsOf(texts)
}

// settingsOf are the settings of texts by path, in the order of the paths.
func settingsOf(texts map[string]string) (list []config.Setting, err error) {
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		s, err := setting(path, texts[path])
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func setting(path, text string) (config.Setting, error) {
	v, err := config.ParseValue(text)
	return config.Setting{Path: path, Value: v}, err
}

// measuredForms are the columns of the two kinds of files of measurements: with the least and the mean time of repetitions, or with a
// mean time alone.
var measuredForms = []struct {
	columns []string
	read    func(cells []string) measured
}{
	{[]string{"kernel_name", "problem_size", "min_ms", "avg_ms"}, func(c []string) measured {
		return measured{kernel: c[0], problem: c[1], ms: c[2], mean: c[3]}
	}},
	{[]string{"benchmark", "parameters", "size_name", "size", "ms"}, func(c []string) measured {
		return measured{kernel: c[0], problem: c[1] + ";" + c[2] + "=" + c[3], ms: c[4]}
	}},
}

// A measured is a row of measurements; mean is empty where ms is a mean.
type measured struct{ kernel, problem, ms, mean string }

// readLines reads the lines of a CSV file, that of the names of columns with them.
func readLines(name string) ([][]string, error) { return readCells(name, 0) }

// readCells reads CSV; with -1 fields, rows may have fewer columns than others.
func readCells(name string, fields int) ([][]string, error) {
	data, err := files.Read(name, files.MaxRows)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.FieldsPerRecord = fields
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// readMeasured reads a file of measurements, without kernels that have no job.
func readMeasured(name string) ([]point, error) {
	rows, err := readLines(name)
	if err != nil {
		return nil, err
	}
	kernels, err := readKernels()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	for _, form := range measuredForms {
		at, ok := columnIndices(rows[0], form.columns)
		if !ok {
			continue
		}
		var points []point
		for i, row := range rows[1:] {
			m := form.read(pick(row, at))
			if k := kernels[m.kernel]; k != nil {
				p, err := newPoint(k, &m)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
				}
				points = append(points, p)
			}
		}
		return points, nil
	}
	return nil, fmt.Errorf("%s:1: found columns %s: want %s, or %s", name,
		strings.Join(rows[0], ", "), strings.Join(measuredForms[0].columns, ", "), strings.Join(measuredForms[1].columns, ", "))
}

func newPoint(k *kernel, m *measured) (point, error) {
	ms, err := strconv.ParseFloat(m.ms, 64)
	if err != nil || !(ms > 0) {
		return point{}, fmt.Errorf("found %q: want milliseconds above 0", m.ms)
	}
	p := point{kernel: k.Kernel, problem: m.problem, job: k.job(), use: k.Use, microseconds: ms * 1000}
	if m.mean != "" {
		mean, err := strconv.ParseFloat(m.mean, 64)
		if err != nil || !(mean > 0) {
			return point{}, fmt.Errorf("found %q: want milliseconds above 0", m.mean)
		}
		p.repetitionSpread = mean / ms
	}
	p.settings, err = k.settings(m.problem)
	return p, err
}
