package sweep

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"spvsim/internal/lists"
)

// Describe lists the points, which of them have a result, and how long the others will take. The store may be nil. For
// an outline it writes numbers only.
func (p *Plan) Describe(w io.Writer, s *Store, workers int) error {
	if s == nil {
		s = &Store{} // of no folder: empty
	}
	missing, err := p.Missing(s)
	if err != nil {
		return err
	}
	if !p.IsComplete() {
		e := p.Estimate(s, missing)
		each := float64(p.Points) / float64(max(len(missing), 1))
		_, err := fmt.Fprintf(w, "%d points, not listed: %d of them, evenly spread, are ready to run or have a result\n%d of those have a result; without results, all take about %s on one core; %s%s\n",
			p.Points, len(p.Specs), len(p.Specs)-len(missing), rounded(time.Duration(float64(e.Total)*each)), e.cost(each), e.assumption())
		return err
	}
	run := map[int]bool{}
	for _, i := range missing {
		run[i] = true
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range p.Specs {
		state := "has a result"
		if run[i] {
			state = "to run"
		}
		fmt.Fprintf(t, "%d\t%s\t%s\n", i, p.Specs[i].label(), state)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, p.outlook(s, missing, workers))
	return err
}

func (s *Spec) label() string {
	parts := lists.Map(s.Cells, func(c Cell) string { return c.Name + "=" + cellText(c.Value) })
	return strings.Join(parts, " ")
}

func pointWord(n int) string {
	if n == 1 {
		return "point"
	}
	return "points"
}

func (p *Plan) outlook(s *Store, missing []int, workers int) string {
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	e := p.Estimate(s, missing)
	text := fmt.Sprintf("%d %s, %d to run", len(p.Specs), pointWord(len(p.Specs)), len(missing))
	if len(missing) == 0 {
		return text
	}
	wall := e.Total / time.Duration(min(workers, len(missing)))
	text += fmt.Sprintf(": about %s on one core, %s with %d workers", rounded(e.Total), rounded(wall), workers)
	return text + "; " + e.cost(1) + e.assumption()
}

// cost words what points cost that are so many times the estimated ones.
func (e *Estimate) cost(times float64) string {
	return fmt.Sprintf("%.2g core hours, %s of results", e.Total.Hours()*times, sizeText(float64(e.Bytes)*times))
}

// assumption words what the estimate has no basis for.
func (e *Estimate) assumption() string {
	if e.FromSimilar == e.Points {
		return ""
	}
	return fmt.Sprintf("; %d of them at an assumed %.0f workgroups a second and %s a result, as nothing similar has run here (--sample 10 runs some)", e.Points-e.FromSimilar, assumedRate, sizeText(assumedBytes))
}

// sizeText writes a number of bytes.
func sizeText(bytes float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	i := 0
	for ; bytes >= 1000 && i < len(units)-1; i++ {
		bytes /= 1000
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}

func rounded(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
