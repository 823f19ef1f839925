package rows_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/internal/suite"
	"spvsim/plots"
	"spvsim/tracing/report"
	"spvsim/vulkan/rows"
)

const recorded = `number,process,device,machine,clock_mhz,queue,kind,name,pipeline,entry,module,groups_x,groups_y,groups_z,begin_cycle,cycles,microseconds,timed_share,estimated_cycles,interval_cycles,confidence,instructions,transfer_bytes,slot_cycles_issued,slot_cycles_memory,slot_cycles_empty,l2_hits,l2_bytes,captured,host_seconds
1,7,1,m,1000,0.0,dispatch,layer/a,a,main,12345678,4,1,1,0,1500,1.5,1,0,,,10,0,100,300,600,0,64,,0.25
2,7,1,m,1000,1.0,transfer,copy,copy,,,0,0,0,1500,4000,4,1,0,,,0,128,0,0,0,0,0,,0.25
3,7,1,m,1000,0.0,dispatch,layer/a,a,main,12345678,4,1,1,5500,1500,1.5,0.25,750,75,0.95,20,0,0,0,0,0,0,,0.5
4,7,1,m,1000,0.0,dispatch,b,b,main,9e,2,3,1,7000,7000,7,1,0,,,5,0,1,2,3,0,32,0001.yaml,0.5
5,7,1,m,1000,0.0,graph,g,g,graph,of 2,0,0,0,14000,0,0,0,0,,,8,0,0,0,0,0,0,,0.5
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	suite.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func read(t *testing.T, text string) *rows.File {
	t.Helper()
	f := suite.Must(rows.Read(write(t, "rows.csv", text)))(t)
	return f
}

// Rows are added up by name, including the estimated and the functional parts.
func TestGroups(t *testing.T) {
	got := read(t, recorded).Groups()
	want := []rows.WorkTotal{
		{Name: "b", Kind: "dispatch", Times: 1, Microseconds: 7, Instructions: 5, HostSeconds: 0.5},
		{Name: "copy", Kind: "transfer", Times: 1, Microseconds: 4, HostSeconds: 0.25, Bytes: 128},
		{Name: "layer/a", Kind: "dispatch", Times: 2, Microseconds: 3, Estimated: 0.75, Instructions: 30, HostSeconds: 0.75},
		{Name: "g", Kind: "graph", Times: 1, Untimed: 1, Instructions: 8, HostSeconds: 0.5},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(rows.WorkTotal{})); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	suite.OK(t, rows.Summarize(&b, got))
	suite.Contains(t, b.String(), "14.000 us in 5 dispatches and transfers, 43 instructions", "50.0%", "estimated     0.750 us", "transfers     128 bytes", "copy, 128 bytes\n", "without time  1 dispatches")
}

// The rows of a killed program are read up to the truncated one; the header of another process is skipped.
func TestRowsOfKilledProgram(t *testing.T) {
	header, _, _ := strings.Cut(recorded, "\n")
	cut := strings.Index(recorded, "\n5,")
	for _, end := range []string{"\n5,7,1,m,10", "\n" + header + "\n", "\n5,7,1,\"m"} {
		if f := read(t, recorded[:cut]+end); len(f.Rows) != 4 || !f.HasDevice() {
			t.Errorf("%d rows before %q, want 4", len(f.Rows), end)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none.csv"), write(t, "rows.csv", "")} {
		if f, err := rows.Read(path); err != nil || len(f.Rows) != 0 || f.HasDevice() {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
}

// Bad rows are refused with their place.
func TestReadRefusesBadRows(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"begin_cycle", "begin", "no column begin_cycle"},
		{",7000,7000,7,", ",7000,many,7,", `row 4: rows of a program: cycles: found "many"`},
		{",7000,7000,7,", ",-1,7000,7,", `begin_cycle: found "-1"`},
		{",7000,7000,7,", ",7000,7000,Inf,", `microseconds: found "Inf"`},
		{",7000,7000,7,", ",7000,1.5,7,", `want a whole number`},
		{",7000,7000,7,", ",7000,9223372036854775808,7,", `want a whole number`},
		{"graph,g", "picture,g", `kind: found "picture"`},
	} {
		_, err := rows.Read(write(t, "rows.csv", strings.Replace(recorded, c.from, c.to, 1)))
		if !errors.Is(err, rows.ErrRows) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	if _, err := rows.Read(write(t, "rows.parquet", "PAR1")); err == nil {
		t.Error("a damaged Parquet file was read")
	}
}

// Rows survive a round trip through Parquet, including texts that look like numbers; columns have types.
func TestParquet(t *testing.T) {
	f := read(t, recorded)
	var b bytes.Buffer
	suite.OK(t, f.WriteParquet(&b))
	back := suite.Must(rows.Read(write(t, "rows.parquet", b.String())))(t)
	if diff := cmp.Diff(f.Rows, back.Rows); diff != "" {
		t.Error(diff)
	}
	table := suite.Must(plots.ReadParquet("rows.parquet", b.Bytes()))(t)
	for name, want := range map[string]plots.Type{"queue": plots.Text, "module": plots.Text, "cycles": plots.Number, "microseconds": plots.Number} {
		if got := table.Column(name).Type; got != want {
			t.Errorf("column %s is of type %v, want %v", name, got, want)
		}
	}
	for name, unit := range map[string]string{"l2_hits": "accesses", "l2_bytes": "bytes", "slot_cycles_memory": "slot cycles", "microseconds": "us"} {
		if note := `"name":"` + name + `","type":"` + map[bool]string{true: "real", false: "integer"}[unit == "us"] + `","role":"result","unit":"` + unit + `"`; !strings.Contains(b.String(), note) {
			t.Errorf("column %s has not the unit %s", name, unit)
		}
	}
}

// The page has a line for each pipeline with where its time went, and one for each dispatch.
func TestPage(t *testing.T) {
	f := read(t, recorded)
	p := f.Page("program")
	var names []string
	for i := range p.Pipelines {
		names = append(names, p.Pipelines[i].Name)
	}
	if diff := cmp.Diff([]string{"b", "copy", "a", "g"}, names); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	suite.OK(t, report.WritePrograms(&b, []*report.Program{p}, nil))
	suite.Contains(t, b.String(), "<h1>program</h1>", "on m", "a: 2 times, 3 µs, 21.4%", "memory 75.0%", "± 0.07", "<dt>functional</dt><dd>1</dd>", "2 × 3 × 1", "l2 bytes", "layer/a")
}

// The trace has a track for each queue, with labels and work on it, and counters.
func TestTrace(t *testing.T) {
	var b bytes.Buffer
	suite.OK(t, read(t, recorded).WriteTrace(&b, "program"))
	for _, want := range []string{"program on m at 1000 MHz", "queue 0.0", "queue 1.0", "layer", "copy", "instructions a cycle", "slot-cycles memory", "l2, bytes a cycle"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("no %q in the trace", want)
		}
	}
}

// Accesses out of bounds are reported, with the name that has most of them, and shown on the page.
func TestOutOfBounds(t *testing.T) {
	const text = "number,kind,name,pipeline,begin_cycle,cycles,microseconds,out_of_bounds\n1,dispatch,a,a,0,10,1,3\n2,dispatch,b,b,10,10,1,40\n3,dispatch,a,a,20,10,1,4\n"
	f := read(t, text)
	var b strings.Builder
	if err := rows.Summarize(&b, f.Groups()); err != nil || !strings.Contains(b.String(), "out of bounds 47 accesses, read as zero or dropped; 40 of them in b\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	suite.OK(t, report.WritePrograms(&b, []*report.Program{f.Page("program", "all of it")}, nil))
	suite.Contains(t, b.String(), "<dt>out of bounds</dt><dd>47</dd>", "66.7%, 7 accesses out of bounds", "Not on this page:</strong> all of it")
	b.Reset()
	if err := rows.Summarize(&b, read(t, recorded).Groups()); err != nil || strings.Contains(b.String(), "bounds") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Labels that differ only in a number are one name; numbers within words, and those of pipelines, are kept. The clock
// is the end of the last work.
func TestLabelsAreFolded(t *testing.T) {
	const text = "number,clock_mhz,kind,name,pipeline,begin_cycle,cycles,microseconds\n1,1000,dispatch,submit 1/q4_0/mul 4,mul 4,0,1000,1\n2,1000,dispatch,submit 12/q4_0/mul 4,mul 4,3000,2000,2\n3,1000,dispatch,mul 5,mul 5,5000,500,0.5\n"
	f := read(t, text)
	list := f.Groups()
	if len(list) != 2 || list[0].Name != "submit #/q4_0/mul 4" || list[0].Times != 2 || list[1].Name != "mul 5" {
		t.Errorf("%+v", list)
	}
	if got := f.Clock(); got != 5.5 {
		t.Errorf("the clock is at %v us, want 5.5", got)
	}
}

// Work most of whose accesses are of private memory or out of bounds is warned of, other work is not.
func TestWarnings(t *testing.T) {
	const text = "number,kind,name,pipeline,begin_cycle,cycles,microseconds,out_of_bounds,memory_lanes,scratch_lanes\n" +
		"1,dispatch,arrays,a,0,10,1,0,100,51\n2,dispatch,even,b,10,10,1,50,100,50\n3,dispatch,beyond,c,20,10,1,51,100,0\n4,dispatch,none,d,30,10,1,5,0,0\n"
	var b strings.Builder
	suite.OK(t, rows.Summarize(&b, read(t, text).Groups()))
	suite.Contains(t, b.String(), "warning: 51 % of the accesses of arrays are of private memory", "warning: 51 accesses of beyond are out of bounds, where its vector instructions make 100: ")
	if n := strings.Count(b.String(), "warning"); n != 2 {
		t.Errorf("%d warnings, want 2\n%s", n, b.String())
	}
}

// A page has the cycles of launches if some were concurrent; their bytes and slots are only known together.
func TestPageOfConcurrentLaunches(t *testing.T) {
	const text = `number,process,device,machine,clock_mhz,queue,kind,name,pipeline,packet_cycle,begin_cycle,cycles,busy_cycles,overlap,microseconds,instructions,slot_cycles_issued,l2_hits,l2_bytes
1,7,1,m,1000,0.0,dispatch,a,a,100,1200,3300,2200,1,3.3,10,,,
2,7,1,m,1000,0.1,dispatch,b,b,101,1200,4400,3100,1,4.4,20,,,
3,7,1,m,1000,0.0,overlap,a beside b,a beside b,100,100,5500,5500,1,5.5,0,77,3,640
`
	var b bytes.Buffer
	suite.OK(t, report.WritePrograms(&b, []*report.Program{read(t, text).Page("program")}, nil))
	row := func(number int, cells string) string { return "<tr><td>" + strconv.Itoa(number) + "</td>" + cells }
	space := "\u202f"
	for _, want := range []string{
		row(1, `<td class="word">a</td><td>0.0</td><td>0 × 0 × 0</td><td>3.3</td><td></td><td>100</td><td>1`+space+`200</td><td>4`+space+`500</td><td>2`+space+`200</td><td>10</td><td>–</td>`),
		row(3, `<td class="word">a beside b</td><td>0.0</td><td></td><td>5.5</td><td></td><td>100</td><td>100</td><td>5`+space+`600</td><td>5`+space+`500</td><td>0</td><td>640</td>`),
	} {
		suite.Contains(t, b.String(), want)
	}
	b.Reset()
	if err := report.WritePrograms(&b, []*report.Program{read(t, recorded).Page("program")}, nil); err != nil || strings.Contains(b.String(), "<th>packet</th>") {
		t.Errorf("%v; cycles of launches that all ran alone", err)
	}
}
