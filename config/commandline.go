package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/lists"
)

// JobExperiment returns an experiment without a file: one point, which runs a job file or a ready job as it is.
// OnCommandLine adds axes.
func JobExperiment(fsys fs.FS, job string) *Experiment {
	return &Experiment{
		Name: strings.TrimSuffix(path.Base(job), path.Ext(job)), Job: path.Base(job),
		file: job, fsys: fsys, positions: map[string]position{"": {file: job}},
	}
}

// OnCommandLine overrides the experiment's machine, axes (PATH=VALUE,VALUE or PATH=FIRST..LAST) and settings
// (PATH=VALUE), also in small variants. An axis whose name the experiment has replaces that axis, or chooses among its
// variants; a field of the machine may omit the prefix machine.
func (e *Experiment) OnCommandLine(machine string, axes, settings []string) error {
	ps := slices.Concat(lists.Map(axes, e.addAxis)...)
	var errs []error
	if machine != "" {
		errs = append(errs, e.overrideSetting("--machine", machine, "machine", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: machine}))
	}
	errs = append(errs, lists.Map(settings, e.addSetting)...)
	if err := errors.Join(errs...); err != nil || ps != nil {
		return errors.Join(withPositions(ps, e.positions), err)
	}
	return withPositions(e.problems(), e.positions)
}

// flagPlace notes where on the command line something is, for errors.
func (e *Experiment) flagPlace(flag, text, at string) {
	e.positions[at] = position{file: flag + " " + text}
}

func (e *Experiment) addAxis(text string) []problem {
	name, list, ok := cutSetting(text)
	at := "axes"
	if ok {
		at = joinPath(at, name)
	}
	e.flagPlace("--axis", text, at)
	if !ok || strings.TrimSpace(list) == "" {
		return []problem{{at, "want PATH=VALUE,VALUE or PATH=FIRST..LAST", ErrSyntax}}
	}
	a, err := parseAxis(name, list)
	if err != nil {
		return []problem{{at, err.Error(), ErrSyntax}}
	}
	i := slices.IndexFunc(e.Axes, func(o Axis) bool { return o.Name == name })
	if i < 0 {
		a.Path = fieldPath(name)
		e.Axes = append(e.Axes, a)
		return nil
	}
	e.SmallVariant.Axes = slices.DeleteFunc(e.SmallVariant.Axes, func(o Axis) bool { return o.Name == name })
	if e.Axes[i], err = e.Axes[i].instead(a); err != nil {
		return []problem{{at, err.Error(), ErrReference}}
	}
	return nil
}

// numberSpan is FIRST..LAST of a range.
var numberSpan = regexp.MustCompile(`^\s*([-+]?[0-9.]*[0-9])\s*\.\.\s*([-+]?[0-9][0-9.]*)\s*$`)

func parseAxis(name, list string) (Axis, error) {
	a := Axis{Name: name}
	if ends := numberSpan.FindStringSubmatch(list); ends != nil {
		a.From, a.To = Expr(ends[1]), Expr(ends[2])
		return a, nil
	}
	n, err := parseYAML("", []byte("["+list+"]"))
	if err != nil {
		return a, fmt.Errorf("found %q: want values with commas between", list)
	}
	clearLines(n, 0)
	for _, v := range n.Content {
		a.Values = append(a.Values, Value{v})
	}
	return a, nil
}

// instead is the axis with the values of the command line.
func (a Axis) instead(given Axis) (Axis, error) {
	switch {
	case a.Zip != nil:
		return a, fmt.Errorf("found other values for %s, whose fields vary together (zip): want the change in the experiment file", a.Name)
	case a.Variants == nil:
		given.Path = a.Path
		return given, nil
	}
	var chosen []Variant
	for _, v := range given.Values {
		i := slices.IndexFunc(a.Variants, func(o Variant) bool { return o.Name == v.node.Value })
		if i < 0 {
			return a, fmt.Errorf("found %s: want variants of the axis %s%s", v, a.Name, a.nearVariant(v.node.Value))
		}
		chosen = append(chosen, a.Variants[i])
	}
	if chosen == nil {
		return a, fmt.Errorf("found a range: want names of variants of the axis %s", a.Name)
	}
	a.Variants = chosen
	return a, nil
}

func (a *Axis) nearVariant(name string) string {
	known := lists.Map(a.Variants, func(v Variant) string { return v.Name })
	return cmp.Or(Hint(name, known), fmt.Sprintf(" (there are %s)", strings.Join(known, ", ")))
}

// parseSetting reads PATH=VALUE of a command line.
func parseSetting(text string) (path string, value *yaml.Node, err error) {
	where := "--set " + text
	path, of, ok := cutSetting(text)
	path = strings.TrimSpace(path)
	if !ok || path == "" || strings.TrimSpace(of) == "" {
		return "", nil, &Error{File: where, Msg: "want PATH=VALUE", Kind: ErrSyntax}
	}
	if _, err := parseFieldPath(path); err != nil {
		return "", nil, &Error{File: where, Msg: err.Error(), Kind: ErrSyntax}
	}
	if value, err = parseYAML("", []byte(of)); err != nil {
		return "", nil, &Error{File: where, Msg: fmt.Sprintf("found %q: want a value as YAML writes it", of), Kind: ErrSyntax}
	}
	clearLines(value, 0)
	return path, value, nil
}

func (e *Experiment) addSetting(text string) error {
	path, value, err := parseSetting(text)
	if err != nil {
		return err
	}
	return e.overrideSetting("--set", text, fieldPath(path), value)
}

// overrideSetting adds the setting of a flag.
func (e *Experiment) overrideSetting(flag, text, path string, value *yaml.Node) error {
	for i := range e.Axes {
		if slices.Contains(e.Axes[i].paths(), path) {
			return &Error{File: flag + " " + text, Kind: ErrRange,
				Msg: fmt.Sprintf("found a setting of what the axis %s varies: want --axis %s=VALUES", e.Axes[i].Name, e.Axes[i].Name)}
		}
	}
	at := joinPath(flag, path)
	e.flagPlace(flag, text, at)
	e.overrides = append(e.overrides, Setting{Path: path, Value: Value{value}, keyPath: at})
	return nil
}

// fieldPath converts a path of the command line to that of an experiment: a field of the machine gets the prefix
// machine. A wrong path is treated as the known path that it resembles most.
func fieldPath(text string) string {
	steps, err := parseFieldPath(text)
	if err != nil || hasField[Job](steps[0].key) {
		return text // an error in it is reported by the check of paths
	}
	ofMachine := knownPaths(reflect.TypeFor[Machine]())
	if hasField[Machine](steps[0].key) || slices.Contains(ofMachine, Nearest(text, slices.Concat(ofMachine, knownPaths(reflect.TypeFor[Job]())))) {
		return machinePrefix + text
	}
	return text
}

// A CommandLine holds a command's overrides of a job: the machine, settings (PATH=VALUE) and parameters (NAME=VALUE).
type CommandLine struct {
	Machine         string
	Set, Parameters []string
}

// Load loads a job file (fsys nil: OS()) with the machine that it runs on.
func (c *CommandLine) Load(fsys fs.FS, file string) (*Job, *Machine, error) {
	e := JobExperiment(fsys, file)
	if err := e.OnCommandLine(c.Machine, nil, c.Set); err != nil {
		return nil, nil, err
	}
	p := split(file, e.overrides)
	if p.job != file {
		return nil, nil, &Error{File: "--set job=" + p.job, Path: "job", Msg: "unknown key", Kind: ErrUnknownKey}
	}
	j, err := loadWith(fsys, file, c.Parameters, p.fields)
	if err != nil {
		return nil, nil, e.Explain(err, e.overrides)
	}
	m, err := LoadMachine(p.request(j))
	return j, m, e.Explain(err, e.overrides)
}

func hasField[T any](name string) bool {
	return slices.ContainsFunc(fieldsOf(reflect.TypeFor[T]()), func(f field) bool { return f.Name == name })
}

// defaultFigure is the name of the figure that sweeps of a job draw, and its column.
const defaultFigure = "cycles"

// DrawCycles adds a figure to an experiment without one: cycles over the first axis, a series for each value of the
// second, a facet for each of the third. With more than three axes, or none, it adds no figure.
func (e *Experiment) DrawCycles() {
	if len(e.Figures) > 0 || len(e.Axes) == 0 || len(e.Axes) > 3 || !e.keepsCycles() {
		return
	}
	f := map[string]any{"kind": "line", "y": defaultFigure}
	if !e.Axes[0].numeric() {
		f["kind"] = "bar"
	}
	for i, role := range []string{"x", "series", "facets"}[:len(e.Axes)] {
		f[role] = e.Axes[i].Name
	}
	n := &yaml.Node{}
	if n.Encode(f) == nil { // words alone always can be
		e.Figures = []Figure{{Name: defaultFigure, node: n}}
	}
}

// keepsCycles reports whether the experiment's columns have the cycles.
func (e *Experiment) keepsCycles() bool {
	return e.Columns == nil || slices.ContainsFunc(e.Columns, func(c Column) bool { return c.Name == defaultFigure })
}

func (a *Axis) numeric() bool {
	choices, err := a.choices()
	return err == nil && !slices.ContainsFunc(choices, func(c choice) bool {
		return len(c.cells) == 0 || reflect.TypeOf(c.cells[0].Value).Kind() == reflect.String
	})
}

// KindOf returns the kind of a file, judged by its members; "" if the file can't be read.
func KindOf(fsys fs.FS, name string) string {
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return ""
	}
	n, err := parseYAML(name, data)
	if err != nil {
		return ""
	}
	return likeliestKind(n, "experiment")
}
