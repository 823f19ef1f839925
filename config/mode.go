package config

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spvsim/internal/expression"
)

// Modes of a launch.
const (
	ModeTimed      = "timed"
	ModeFunctional = "functional"
	ModeSampled    = "sampled"
)

// Modes lists the modes of a job, or of a step; the first is the default.
var Modes = []string{ModeTimed, ModeFunctional, ModeSampled}

// Time selects the timed part of a job: launches and workgroups that match all given keys. The rest runs functionally.
type Time struct {
	Steps      []string `yaml:"steps" doc:"names of steps, or their numbers in the job, counted from 1"`
	Launches   string   `yaml:"launches" doc:"pattern for the names of steps or the files of shaders: * is any text, ? any character"`
	First      int      `yaml:"first" range:"0..1048576" doc:"number of launches of each kind (same step, program and size) that are timed, from the first on; left out: all"`
	Workgroups []int    `yaml:"workgroups" items:"2..2" range:"0..281474976710656" unit:"workgroups" doc:"first and last workgroup that are timed, counted from 0 in the order of x, y and z"`
}

// Sampling holds the settings of sampled runs. docs/model/sampling.md has the method.
type Sampling struct {
	Generations int     `yaml:"generations" default:"24" range:"2..65536" unit:"generations" doc:"least size of a launch that is sampled in windows; smaller ones are timed as a whole or not at all. A generation is as many workgroups as the machine holds at once"`
	Pieces      int     `yaml:"pieces" default:"48" range:"8..65536" unit:"pieces" doc:"units into which such a launch is divided at most, each of 4 generations at least"`
	Settle      int     `yaml:"settle" default:"2" range:"1..65536" unit:"generations" doc:"generations that end before a window counts; they are not charged"`
	Budget      float64 `yaml:"budget" default:"0.1" range:"0..1" doc:"timed share of the predicted cost of a kind of launches, above which no more units than two of each stratum are timed"`
	Target      float64 `yaml:"target" default:"0.02" range:"0..1" doc:"half-width of a stratum's interval, as a share of the time of its kind, that the number of timed units aims at"`
	Spread      float64 `yaml:"spread" default:"0.02" range:"0..1" doc:"prior relative standard deviation of the ratio of timed to predicted cost within a stratum"`
	Weight      int     `yaml:"weight" default:"4" range:"1..65536" doc:"degrees of freedom of this prior, and of the deviation in all strata as the prior of one stratum"`
	Mix         float64 `yaml:"mix" default:"0.1" range:"0.001..1" doc:"share of instructions of other classes above which units belong to different strata"`
	Demand      float64 `yaml:"demand" default:"0.15" range:"0.001..1" doc:"difference in demand on a part of the machine, as a share of the demand on the busiest part, above which units belong to different strata"`
	Bias        float64 `yaml:"bias" default:"0.02" range:"0..1" doc:"relative half-width, added in quadrature, for the error that all timed units share: caches and queues are not quite as in a full run"`
	Detail      int     `yaml:"detail" default:"32" range:"1..65536" unit:"workgroups" doc:"one of this many functional workgroups shows the signature of its unit: what it asks of each part of the machine"`
	Seed        int     `yaml:"seed" default:"1" range:"0..2147483647" doc:"seed of the choice of units"`
}

// DefaultSampling returns the settings of a job without any.
func DefaultSampling() *Sampling {
	s := &Sampling{}
	assignMap(reflect.ValueOf(s).Elem(), nil)
	return s
}

// Sample returns the job's sampling settings, or the defaults.
func (j *Job) Sample() *Sampling {
	if j.Sampling == nil {
		return DefaultSampling()
	}
	return j.Sampling
}

// ParseTime parses a selection of the command line: steps=NAME+NAME,launches=PATTERN,first=N,workgroups=FIRST..LAST.
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

// maxWorkgroups bounds numbers of workgroups, as the tag of Time.Workgroups does.
const maxWorkgroups = 1 << 48

func (t *Time) set(key, value string) error {
	switch key {
	case "steps":
		t.Steps = strings.Split(value, "+")
	case "launches":
		t.Launches = value
	case "first":
		first, err := expression.ParseWithin(value, 1, maxRounds)
		if err != nil {
			return err
		}
		t.First = int(first)
	case "workgroups":
		first, last, _ := strings.Cut(value, "..")
		a, err1 := expression.ParseWithin(first, 0, maxWorkgroups)
		b, err2 := expression.ParseWithin(last, 0, maxWorkgroups)
		if err := cmp.Or(err1, err2); err != nil {
			return fmt.Errorf("found %q: want FIRST..LAST: %w", value, err)
		}
		t.Workgroups = []int{int(a), int(b)}
	default:
		return fmt.Errorf("found %q: want steps, launches, first or workgroups", key)
	}
	if ps := t.problems(""); ps != nil {
		return fmt.Errorf("%s", ps[0].msg)
	}
	return nil
}

// problems checks rules that no reader of a single key can check.
func (t *Time) problems(at string) (ps []problem) {
	if _, err := path.Match(t.Launches, ""); err != nil {
		ps = append(ps, problem{joinPath(at, "launches"), fmt.Sprintf("found %q: want a pattern: %v", t.Launches, err), ErrRange})
	}
	if w := t.Workgroups; len(w) == 2 && w[1] < w[0] {
		ps = append(ps, problem{joinPath(at, "workgroups"), fmt.Sprintf("found %d to %d: want the last not before the first", w[0], w[1]), ErrRange})
	}
	return ps
}

// Chooses reports whether a launch is timed, regardless of the count of its kind.
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

// isStep reports whether a launch belongs to the step of that name or number.
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
