package measure

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"spvsim/vulkan/device"
)

// ErrRows reports rows that can't be compared.
var ErrRows = errors.New("rows without measured times")

// A Comparison is simulated beside measured times.
type Comparison struct {
	Device, Type, Driver, Date string
	Constants                  []Constant
	Kernels                    []Kernel
	Failed                     []string // points without a measurement, with why
}

// A Constant is the difference of two runs of a micro-benchmark, per unit of work.
type Constant struct {
	Name, Unit          string
	Key                 string // of the machine; empty: none has it alone
	Simulated, Measured float64
	Spread              float64 // of Measured, from the interquartile ranges of both runs: (spread1 t1 + spread2 t2) / (t2 - t1)
}

// A Kernel is the time of a job.
type Kernel struct {
	Name                    string
	SimulatedUS, MeasuredUS float64
	Spread                  float64
}

// factor is how far two numbers are apart: the larger over the smaller.
func factor(a, b float64) float64 { return max(a/b, b/a) }

// Factor is simulated beside measured.
func (c *Constant) Factor() float64 { return factor(c.Simulated, c.Measured) }

// Factor is simulated beside measured.
func (k *Kernel) Factor() float64 { return factor(k.SimulatedUS, k.MeasuredUS) }

// A row is a line of a table by the names of its columns.
type row map[string]string

func (r row) number(name string) float64 {
	x, err := strconv.ParseFloat(r[name], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// label names a row by its parameters, which come before the column status.
func (r row) label() string { return r["\x00label"] }

// readMeasured reads rows with measured times.
func readMeasured(from io.Reader) ([]row, error) {
	names, list, err := readRows(from)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(names, "measured_us"):
		return nil, fmt.Errorf("%w: found no column measured_us: want rows of sweep --measure", ErrRows)
	case !slices.Contains(names, "seconds") && !slices.Contains(names, "simulated_us"):
		return nil, fmt.Errorf("%w: found neither the column seconds nor simulated_us", ErrRows)
	}
	return list, nil
}

func readRows(from io.Reader) (names []string, list []row, err error) {
	lines, err := csv.NewReader(from).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, nil, err
	}
	for _, line := range lines[1:] {
		r := row{}
		var label []string
		before := true
		for i, name := range lines[0] {
			r[name] = line[i]
			before = before && name != "status"
			if before && name != "point" && line[i] != "" && name != "part" && name != "work" && name != "unit" && name != "key" && name != "constant" && name != "kernel" {
				label = append(label, line[i])
			}
		}
		r["\x00label"] = strings.Join(label, " ")
		list = append(list, r)
	}
	return lines[0], list, nil
}

// simulatedUS is the simulated time of a row.
func (r row) simulatedUS() float64 {
	if r["simulated_us"] != "" {
		return r.number("simulated_us")
	}
	return 1e6 * r.number("seconds")
}

// perWork is the amount for each unit of work of the difference of two runs: ns for each operation, or work for each ns (G/s).
func perWork(unit string, work, us float64) float64 {
	if unit == "ns" {
		return 1000 * us / work
	}
	return work / (1000 * us)
}

// Compare reads the rows of sweep --measure. Rows with a constant are its two runs, others are kernels.
func Compare(from io.Reader) (*Comparison, error) {
	rows, err := readMeasured(from)
	if err != nil {
		return nil, err
	}
	c := &Comparison{}
	first := map[string]row{}
	for _, r := range rows {
		switch {
		case r["measured_us"] == "" || r["status"] != "" && r["status"] != "done":
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %s", r.label(), cmp.Or(r["measured_error"], r["error"])))
			continue
		case r["measured_error"] != "":
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %s", r.label(), r["measured_error"]))
		}
		c.Device, c.Type, c.Driver, c.Date = r["device"], r["device_type"], r["driver"], r["date"]
		name := r["constant"]
		switch short, has := first[name]; {
		case name == "":
			c.Kernels = append(c.Kernels, Kernel{r.label(), r.simulatedUS(), r.number("measured_us"), r.number("measured_spread")})
		case !has:
			first[name] = r
		default:
			c.Constants = append(c.Constants, constantOf(short, r))
		}
	}
	return c, nil
}

func constantOf(short, long row) Constant {
	work := long.number("work") - short.number("work")
	measured := long.number("measured_min_us") - short.number("measured_min_us") // the least: what disturbs only adds
	spread := (short.number("measured_us")*short.number("measured_spread") + long.number("measured_us")*long.number("measured_spread")) / measured
	return Constant{
		Name: long["constant"], Unit: long["unit"], Key: long["key"], Spread: spread,
		Simulated: perWork(long["unit"], work, long.simulatedUS()-short.simulatedUS()), Measured: perWork(long["unit"], work, measured),
	}
}

// MeanFactor is the geometric mean of the kernels' factors.
func (c *Comparison) MeanFactor() float64 {
	sum := 0.0
	for i := range c.Kernels {
		sum += math.Log(c.Kernels[i].Factor())
	}
	return math.Exp(sum / float64(len(c.Kernels)))
}

// WeightedError is the sum of the differences of the kernels' times over the sum of the measured times.
func (c *Comparison) WeightedError() float64 {
	off, all := 0.0, 0.0
	for _, k := range c.Kernels {
		off, all = off+math.Abs(k.SimulatedUS-k.MeasuredUS), all+k.MeasuredUS
	}
	return off / all
}

// NoMeaning is what is said of a software device's times.
const NoMeaning = "the device is software on this computer's processor: its times have no meaning for a GPU"

// Write shows a comparison: its constants, then its kernels, the worst first.
func (c *Comparison) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "device\t%s, %s, %s\n", c.Device, c.Driver, c.Date)
	if c.Type == device.Software {
		fmt.Fprintf(t, "note\t%s\n", NoMeaning)
	}
	if len(c.Kernels) > 0 {
		fmt.Fprintf(t, "factor\t%.3f in the geometric mean of %d points; weighted error %.1f %%\n", c.MeanFactor(), len(c.Kernels), 100*c.WeightedError())
	}
	for _, text := range c.Failed {
		fmt.Fprintf(t, "failed\t%s\n", text)
	}
	if len(c.Constants) > 0 {
		fmt.Fprintf(t, "\nconstant\tsimulated\tmeasured\tunit\tfactor\tspread\tkey of the machine\n")
		for _, k := range c.Constants {
			fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%s\t%.2f\t%.1f %%\t%s\n", k.Name, k.Simulated, k.Measured, k.Unit, k.Factor(), 100*k.Spread, cmp.Or(k.Key, "-"))
		}
	}
	if len(c.Kernels) > 0 {
		list := slices.Clone(c.Kernels)
		slices.SortStableFunc(list, func(a, b Kernel) int { return cmp.Compare(b.Factor(), a.Factor()) })
		fmt.Fprintf(t, "\npoint\tsimulated us\tmeasured us\tfactor\tspread\n")
		for _, k := range list {
			fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%.1f %%\n", k.Name, k.SimulatedUS, k.MeasuredUS, k.Factor(), 100*k.Spread)
		}
	}
	return t.Flush()
}
