package main_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"spvsim/internal/suite"
	"spvsim/tracing/profile"
	"spvsim/vulkan/rows"
)

// recorded runs a program of testdata with the recording variables set; mayFail allows it to end with an error.
func recorded(t *testing.T, b *bench, name string, mayFail bool, args []string, variables ...string) (*rows.File, []*profile.Profile) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "rows.csv")
	c := b.command(b.build(t, name), args...)
	c.Env = append(b.environment(""), append(variables, "SPVSIM_RECORD="+path, "SPVSIM_PROFILE="+folder)...)
	if out, err := c.CombinedOutput(); err != nil && !mayFail {
		t.Fatalf("%s: %v\n%s", name, err, tail(out))
	}
	f := suite.Must(rows.Read(path))(t)
	names := suite.Must(filepath.Glob(filepath.Join(folder, "*.json")))(t)
	var list []*profile.Profile
	for _, name := range names {
		file := suite.Must(os.Open(name))(t)
		defer file.Close()
		p := suite.Must(profile.Read(file))(t)
		list = append(list, p)
	}
	return f, list
}

// cyclesOf adds up the cycles of rows; concurrent launches count once.
func cyclesOf(f *rows.File) (sum uint64) {
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Overlap == 0 || r.Kind == "overlap" {
			sum += r.Cycles
		}
	}
	return sum
}

// The profile of a program has the cycles of its rows, however the program ends; so do the profile's steps.
func TestRecordsOfProgramsThatCrash(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	for _, how := range []string{"abort", "segv", "leave"} {
		f, list := recorded(t, b, "crash", true, []string{how})
		if len(f.Rows) != 20 || len(list) != 1 {
			t.Errorf("%s: %d rows and %d profiles, want 20 and 1", how, len(f.Rows), len(list))
			continue
		}
		if p := list[0]; p.Cycles != cyclesOf(f) || len(p.Steps) != 1 || p.Steps[0].Launches != 20 || len(p.Listings) == 0 {
			t.Errorf("%s: a profile of %d cycles in %d steps: want %d in 1, of 20 launches", how, p.Cycles, len(p.Steps), cyclesOf(f))
		}
	}
}

// Transfers are steps of the profile like dispatches: its cycles are those of all rows, its slot-cycles those of the
// machine.
func TestProfileOfTransfers(t *testing.T) {
	t.Parallel()
	f, list := recorded(t, needTools(t), "transfer", false, nil)
	if len(list) != 1 || len(f.Rows) == 0 {
		t.Fatalf("%d profiles, %d rows", len(list), len(f.Rows))
	}
	p := list[0]
	if p.Cycles != cyclesOf(f) || p.Total.Total() != p.Cycles*uint64(p.Slots) {
		t.Errorf("%d cycles with %d slot-cycles of %d slots; rows have %d cycles", p.Cycles, p.Total.Total(), p.Slots, cyclesOf(f))
	}
}

// Dispatches that are not selected run in functional mode, and sampled ones have an estimate: the program's own checks
// pass either way.
func TestPartsOfProgramsAreTimed(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	f, _ := recorded(t, b, "crash", false, nil, "SPVSIM_TIME=nothing,main*:3")
	for i := range f.Rows {
		if r := &f.Rows[i]; (r.Cycles > 0) != (i < 3) || (r.TimedShare == 1) != (i < 3) {
			t.Errorf("row %d: %d cycles, %v of it timed", i, r.Cycles, r.TimedShare)
		}
	}
	if f, list := recorded(t, b, "crash", false, nil, "SPVSIM_MODE=sampled"); len(list) != 0 {
		t.Errorf("%d profiles of what was sampled", len(list))
	} else {
		all, _ := recorded(t, b, "crash", false, nil)
		checkSampledLaunches(t, f, all)
	}
	if f, _ = recorded(t, b, "dispatch", false, nil, "SPVSIM_MODE=sampled"); len(f.Rows) < 40 {
		t.Errorf("%d rows", len(f.Rows))
	}
	f, _ = recorded(t, b, "graph", false, nil, "SPVSIM_TIME=graph*:2")
	seen := map[string]int{}
	for i := range f.Rows {
		r := &f.Rows[i]
		if seen[r.Name]++; (r.Cycles > 0) != (seen[r.Name] <= 2) {
			t.Errorf("graph %d takes %d cycles", i, r.Cycles)
		}
	}
	if len(f.Rows) < 3 {
		t.Errorf("%d rows of graphs", len(f.Rows))
	}
}

// checkSampledLaunches: of twenty launches that agree two are timed, and a third eight launches later; the true time of all is in the interval.
func checkSampledLaunches(t *testing.T, f, all *rows.File) {
	t.Helper()
	now, half, sample := uint64(0), 0.0, 0
	for i := range f.Rows {
		r := &f.Rows[i]
		timed := r.TimedShare == 1
		if r.Cycles == 0 || (r.Estimated == 0) != timed || (r.Half > 0) == timed || i < 2 && !timed || r.Begin != now {
			t.Errorf("row %d: %d cycles from %d on, %d estimated, half an interval of %v, %v timed", i, r.Cycles, r.Begin, r.Estimated, r.Half, r.TimedShare)
		}
		if timed {
			sample++
		}
		now, half = r.Begin+r.Cycles, half+r.Half
	}
	if sample < 3 || sample > len(f.Rows)/2 {
		t.Errorf("%d of %d dispatches are timed: want the first two, one that is drawn, and at most a half", sample, len(f.Rows))
	}
	if off := math.Abs(float64(now) - float64(cyclesOf(all))); len(f.Rows) != 20 || off > half {
		t.Errorf("%d rows of %d cycles: want 20, of %d within %.0f", len(f.Rows), now, cyclesOf(all), half)
	}
}

// slicesOf counts the slices of a category in a Perfetto trace, and returns the first begin and the last end, in
// cycles.
func slicesOf(t *testing.T, trace []byte, category string) (n int, first, last uint64) {
	t.Helper()
	names := map[[2]uint64]string{} // by sequence and number
	first = ^uint64(0)
	for _, p := range fieldsOf(t, trace)[1] {
		packet := fieldsOf(t, p.bytes)
		sequence := packet[10][0].number
		for _, interned := range packet[12] {
			for _, c := range fieldsOf(t, interned.bytes)[1] {
				entry := fieldsOf(t, c.bytes)
				names[[2]uint64{sequence, entry[1][0].number}] = string(entry[2][0].bytes)
			}
		}
		for _, e := range packet[11] {
			event, at := fieldsOf(t, e.bytes), packet[8][0].number
			if event[9][0].number == 1 && names[[2]uint64{sequence, event[3][0].number}] == category {
				n, first = n+1, min(first, at)
			}
			if event[9][0].number == 2 && sequence > 1 {
				last = max(last, at)
			}
		}
	}
	return n, first, last
}

// A wireField is a field of a message of protocol buffers: a number, or bytes.
type wireField struct {
	number uint64
	bytes  []byte
}

func fieldsOf(t *testing.T, b []byte) map[protowire.Number][]wireField {
	t.Helper()
	list := map[protowire.Number][]wireField{}
	for len(b) > 0 {
		n, typ, size := protowire.ConsumeTag(b)
		var f wireField
		rest := 0
		switch b = b[max(size, 0):]; typ {
		case protowire.VarintType:
			f.number, rest = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, rest = protowire.ConsumeBytes(b)
		default:
			rest = protowire.ConsumeFieldValue(n, typ, b)
		}
		if size < 0 || rest < 0 {
			t.Fatal("no protocol buffers")
		}
		b, list[n] = b[rest:], append(list[n], f)
	}
	return list
}

// The trace of waves has each wave of the chosen dispatches, at the cycles of their rows, and no others.
func TestWavesOfChosenDispatches(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	all, _ := recorded(t, b, "dispatch", false, nil)
	at := slices.IndexFunc(all.Rows, func(r rows.Row) bool { return r.Kind == "dispatch" && r.Waves > 1 })
	if at < 0 {
		t.Fatal("no dispatch of two waves")
	}
	name := all.Rows[at].Name
	folder := t.TempDir()
	f, _ := recorded(t, b, "dispatch", false, nil, "SPVSIM_TRACE="+folder, "SPVSIM_WAVES="+name+":1", "SPVSIM_WAVES_LIMIT=0")
	files, err := filepath.Glob(filepath.Join(folder, "*.pftrace"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: traces %v, %v", name, files, err)
	}
	trace := suite.Must(os.ReadFile(files[0]))(t)
	row := &f.Rows[slices.IndexFunc(f.Rows, func(r rows.Row) bool { return r.Name == name })]
	if n, from, to := slicesOf(t, trace, "wave"); uint64(n) != row.Waves || from < row.Begin || to > row.Begin+row.Cycles {
		t.Errorf("%s: %d waves in cycles %d to %d, want %d in %d to %d", name, n, from, to, row.Waves, row.Begin, row.Begin+row.Cycles)
	}
	folder = t.TempDir()
	recorded(t, b, "dispatch", false, nil, "SPVSIM_TRACE="+folder, "SPVSIM_WAVES=nothing of this name", "SPVSIM_WAVES_LIMIT=0")
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > 0 {
		t.Errorf("no dispatch is chosen, and there are %v", files)
	}
}

// The profile of a program lists concurrent launches one by one, as in their rows, and their waves by name.
func TestProfileOfLaunches(t *testing.T) {
	t.Parallel()
	f, list := recorded(t, mine(t), "overlap", false, []string{"pair"})
	if len(list) != 1 || len(list[0].Launches) != 2 || len(f.Rows) != 3 {
		t.Fatalf("%d profiles, %d rows: want 1 with two launches, and 3", len(list), len(f.Rows))
	}
	p := list[0]
	waves := uint64(0)
	for i, l := range p.Launches {
		r := &f.Rows[i]
		if l.Name != r.Name || l.Queue != r.Queue || l.Busy != r.Busy || l.Ready != r.Begin || l.End != r.Begin+r.Cycles || l.Packet != r.Packet || l.Workgroups != r.Workgroups {
			t.Errorf("%+v, row %+v", l, r)
		}
		waves += r.Waves
	}
	if len(p.Kernels) != 1 || p.Kernels[0].Launch != f.Rows[0].Name || p.Kernels[0].Waves != waves {
		t.Errorf("%+v: want %d waves of %s", p.Kernels, waves, f.Rows[0].Name)
	}
}
