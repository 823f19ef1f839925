package energyfit

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"spvsim/config"
	"spvsim/tracing"
)

// WriteMachine writes the entries as a file on top of the base, which is relative to a folder.
func (f *Fit) WriteMachine(title, dir string) func(w io.Writer) error {
	return func(w io.Writer) error {
		var values []config.OverlayValue
		for i := range f.entries {
			e := &f.entries[i]
			source := fmt.Sprintf("M: found by %d measured powers, %s", len(f.points), e.intervalText())
			values = append(values, config.OverlayValue{Path: e.Path, Value: number(e.is), Source: source})
		}
		return config.WriteOverlay(w, title, f.Base, dir, values)
	}
}

// number writes a number with digits enough that rounding does not show in a power.
func number(x float64) string { return fmt.Sprintf("%.6g", x) }

// interval is the entry's interval within its range; ok is false where it has none.
func (e *entry) interval() (low, high float64, ok bool) {
	return max(e.is-e.half, e.Low), min(e.is+e.half, e.High), !math.IsNaN(e.half)
}

func (e *entry) intervalText() string {
	low, high, ok := e.interval()
	if !ok {
		return fmt.Sprintf("at the end of its range %g..%g", e.Low, e.High)
	}
	return fmt.Sprintf("%.4g..%.4g (%.0f %%)", low, high, 100*confidence)
}

// Write shows the entries with their intervals, and each row before and after.
func (f *Fit) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "entry\twas\tis\tinterval\tunit\t\n")
	for i := range f.entries {
		e := &f.entries[i]
		note := ""
		if low, high, ok := e.interval(); ok && (e.was < low || e.was > high) {
			note = "the machine's value is outside the interval"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", e.Path, number(e.was), number(e.is), e.intervalText(), e.Unit, note)
	}
	for _, text := range f.fixed {
		fmt.Fprintf(t, "fixed\t%s\n", text)
	}
	fmt.Fprintf(t, "\nline\tjob\tmeasured\tbefore\tafter\tleft out\t\n")
	for i := range f.points {
		p := &f.points[i]
		measured, unit := p.measured()
		fmt.Fprintf(t, "%d\t%s\t%s %s\t%s\t%s\t%s\n", p.Line, p.label(), tracing.Digits(measured, 4), unit, off(p.before, measured), off(p.after, measured), off(p.without, measured))
	}
	before, _ := f.meanError(func(p *point) float64 { return p.before })
	after, _ := f.meanError(func(p *point) float64 { return p.after })
	fmt.Fprintf(t, "\t%s\t\t%.1f %%\t%.1f %%\t%s\n", "mean of the errors", before, after, f.leftOutText())
	return t.Flush()
}

// off is the error of a simulated value; a line where there is none.
func off(simulated, measured float64) string {
	if math.IsNaN(simulated) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(simulated/measured-1))
}

// meanError is the mean size of the errors in percent, and the number of rows that have one.
func (f *Fit) meanError(of func(p *point) float64) (mean float64, rows int) {
	for i := range f.points {
		p := &f.points[i]
		if measured, _ := p.measured(); !math.IsNaN(of(p)) {
			mean += 100 * math.Abs(of(p)/measured-1)
			rows++
		}
	}
	return mean / float64(max(rows, 1)), rows
}

func (f *Fit) leftOutText() string {
	mean, rows := f.meanError(func(p *point) float64 { return p.without })
	switch rows {
	case 0:
		return "-: without any of the jobs, the rows do not determine the entries"
	case len(f.points):
		return fmt.Sprintf("%.1f %%", mean)
	}
	return fmt.Sprintf("%.1f %% of %d rows: without the jobs of the others (-), the rows do not determine the entries", mean, rows)
}
