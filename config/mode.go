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

// Sampling holds the settings of sampled runs. All are knobs: their defaults were found with the random workloads of
// experiments/sampling. docs/guide/modes.md explains the terms, and names the workloads that decided each.
type Sampling struct {
	First           int     `yaml:"first" default:"3" range:"1..65536" unit:"launches" doc:"launches of each kind that are timed at the beginning, before one is left out; for launches that cannot run twice"`
	Near            int     `yaml:"near" default:"8" range:"1..1048576" unit:"launches" doc:"least distance from one timed launch of a kind to the next, after the first few"`
	Far             int     `yaml:"far" default:"256" range:"1..1048576" unit:"launches" doc:"greatest distance from one timed launch of a kind to the next, while samples agree"`
	NearRows        int     `yaml:"near_rows" default:"16" range:"1..1048576" unit:"pieces" doc:"distance from one timed window of a stratum to the next in a large launch, at most a third of its pieces; longer while samples agree, about half while they disagree"`
	Generations     int     `yaml:"generations" default:"10" range:"2..65536" unit:"generations" doc:"least size of a large launch, of which only windows are timed; a generation is as many workgroups as the machine holds at once"`
	Repeated        int     `yaml:"repeated_generations" default:"40" range:"2..65536" unit:"generations" doc:"least size of a large launch whose program was launched repeated_from times before; smaller ones are timed as a whole or not at all"`
	RepeatedFrom    int     `yaml:"repeated_from" default:"4" range:"0..1048576" unit:"launches" doc:"earlier launches of a program from which on repeated_generations is used instead of generations, as their times predict that of a further launch"`
	Batches         int     `yaml:"batches" default:"4" range:"2..65536" unit:"batches" doc:"least length of a window; a batch is a quarter of a generation"`
	MostBatches     int     `yaml:"most_batches" default:"24" range:"0..65536" unit:"batches" doc:"once more batches than this were dropped from a window as unsteady (settled), the window is used as it is"`
	WindowShare     float64 `yaml:"window_share" default:"0.004" range:"0..1" doc:"length of a window as a share of a large launch's workgroups, between batches and long_batches"`
	LongBatches     int     `yaml:"long_batches" default:"32" range:"2..65536" unit:"batches" doc:"greatest length of a window"`
	Settle          int     `yaml:"settle" default:"2" range:"1..65536" unit:"generations" doc:"generations that end before a window counts, and before the first untimed part of a large launch: waves that began together stay in step for some time, and untimed work evicts the lines of workgroups that were left half done"`
	SettleShare     float64 `yaml:"settle_share" default:"0.015" range:"0..1" doc:"greatest length of settle as a share of the launch's workgroups; it is one generation at least"`
	LeastPart       float64 `yaml:"least_part" default:"0.125" range:"0..1" doc:"least share of the instructions of a window that holds more than one stratum; a stratum with less gets no sample from the window"`
	Missed          int     `yaml:"missed" default:"3" range:"0..65536" doc:"number of windows of a stratum that may be given up because other behaviour begins before they do"`
	RefillPieces    int     `yaml:"refill_pieces" default:"4" range:"0..65536" unit:"pieces" doc:"greatest number of pieces before a window in which all workgroups bring their lines into the caches; it ends sooner when the last level of the caches is refilled (full), or was asked for twice as many bytes"`
	Settled         float64 `yaml:"settled" default:"0.2" range:"0..1" doc:"greatest relative difference of cycles per instruction between the two halves of a window; above it, the first half is dropped and more batches are timed"`
	Share           float64 `yaml:"share" default:"0.04" range:"0.001..1" doc:"timed share of a large launch's workgroups above which a stratum near to a timed one gets no window of its own, unless much of the time depends on it"`
	Warmer          float64 `yaml:"warmer" default:"0.02" range:"0..1" doc:"relative difference between a kind's first launch and those after it, above which a launch gives a sample only if the one before it was timed too, as that one leaves memory busy; for launches that cannot run twice"`
	Agreed          float64 `yaml:"agreed" default:"0.04" range:"0..1" doc:"relative half-width of the interval up to which samples agree: the distance to the next sample doubles; above it, the distance is halved"`
	Steady          float64 `yaml:"steady" default:"0.01" range:"0..1" doc:"relative half-width of the interval up to which the distance to the next sample is multiplied by four"`
	OtherMix        float64 `yaml:"other_mix" default:"0.1" range:"0.001..1" doc:"share of instructions of other classes above which two signatures belong to different strata"`
	OtherDemand     float64 `yaml:"other_demand" default:"0.15" range:"0.001..1" doc:"difference in demand on a part of the machine, as a share of the demand on the busiest part, above which two signatures belong to different strata"`
	OtherSize       float64 `yaml:"other_size" default:"2" range:"1.01..65536" doc:"ratio of the instruction counts of two small launches above which they belong to different strata"`
	NearSize        float64 `yaml:"near_size" default:"1.5" range:"1.01..65536" doc:"ratio of the instruction counts of a small launch and of the sample of its stratum nearest to it in size above which it is timed"`
	Detail          int     `yaml:"detail" default:"32" range:"1..65536" unit:"workgroups" doc:"one of this many functional workgroups of a large launch fills its lines into the caches, to measure the demand on memory and to keep the caches warm"`
	Pieces          int     `yaml:"pieces" default:"48" range:"1..65536" unit:"pieces" doc:"number of pieces into which a large launch is divided; each begins with workgroups that show its signature"`
	OnLine          int     `yaml:"on_line" default:"4" range:"3..65536" unit:"samples" doc:"number of samples from which on the time of launches may be split into a cost for each launch and a cost for each instruction, where that fits better than cycles per instruction"`
	Filling         float64 `yaml:"filling" default:"0.01" range:"0..1" doc:"share of the accesses to the last level of the caches that miss, up to which this level is taken to hold all lines that are needed"`
	Spread          float64 `yaml:"spread" default:"0.01" range:"0..1" doc:"relative standard deviation that is expected between launches of one stratum before any are timed"`
	SpreadRows      float64 `yaml:"spread_rows" default:"0.0125" range:"0..1" doc:"relative standard deviation that is expected between windows of one stratum before any are timed"`
	Weight          int     `yaml:"weight" default:"4" range:"1..65536" doc:"degrees of freedom of the expected deviation, pooled with the samples of all strata, and of the deviation of all strata, pooled with the samples of one"`
	BurnIn          int     `yaml:"burn_in" default:"4" range:"1..65536" unit:"samples" doc:"for each this many samples of a stratum, one at the beginning may be dropped, if it is further from the mean than all others"`
	FromPiece       int     `yaml:"from_piece" default:"2" range:"1..1048576" doc:"number of the piece of a stratum, counted from 1, from which on it may be timed; the pieces before it bring their lines into the caches"`
	MostShare       float64 `yaml:"most_share" default:"0.05" range:"0..1" doc:"timed share of a large launch's workgroups above which a stratum near to a timed one gets no window in any case; twice this share for one of which nothing was timed for long; four times this share for the second window of a stratum that takes long (twice), or twice where the machine drains before other workgroups run"`
	Twice           float64 `yaml:"twice" default:"0.25" range:"0..1" doc:"share of the whole time from which on a stratum is timed at least twice, as one sample does not show how far off it is"`
	WorthTiming     float64 `yaml:"worth_timing" default:"0.01" range:"0..1" doc:"half-width of the interval of a stratum of a large launch without samples, as a share of the whole time, from which on a window of it is timed; below it, its cost is taken from the nearest stratum that was timed"`
	Light           float64 `yaml:"light" default:"0.4" range:"0..1" doc:"demand on memory, as a share of the demand on the busiest part of the machine, below which the contents of the caches hardly matter"`
	Apart           int     `yaml:"apart" default:"48" range:"0..1048576" unit:"workgroups" doc:"minimum number of functional workgroups, with warming, between the signature of a piece and a window; one generation at most"`
	Align           int     `yaml:"align" default:"128" range:"1..1048576" unit:"workgroups" doc:"windows of a large launch begin and end at multiples of this number, so that workgroups that share cache lines run side by side as in a full run; halved while it exceeds one and a half generations, and not used where workgroups may wait for each other"`
	SameWork        float64 `yaml:"same_work" default:"0.01" range:"0..1" doc:"relative difference in instructions between the two runs of a launch up to which the second one counts; above it, launches of this kind do not run twice"`
	Peeked          int     `yaml:"peeked" default:"8" range:"1..1048576" unit:"workgroups" doc:"workgroups of each quarter of a piece that show whether behaviour has changed"`
	Again           float64 `yaml:"again" default:"0.5" range:"0..65536" doc:"maximum of instructions of launches that are replayed functionally before a sample, as a multiple of all functional instructions; the launch before the sample is replayed in any case"`
	Aside           float64 `yaml:"aside" default:"1.5" range:"1..65536" doc:"factor on other_mix and other_demand where these few workgroups (peeked) are compared with those before them"`
	Blurred         float64 `yaml:"blurred" default:"3" range:"0..65536" unit:"standard errors" doc:"where the workgroups that show a piece's signature differ, signatures whose classes and whose demands differ by up to so many standard errors each belong to one stratum; 0: this does not count"`
	LeastLooked     int     `yaml:"least_looked" default:"2" range:"1..1048576" unit:"workgroups" doc:"least number of workgroups that show the demand on memory of a launch that can run twice"`
	Fewer           int     `yaml:"fewer" default:"4" range:"1..65536" doc:"factor on detail for launches that can run twice: fewer workgroups show their demand on memory, as there are many such launches"`
	MaxKept         int     `yaml:"max_kept" default:"2048" range:"0..1048576" unit:"bytes" doc:"greatest amount of memory, for each instruction of a launch, that is saved and restored around its second run; with more, copying would cost the host more than timing"`
	Full            float64 `yaml:"full" default:"1.2" range:"0.01..16" doc:"bytes brought into the last level of the caches, as a multiple of its size, after which nothing older is taken to be left in it; above 1, as its sets do not fill evenly"`
	Least           float64 `yaml:"least" default:"0.0125" range:"0..1" doc:"relative half-width that is added to every interval in quadrature, for what samples cannot show"`
	LeastRows       float64 `yaml:"least_rows" default:"0.015" range:"0..1" doc:"relative half-width that is added in quadrature for large launches: in windows, caches and queues are not quite as in a full run"`
	Waiting         float64 `yaml:"waiting" default:"0.03" range:"0..1" doc:"relative half-width that is added for launches whose time is more than three times the busy time of the part of the machine that they demand most of: they wait for something that their signature does not show"`
	Contended       float64 `yaml:"contended" default:"0.1" range:"0..1" doc:"relative half-width that is added for work of large launches that is bounded by atomics on few lines: waves that wait for each other at a line settle more slowly than a window shows"`
	SizesApart      float64 `yaml:"sizes_apart" default:"0.1" range:"0..1" doc:"least relative difference in size between two samples from which the time of a launch of another size is predicted"`
	LeastQuantized  int     `yaml:"least_quantized" default:"5" range:"3..1048576" unit:"samples" doc:"least number of samples from which the sampler estimates the share of the time that depends on whole generations (wave quantization)"`
	MostQuantized   int     `yaml:"most_quantized" default:"64" range:"0..1048576" unit:"samples" doc:"greatest number of samples from which this share is estimated; with more it stays as it is"`
	BetterQuantized float64 `yaml:"better_quantized" default:"0.7" range:"0..1" doc:"whole generations are used only if predictions with them have an error below this share of the error of predictions from sizes alone"`
	WorthSaying     float64 `yaml:"worth_saying" default:"0.01" range:"0..1" doc:"share of a step's cycles from which on statistics list a stratum without samples, with the reason"`
	Seed            int     `yaml:"seed" default:"1" range:"0..2147483647" doc:"seed of the random choices: lengths of pieces, and distances from one sample to the next"`
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
