// Package energyfit finds entries of a machine's table of energies by measured powers of jobs on a board: least squares with the entries'
// ranges as bounds, intervals, what the rows cannot tell, and the error of each job when it is left out.
//
//	rows          the measurements: columns and schema
//	fit           from rows to entries
//	leastsquares  least squares with bounds
//	results       the machine file, and what is shown
//
// It does not run jobs: the caller simulates each once, and energies of other tables are computed from the same counts.
package energyfit

import (
	"errors"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"spvsim/account"
	"spvsim/config"
	"spvsim/energy"
	"spvsim/internal/lists"
	"spvsim/tracing"
)

// Kinds of failures.
var (
	ErrEntry        = errors.New("no such entry of the table")
	ErrRow          = errors.New("a row cannot be simulated")
	ErrUndetermined = errors.New("the rows do not determine the entries")
)

// A Fit finds entries of a machine's table.
type Fit struct {
	Rows []Row
	Base string   // machine: a preset, or a file
	Keys []string // entries: paths, in which * represents any name, each with its range as =LOW..HIGH, or without
	// Fix leaves entries at their value that the rows do not determine, the last named first.
	Fix bool
	// Simulate runs a row's job on the machine. Several run at a time.
	Simulate func(r *Row) (*config.Machine, *tracing.Stats, error)
	Progress func(text string)

	base    *config.Machine
	entries []entry
	points  []point
	fixed   []string // what is left at its value, and why
}

// An entry is a number to find.
type entry struct {
	energy.Entry
	was, is float64
	half    float64 // of its interval; NaN: it is at an end of its range
}

// A point is a row with its counts.
type point struct {
	*Row
	machine *config.Machine
	stats   tracing.Stats
	// Simulated values with the base's table, the new one, and the one that is found without the row's job; NaN: that is not determined.
	before, after, without float64
}

// confidence is that of intervals.
const confidence = account.Confidence

// Run finds the entries, and simulates each job with those that are found without it.
func (f *Fit) Run() error {
	err := f.search()
	if err == nil {
		f.leaveOut()
	}
	return err
}

func (f *Fit) search() (err error) {
	if f.base, err = config.LoadMachine(config.Request{Machine: f.Base}); err != nil {
		return err
	}
	if err := errors.Join(f.chooseEntries()...); err != nil {
		return err
	}
	if err := f.simulate(); err != nil {
		return err
	}
	start := f.values(func(e *entry) float64 { return e.was })
	for i := range f.points {
		f.points[i].before = f.points[i].value(f.entries, start)
	}
	if err := f.determine(); err != nil {
		return err
	}
	f.find()
	return nil
}

// chooseEntries finds the entries that the keys name.
func (f *Fit) chooseEntries() (faults []error) {
	known := lists.Map(energy.Entries(), func(e energy.Entry) string { return e.Path })
	for _, key := range f.Keys {
		name, span, ranged := strings.Cut(key, "=")
		found := false
		for _, e := range energy.Entries() {
			same, err := path.Match(strings.ReplaceAll(name, ".", "/"), strings.ReplaceAll(e.Path, ".", "/"))
			if err != nil || !same {
				continue
			}
			found = true
			if ranged {
				if err := narrow(&e, span); err != nil {
					faults = append(faults, fmt.Errorf("--key %s: %w", key, err))
				}
			}
			faults = append(faults, f.add(e))
		}
		if !found {
			hint := config.Hint(name, known)
			faults = append(faults, fmt.Errorf("--key %s: %w%s: want a path of energy in the machine's description, such as energy.scale or energy.registers.*", key, ErrEntry, hint))
		}
	}
	if len(f.Keys) == 0 {
		faults = append(faults, fmt.Errorf("--key: missing: want the entries to find, such as energy.scale: %w", ErrEntry))
	}
	return faults
}

func (f *Fit) add(e energy.Entry) error {
	if slices.ContainsFunc(f.entries, func(o entry) bool { return o.Path == e.Path }) {
		return fmt.Errorf("--key %s: found twice: %w", e.Path, ErrEntry)
	}
	was := *e.In(&f.base.Energy)
	if was < e.Low || was > e.High {
		return fmt.Errorf("--key %s: the machine has %g: want a range with it, found %g..%g: %w", e.Path, was, e.Low, e.High, ErrEntry)
	}
	f.entries = append(f.entries, entry{Entry: e, was: was, is: was, half: math.NaN()})
	return nil
}

// narrow reads LOW..HIGH within an entry's range.
func narrow(e *energy.Entry, span string) error {
	from, to, _ := strings.Cut(span, "..")
	low, err := strconv.ParseFloat(strings.TrimSpace(from), 64)
	high, err2 := strconv.ParseFloat(strings.TrimSpace(to), 64)
	if err != nil || err2 != nil || !(e.Low <= low && low < high && high <= e.High) {
		return fmt.Errorf("found the range %q: want LOW..HIGH within %g..%g: %w", span, e.Low, e.High, ErrEntry)
	}
	e.Low, e.High = low, high
	return nil
}

// simulate runs the job of each row, those with equal settings once, on all processors.
func (f *Fit) simulate() error {
	f.points = make([]point, len(f.Rows))
	faults := make([]error, len(f.Rows))
	first := map[string]int{}
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range f.Rows {
		r, p := &f.Rows[i], &f.points[i]
		p.Row = r
		if _, known := first[r.run()]; known {
			continue
		}
		first[r.run()] = i
		places <- struct{}{}
		f.Progress(fmt.Sprintf("line %d: %s", r.Line, r.label()))
		group.Go(func() {
			defer func() { <-places }()
			machine, stats, err := f.Simulate(r)
			if err == nil {
				err = f.usable(machine, stats)
			}
			if err != nil {
				faults[i] = fmt.Errorf("line %d: %s: %w", r.Line, r.label(), err)
				return
			}
			p.machine, p.stats = machine, *stats
		})
	}
	group.Wait()
	for i := range f.points {
		if p, of := &f.points[i], &f.points[first[f.Rows[i].run()]]; p != of {
			p.machine, p.stats = of.machine, of.stats
		}
	}
	return errors.Join(faults...)
}

// usable refuses runs whose counts are not those of all of the job, and machines with another value of an entry than the base.
func (f *Fit) usable(m *config.Machine, s *tracing.Stats) error {
	if s.Cycles == 0 || s.Functional != nil || s.Estimate != nil || s.Stopped != "" {
		return fmt.Errorf("%w: want a job that is timed as a whole, in mode timed", ErrRow)
	}
	if s.ClockMHz != m.ClockMHz {
		return fmt.Errorf("%w: the power limit lowers its clock to %d MHz: want settings that do not, and the measured clock in core_mhz", ErrRow, s.ClockMHz)
	}
	for i := range f.entries {
		e := &f.entries[i]
		if x := *e.In(&m.Energy); x != e.was {
			return fmt.Errorf("%w: its job or its settings set %s to %g, which is to be found", ErrRow, e.Path, x)
		}
	}
	return nil
}

// value is the row's power or energy with other values of entries, in the measured time if it is known.
func (p *point) value(entries []entry, x []float64) float64 {
	m := *p.machine
	for j := range entries {
		*entries[j].In(&m.Energy) = x[j]
	}
	s := p.stats
	s.Energies = m.Energies()
	if p.Seconds > 0 {
		s.Energies = s.Energies.Stretched(p.Seconds / s.Energies.Seconds(s.Cycles))
	}
	joules := s.Energy().Total()
	if p.Joules > 0 {
		return joules
	}
	return s.Energies.Watts(joules, s.Cycles)
}

func (f *Fit) values(of func(e *entry) float64) (list []float64) {
	return lists.MapRefs(f.entries, of)
}

// problem is that of some points: their residuals are in units of their standard errors.
func (f *Fit) problem(points []*point) *problem {
	return &problem{
		residuals: func(x []float64) []float64 {
			list := make([]float64, len(points))
			for i, p := range points {
				measured, _ := p.measured()
				list[i] = (p.value(f.entries, x) - measured) / (p.Uncertainty * measured)
			}
			return list
		},
		low:  f.values(func(e *entry) float64 { return e.Low }),
		high: f.values(func(e *entry) float64 { return e.High }),
	}
}

// pointsWithout are all points but those of a job.
func (f *Fit) pointsWithout(job string) (list []*point) {
	for i := range f.points {
		if f.points[i].Job != job {
			list = append(list, &f.points[i])
		}
	}
	return list
}

// determine refuses entries that the rows do not determine, or fixes them.
func (f *Fit) determine() error {
	for {
		start := f.values(func(e *entry) float64 { return e.was })
		groups := undetermined(f.problem(f.pointsWithout("")).jacobian(start), f.sizes(start))
		if groups == nil {
			return nil
		}
		if !f.Fix {
			faults := lists.Map(groups, func(g []int) error { return fmt.Errorf("%w: %s", ErrUndetermined, f.unknown(g)) })
			return errors.Join(append(faults, fmt.Errorf("%w: want rows of jobs that differ in these, fewer entries (--key), or --fix, which leaves them as they are", ErrUndetermined))...)
		}
		last := groups[0][len(groups[0])-1]
		f.fixed = append(f.fixed, fmt.Sprintf("%s stays %g: %s", f.entries[last].Path, f.entries[last].was, f.unknown(groups[0])))
		f.entries = slices.Delete(f.entries, last, last+1)
		if len(f.entries) == 0 {
			return fmt.Errorf("%w: none is left to find:\n  %s", ErrUndetermined, strings.Join(f.fixed, "\n  "))
		}
	}
}

// unknown says what the rows do not tell of a group.
func (f *Fit) unknown(group []int) string {
	names := lists.Map(group, func(j int) string { return f.entries[j].Path })
	if len(names) == 1 {
		return "no row changes with " + names[0] + " by more than its uncertainty"
	}
	return "the rows change with a combination of " + strings.Join(names, ", ") + ", and not with each by more than their uncertainty"
}

// sizes are changes of the entries that count as large: by their own value, or as much as would change a row by all of its power.
func (f *Fit) sizes(x []float64) []float64 {
	out := slices.Clone(x)
	for j := range out {
		if out[j] == 0 {
			at := slices.Clone(x)
			at[j] = f.entries[j].High
			for i := range f.points {
				p := &f.points[i]
				if more := p.value(f.entries, at) - p.value(f.entries, x); more > 0 {
					out[j] = max(out[j], f.entries[j].High*p.value(f.entries, x)/more)
				}
			}
		}
		if out[j] == 0 {
			out[j] = 1
		}
	}
	return out
}

// undetermined returns the groups of numbers of which a combination is not determined: to change it by the numbers' own sizes changes the
// residuals by less than one standard error in all, or by less than rounding. The singular vectors of the matrix with columns of these sizes
// are the combinations (Belsley, Kuh and Welsch, Regression Diagnostics, 1980, have the same for columns of length 1).
func undetermined(a *mat.Dense, sizes []float64) (groups [][]int) {
	inverse := lists.Map(sizes, func(f float64) float64 { return 1 / f })
	d := decompose(a, inverse)
	for k, s := range d.values {
		if s >= 1 && s > rankShare*d.values[0] {
			continue
		}
		most := 0.0
		for j := range sizes {
			most = max(most, math.Abs(d.v.At(j, k)))
		}
		var group []int
		for j := range sizes {
			if math.Abs(d.v.At(j, k)) > memberShare*most {
				group = append(group, j)
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// memberShare is the least share, of a combination's largest number, with which a number belongs to it.
const memberShare = 0.1

// find sets the entries to the values that fit best, with their intervals.
func (f *Fit) find() {
	all := f.problem(f.pointsWithout(""))
	x := all.solve(f.values(func(e *entry) float64 { return e.was }))
	r := all.residuals(x)
	var inside []int
	for j := range f.entries {
		e := &f.entries[j]
		e.is, e.half = x[j], math.NaN()
		if edge := boundShare * (e.High - e.Low); x[j] > e.Low+edge && x[j] < e.High-edge {
			inside = append(inside, j)
		}
	}
	for i := range f.points {
		f.points[i].after = f.points[i].value(f.entries, x)
	}
	if inside == nil {
		return
	}
	scale := interval(sumOfSquares(r), len(r)-len(inside))
	for k, v := range variances(columns(all.jacobian(x), inside)) {
		f.entries[inside[k]].half = scale * math.Sqrt(v)
	}
}

// interval returns half of an interval in standard errors of the rows. Where the residuals are larger than the rows' own errors, they say
// what the errors are: by Student's t, of as many degrees of freedom as there are rows more than entries.
func interval(squares float64, freedom int) float64 {
	both := (1 + confidence) / 2
	if freedom > 0 && squares > float64(freedom) {
		return math.Sqrt(squares/float64(freedom)) * distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(both)
	}
	return distuv.UnitNormal.Quantile(both)
}

// leaveOut finds the entries without each job in turn, and simulates the job with these.
func (f *Fit) leaveOut() {
	found := f.values(func(e *entry) float64 { return e.is })
	without := map[string][]float64{}
	for i := range f.points {
		p := &f.points[i]
		x, known := without[p.Job]
		if !known {
			if others := f.pointsWithout(p.Job); len(others) > 0 {
				if rest := f.problem(others); undetermined(rest.jacobian(found), f.sizes(found)) == nil {
					x = rest.solve(found)
				}
			}
			without[p.Job] = x
		}
		p.without = math.NaN()
		if x != nil {
			p.without = p.value(f.entries, x)
		}
	}
}
