package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"spvsim/experiments/sweep"
	"spvsim/gpu"
	"spvsim/internal/lists"
	"spvsim/vulkan/device"
)

// A Request is a point of a sweep to measure.
type Request struct {
	Spec    sweep.Spec `json:"spec"`
	Device  string     `json:"device"`
	Options Options    `json:"options"`
	Seconds float64    `json:"seconds"` // 0: no limit
}

// A Point is a measured time, and where and when it was measured: columns of a row.
type Point struct {
	US, MinUS, MeanUS, MaxUS, Spread float64
	Repetitions                      int // 0: there is no measurement
	GranularityUS                    float64
	Device, Type, Driver, Date       string
	CoreMHz, MemoryMHz               int    // 0: unknown
	Error                            string // why there is no measurement, or what is wrong with its results
}

// point describes a time of a measurement.
func (r *Result) point(s Sample, p *device.Physical, now time.Time) *Point {
	return &Point{
		US: s.Median(), MinUS: s.Quantile(0), MeanUS: s.Mean(), MaxUS: s.Quantile(1), Spread: s.Spread(),
		Repetitions: len(s), GranularityUS: r.Granularity, Device: p.Name, Type: p.Kind(), Driver: p.Driver,
		Date: now.UTC().Format(time.DateOnly), CoreMHz: r.After.CoreMHz, MemoryMHz: r.After.MemoryMHz,
	}
}

// columns are the columns of measured times, in microseconds but for the spread.
var columns = []struct {
	name  string
	value func(p *Point) any
}{
	{"measured_us", func(p *Point) any { return p.US }},
	{"measured_min_us", func(p *Point) any { return p.MinUS }},
	{"measured_mean_us", func(p *Point) any { return p.MeanUS }},
	{"measured_max_us", func(p *Point) any { return p.MaxUS }},
	{"measured_spread", func(p *Point) any { return p.Spread }},
	{"repetitions", func(p *Point) any { return int64(p.Repetitions) }},
	{"granularity_us", func(p *Point) any { return p.GranularityUS }},
	{"device", func(p *Point) any { return p.Device }},
	{"device_type", func(p *Point) any { return p.Type }},
	{"driver", func(p *Point) any { return p.Driver }},
	{"date", func(p *Point) any { return p.Date }},
	{"core_mhz", func(p *Point) any { return clockOrNil(p.CoreMHz) }},
	{"memory_mhz", func(p *Point) any { return clockOrNil(p.MemoryMHz) }},
}

// clockOrNil is a clock as a cell, which is empty where the clock is not clockOrNil.
func clockOrNil(mhz int) any {
	if mhz == 0 {
		return nil
	}
	return int64(mhz)
}

// addColumns adds measured times to rows. Rows without a measurement stay empty.
func addColumns(t *sweep.Table, list []*Point) {
	for _, c := range columns {
		values := make([]any, len(list))
		for i, p := range list {
			if p.Repetitions > 0 {
				values[i] = c.value(p)
			}
		}
		t.Add(c.name, values)
	}
}

// Columns adds the measurements of a sweep's rows to them, and why there is none.
func Columns(t *sweep.Table, list []*Point) {
	addColumns(t, list)
	failures := make([]any, len(list))
	for i, p := range list {
		if p.Error != "" {
			failures[i] = p.Error
		}
	}
	t.Add("measured_error", failures)
}

// Recorded adds the measurements of rows of an earlier sweep: to each row those of the row with the same parameters, which may be of
// another machine.
func Recorded(t *sweep.Table, from io.Reader) error {
	earlier, err := readMeasured(from)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.WriteCSV(&text); err != nil {
		return err
	}
	_, rows, err := readRows(&text)
	if err != nil {
		return err
	}
	found := map[string]row{}
	for _, r := range earlier {
		found[r.label()] = r
	}
	if !slices.ContainsFunc(rows, func(r row) bool { return found[r.label()] != nil }) {
		return fmt.Errorf("%w: found no row of this experiment: want rows of the same experiment with --measure", ErrRows)
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	for _, name := range append(names, "measured_error") {
		values := lists.Map(rows, func(r row) any { return cellOf(found[r.label()][name]) })
		t.Add(name, values)
	}
	return nil
}

func cellOf(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	if text == "" {
		return nil
	}
	return text
}

// MeasurePoint measures a point. What fails is in the answer.
func MeasurePoint(ctx context.Context, q *Request, now time.Time) *Point {
	p, err := measurePoint(ctx, q, now)
	if err != nil {
		p = &Point{Error: strings.Join(strings.Fields(err.Error()), " ")}
	}
	return p
}

func measurePoint(ctx context.Context, q *Request, now time.Time) (*Point, error) {
	run, err := q.Spec.Ready(nil)
	if err != nil {
		return nil, err
	}
	i, err := device.Open()
	if err != nil {
		return nil, err
	}
	p, err := i.Find(q.Device)
	if err != nil {
		return nil, err
	}
	h, err := gpu.NewHardwareJob(ctx, gpu.Setup{Machine: run.Machine, Job: run.Job})
	if err != nil {
		return nil, err
	}
	if q.Seconds > 0 {
		q.Options.Deadline = now.Add(time.Duration(q.Seconds * float64(time.Second)))
	}
	r, err := Run(ctx, p, h, q.Options)
	if err != nil {
		return nil, err
	}
	out := r.point(r.Total, p, now)
	if len(r.Failures) > 0 {
		out.Error = fmt.Sprintf("%v: %v", ErrValues, errors.Join(r.Failures...))
	}
	return out, nil
}
