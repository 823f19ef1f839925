package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spvsim/config"
	"spvsim/experiments/sweep"
	"spvsim/internal/lists"
	"spvsim/vulkan/device"
)

// Disturbances words what makes times uncertain on this device.
func (r *Result) Disturbances(p *device.Physical) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if p.Software() {
		add(NoMeaning)
	}
	if g := r.Granularity; g > 0 && r.Total.Median() < 100*g {
		add("timestamps differ by at least %.2f us: times are exact to %.0f %%", g, 100*g/r.Total.Median())
	}
	if b, a := r.Before.CoreMHz, r.After.CoreMHz; b > 0 && a > 0 && b != a {
		add("the core clock went from %d to %d MHz: more --warm-ups, or a fixed clock, give steadier times", b, a)
	}
	if r.Before.Display {
		add("a display is attached: its work may be in between")
	}
	if s := r.Total.Spread(); s > 0.05 {
		add("half of the repetitions differ by %.0f %% of the median: other work on the device, or a clock that changes", 100*s)
	}
	if r.HostLaunches > 0 {
		add("%d copies and waits of the host are left out", r.HostLaunches)
	}
	return list
}

// Table is a measurement as rows: one for each step, and one without a step for all.
func Table(p *device.Physical, job *config.Job, r *Result, now time.Time) *sweep.Table {
	all := StepTime{Times: r.Total}
	for i := range r.Steps {
		all.Launches += r.Steps[i].Launches
	}
	rows := append(slices.Clone(r.Steps), all)
	t := &sweep.Table{Rows: len(rows)}
	each := func(name string, value func(s *StepTime) any) {
		list := make([]any, len(rows))
		for i := range rows {
			list[i] = value(&rows[i])
		}
		t.Add(name, list)
	}
	each("job", func(*StepTime) any { return job.Name })
	each("parameters", func(*StepTime) any { return parametersText(job) })
	each("step", func(s *StepTime) any {
		if s.Name == "" {
			return nil
		}
		return s.Name
	})
	each("launches", func(s *StepTime) any { return int64(s.Launches) })
	points := lists.Map(rows, func(s StepTime) *Point { return r.point(s.Times, p, now) })
	addColumns(t, points)
	each("results", func(*StepTime) any { return map[bool]string{true: "right", false: "wrong"}[len(r.Failures) == 0] })
	return t
}

func parametersText(job *config.Job) any {
	var words []string
	for _, v := range job.Parameters {
		if x, ok := job.Parameter(v.Name); ok {
			words = append(words, fmt.Sprintf("%s=%v", v.Name, x))
		}
	}
	if words == nil {
		return nil
	}
	return strings.Join(words, " ")
}
