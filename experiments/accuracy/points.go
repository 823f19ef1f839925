// Command accuracy runs kernels that were measured on a device, compares simulated with measured times, and fits the
// parameters of the machine that have no other source. The measurements are not part of the repository: -measured names
// their file.
//
// It does not know how a job runs, nor how errors are shown in figures: it writes a table.
package main

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"spvsim/config"
	"spvsim/internal/files"
)

//go:embed kernels.yaml fitted.yaml kernels/*.yaml kernels/*.spv
//go:embed devices.yaml devices/*.yaml micro/*.yaml micro/*.spv micro/*.spvasm
var embedded embed.FS

// A kernel is a measured kernel with the job that represents it, and the job's parameters from the words of a problem.
type kernel struct {
	Kernel  string `yaml:"kernel"`
	Problem string `yaml:"problem"`
	pattern *regexp.Regexp
}

// A point is one measured time.
type point struct {
	kernel, problem string // of published times of devices: the device, and the row's words
	job             string // file
	microseconds    float64
	settings        []config.Setting
}

func (p *point) name() string { return p.kernel + " " + p.problem }

// readKernels reads the table of kernels.
func readKernels() (map[string]*kernel, error) {
	text, err := embedded.ReadFile("kernels.yaml")
	if err != nil {
		return nil, err
	}
	var list []*kernel
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("kernels.yaml: %w", err)
	}
	byName := map[string]*kernel{}
	for _, k := range list {
		if k.pattern, err = regexp.Compile("^" + k.Problem + "$"); err != nil {
			return nil, fmt.Errorf("kernels.yaml: %s: %w", k.Kernel, err)
		}
		byName[k.Kernel] = k
	}
	return byName, nil
}

// job is the file of the kernel's job.
func (k *kernel) job() string { return "kernels/" + k.Kernel + ".yaml" }

// settings are the job parameters that a problem names.
func (k *kernel) settings(problem string) ([]config.Setting, error) {
	words := k.pattern.FindStringSubmatch(problem)
	if words == nil {
		return nil, fmt.Errorf("problem %q of %s: want %s", problem, k.Kernel, k.Problem)
	}
	var list []config.Setting
	for i, name := range k.pattern.SubexpNames() {
		if name == "" {
			continue
		}
		s, err := setting("parameters."+name, words[i])
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

// measuredColumns are the columns that are read from a file of measurements.
var measuredColumns = []string{"kernel_name", "problem_size", "min_ms"}

// readLines reads the lines of a CSV file, that of the names of columns with them.
func readLines(name string) ([][]string, error) {
	data, err := files.Read(name, files.MaxRows)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
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
	var at [3]int
	for i, c := range measuredColumns {
		if at[i] = slices.Index(rows[0], c); at[i] < 0 {
			return nil, fmt.Errorf("%s:1: no column %s", name, c)
		}
	}
	var points []point
	for i, row := range rows[1:] {
		k := kernels[row[at[0]]]
		if k == nil {
			continue
		}
		p, err := newPoint(k, row[at[1]], row[at[2]])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		points = append(points, p)
	}
	return points, nil
}

func newPoint(k *kernel, problem, milliseconds string) (point, error) {
	ms, err := strconv.ParseFloat(milliseconds, 64)
	if err != nil || !(ms > 0) {
		return point{}, fmt.Errorf("min_ms: found %q: want milliseconds above 0", milliseconds)
	}
	s, err := k.settings(problem)
	return point{k.Kernel, problem, k.job(), ms * 1000, s}, err
}
