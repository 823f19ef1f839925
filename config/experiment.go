package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// Experiment is an experiment file: a base job, the axes that vary it, the results that are recorded, and their
// figures.
//
// The path of a setting is `machine` for the machine itself, `machine.lds.banks` for a field of it, `job` for the job,
// `row.NAME` for a mere column of the rows, and otherwise a field of the job: parameters.n, specialization.0,
// steps[1].dispatch.
type Experiment struct {
	Name        string `yaml:"-"`
	Description string `yaml:"description" doc:"what the experiment shows, in one line"`
	Question    string `yaml:"question" doc:"the question, in words"`
	Expectation string `yaml:"expectation" doc:"what the result should be, and why; written before the run"`
	Reading     string `yaml:"reading" doc:"how to read the figure, and what the result is; {{max COLUMN where CONDITION as %.2f}} is a number of the rows (max, min, mean, geomean, sum, count, value, all; one over another)"`

	Job     string      `yaml:"job" doc:"job file relative to this file, or the name of a ready job"`
	Set     []Setting   `yaml:"set" form:"map" doc:"settings of every point, by path: machine, machine.*, job, row.*, or a field of the job"`
	App     *App        `yaml:"app" doc:"instead of job: a Vulkan program that runs first; its captured work is the job"`
	Axes    []Axis      `yaml:"axes" form:"map" doc:"what varies, by name; every combination is a point, and the last axis varies fastest; a list is short for values"`
	Exclude []Exclusion `yaml:"exclude" doc:"points to leave out: expressions over numeric columns, or columns with their values (and an expression: when)"`

	Columns    []Column      `yaml:"columns" form:"map" doc:"results to keep, as name: path of a statistic, or a list of paths; left out: cycles, seconds, instructions.total, occupancy"`
	Values     []BufferValue `yaml:"values" form:"map" doc:"further results: single elements of buffers at the end of the run, as a clock that the shader read, or an error"`
	Derived    []Derived     `yaml:"derived" form:"map" doc:"further columns, in order: an expression over earlier columns, or (of, where) a column of the row that is equal but for what where says"`
	References []Reference   `yaml:"references" doc:"columns from CSV files, matched to rows that agree in some columns"`
	Figures    []Figure      `yaml:"figures" form:"map" doc:"figures by name: a figure file, or the figure itself"`

	SmallVariant SmallVariant `yaml:"small" doc:"changes for the small variant, which runs in seconds"`

	overrides []Setting // of the command line; they override all others
	fsys      fs.FS
	file      string
	positions map[string]position
}

// App is a Vulkan program that runs before the points, on the simulated GPU in functional mode. Its captures go to a
// folder, in which a point looks for jobs and machine files: 0001.yaml is the default job, and a setting or an axis
// named job selects others.
type App struct {
	Run              []string `yaml:"run" doc:"the program (its name, or its file relative to the working directory), and its arguments"`
	Requires         []string `yaml:"needs" doc:"names of other programs, and files (with a slash in front), that the program needs to run"`
	Machine          string   `yaml:"machine" doc:"machine for the program; left out: the default machine"`
	Select           string   `yaml:"select" doc:"dispatches that are captured: patterns of names, separated by commas, each with an optional number of dispatches of each name (mul_mat*:3); left out: all"`
	WholeSubmissions bool     `yaml:"whole" doc:"whether the whole submissions of these dispatches are captured"`
}

// Setting is the value of the field at a path.
type Setting struct {
	Path    string
	Value   Value
	keyPath string // path in the experiment file
}

// Value is anything that YAML can write.
type Value struct{ node *yaml.Node }

// Axis is one varied quantity. Exactly one of Values, From, Pow2, Zip and Variants is set.
type Axis struct {
	Name     string    `yaml:"-"`
	Path     string    `yaml:"path" doc:"path of the field that the values set; left out: the name of the axis"`
	Values   []Value   `yaml:"values" doc:"values in order"`
	From     Expr      `yaml:"from" doc:"first value of a range"`
	To       Expr      `yaml:"to" doc:"last value of a range, included"`
	Step     Expr      `yaml:"step" doc:"difference between values of a range; left out: 1"`
	Pow2     []int     `yaml:"pow2" items:"2..2" range:"0..62" doc:"first and last exponent of powers of two"`
	Zip      []Axis    `yaml:"zip" form:"map" doc:"axes of equal length that vary together"`
	Variants []Variant `yaml:"variants" form:"map" doc:"named variants, each with its settings"`
}

// Variant is a name for several settings.
type Variant struct {
	Name     string
	Settings []Setting
}

// Exclusion drops the points whose columns match all of Where, and for which When is not 0.
type Exclusion struct {
	Matches   []Match
	Condition Expr
	keyPath   string
}

// Match requires one of some values in a column.
type Match struct {
	Column string
	Values []Value
}

// Column is one value of the statistics: their JSON's members from the outermost in, joined by dots.
type Column struct{ Name, Path string }

// BufferValue is one element of a buffer at the end of a run.
type BufferValue struct {
	Name   string `yaml:"-"`
	Buffer string `yaml:"buffer" doc:"name of the buffer"`
	Type   string `yaml:"type" enum:"u8|i8|u16|i16|u32|i32|u64|i64|f32|f64" doc:"type of the element; left out: u32"`
	Index  int    `yaml:"index" range:"0..1099511627776" doc:"index of the element; left out: 0"`
}

// Derived is a column computed from others: Expr, or column Of in the row that differs from this one as Where
// specifies.
type Derived struct {
	Name    string
	Expr    Expr
	Column  string
	Matches []Match
	keyPath string
}

// Reference joins columns of a CSV file.
type Reference struct {
	File    string    `yaml:"file" doc:"CSV file relative to this file, with a line of column names"`
	Source  string    `yaml:"source" doc:"source of the numbers"`
	On      []Renamed `yaml:"on" form:"map" doc:"columns that must agree, as column of the row: column of the file"`
	Columns []Renamed `yaml:"columns" form:"map" doc:"columns to take, as name in the row: column of the file"`
}

// Renamed is a column of the rows, and its name in a file.
type Renamed struct{ Name, From string }

// Figure is a figure file, or a figure written in place, for the package that draws.
type Figure struct {
	Name string
	File string // relative to the experiment file; empty when written in place
	node *yaml.Node
}

// SmallVariant holds the changes of a quick run.
type SmallVariant struct {
	Set  []Setting `yaml:"set" form:"map" doc:"settings that override those of the experiment"`
	Axes []Axis    `yaml:"axes" form:"map" doc:"axes that replace those of the same name"`
}

// LoadExperiment reads and checks an experiment file; files that it names are relative to it, in fsys (nil: that of package files).
func LoadExperiment(fsys fs.FS, name string) (*Experiment, error) {
	if fsys == nil {
		fsys = files.OS()
	}
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return nil, err
	}
	n, err := parseFile("experiment", name, data)
	if err != nil {
		return nil, err
	}
	r := newReader(name, noSources, reflect.TypeFor[Experiment]())
	tree := r.value(n, r.root, "", noSources)
	if err := r.err(); err != nil {
		return nil, err
	}
	e := &Experiment{fsys: fsys, file: name, positions: r.positions}
	assign(reflect.ValueOf(e).Elem(), tree)
	e.Name = strings.TrimSuffix(path.Base(name), path.Ext(name))
	return e, withPositions(e.problems(), e.positions)
}

func (e *Experiment) ReadFile(name string) ([]byte, error) {
	return readLimited(e.fsys, relative(path.Dir(e.file), name), maxFileBytes)
}

func (e *Experiment) File() string { return e.file }

// Text returns the figure as YAML, each line at its line of the experiment file; ok is false if the figure has a file
// of its own.
func (f *Figure) Text() (text []byte, ok bool) {
	if f.node == nil {
		return nil, false
	}
	out, err := yaml.Marshal(f.node)
	if err != nil {
		return nil, false
	}
	return append([]byte(strings.Repeat("\n", max(f.node.Line-1, 0))), out...), true
}

func (e *Experiment) problems() []problem {
	var ps []problem
	switch {
	case e.App != nil && len(e.App.Run) == 0:
		ps = append(ps, problem{"app.run", "missing: want a program and its arguments", ErrMissing})
	case e.App != nil && len(badNeeds(e.App.Requires)) > 0:
		ps = append(ps, problemf("app.needs", "found %q: want the name of a program, or a file from the root", badNeeds(e.App.Requires)[0]))
	case e.App != nil && e.Job != "":
		ps = append(ps, problem{"app", "found job and app: want one of them", ErrRange})
	case e.App == nil && e.Job == "" && !e.setsJob():
		ps = append(ps, problem{"job", "missing: want a job file, the name of a ready job, or app", ErrMissing})
	}
	names := map[string]bool{}
	ps = append(ps, axesProblems(e.Axes, "axes", names)...)
	ps = append(ps, repeatProblems(e.Axes, "axes")...)
	ps = append(ps, repeatProblems(e.SmallVariant.Axes, "small.axes")...)
	ps = append(ps, e.smallProblems()...)
	for i := range e.Figures {
		ps = append(ps, nameProblems(e.Figures[i].Name, joinPath("figures", e.Figures[i].Name))...)
	}
	for i := range e.Values {
		ps = append(ps, checkStruct(reflect.ValueOf(&e.Values[i]).Elem(), joinPath("values", e.Values[i].Name))...)
	}
	ps = append(ps, settingsProblems(e.Set)...)
	ps = append(ps, settingsProblems(e.overrides)...)
	return append(ps, settingsProblems(e.SmallVariant.Set)...)
}

// Missing lists the requirements of the program that this computer lacks, the program itself first.
func (a *App) Missing() (list []string) {
	for _, name := range append([]string{a.Run[0]}, a.Requires...) {
		_, err := exec.LookPath(name)
		if path.IsAbs(name) {
			_, err = os.Stat(name)
		}
		if err != nil {
			list = append(list, name)
		}
	}
	return list
}

func badNeeds(list []string) (wrong []string) {
	return lists.Filter(list, func(name string) bool { return name == "" || strings.Contains(name, "/") && !path.IsAbs(name) })
}

// setsJob reports whether a setting, or every variant of some axis, selects a job.
func (e *Experiment) setsJob() bool {
	return slices.ContainsFunc(e.Set, func(s Setting) bool { return s.Path == "job" }) ||
		slices.ContainsFunc(e.Axes, func(a Axis) bool { return slices.Contains(a.paths(), "job") })
}

func (a *Axis) paths() (list []string) {
	switch {
	case a.Zip != nil:
		for i := range a.Zip {
			list = append(list, a.Zip[i].paths()...)
		}
	case a.Variants != nil:
		for _, v := range a.Variants {
			for _, s := range v.Settings {
				list = append(list, s.Path)
			}
		}
	default:
		list = []string{a.path()}
	}
	return list
}

func (a *Axis) path() string {
	return cmp.Or(a.Path, a.Name)
}

func axesProblems(axes []Axis, at string, names map[string]bool) (ps []problem) {
	for i := range axes {
		a := &axes[i]
		p := joinPath(at, a.Name)
		if names[a.Name] {
			ps = append(ps, problemf(p, "found a name that another column has: want a new name"))
		}
		names[a.Name] = true
		ps = append(ps, checkStruct(reflect.ValueOf(a).Elem(), p)...)
		ps = append(ps, a.problems(p, names)...)
	}
	return ps
}

func (a *Axis) problems(p string, names map[string]bool) (ps []problem) {
	forms := 0
	for _, given := range []bool{a.Values != nil, a.From != "" || a.To != "", a.Pow2 != nil, a.Zip != nil, a.Variants != nil} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		return []problem{problemf(p, "found %d of values, from and to, pow2, zip, variants: want one", forms)}
	}
	if a.Path != "" && (a.Zip != nil || a.Variants != nil) {
		ps = append(ps, problemf(p+".path", "found path beside zip or variants: want the paths inside these"))
	}
	ps = append(ps, axesProblems(a.Zip, p+".zip", names)...)
	for _, v := range a.Variants {
		ps = append(ps, settingsProblems(v.Settings)...)
	}
	if a.Zip == nil && a.Variants == nil {
		ps = append(ps, pathProblems(a.path(), p)...)
	}
	return append(ps, a.lengthProblems(p)...)
}

// lengthProblems requires a value at least, and axes of equal length in a zip.
func (a *Axis) lengthProblems(p string) []problem {
	for i := range a.Zip {
		first, err1 := a.Zip[0].choices()
		other, err2 := a.Zip[i].choices()
		if err1 == nil && err2 == nil && len(first) != len(other) {
			return []problem{problemf(p+".zip", "found %d values of %s and %d of %s: want as many of both", len(first), a.Zip[0].Name, len(other), a.Zip[i].Name)}
		}
	}
	list, err := a.choices()
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("found no values: want at least one")
	}
	if err != nil {
		return []problem{problemf(p, "%v", err)}
	}
	return nil
}

func (e *Experiment) smallProblems() []problem {
	ps := axesProblems(e.SmallVariant.Axes, "small.axes", map[string]bool{})
	for i := range e.SmallVariant.Axes {
		known := lists.Map(e.Axes, func(a Axis) string { return a.Name })
		name := e.SmallVariant.Axes[i].Name
		if slices.Contains(known, name) {
			continue
		}
		msg := fmt.Sprintf("found %q: want the name of an axis%s", name, Hint(name, known))
		ps = append(ps, problem{joinPath("small.axes", name), msg, ErrReference})
	}
	return ps
}

func settingsProblems(list []Setting) (ps []problem) {
	return slices.Concat(lists.Map(list, func(s Setting) []problem { return pathProblems(s.Path, s.keyPath) })...)
}

func pathProblems(text, at string) []problem {
	steps, err := parseFieldPath(text)
	if err != nil {
		return []problem{{at, err.Error(), ErrSyntax}}
	}
	if isMachinePath(steps[0].key, text) {
		return []problem{{at, fmt.Sprintf("found %s, which the job does not have: want %s%s for a field of the machine", text, machinePrefix, text), ErrUnknownKey}}
	}
	return nil
}

// isMachinePath reports whether a path is a field of the machine and its first key is not one of the job.
func isMachinePath(first, text string) bool {
	if _, ok := fieldNamed(fieldsOf(reflect.TypeFor[Job]()), first); ok {
		return false
	}
	return slices.Contains(knownPaths(reflect.TypeFor[Machine]()), text)
}

// repeatProblems refuses a value that an axis has twice: its points would be counted twice. In a zip single values may repeat.
func repeatProblems(axes []Axis, at string) (ps []problem) {
	for i := range axes {
		choices, err := axes[i].choices()
		if err != nil {
			continue // reported elsewhere
		}
		seen := map[string]bool{}
		for _, c := range choices {
			text := cellsText(c.cells)
			if seen[text] {
				ps = append(ps, problemf(joinPath(at, axes[i].Name), "found %s twice: want each value once", text))
			}
			seen[text] = true
		}
	}
	return ps
}

func cellsText(cells []Cell) string {
	words := lists.Map(cells, func(c Cell) string { return fmt.Sprintf("%s = %v", c.Name, c.Value) })
	return strings.Join(words, ", ")
}

// longestName is the limit of file systems, less a suffix.
const longestName = 200

// nameProblems checks the name of an output: a file name without folders, which can be typed.
func nameProblems(name, at string) []problem {
	switch {
	case name == "" || len(name) > longestName:
		return []problem{problemf(at, "found a name of %d bytes: want 1 to %d, as a file has this name", len(name), longestName)}
	case strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, unicode.IsControl):
		return []problem{problemf(at, "found %q: want a name without slashes, control characters or a dot in front, as a file has this name", name)}
	}
	return nil
}
