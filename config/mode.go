package config

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Modes in which a launch runs.
const (
	ModeTimed      = "timed"
	ModeFunctional = "functional"
	ModeSampled    = "sampled"
)

// Modes are the ways in which a job, or a step of it, may run.
var Modes = []string{ModeTimed, ModeFunctional, ModeSampled}

// Time chooses what of a timed job is timed: what all keys that are given allow. The rest runs without time.
type Time struct {
	Steps      []string `yaml:"steps" doc:"names of steps, or their numbers in the job, counted from 1"`
	Launches   string   `yaml:"launches" doc:"pattern for the names of steps or the files of shaders: * is any text, ? any character"`
	First      int      `yaml:"first" range:"0..1048576" doc:"so many launches of each kind: of the same program and size; left out: all"`
	Workgroups []int    `yaml:"workgroups" items:"2..2" range:"0..281474976710656" unit:"workgroups" doc:"the first and the last workgroup that is timed, in the order of x, y and z, counted from 0"`
}

// ParseTime reads what a command line chooses: steps=NAME+NAME,launches=PATTERN,first=N,workgroups=FIRST..LAST.
func ParseTime(text string) (*Time, error) {
	t := &Time{}
	for _, item := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok || value == "" {
			return nil, fmt.Errorf("found %q: want steps=NAME+NAME, launches=PATTERN, first=N or workgroups=FIRST..LAST, with commas between", item)
		}
		if err := t.set(key, value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return t, nil
}

func (t *Time) set(key, value string) (err error) {
	switch key {
	case "steps":
		t.Steps = strings.Split(value, "+")
	case "launches":
		t.Launches = value
	case "first":
		t.First, err = strconv.Atoi(value)
		if err != nil || t.First < 1 {
			return fmt.Errorf("found %q: want a number from 1 on", value)
		}
	case "workgroups":
		first, last, _ := strings.Cut(value, "..")
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || a < 0 {
			return fmt.Errorf("found %q: want FIRST..LAST", value)
		}
		t.Workgroups = []int{a, b}
	default:
		return fmt.Errorf("want steps, launches, first or workgroups")
	}
	if ps := t.problems(""); ps != nil {
		return fmt.Errorf("%s", ps[0].msg)
	}
	return nil
}

// problems are what no reader of a single key sees.
func (t *Time) problems(at string) (ps []problem) {
	if _, err := path.Match(t.Launches, ""); err != nil {
		ps = append(ps, problem{joinPath(at, "launches"), fmt.Sprintf("found %q: want a pattern: %v", t.Launches, err), ErrRange})
	}
	if w := t.Workgroups; len(w) == 2 && w[1] < w[0] {
		ps = append(ps, problem{joinPath(at, "workgroups"), fmt.Sprintf("found %d to %d: want the last not before the first", w[0], w[1]), ErrRange})
	}
	return ps
}

// Chooses says whether a launch is timed, but for the count of its kind.
func (t *Time) Chooses(l *Launch) bool {
	if t.Steps != nil && !slices.ContainsFunc(t.Steps, l.isStep) {
		return false
	}
	if t.Launches == "" {
		return true
	}
	step, _ := path.Match(t.Launches, l.Step)
	shader, _ := path.Match(t.Launches, l.Shader)
	return step || shader
}

// isStep says whether a launch is of the step of that name or number.
func (l *Launch) isStep(name string) bool {
	if l.Step == name {
		return true
	}
	n, err := strconv.Atoi(name)
	return err == nil && (l.Path == fmt.Sprintf("steps[%d]", n-1) || strings.HasPrefix(l.Path, fmt.Sprintf("steps[%d].", n-1)))
}

func ruleTime(j *Job) []problem {
	if j.Time == nil {
		return nil
	}
	return j.Time.problems("time")
}
