package measure

import (
	"fmt"
	"strings"
	"time"

	"spvsim/config"
	"spvsim/experiments/sweep"
	"spvsim/vulkan/device"
)

// Disturbances words what makes times uncertain on this device.
func (r *Result) Disturbances(p *device.Physical) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if p.Software() {
		add("the device is software on this computer's processor: its times say nothing of a GPU")
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
	var rows []StepTime
	launches := 0
	for _, s := range r.Steps {
		launches += s.Launches
		rows = append(rows, s)
	}
	rows = append(rows, StepTime{Launches: launches, Times: r.Total})
	t := &sweep.Table{Rows: len(rows)}
	each := func(name string, value func(s *StepTime) any) {
		list := make([]any, len(rows))
		for i := range rows {
			list[i] = value(&rows[i])
		}
		t.Add(name, list)
	}
	same := func(name string, value any) { each(name, func(*StepTime) any { return value }) }
	same("job", job.Name)
	same("parameters", parametersText(job))
	each("step", func(s *StepTime) any {
		if s.Name == "" {
			return nil
		}
		return s.Name
	})
	each("launches", func(s *StepTime) any { return int64(s.Launches) })
	for _, c := range timeColumns {
		each(c.name, func(s *StepTime) any { return c.value(s.Times) })
	}
	same("repetitions", int64(len(r.Total)))
	same("granularity_us", r.Granularity)
	for _, c := range deviceColumns(p, r.After, now) {
		same(c.name, c.value)
	}
	same("results", map[bool]string{true: "right", false: "wrong"}[len(r.Failures) == 0])
	return t
}

// parametersText lists a job's parameters as name=value.
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

// timeColumns are the columns of a measured time, in microseconds but for the spread.
var timeColumns = []struct {
	name  string
	value func(s Sample) float64
}{
	{"measured_us", Sample.Median},
	{"measured_min_us", func(s Sample) float64 { return s.Quantile(0) }},
	{"measured_mean_us", Sample.Mean},
	{"measured_max_us", func(s Sample) float64 { return s.Quantile(1) }},
	{"measured_spread", Sample.Spread},
}

type cell struct {
	name  string
	value any
}

// deviceColumns say where and when a time was measured.
func deviceColumns(p *device.Physical, c Clocks, now time.Time) []cell {
	unknown := func(mhz int) any {
		if mhz == 0 {
			return nil
		}
		return int64(mhz)
	}
	return []cell{
		{"device", p.Name}, {"driver", p.Driver}, {"date", now.UTC().Format(time.DateOnly)},
		{"core_mhz", unknown(c.CoreMHz)}, {"memory_mhz", unknown(c.MemoryMHz)},
	}
}
