package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
)

// A device of published times: the rows that run on its machine, devices/NAME.yaml.
type device struct {
	Name  string `yaml:"name"`
	GPU   string `yaml:"gpu"`
	Rows  string `yaml:"rows"`  // empty: all
	Clock string `yaml:"clock"` // matches rows that only give the device's clock

	gpu, rows, clock *regexp.Regexp
	fill             int // workgroups of 64 lanes that its compute units hold
}

// A microJob represents rows of published times.
type microJob struct {
	Rows       string         `yaml:"rows"`
	Job        string         `yaml:"job"`
	Work       float64        `yaml:"work"` // operations, bytes or steps; of a workgroup where there is a fill
	Fill       float64        `yaml:"fill"` // the parameter groups is set to the workgroups that fill this share of the device's wave slots
	Parameters map[string]int `yaml:"parameters"`

	rows *regexp.Regexp
}

// A deviceTable is devices.yaml.
type deviceTable struct {
	Devices []*device   `yaml:"devices"`
	Jobs    []*microJob `yaml:"jobs"`
	Reasons []*reason   `yaml:"reasons"`
}

// A reason explains why rows, selected by machine and name, are off by more than a tenth.
type reason struct {
	Rows string `yaml:"rows"`
	Text string `yaml:"why"`

	rows *regexp.Regexp
}

func readDevices() (*deviceTable, error) {
	t, err := readTable[deviceTable]("devices.yaml")
	if err != nil {
		return nil, err
	}
	for _, d := range t.Devices {
		if err := d.compile(); err != nil {
			return nil, fmt.Errorf("devices.yaml: %s: %w", d.Name, err)
		}
	}
	for _, j := range t.Jobs {
		if j.rows, err = regexp.Compile("^" + j.Rows + "$"); err != nil {
			return nil, fmt.Errorf("devices.yaml: %s: %w", j.Job, err)
		}
	}
	for _, r := range t.Reasons {
		if r.rows, err = regexp.Compile("^" + r.Rows + "$"); err != nil {
			return nil, fmt.Errorf("devices.yaml: reasons: %w", err)
		}
	}
	return &t, nil
}

func (d *device) compile() (err error) {
	for _, p := range []struct {
		to   **regexp.Regexp
		text string
	}{{&d.gpu, d.GPU}, {&d.rows, d.Rows}, {&d.clock, d.Clock}} {
		if *p.to, err = regexp.Compile("^" + p.text + "$"); err != nil {
			return err
		}
	}
	m, err := config.LoadMachine(config.Request{Machine: d.machine(), FS: embedded})
	if err != nil {
		return err
	}
	d.fill = m.ShaderEngines * m.ComputeUnits * m.SIMDs * m.WaveSlots * m.WaveSize / 64
	return nil
}

func (d *device) machine() string { return "devices/" + d.Name + ".yaml" }

// has reports whether a row, given as driver, benchmark and item, is compared on the device.
func (d *device) has(words string) bool {
	return (d.Rows == "" || d.rows.MatchString(words)) && (d.Clock == "" || !d.clock.MatchString(words))
}

// A published is a row of published times: of micro-benchmarks, or of operators.
type published struct{ gpu, driver, benchmark, item, build, value, unit string }

// publishedForms are the columns of the two kinds of files that are read.
var publishedForms = []struct {
	columns []string
	read    func(cells []string) published
}{
	{[]string{"gpu", "driver", "benchmark", "item", "value", "unit"}, func(c []string) published {
		return published{gpu: c[0], driver: c[1], benchmark: c[2], item: c[3], build: c[1], value: c[4], unit: c[5]}
	}},
	{[]string{"gpu", "driver", "op", "build_or_pr", "us_per_run"}, func(c []string) published {
		return published{gpu: c[0], driver: c[1], item: c[2], build: c[3], value: c[4], unit: "us"}
	}},
}

func (p *published) words() string {
	return strings.Join(strings.Fields(p.driver+" "+p.benchmark+" "+p.item), " ")
}

// name distinguishes a row from others of its device; it omits arguments of an operator that no job sets, and times.
func (p *published) name() string {
	item, _, _ := strings.Cut(strings.TrimSpace(p.benchmark+" "+p.item), ",bs=")
	item, _, _ = strings.Cut(item, ",s0=")
	item, _, _ = strings.Cut(item, " in ")
	return item + " (" + p.build + ")"
}

// readPublished reads a file of published times.
func readPublished(name string) ([]published, error) {
	rows, err := readLines(name)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: found nothing: want a line of column names", name)
	}
	for _, form := range publishedForms {
		if at, ok := columnIndices(rows[0], form.columns); ok {
			list := lists.Map(rows[1:], func(row []string) published { return form.read(pick(row, at)) })
			return list, nil
		}
	}
	return nil, fmt.Errorf("%s:1: found columns %s: want those of micro-benchmarks (%s) or operators (%s)", name,
		strings.Join(rows[0], ", "), strings.Join(publishedForms[0].columns, ", "), strings.Join(publishedForms[1].columns, ", "))
}

func columnIndices(have, want []string) (at []int, ok bool) {
	for _, w := range want {
		i := slices.Index(have, w)
		if i < 0 {
			return nil, false
		}
		at = append(at, i)
	}
	return at, true
}

func pick(row []string, at []int) (cells []string) {
	return lists.Map(at, func(i int) string { return row[i] })
}

// devicePoints are the rows of files that a job on a device's machine represents.
func devicePoints(names string) ([]point, error) {
	t, err := readDevices()
	if err != nil {
		return nil, err
	}
	var points []point
	for _, name := range strings.Split(names, ",") {
		rows, err := readPublished(name)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			list, err := t.points(&rows[i])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
			}
			points = append(points, list...)
		}
	}
	return numberDuplicates(points), nil
}

// points returns the comparisons of a row: none if its value is not a number, or if no device or job represents it.
func (t *deviceTable) points(p *published) (list []point, err error) {
	value, bad := strconv.ParseFloat(p.value, 64)
	if bad != nil || value <= 0 {
		return nil, nil
	}
	words := p.words()
	for _, d := range t.Devices {
		if !d.gpu.MatchString(p.gpu) || !d.has(words) {
			continue
		}
		for _, j := range t.Jobs {
			if found := j.rows.FindStringSubmatch(words); found != nil {
				q, err := newDevicePoint(d, j, p, value, found)
				if err != nil {
					return nil, err
				}
				list = append(list, q)
			}
		}
	}
	return list, nil
}

func newDevicePoint(d *device, j *microJob, p *published, value float64, found []string) (point, error) {
	texts := map[string]string{"machine": d.machine()}
	for i, name := range j.rows.SubexpNames() {
		if name != "" {
			texts["parameters."+name] = found[i]
		}
	}
	for name, n := range j.Parameters {
		texts["parameters."+name] = strconv.Itoa(n)
	}
	work := j.Work
	if j.Fill > 0 {
		groups := int(j.Fill * float64(d.fill))
		texts["parameters.groups"] = strconv.Itoa(groups)
		work *= float64(groups)
	}
	q := point{kernel: d.Name, problem: p.name(), job: "micro/" + j.Job + ".yaml"}
	var err error
	if q.microseconds, err = microsecondsOf(value, p.unit, work); err != nil {
		return q, err
	}
	q.settings, err = settingsOf(texts)
	return q, err
}

// microsecondsOf converts a value to the time of a run of the given work.
func microsecondsOf(value float64, unit string, work float64) (float64, error) {
	unit, _, _ = strings.Cut(unit, " ")
	switch unit {
	case "us":
		return value, nil
	case "ns": // each
		return value * work / 1e3, nil
	case "GFLOPS", "GIOPS", "GB/s":
		return work / value / 1e3, nil
	case "TFLOPS":
		return work / value / 1e6, nil
	}
	return 0, fmt.Errorf("unit %q: want us, ns, GFLOPS, GIOPS, TFLOPS or GB/s", unit)
}

// numberDuplicates numbers points that have one name.
func numberDuplicates(points []point) []point {
	seen := map[string]int{}
	for i := range points {
		p := &points[i]
		n := p.name()
		if seen[n]++; seen[n] > 1 {
			p.problem += fmt.Sprintf(" %d", seen[n])
		}
	}
	return points
}
