package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"spvsim/experiments/sweep"
	"spvsim/gpu"
	"spvsim/vulkan/device"
)

// A Request is a point of a sweep to measure.
type Request struct {
	Spec    sweep.Spec `json:"spec"`
	Device  string     `json:"device"`
	Options Options    `json:"options"`
	Seconds float64    `json:"seconds"` // 0: no limit
}

// A Point is the measurement of a point of a sweep: columns of its row.
type Point struct {
	US            float64 `json:"measured_us"`
	MinUS         float64 `json:"measured_min_us"`
	MeanUS        float64 `json:"measured_mean_us"`
	MaxUS         float64 `json:"measured_max_us"`
	Spread        float64 `json:"measured_spread"`
	Repetitions   int     `json:"repetitions"`
	GranularityUS float64 `json:"granularity_us"`
	Device        string  `json:"device"`
	Software      bool    `json:"software"`
	Driver        string  `json:"driver"`
	Date          string  `json:"date"`
	CoreMHz       int     `json:"core_mhz"`
	MemoryMHz     int     `json:"memory_mhz"`
	Error         string  `json:"error"` // why there is no measurement, or what is wrong with its results
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
	out := &Point{
		US: r.Total.Median(), MinUS: r.Total.Quantile(0), MeanUS: r.Total.Mean(), MaxUS: r.Total.Quantile(1), Spread: r.Total.Spread(),
		Repetitions: len(r.Total), GranularityUS: r.Granularity, Device: p.Name, Software: p.Software(), Driver: p.Driver,
		Date: now.UTC().Format(time.DateOnly), CoreMHz: r.After.CoreMHz, MemoryMHz: r.After.MemoryMHz,
	}
	if len(r.Failures) > 0 {
		out.Error = fmt.Sprintf("%v: %v", ErrValues, errors.Join(r.Failures...))
	}
	return out, nil
}

// Columns adds the measurements of a sweep's rows to them.
func Columns(t *sweep.Table, list []*Point) error {
	cells := make([]map[string]any, len(list))
	for i, p := range list {
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &cells[i]); err != nil {
			return err
		}
	}
	for _, name := range []string{
		"measured_us", "measured_min_us", "measured_mean_us", "measured_max_us", "measured_spread", "repetitions", "granularity_us", "device", "driver", "date",
		"core_mhz", "memory_mhz", "error",
	} {
		values := make([]any, len(list))
		for i := range list {
			switch v := cells[i][name]; {
			case v == "" || v == 0.0 && name != "measured_spread" || list[i].US == 0 && name != "error":
			case name == "repetitions" || strings.HasSuffix(name, "_mhz"):
				values[i] = int64(v.(float64))
			default:
				values[i] = v
			}
		}
		if name == "error" {
			name = "measured_error"
		}
		t.Add(name, values)
	}
	return nil
}
