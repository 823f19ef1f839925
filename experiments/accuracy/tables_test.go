package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// The measured times in the repository, and what was simulated before it was compared with those of the MI300X.
const (
	mi300a      = "../figures/mi300a/measured.csv"
	mi300x      = "../figures/mi300x/measured.csv"
	mi300xTimes = "mi300x.csv"
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
		spread, _ := strconv.ParseFloat(row[6], 64)
		p := &point{kernel: row[0], problem: row[1], use: row[5], microseconds: simulated / ratio, repetitionSpread: spread}
		list = append(list, result{point: p, simulated: simulated, err: err})
	}
	return list
}

// predictedResults are the points measured on the MI300X, with the committed times; err is set where there is none.
func predictedResults(t *testing.T) (list []result) {
	points := suite.Must(readMeasured(mi300x))(t)
	times := map[string]result{}
	for _, r := range suite.Must(readTimes(mi300xTimes, points))(t) {
		times[r.name()] = r
	}
	for i := range points {
		r, ok := times[points[i].name()]
		if !ok {
			r = result{point: &points[i], err: errNotRun}
		}
		list = append(list, r)
	}
	return list
}

var errNotRun = errors.New("not run")

// A summaryTable is errors in Markdown, one line a group of points. What takes little longer than the shortest point of the
// device shows the launch alone.
type summaryTable struct {
	strings.Builder
	launch float64 // microseconds
}

func newSummaryTable(what string, list []result) *summaryTable {
	b := summaryTable{launch: math.Inf(1)}
	for _, r := range list {
		if r.err == nil {
			b.launch = min(b.launch, 1.2*r.microseconds)
		}
	}
	fmt.Fprintf(&b, "| %s | measured | run | repeat | simulated / measured | factor | factor beyond a launch | weighted error |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", what)
	return &b
}

// line is about the points that were run and that the device repeats.
func (b *summaryTable) line(name string, list []result) {
	all, measured := summarize(list), len(list)
	list = slices.DeleteFunc(slices.Clone(list), func(r result) bool { return !r.repeats() || r.err != nil })
	s := summarize(list)
	if s.points == 0 {
		fmt.Fprintf(b, "| %s | %d | %d | 0 | | | | |\n", name, measured, all.points)
		return
	}
	beyond := ""
	if s := summarize(slices.DeleteFunc(list, func(r result) bool { return r.microseconds < b.launch })); s.points > 0 {
		beyond = fmt.Sprintf("%.3f of %d", s.factor, s.points)
	}
	fmt.Fprintf(b, "| %s | %d | %d | %d | %.3f | %.3f | %s | %.1f %% |\n", name, measured, all.points, s.points, s.bias, s.factor, beyond, 100*s.weighted)
}

// kernelTable is the errors by kernel of those with one use.
func kernelTable(list []result, use string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(r result) bool { return r.use != use })
	b := newSummaryTable("kernel", list)
	names, groups := byKernel(list)
	for _, n := range names {
		b.line("`"+n+"`", groups[n])
	}
	b.line("all", list)
	return b.String()
}

// firstTable is the errors where nothing was chosen by the measurements.
func firstTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| device | what runs | points | factor | the device repeats within | numbers fitted |\n| --- | --- | ---: | ---: | --- | ---: |\n")
	line := func(device, what string, list []result, repeats, fitted string) {
		s := summarize(list)
		fmt.Fprintf(&b, "| %s | %s | %d | %.3f | %s | %s |\n", device, what, s.points, s.factor, repeats, fitted)
	}
	a := judged(committedResults(t, "errors.csv"), useJudge)
	line("MI300A", "five kernels", a, fmt.Sprintf("%.1f %% (median of mean over least time; points above 10 %% do not count)", 100*(medianSpread(a)-1)), fmt.Sprintf("%d, to other kernels", len(suite.Must(readKnobs())(t))))
	x := judged(predictedResults(t), useJudge)
	line("MI300X", "16 kernels, times committed before they were compared", x,
		"1.1 % above 40 us, 4 % below (medians of 63 triples); 19 and 37 % in a tenth of them", "none of the machine; three of the measurement's clock")
	line("both", "these 21 kernels", slices.Concat(a, x), "10 %, or not known", "7, to other kernels")
	clocks := map[string]string{}
	for _, d := range suite.Must(readDevices())(t).Devices {
		if d.Clock != "" {
			clocks[d.Name] = "the clock"
		}
	}
	names, groups := byKernel(committedResults(t, "devices.csv"))
	for _, n := range names {
		kinds := map[string][]result{}
		for _, r := range groups[n] {
			k := kind(r.problem)
			kinds[k] = append(kinds[k], r)
		}
		for _, k := range slices.Sorted(maps.Keys(kinds)) {
			if summarize(kinds[k]).points > 0 {
				line("`"+n+"`", k, kinds[k], "not known", cmp.Or(clocks[n], "none"))
			}
		}
	}
	return b.String()
}

// curveTable is how far the simulated points of each published curve are from it.
func curveTable(t *testing.T) string {
	var list []result
	_, rows := suite.Rows(t, "curves.csv")
	for _, row := range rows {
		ratio, err := strconv.ParseFloat(row[5], 64)
		list = append(list, result{point: &point{kernel: row[0], problem: row[1], microseconds: 1}, simulated: ratio, err: err})
	}
	var b strings.Builder
	b.WriteString("| curve | points | run | simulated / measured | factor | within 10 % | farthest |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	names, groups := byKernel(list)
	for _, n := range names {
		done := slices.DeleteFunc(slices.Clone(groups[n]), func(r result) bool { return r.err != nil })
		if len(done) == 0 {
			t.Errorf("curves.csv: no point of %s was run", n)
			continue
		}
		off := func(r result) float64 { return math.Abs(math.Log(r.ratio())) }
		far := slices.MaxFunc(done, func(a, b result) int { return cmp.Compare(off(a), off(b)) })
		near := 0
		for _, r := range done {
			if off(r) <= math.Log(1.1) {
				near++
			}
		}
		s := summarize(done)
		fmt.Fprintf(&b, "| `%s` | %d | %d | %.3f | %.3f | %d | `%s`: %.2f |\n", n, len(groups[n]), s.points, s.bias, s.factor, near, far.problem, far.ratio())
	}
	return b.String()
}

// constantTable has each constant that a micro-benchmark measured, beside the same benchmark simulated: latencies within 5 %, bandwidths within 10 %,
// but for those that constantsOff gives a reason for.
func constantTable(t *testing.T) string {
	columns, rows := suite.Rows(t, "../figures/constants.csv")
	at := func(row []string, column string) string { return row[slices.Index(columns, column)] }
	var b strings.Builder
	b.WriteString("| device | level | quantity | measured | simulated | simulated / measured | why it is off |\n| --- | --- | --- | ---: | ---: | ---: | --- |\n")
	for _, row := range rows {
		if at(row, "part") != "2" {
			continue
		}
		quantity, bound := at(row, "quantity"), 1.1
		if strings.HasPrefix(quantity, "latency") {
			bound = 1.05
		}
		simulated, ratio := number(t, at(row, "simulated")), number(t, at(row, "ratio"))
		name := strings.Join([]string{strings.TrimPrefix(at(row, "device"), "AMD Instinct "), at(row, "level"), quantity}, " ")
		off := max(ratio, 1/ratio) > bound
		if why := constantsOff[name]; off != (why != "") {
			t.Errorf("%s: simulated / measured is %.3f, and constantsOff says %q: want a reason beyond a factor of %g, and none within", name, ratio, why, bound)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %.3f | %s |\n", strings.TrimPrefix(at(row, "device"), "AMD Instinct "), at(row, "level"), quantity, at(row, "measured"), strconv.FormatFloat(math.Round(simulated*10)/10, 'f', -1, 64), ratio, constantsOff[name])
	}
	return b.String()
}

// structureTable has what a micro-benchmark found of the structure of devices, beside the presets.
func structureTable(t *testing.T) string {
	presets := map[string]string{"AMD Instinct MI300A": "cdna3-mi300a", "AMD Instinct MI300X VF": "cdna3-mi300x", "AMD Instinct MI210": "cdna2-mi210"}
	caches := map[string]string{"l1": "vector_l1", "l2": "l2", "l3": "memory_side", "scalarL1": "scalar_l1"}
	machines := map[string]map[string]string{}
	_, rows := suite.Rows(t, "../figures/constants/measured.csv")
	var b strings.Builder
	b.WriteString("| device | level | quantity | measured | preset | why it is another |\n| --- | --- | --- | ---: | ---: | --- |\n")
	for _, row := range rows {
		device, level, quantity := row[0], row[1], row[2]
		if machines[device] == nil {
			machines[device] = values(suite.Must(config.LoadMachine(config.Request{Machine: presets[device]}))(t))
		}
		of, cache := machines[device], caches[level]
		var preset float64
		switch quantity {
		case "units":
			preset = number(t, of["shader_engines"]) * number(t, of["compute_units"])
		case "clock":
			preset = number(t, of["clock_mhz"])
		case "size":
			preset = number(t, of[cache+".bytes"])
		case "lineSize":
			preset = number(t, of[cache+".line_bytes"])
		case "fetchGranularity":
			preset = cmp.Or(number(t, of[cache+".sector_bytes"]), number(t, of[cache+".line_bytes"]))
		default:
			continue
		}
		name := strings.Join([]string{strings.TrimPrefix(device, "AMD Instinct "), level, quantity}, " ")
		if why := structureOff[name]; (number(t, row[3]) != preset) != (why != "") {
			t.Errorf("%s: measured %s, preset %g, and structureOff says %q: want a reason where they differ, and none where they agree", name, row[3], preset, why)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", strings.TrimPrefix(device, "AMD Instinct "), level, quantity, row[3], strconv.FormatFloat(preset, 'f', -1, 64), structureOff[name])
	}
	return b.String()
}

// structureOff has why a number of structureTable is another one in the preset.
var structureOff = map[string]string{
	"MI300A scalarL1 size":    scalarSize,
	"MI300X VF scalarL1 size": scalarSize,
	"MI210 scalarL1 size":     scalarSize,
	"MI300X VF l3 lineSize":   "a request of the L2 is 128 bytes, and a line of the preset as many",
}

const scalarSize = "documents have 16 KB; mt4g has the size at which latencies change"

// constantsOff has why a constant is further off than the others may be.
var constantsOff = map[string]string{
	"MI300X VF l2 writeBandwidth": "conflict: six of the same XCDs write 7,165 GiB/s on an MI300A, eight 6,562",
	"MI210 l2 writeBandwidth":     "not known: requests that wait in order leave 83 % of the published 64 B/clk a channel; queues, write buffers, places of pages and the instructions of the loop change it by 4 % at most; 32 B/clk from a unit, which no source has, would give 0.92",
	"MI210 main readBandwidth":    "conflict: streams of gpu-benches read 1,366 GB/s, 1,272 GiB/s, of 1 GB; mt4g reads 17 GB, and page tables are not walked here",
	"MI210 main writeBandwidth":   "conflict: streams of gpu-benches write 1,539 GB/s, 1,433 GiB/s, of 1 GB; mt4g writes 17 GB",
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	return suite.Must(strconv.ParseFloat(text, 64))(t)
}

// kind is what a row of published times shows.
func kind(row string) string {
	switch {
	case strings.HasPrefix(row, "vkpeak"):
		return "peak rates"
	case strings.Contains(row, "latency"):
		return "latency"
	case strings.HasPrefix(row, "MUL_MAT") || strings.Contains(row, "GEMV") || strings.Contains(row, "vmt"):
		return "products of a matrix and a vector"
	}
	return "windows as columns"
}

func medianSpread(list []result) float64 {
	var spreads []float64
	for _, r := range list {
		if r.err == nil {
			spreads = append(spreads, r.repetitionSpread)
		}
	}
	slices.Sort(spreads)
	return spreads[len(spreads)/2]
}

// distrustTable lists the kernels with points off by more than 15 %, by the direction.
func distrustTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| device | kernel | use | points off by more than 15 % | simulated / measured |\n| --- | --- | --- | --- | ---: |\n")
	for _, d := range []struct {
		name string
		list []result
	}{{"MI300A", committedResults(t, "errors.csv")}, {"MI300X", predictedResults(t)}} {
		names, groups := byKernel(d.list)
		for _, n := range names {
			run, off := 0, []result{}
			for _, r := range groups[n] {
				if r.err == nil && r.repeats() {
					if run++; math.Abs(math.Log(r.ratio())) > math.Log(1.15) {
						off = append(off, r)
					}
				}
			}
			if len(off) > 0 {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %d of %d | %s |\n", d.name, n, off[0].use, len(off), run, ratioRange(off))
			}
		}
	}
	return b.String()
}

// fittedTable lists the numbers that are fitted to kernels, with what they were fitted to.
func fittedTable(t *testing.T) string {
	m := suite.Must(config.LoadMachine(config.Request{Machine: "cdna3-mi300a"}))(t)
	text := values(m)
	var b strings.Builder
	b.WriteString("| number | value | source |\n| --- | ---: | --- |\n")
	for _, k := range suite.Must(readKnobs())(t) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Path, text[k.Path], m.Sources[k.Path])
	}
	return b.String()
}

// deviceRows lists the rows of other devices that are off by more than a tenth, by the reason, which each must have.
func deviceRows(t *testing.T) string {
	table := suite.Must(readDevices())(t)
	type group struct{ machine, why string }
	var order []group
	rows := map[group][]result{}
	for _, r := range committedResults(t, "devices.csv") {
		if r.err != nil || math.Abs(r.ratio()-1) <= 0.1 {
			continue
		}
		g := group{r.kernel, table.reason(r.name())}
		if g.why == "" {
			t.Errorf("%s: off by %.1f %%, and devices.yaml has no reason", r.name(), 100*(r.ratio()-1))
		}
		if rows[g] == nil {
			order = append(order, g)
		}
		rows[g] = append(rows[g], r)
	}
	var b strings.Builder
	b.WriteString("| machine | rows | simulated / measured time | why |\n| --- | --- | ---: | --- |\n")
	for _, g := range order {
		name, more := rows[g][0].problem, ""
		if n := len(rows[g]); n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		fmt.Fprintf(&b, "| `%s` | %s%s | %s | %s |\n", g.machine, strings.ReplaceAll(name, "|", "\\|"), more, ratioRange(rows[g]), g.why)
	}
	return b.String()
}

// ratioRange writes the least and the greatest ratio.
func ratioRange(list []result) string {
	low, high := list[0].ratio(), list[0].ratio()
	for i := range list {
		low, high = min(low, list[i].ratio()), max(high, list[i].ratio())
	}
	if text := fmt.Sprintf("%.2f", high); text != fmt.Sprintf("%.2f", low) {
		return fmt.Sprintf("%.2f to %s", low, text)
	}
	return fmt.Sprintf("%.2f", low)
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

// Products of matrices of a peak are two chains of eight in each round, of which the compiler keeps both.
func TestPeaksKeepTheirProducts(t *testing.T) {
	for _, format := range []string{"f16", "bf16", "e4m3", "e5m2", "s8"} {
		s := stats(t, os.DirFS("."), "micro/peak-matrix-"+format, "machine=devices/rx-9060-xt.yaml")
		products := uint64(0)
		for class, n := range s.ByClass {
			if isa.Class(class).Matrix() {
				products += n
			}
		}
		if want := uint64(8 * 16 * 2 * 8); products != want { // groups of a wave, rounds
			t.Errorf("%s: %d products, want %d", format, products, want)
		}
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

// reason returns the known reason for a row's error, or "".
func (t *deviceTable) reason(name string) string {
	for _, r := range t.Reasons {
		if r.rows.MatchString(name) {
			return r.Text
		}
	}
	return ""
}
