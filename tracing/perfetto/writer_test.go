package perfetto_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/perfetto"
	"spvsim/tracing/probe"
	"spvsim/tracing/profile"
)

// smaller are parameters with which jobs have traces of a few megabytes: enough of every kind of slice.
var smaller = map[string][]string{"reduce": {"groups=64"}, "peer-atax": {"n=128"}, "transpose-plain": {"n=128"}}

func load(t *testing.T, name string) *config.Job {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJobWith(files, file, smaller[name]))(t)
	return job
}

// A trace of a run, and its decoded content.
type trace struct {
	r     *gpu.Result
	bytes []byte
	d     *decoded
	list  []slice
}

var reduced *trace

// wholeReduce is the complete trace of reduce, for all tests that only read it.
func wholeReduce(t *testing.T) *trace {
	t.Helper()
	if reduced == nil {
		var w trace
		w.r, w.bytes, _ = traced(t, "reduce", perfetto.Options{})
		w.d, w.list = decodeSlices(t, w.bytes)
		reduced = &w
	}
	return reduced
}

// traced runs a ready job, on the machine that set may begin with, and returns its result, its trace and the trace's
// note.
func traced(t *testing.T, name string, o perfetto.Options, set ...string) (*gpu.Result, []byte, string) {
	t.Helper()
	job := load(t, name)
	machine := "gcn3-r9nano"
	if len(set) > 0 && !strings.Contains(set[0], "=") {
		machine, set = set[0], set[1:]
	}
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine, Set: set}))(t)
	var b bytes.Buffer
	w := perfetto.New(&b, o)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: w})
	if err != nil && !(smaller[name] != nil && errors.Is(err, gpu.ErrExpectation)) { // the expectations are for the size in the file
		t.Fatal(err)
	}
	suite.OK(t, w.Close())
	return r, b.Bytes(), w.Note()
}

func decodeSlices(t *testing.T, b []byte) (*decoded, []slice) {
	t.Helper()
	d := suite.Must(decode(b))(t)
	list := suite.Must(d.slices())(t)
	suite.OK(t, overlaps(d, list))
	return d, list
}

// jobs differ in machine, memory model, steps and rounds.
var jobs = []struct {
	name string
	set  []string
}{
	{"reduce", nil},
	{"reduce", []string{"memory.model=" + suite.LastMemoryModel, "shader_engines=1", "compute_units=2"}},
	{"peer-atax", []string{"gcn3-r9nano"}},
	{"transpose-plain", []string{"wave_slots=2"}},
	{"classify", []string{"rdna4-like"}},
	{"coalesced", []string{"rdna4-like", "scheduler.kind=multipass"}},
}

// TestTraceAgreesWithStatistics: as many instruction slices as instructions, and
// the lengths of stalls and instructions add up to the slot-cycles of each reason.
func TestTraceAgreesWithStatistics(t *testing.T) {
	for i, job := range jobs {
		if testing.Short() && i%2 == 0 {
			continue
		}
		t.Run(fmt.Sprint(job.name, job.set), func(t *testing.T) {
			r, b, note := traced(t, job.name, perfetto.Options{}, job.set...)
			_, list := decodeSlices(t, b)
			if note != "" {
				t.Errorf("note %q", note)
			}
			var issued uint64
			var cycles account.SlotCycles
			var waves, groups, lds, conflicts uint64
			for _, s := range list {
				switch s.categories[0] {
				case "instruction":
					issued++
					cycles[account.Issued] += s.end - s.at
				case "stall":
					cycles[reason(t, s.name)] += s.end - s.at
				case "wave":
					waves++
				case "workgroup":
					groups++
				case "LDS":
					lds++
					conflicts += s.notes["conflict passes"].(uint64)
				}
			}
			cycles[account.Empty] = r.Stats.Slots[account.Empty] // an empty slot has no slices
			got := []uint64{issued, waves, groups, lds, conflicts}
			want := []uint64{r.Stats.Instructions(), r.Stats.Waves, r.Stats.Workgroups, r.Stats.LDS.Accesses, r.Stats.LDS.ConflictPasses}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("instructions, waves, workgroups, LDS accesses, conflict passes (-statistics +trace):\n%s", d)
			}
			if d := cmp.Diff(r.Stats.Slots, cycles); d != "" {
				t.Errorf("slot-cycles (-statistics +trace):\n%s", d)
			}
		})
	}
}

func reason(t *testing.T, name string) account.Reason {
	for r := account.Reason(0); r < account.NumReasons; r++ {
		if name == "wait: "+r.String() {
			return r
		}
	}
	t.Fatalf("a stall named %q", name)
	return 0
}

// TestWavesAreFilled: the slices of a wave cover all of its cycles.
func TestWavesAreFilled(t *testing.T) {
	whole := wholeReduce(t)
	d, list := whole.d, whole.list
	inside := map[uint64]uint64{}
	for _, s := range list {
		switch s.depth {
		case 0:
			inside[s.track] = s.at
		case 1:
			if s.at != inside[s.track] {
				t.Fatalf("%s: cycles %d to %d of a wave have no slice", d.path(s.track), inside[s.track], s.at)
			}
			inside[s.track] = s.end
		}
	}
}

func TestSameJobSameBytes(t *testing.T) {
	_, again, _ := traced(t, "reduce", perfetto.Options{})
	if !bytes.Equal(wholeReduce(t).bytes, again) {
		t.Error("two traces of one job differ")
	}
}

// TestTracingChangesNothing: the machine is the same whether somebody listens or not.
func TestTracingChangesNothing(t *testing.T) {
	with, _, _ := traced(t, "peer-atax", perfetto.Options{})
	job := load(t, "peer-atax")
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "gcn3-r9nano"}))(t)
	without, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job})
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		t.Fatal(err)
	}
	if d := cmp.Diff(without.Stats.Counts, with.Stats.Counts); d != "" {
		t.Errorf("statistics (-without trace +with):\n%s", d)
	}
}

func TestTrackHierarchy(t *testing.T) {
	_, b, _ := traced(t, "reduce", perfetto.Options{}, "shader_engines=2", "compute_units=11")
	d, list := decodeSlices(t, b)
	if want := "1 ns of this trace is 1 cycle"; !strings.Contains(d.process, want) {
		t.Errorf("process %q: want %q in it", d.process, want)
	}
	paths := map[string]bool{}
	for _, s := range list {
		paths[d.path(s.track)] = true
	}
	for _, want := range []string{"/launches", "/SE 1/CU 03/SIMD 0/slot 0", "/SE 0/CU 10/memory 00", "/SE 0/CU 10/LDS 00", "/SE 0/CU 00/workgroups 00"} {
		if !paths[want] {
			t.Errorf("no slices on a track %s", want)
		}
	}
	seen := map[string]uint64{}
	for id, track := range d.tracks {
		path := d.path(id)
		if other, ok := seen[path]; ok && track.parent != 0 {
			t.Errorf("tracks %d and %d are both %s: they would be shown as one", id, other, path)
		}
		seen[path] = id
	}
}

// TestInstructionSourceAnnotations: of the notes of an instruction and an access.
func TestInstructionSourceAnnotations(t *testing.T) {
	whole := wholeReduce(t)
	r, list := whole.r, whole.list
	levels := map[string]bool{}
	for _, s := range list {
		if s.categories[0] == "memory" {
			level, _ := s.notes["level"].(string)
			levels[level] = true
			if addresses, _ := s.notes["addresses"].(string); s.notes["lines"].(uint64) > 0 && !strings.HasPrefix(addresses, "0x") {
				t.Fatalf("an access of %d lines at %q", s.notes["lines"], addresses)
			}
		}
		if s.categories[0] != "instruction" {
			continue
		}
		in := &r.Listings[0].Program.Insts[s.notes["pc"].(uint64)]
		if id, _ := s.notes["id"].(uint64); uint32(id) != in.SPIRV {
			t.Fatalf("instruction %d: id %d, want %d", s.notes["pc"], id, in.SPIRV)
		}
		if s.categories[1] != in.Class.String() {
			t.Fatalf("instruction %d: class %s, want %s", s.notes["pc"], s.categories[1], in.Class)
		}
	}
	if !levels["memory"] || !levels["scalar_l1"] {
		t.Errorf("accesses reached %v: want some that hit and some that went to memory", levels)
	}
}

// TestCountersAddUp: each level's rate times its time is the level's bytes.
func TestCountersAddUp(t *testing.T) {
	whole := wholeReduce(t)
	r, d := whole.r, whole.d
	for _, level := range r.Stats.Memory {
		var bytes, rate float64
		var since uint64
		for _, e := range d.events {
			if e.kind == 4 && d.tracks[e.track].name == level.Name+", bytes a cycle" {
				bytes += rate * float64(e.at-since)
				rate, since = e.value, e.at
			}
		}
		bytes += rate * float64(r.Stats.Cycles-since)
		if math.Abs(bytes-float64(level.Bytes)) > 1 {
			t.Errorf("%s: %.0f bytes, statistics have %d", level.Name, bytes, level.Bytes)
		}
	}
	most := 0.0
	for _, e := range d.events {
		if d.tracks[e.track].name == "resident waves" {
			most = max(most, e.value)
		}
	}
	if most < 64 || most > float64(r.Stats.Waves) {
		t.Errorf("%.0f resident waves at most, of %d", most, r.Stats.Waves)
	}
}

// TestPowerAddsUp: the power times its time is the energy of the run, and in a window that of the window.
func TestPowerAddsUp(t *testing.T) {
	job := load(t, "reduce")
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "rdna3-rx7900xtx"}))(t)
	options := []perfetto.Options{{From: 2000, To: 4001}, {}}
	if testing.Short() {
		options = options[:1]
	}
	for _, o := range options {
		var b bytes.Buffer
		w, c := perfetto.New(&b, o), profile.NewCollector()
		r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: probe.Join(w, c)})
		if err != nil && !errors.Is(err, gpu.ErrExpectation) {
			t.Fatal(err)
		}
		p := suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t)
		watts := p.Watts()
		w.Power("", p.FirstCycle, p.Series.BinCycles, watts)
		w.Power("nothing", p.FirstCycle, p.Series.BinCycles, make([]float64, len(watts)))
		suite.OK(t, w.Close())
		from, to := max(o.From, p.FirstCycle), p.FirstCycle+p.Cycles
		if o.To > 0 {
			to = o.To
		}
		want, got, value, since := 0.0, 0.0, 0.0, from
		for at := from; at < to; at++ {
			want += watts[(at-p.FirstCycle)/p.Series.BinCycles]
		}
		d, _ := decodeSlices(t, b.Bytes())
		for _, e := range d.events {
			if e.kind == 4 && d.tracks[e.track].name == "power, watts" {
				got += value * float64(e.at-since)
				value, since = e.value, e.at
			}
			if e.kind == 4 && d.tracks[e.track].name == "power of nothing, watts" && e.value != 0 {
				t.Errorf("a part without power has %g W", e.value)
			}
		}
		got += value * float64(to-since)
		if !(got > 0) || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%v: %g W cycles, want %g", o, got, want)
		}
		if total := r.Stats.Energy().Total(); o.To == 0 && math.Abs(got/(float64(m.ClockMHz)*1e6)-total) > 1e-6*total {
			t.Errorf("%g J in the trace, statistics have %g", got/(float64(m.ClockMHz)*1e6), total)
		}
	}
}

// TestWindowCutsTheTrace: a window shows the part of the complete trace within it.
func TestWindowCutsTheTrace(t *testing.T) {
	const from, to = 3500, 3900
	units := perfetto.Ranges{{0, 2}, {5, 5}}
	whole := wholeReduce(t).bytes
	_, part, _ := traced(t, "reduce", perfetto.Options{From: from, To: to, Units: units})
	count := func(b []byte, first, last uint64) map[string]uint64 {
		d, list := decodeSlices(t, b)
		sums := map[string]uint64{}
		for _, s := range list {
			path := d.path(s.track)
			if !slices.ContainsFunc([]string{"CU 00/", "CU 01/", "CU 02/", "CU 05/"}, func(u string) bool { return strings.HasPrefix(path, "/SE 0/"+u) }) {
				if path != "/launches" && len(b) < len(whole) {
					t.Fatalf("a slice on %s, which is not traced", path)
				}
				continue
			}
			if a, e := max(s.at, first), min(s.end, last); a < e && s.categories[0] != "memory" && s.categories[0] != "LDS" {
				sums[path+" "+s.name] += e - a
			}
			if len(b) < len(whole) && (s.at < from || s.end > to) {
				t.Fatalf("%s: %s from %d to %d is outside of the window", path, s.name, s.at, s.end)
			}
		}
		return sums
	}
	want, got := count(whole, from, to), count(part, 0, probe.Unknown)
	if len(want) < 100 {
		t.Fatalf("the window holds %d kinds of slices: choose one in which something happens", len(want))
	}
	for key := range want {
		if strings.Contains(key, "workgroups") {
			delete(want, key) // the lane of a workgroup depends on earlier ones
		}
	}
	for key := range got {
		if strings.Contains(key, "workgroups") {
			delete(got, key)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("cycles by track and name (-whole trace +window):\n%s", d)
	}
}

func TestLimitStopsTheTraceWithANote(t *testing.T) {
	const limit = 1 << 18
	r, b, note := traced(t, "reduce", perfetto.Options{Limit: limit})
	if len(b) > limit || len(b) < limit/2 {
		t.Errorf("%d bytes: want at most %d, and not much less", len(b), limit)
	}
	d, list := decodeSlices(t, b)
	if !slices.ContainsFunc(d.events, func(e event) bool { return e.kind == 3 && e.name == note && note != "" }) {
		t.Errorf("no event says %q", note)
	}
	if len(list) == 0 || r.Stats.Instructions() == 0 {
		t.Error("nothing was traced, or nothing ran")
	}
}

// failing is a full disk.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestFullDiskReportedByClose(t *testing.T) {
	w := perfetto.New(&failing{1 << 10}, perfetto.Options{})
	w.RunBegin(&probe.Geometry{Machine: "m", Engines: 1, Units: 1, SIMDs: 1, Slots: 1})
	for i := range uint64(1 << 14) {
		w.LaunchBegin(&probe.LaunchInfo{Step: "s", At: i})
		w.LaunchEnd(i + 1)
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

func TestParseRanges(t *testing.T) {
	good := map[string]perfetto.Ranges{"0": {{0, 0}}, "1,3-5": {{1, 1}, {3, 5}}, "7-7": {{7, 7}}}
	for text, want := range good {
		if got, err := perfetto.ParseRanges(text, 8); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "8", "0-8", "5-3", "x", "1,", "-1"} {
		if got, err := perfetto.ParseRanges(text, 8); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestFlows joins an enqueuing instruction with the first wave that it launches.
func TestFlows(t *testing.T) {
	prog := wholeReduce(t).r.Listings[0].Program
	var b bytes.Buffer
	w := perfetto.New(&b, perfetto.Options{})
	w.RunBegin(&probe.Geometry{Machine: "m", Engines: 1, Units: 1, SIMDs: 1, Slots: 2})
	from, to := probe.WaveSlotID{Slot: 0}, probe.WaveSlotID{Slot: 1}
	w.WaveBegin(&probe.Wave{WaveSlotID: from, At: 0, Program: prog, Group: 0})
	w.Enqueued(&probe.PayloadWait{At: 5, Unit: 0, Payload: 3, Node: "next"})
	w.Issue(&probe.Issue{WaveSlotID: from, From: 0, Ready: 5, At: 5, End: 6})
	w.Picked(&probe.PayloadWait{At: 9, Payload: 3, Node: "next", Input: 77})
	for i := range uint64(2) {
		w.WorkgroupBegin(&probe.Workgroup{At: 10, Index: 1 + i, Input: 77})
		w.WaveBegin(&probe.Wave{WaveSlotID: to, At: 10 + 5*i, Program: prog, Group: 1 + i})
		w.Issue(&probe.Issue{WaveSlotID: to, From: 10 + 5*i, Ready: 12 + 5*i, At: 12 + 5*i, End: 13 + 5*i})
		w.WaveEnd(13+5*i, to)
	}
	w.WaveEnd(6, from)
	suite.OK(t, w.Close())
	_, list := decodeSlices(t, b.Bytes())
	var begins, ends []string
	for _, s := range list {
		for range s.flows {
			begins = append(begins, fmt.Sprint(s.categories[0], s.at))
		}
		for range s.ends {
			ends = append(ends, fmt.Sprint(s.categories[0], s.at))
		}
	}
	if d := cmp.Diff([][]string{{"instruction5"}, {"wave10"}}, [][]string{begins, ends}); d != "" {
		t.Errorf("flows (-want +got):\n%s", d)
	}
}

// TestGraphFlows: each payload that a shader enqueues has a flow from the
// instruction to a wave of its node that starts no earlier.
func TestGraphFlows(t *testing.T) {
	jobs := []string{"lastsum", "classify", "shared"}
	if testing.Short() {
		jobs = jobs[:1]
	}
	for _, job := range jobs {
		r, b, _ := traced(t, job, perfetto.Options{}, "rdna4-like")
		_, list := decodeSlices(t, b)
		begin := map[uint64]slice{}
		for _, s := range list {
			for _, id := range s.flows {
				begin[id] = s
			}
		}
		ended := 0
		for _, s := range list {
			for _, id := range s.ends {
				from, ok := begin[id]
				if !ok || from.at > s.at || !strings.HasPrefix(from.name, "payload_enqueue") || s.categories[0] != "wave" {
					t.Fatalf("%s: flow %d from %s at %d to %s at %d", job, id, from.name, from.at, s.name, s.at)
				}
				ended++
			}
		}
		var picked uint64
		for _, n := range r.Stats.Graph.Nodes {
			picked += n.Payloads
		}
		if ended != len(begin) || ended == 0 || uint64(ended) >= picked {
			t.Errorf("%s: %d flows begin, %d end, nodes took %d payloads, the host's included", job, len(begin), ended, picked)
		}
	}
}

// TestGraphCounters has a track for the bytes of payloads and one for the payloads that wait for each node.
func TestGraphCounters(t *testing.T) {
	var b bytes.Buffer
	w := perfetto.New(&b, perfetto.Options{})
	w.RunBegin(&probe.Geometry{Machine: "m", Engines: 1, Units: 1, SIMDs: 1, Slots: 2})
	for i := range 2 {
		w.Sample(&probe.Sample{At: uint64(i), Payloads: 64, Nodes: []probe.NodeQueue{{Name: "first[0]", Waiting: i}, {Name: "next[1]", Waiting: 3}}})
	}
	suite.OK(t, w.Close())
	for _, name := range []string{"bytes of payloads", "payloads that wait for first[0]", "payloads that wait for next[1]"} {
		if n := bytes.Count(b.Bytes(), []byte(name)); n != 1 {
			t.Errorf("%d tracks are called %q, want 1", n, name)
		}
	}
}
