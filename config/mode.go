package config

import (
	"fmt"
	"path"
	"reflect"
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
	First      int      `yaml:"first" range:"0..1048576" doc:"number of launches of each kind (same program and size) that are timed, from the first on; left out: all"`
	Workgroups []int    `yaml:"workgroups" items:"2..2" range:"0..281474976710656" unit:"workgroups" doc:"first and last workgroup that are timed, counted from 0 in the order of x, y and z"`
}

// Sampling says how sampled runs choose what they time. All are knobs: their defaults were found with random workloads of
// experiments/sampling; docs/modes.md says which of those that it counts decided what.
type Sampling struct {
	First           int     `yaml:"first" default:"3" range:"1..65536" unit:"launches" doc:"launches of each kind that are timed before one is left out"`
	Near            int     `yaml:"near" default:"8" range:"1..1048576" unit:"launches" doc:"from a timed launch of a kind to the next timed one after the first few"`
	Far             int     `yaml:"far" default:"256" range:"1..1048576" unit:"launches" doc:"the same at most, where all agree"`
	NearRows        int     `yaml:"near_rows" default:"16" range:"1..1048576" unit:"pieces" doc:"of a large launch, pieces from a timed window to the next one at least; a third of all where there are few"`
	Generations     int     `yaml:"generations" default:"10" range:"2..65536" doc:"times as many workgroups as the machine holds, from which on a launch is timed in part"`
	Repeated        int     `yaml:"repeated_generations" default:"40" range:"2..65536" doc:"the same where repeated_from launches of the program came before: those with fewer are timed whole or not at all"`
	RepeatedFrom    int     `yaml:"repeated_from" default:"4" range:"0..1048576" unit:"launches" doc:"of a program, after which it is taken to have many: what they take follows from their sizes"`
	Batches         int     `yaml:"batches" default:"4" range:"2..65536" doc:"batches of a window at least, each of a quarter of a generation of workgroups"`
	MostBatches     int     `yaml:"most_batches" default:"24" range:"0..65536" doc:"batches that are left out at most until a window is taken as it is"`
	WindowShare     float64 `yaml:"window_share" default:"0.004" range:"0..1" doc:"part of a large launch's workgroups that a window counts, between batches and long_batches"`
	LongBatches     int     `yaml:"long_batches" default:"32" range:"2..65536" doc:"batches of a window at most"`
	Settle          int     `yaml:"settle" default:"2" range:"1..65536" unit:"generations" doc:"that end before a window counts, and before a large launch is left for the first time: waves that came in step of each other go on so for some time, and what was half done finds its lines gone"`
	SettleShare     float64 `yaml:"settle_share" default:"0.015" range:"0..1" doc:"the same at most as a part of a launch's workgroups; one generation at least"`
	LeastPart       float64 `yaml:"least_part" default:"0.125" range:"0..1" doc:"part of a window's instructions below which what is of another signature in it says nothing"`
	Missed          int     `yaml:"missed" default:"3" range:"0..65536" doc:"times that a window of a signature is not begun because other behaviour comes before it"`
	RefillPieces    int     `yaml:"refill_pieces" default:"4" range:"0..65536" unit:"pieces" doc:"before a window at most that bring their lines into the caches, until the last level holds nothing of before (full), or twice as much was asked of it"`
	Settled         float64 `yaml:"settled" default:"0.2" range:"0..1" doc:"by how much the second half of a window's batches may differ from the first where other behaviour came before; otherwise the first is left out, and more are timed"`
	Share           float64 `yaml:"share" default:"0.04" range:"0.001..1" doc:"part of what there is that is timed, above which what is somewhat like something timed is left out where little depends on it"`
	Warmer          float64 `yaml:"warmer" default:"0.02" range:"0..1" doc:"part by which a kind's first launch may differ from those after it and count as the same"`
	Agreed          float64 `yaml:"agreed" default:"0.04" range:"0..1" doc:"half the interval of what a kind took, up to which its samples agree: the next one is twice as far"`
	Steady          float64 `yaml:"steady" default:"0.01" range:"0..1" doc:"the same, up to which the next one is four times as far"`
	OtherMix        float64 `yaml:"other_mix" default:"0.1" range:"0.001..1" doc:"share of the instructions that are of other classes, from which on a mix is another and is timed for itself"`
	OtherDemand     float64 `yaml:"other_demand" default:"0.15" range:"0.001..1" doc:"the same for what is asked of a part of the machine, as a part of what the busiest is asked"`
	OtherSize       float64 `yaml:"other_size" default:"2" range:"1.01..65536" doc:"the same for the instructions of a launch: so many times as many"`
	Detail          int     `yaml:"detail" default:"32" range:"1..65536" doc:"of so many workgroups of a piece, one brings its lines into the caches without being timed, and shows what it asks of memory; in launches that are run again, of fewer times as many"`
	Pieces          int     `yaml:"pieces" default:"48" range:"1..65536" doc:"pieces in which a large launch is run and looked at"`
	OnLine          int     `yaml:"on_line" default:"4" range:"3..65536" unit:"launches" doc:"samples from which on a cost for a launch and one for an instruction are told apart"`
	Filling         float64 `yaml:"filling" default:"0.01" range:"0..1" doc:"share of what the last level is asked for that it has to fetch, up to which it is taken to hold what is needed"`
	Spread          float64 `yaml:"spread" default:"0.01" range:"0..1" doc:"standard deviation of launches of one signature that is expected before any are timed, as a part of what they take"`
	SpreadRows      float64 `yaml:"spread_rows" default:"0.015" range:"0..1" doc:"the same of windows of one signature in a large launch"`
	Weight          int     `yaml:"weight" default:"4" range:"1..65536" doc:"degrees of freedom that this expectation counts for beside those of all samples, and the spread of all samples beside that of a signature's own"`
	BurnIn          int     `yaml:"burn_in" default:"4" range:"1..65536" doc:"of so many windows of a signature the first one may be left out, if it is further off than all others"`
	FromPiece       int     `yaml:"from_piece" default:"2" range:"1..1048576" unit:"pieces" doc:"the piece of a signature at which it may be timed first: those before it bring their lines into the caches"`
	MostShare       float64 `yaml:"most_share" default:"0.05" range:"0..1" doc:"part of what there is that is timed, above which what is somewhat like something timed is left out in any case; twice as much for a second sample of what takes long, and for samples after far"`
	Twice           float64 `yaml:"twice" default:"0.05" range:"0..1" doc:"part of what all take from which on a signature is timed twice: the first window says how long it takes, but not how far off that is"`
	Light           float64 `yaml:"light" default:"0.4" range:"0..1" doc:"what is asked of memory, as a part of what the busiest part is asked, up to which it matters little what the caches hold"`
	Apart           int     `yaml:"apart" default:"48" range:"0..1048576" unit:"workgroups" doc:"between those that are looked at and a window: more than share a line where each reads a word; at most as many as the machine holds"`
	Align           int     `yaml:"align" default:"128" range:"1..1048576" unit:"workgroups" doc:"at multiples of which windows of a large launch begin and end, unless its workgroups may wait for each other: those that share lines then run side by side as in a full run; half as many, and again, while that is more than one and a half times what the machine holds"`
	SameWork        float64 `yaml:"same_work" default:"0.01" range:"0..1" doc:"by how much of its instructions a launch that is run again may differ and count as the same"`
	Peeked          int     `yaml:"peeked" default:"8" range:"1..1048576" unit:"workgroups" doc:"of each quarter of a piece, those that say whether behaviour has changed"`
	Aside           float64 `yaml:"aside" default:"1.5" range:"1..65536" doc:"by how many times as much as of strata these few may differ from those before them and count as the same"`
	LeastLooked     int     `yaml:"least_looked" default:"2" range:"1..1048576" unit:"workgroups" doc:"of a launch that may be run again, those that show at least what it asks of memory"`
	Fewer           int     `yaml:"fewer" default:"4" range:"1..65536" doc:"of so many times fewer workgroups than in a large launch, as they find their lines in the caches when the launch is run again"`
	MaxKept         int     `yaml:"max_kept" default:"2048" range:"0..1048576" unit:"bytes" doc:"memory that is put back when a launch has been run again, for each of its instructions: copying it then costs the host no more than timing does"`
	Full            float64 `yaml:"full" default:"1.2" range:"0.01..16" doc:"bytes brought into the last level after behaviour has changed, or before a window, as a part of what it holds, from which on it is taken to hold nothing of before: more than all, as its sets do not fill alike"`
	Least           float64 `yaml:"least" default:"0.0125" range:"0..1" doc:"half the interval that is added in quadrature, as a part of what is estimated: what samples can't show"`
	LeastRows       float64 `yaml:"least_rows" default:"0.015" range:"0..1" doc:"the same of large launches of which windows were timed, of what those do not show: caches are not quite as they would be"`
	LeastBeside     float64 `yaml:"least_beside" default:"0.05" range:"0..1" doc:"the same where windows were timed of several launches that run side by side: caches are not filled anew for them, and what is on the machine goes on half done"`
	Waiting         float64 `yaml:"waiting" default:"0.03" range:"0..1" doc:"half the interval that is added for launches which take more than three times as long as the part of the machine works that they ask most of: they wait for what their signature does not show"`
	Contended       float64 `yaml:"contended" default:"0.1" range:"0..1" doc:"half the interval that is added for atomics of a few lines, as a part of what they take: waves that wait for each other at a line settle in the course of many generations, which windows do not show"`
	SizesApart      float64 `yaml:"sizes_apart" default:"0.1" range:"0..1" doc:"by how much two samples must differ in size, as a part of it, to say what size does"`
	LeastQuantized  int     `yaml:"least_quantized" default:"5" range:"3..1048576" unit:"launches" doc:"samples from which on it is looked for how much of the time goes by whole generations of workgroups"`
	MostQuantized   int     `yaml:"most_quantized" default:"64" range:"0..1048576" unit:"launches" doc:"samples up to which it is looked for"`
	BetterQuantized float64 `yaml:"better_quantized" default:"0.7" range:"0..1" doc:"the distance of samples from what generations say, as a part of that from what sizes say, below which generations count"`
	GroupPieces     int     `yaml:"group_pieces" default:"12" range:"1..65536" doc:"pieces in which the time is divided in which the same launches run side by side"`
	WorthSaying     float64 `yaml:"worth_saying" default:"0.01" range:"0..1" doc:"part of a step's cycles from which on the statistics say why nothing was timed of what is alike"`
	Seed            int     `yaml:"seed" default:"1" range:"0..2147483647" doc:"of what is drawn: which workgroups are looked at, and how far samples are apart"`
}

// DefaultSampling is what a job has that says nothing.
func DefaultSampling() *Sampling {
	s := &Sampling{}
	assignMap(reflect.ValueOf(s).Elem(), nil)
	return s
}

// Sample is how the job's sampled runs choose what they time.
func (j *Job) Sample() *Sampling {
	if j.Sampling == nil {
		return DefaultSampling()
	}
	return j.Sampling
}

func ruleSampling(j *Job) (ps []problem) {
	s := j.Sampling
	if s == nil {
		return nil
	}
	for _, c := range []struct {
		low, high   string
		few, enough float64
	}{
		{"near", "far", float64(s.Near), float64(s.Far)},
		{"steady", "agreed", s.Steady, s.Agreed},
	} {
		if c.few > c.enough {
			ps = append(ps, problem{"sampling." + c.low, fmt.Sprintf("found %g: want at most %s, which is %g", c.few, c.high, c.enough), ErrRange})
		}
	}
	return ps
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
