package sweep

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
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
		_, err := fmt.Fprintf(w, "%d points, not listed: %d of them, evenly spread, are ready to run or have a result\n%d of those have a result; without results, all take about %s on one core\n",
			p.Points, len(p.Specs), len(p.Specs)-len(missing), rounded(e.Total*time.Duration(p.Points)/time.Duration(max(len(missing), 1))))
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
	var parts []string
	for _, c := range s.Cells {
		parts = append(parts, c.Name+"="+cellText(c.Value))
	}
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
	if e.FromSimilar < e.Points {
		text += fmt.Sprintf("; %d of them at an assumed %.0f workgroups a second, as nothing similar has run here", e.Points-e.FromSimilar, assumedRate)
	}
	return text
}

func rounded(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
