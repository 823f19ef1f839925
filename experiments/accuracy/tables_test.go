package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"spvsim/internal/suite"
)

// committedResults reads a file of errors; err is set in rows that were not run. Simulated times have two digits, so a
// measured time, which weights the errors, is known to some per cent.
func committedResults(t *testing.T, name string) (list []result) {
	_, rows := suite.Rows(t, name)
	for _, row := range rows {
		ratio, err := strconv.ParseFloat(row[4], 64)
		simulated, bad := strconv.ParseFloat(row[3], 64)
		if (err == nil) != (bad == nil) || (err == nil) != (row[2] == "done") {
			t.Fatalf("%s: %v: want a time and a ratio where a point is done, and there alone", name, row)
		}
		list = append(list, result{point: &point{kernel: row[0], problem: row[1], microseconds: simulated / ratio}, simulated: simulated, err: err})
	}
	return list
}

// A summaryTable is errors in Markdown, one line a group of points.
type summaryTable struct{ strings.Builder }

func newSummaryTable(what string) *summaryTable {
	var b summaryTable
	fmt.Fprintf(&b, "| %s | measured | run | simulated / measured | factor | mean error | weighted error |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", what)
	return &b
}

func (b *summaryTable) line(name, all string, s summary) {
	if s.points == 0 {
		fmt.Fprintf(b, "| %s | %s | 0 | | | | |\n", name, all)
		return
	}
	fmt.Fprintf(b, "| %s | %s | %d | %.3f | %.3f | %.1f %% | %.1f %% |\n", name, all, s.points, s.bias, s.factor, 100*s.mean, 100*s.weighted)
}

// kernelTable is the errors by kernel.
func kernelTable(t *testing.T) string {
	list := committedResults(t, "errors.csv")
	b := newSummaryTable("kernel")
	names, groups := byKernel(list)
	for _, n := range names {
		b.line(n, strconv.Itoa(len(groups[n])), summarize(groups[n]))
	}
	b.line("all", strconv.Itoa(len(list)), summarize(list))
	return b.String()
}

// sizes are the classes of measured times, by their ends in microseconds.
var sizes = []struct {
	name string
	end  float64
}{{"below 6 us: launches and little else", 6}, {"6 to 20 us", 20}, {"20 to 100 us", 100}, {"above 100 us", math.Inf(1)}}

// sizeTable is the errors by measured time. Points that were not run have no class.
func sizeTable(t *testing.T) string {
	b := newSummaryTable("measured time")
	begin := 0.0
	for _, class := range sizes {
		var group []result
		for _, r := range committedResults(t, "errors.csv") {
			if r.err == nil && r.microseconds >= begin && r.microseconds < class.end {
				group = append(group, r)
			}
		}
		b.line(class.name, "", summarize(group))
		begin = class.end
	}
	return b.String()
}

// deviceRows reads the rows of other devices, each with a reason if it is off by more than a tenth.
func deviceRows(t *testing.T) string {
	table := suite.Must(readDevices())(t)
	var b strings.Builder
	b.WriteString("| machine | row | simulated / measured time | why it differs by more than 10 % |\n| --- | --- | ---: | --- |\n")
	for _, r := range committedResults(t, "devices.csv") {
		if r.err != nil {
			continue
		}
		why := ""
		if math.Abs(r.ratio()-1) > 0.1 {
			if why = table.reason(r.name()); why == "" {
				t.Errorf("%s: off by %.1f %%, and devices.yaml has no reason", r.name(), 100*(r.ratio()-1))
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %.3f | %s |\n", r.kernel, strings.ReplaceAll(r.problem, "|", "\\|"), r.ratio(), why)
	}
	return b.String()
}

// Each job of the table of devices runs at its own size on a machine that it is for, and its numbers equal the closed
// forms.
func TestDeviceJobs(t *testing.T) {
	table := suite.Must(readDevices())(t)
	for _, j := range table.Jobs {
		t.Run(j.Job, func(t *testing.T) {
			machine := "devices/rx-9060-xt.yaml"
			if strings.HasPrefix(j.Job, "chase") {
				if testing.Short() {
					t.Skip("takes a second")
				}
				machine = "devices/rx-7900-xtx.yaml"
			}
			s := suite.Must(setting("machine", machine))(t)
			p := &point{kernel: j.Job, job: "micro/" + j.Job + ".yaml", microseconds: 1}
			p.settings = append(p.settings, s)
			if r := simulate(t.Context(), p, nil, time.Minute); r.err != nil || !(r.simulated > 0) {
				t.Errorf("%v us, %v", r.simulated, r.err)
			}
		})
	}
}

// A row is found by its words, and its measurement becomes the time of the job that represents it.
func TestDevicePoints(t *testing.T) {
	table := suite.Must(readDevices())(t)
	for _, c := range []struct {
		row  published
		want string // machine, job and time; empty: no row of ours
	}{
		{published{gpu: "Radeon 780M", driver: "RADV", benchmark: "vkpeak", item: "int32-scalar", value: "100", unit: "GIOPS"}, `radeon-780m micro/peak-i32.yaml 251\.66`},
		{published{gpu: "Radeon 780M", driver: "RADV", benchmark: "vkpeak", item: "fp32-scalar", value: "100", unit: "GFLOPS"}, ""}, // sets the clock
		{published{gpu: "Radeon RX 7900 XTX", driver: "OpenCL", benchmark: "Chips and Cheese", item: "Infinity Cache latency, vector path, high power state", value: "100", unit: "ns"}, `rx-7900-xtx micro/chase-vector.yaml 409\.6`},
		{published{gpu: "Radeon RX 470", driver: "RADV", item: "MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1])", value: "200", unit: "us"}, `rx-470 micro/matvec-q4.yaml 200\.00`},
		{published{gpu: "Radeon RX 470", driver: "RADV", item: "MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=512,k=14336,bs=[1,1],nr=[1,1])", value: "200", unit: "us"}, ""},
		{published{gpu: "another", driver: "RADV", benchmark: "vkpeak", item: "int32-scalar", value: "100", unit: "GIOPS"}, ""},
	} {
		list := suite.Must(table.points(&c.row))(t)
		got := ""
		for _, p := range list {
			got += fmt.Sprintf("%s %s %.2f", p.kernel, p.job, p.microseconds)
		}
		if ok, _ := regexp.MatchString("^"+c.want+`\d*$`, got); !ok {
			t.Errorf("%s: %q, want %q", c.row.item, got, c.want)
		}
	}
}
