package config

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/internal/suite"
	"spvsim/simd"
)

func TestPresetsLoad(t *testing.T) {
	for _, name := range Presets() {
		m, err := Preset(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Name != name {
			t.Errorf("%s calls itself %q", name, m.Name)
		}
	}
}

func BenchmarkPreset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Preset(DefaultMachine); err != nil {
			b.Fatal(err)
		}
	}
}

// leaves lists the paths of every number of the machine.
func leaves(m *Machine) []string {
	var out []string
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Struct:
			for _, f := range fieldsOf(v.Type()) {
				walk(v.FieldByIndex(f.Index), joinPath(path, f.Name))
			}
		case reflect.Map:
			for _, k := range sortedKeys(v) {
				walk(v.MapIndex(reflect.ValueOf(k)), joinPath(path, k))
			}
		case reflect.Int, reflect.Float64, reflect.Bool:
			out = append(out, path)
		case reflect.Slice:
			if v.Len() > 0 {
				out = append(out, path)
			}
		}
	}
	walk(reflect.ValueOf(m).Elem(), "")
	return out
}

// sourceForm is one of the kinds of source, or a knob with the values to sweep.
var sourceForm = regexp.MustCompile(`(^|; )[MVCSD]: ..|knob: .*(range [0-9.]+\.\.[0-9.]+| or )`)

func TestEveryNumberOfEveryPresetHasASource(t *testing.T) {
	for _, name := range Presets() {
		m := preset(t, name)
		paths := leaves(m)
		if len(paths) < 200 {
			t.Fatalf("%s: only %d numbers found", name, len(paths))
		}
		for _, p := range paths {
			if !sourceForm.MatchString(m.Sources[p]) {
				t.Errorf("%s: %s: source %q is none of M, V, C, S, D, and no knob with a range", name, p, m.Sources[p])
			}
		}
	}
}

func preset(t *testing.T, name string) *Machine {
	t.Helper()
	m := suite.Must(Preset(name))(t)
	return m
}

func TestPresetFigures(t *testing.T) {
	type figures struct {
		CUs, MHz, Wave, Slots, VGPR, L1, L2, Side, Line int
	}
	want := map[string]figures{
		"gcn3-r9nano":     {64, 1000, 64, 10, 256, 16 << 10, 2 << 20, 0, 64},
		"cdna2-mi210":     {104, 1700, 64, 8, 512, 16 << 10, 8 << 20, 0, 64},
		"cdna3-mi300a":    {228, 2100, 64, 8, 512, 32 << 10, 4 << 20, 256 << 20, 128},
		"cdna3-mi300x":    {304, 2100, 64, 8, 512, 32 << 10, 4 << 20, 256 << 20, 128},
		"cdna4-mi350p":    {128, 2200, 64, 8, 512, 32 << 10, 4 << 20, 128 << 20, 128},
		"rdna2-rx6800xt":  {72, 2250, 32, 16, 1024, 16 << 10, 4 << 20, 128 << 20, 128},
		"rdna2-rx6900xt":  {80, 2570, 32, 16, 1024, 16 << 10, 4 << 20, 128 << 20, 128},
		"rdna3-780m":      {12, 2700, 32, 16, 1024, 32 << 10, 2 << 20, 0, 128},
		"rdna3-8060s":     {40, 2900, 32, 16, 1536, 32 << 10, 2 << 20, 32 << 20, 128},
		"rdna3-rx7900xtx": {96, 2500, 32, 16, 1536, 32 << 10, 6 << 20, 96 << 20, 128},
		"rdna3-w7800":     {70, 2525, 32, 16, 1536, 32 << 10, 6 << 20, 64 << 20, 128},
		"rdna4-like":      {64, 2970, 32, 16, 1536, 32 << 10, 8 << 20, 64 << 20, 128},
		"rdna4-rx9070xt":  {64, 2970, 32, 16, 1536, 32 << 10, 8 << 20, 64 << 20, 128},
	}
	got := map[string]figures{}
	for _, name := range Presets() {
		m := preset(t, name)
		got[name] = figures{m.ShaderEngines * m.ComputeUnits, m.ClockMHz, m.WaveSize, m.WaveSlots, m.Registers.Vector, m.VectorL1.Bytes, m.L2.Bytes, m.MemorySide.Bytes, m.VectorL1.LineBytes}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The peak rates of product pages follow from each preset's numbers: f32 multiply-adds at the clock of the page, and
// bytes per second.
func TestPresetPeaks(t *testing.T) {
	pages := map[string]struct{ mhz, teraflops, gigabytes float64 }{
		"gcn3-r9nano": {1000, 8.19, 512}, "cdna2-mi210": {1700, 45.3, 1638.4}, "cdna3-mi300a": {2100, 122.6, 5300}, "cdna3-mi300x": {2100, 163.4, 5300}, "cdna4-mi350p": {2200, 72, 4096},
		"rdna2-rx6800xt": {2250, 20.74, 512}, "rdna2-rx6900xt": {2250, 23.04, 512}, "rdna3-rx7900xtx": {2500, 61.4, 960}, "rdna3-w7800": {2525, 45.2, 576},
		"rdna3-780m": {2700, 8.29, 89.6}, "rdna3-8060s": {2900, 29.7, 256}, "rdna4-like": {2970, 48.7, 640}, "rdna4-rx9070xt": {2970, 48.7, 640},
	}
	for _, name := range Presets() {
		m, page := preset(t, name), pages[name]
		lanes := m.Units() * m.SIMDs * m.SIMDWidth
		for _, twice := range []string{"packed32", "dual"} {
			if _, ok := m.Timing.Classes[twice]; ok {
				lanes *= 2
			}
		}
		flops := 2 * float64(lanes) * page.mhz / 1e6
		bytes := m.Memory.BytesPerCycle * float64(m.Memory.Channels) * float64(m.ClockMHz) / 1e3
		if math.Abs(flops/page.teraflops-1) > 0.005 || math.Abs(bytes/page.gigabytes-1) > 0.005 {
			t.Errorf("%s: %.2f TFLOP/s and %.1f GB/s, want %g and %g", name, flops, bytes, page.teraflops, page.gigabytes)
		}
	}
}

func TestExpandPicksTheMostSpecificRow(t *testing.T) {
	nano, navi := preset(t, "gcn3-r9nano"), preset(t, "rdna3-rx7900xtx")
	tests := []struct {
		m       *Machine
		op, typ string
		wave    int
		want    map[string]int
	}{
		{nano, "reduce", "i32", 64, map[string]int{"dpp": 6, "readlane": 1, "salu": 3, "valu32": 1}},
		{nano, "reduce", "i64", 64, map[string]int{"dpp": 12, "int64": 6, "readlane": 2, "salu": 3, "valu32": 1}},
		{navi, "reduce", "f32", 32, map[string]int{"dpp": 4, "permlane": 1, "salu": 3, "valu32": 2}},
		{navi, "reduce", "f32", 64, map[string]int{"dpp": 4, "permlane": 1, "readlane": 1, "salu": 3, "valu32": 3}},
		{navi, "masked_bitcount", "i32", 32, map[string]int{"valu32": 1}},
		{navi, "masked_bitcount", "i32", 64, map[string]int{"valu32": 2}},
		{nano, "fdiv", "f32", 64, map[string]int{"trans": 1, "fma32": 1}},
		{nano, "fdiv", "f64", 64, map[string]int{"f64trans": 1, "f64mul": 10}},
		{nano, "imul", "i64", 64, map[string]int{"imul32": 4, "valu32": 2}},
	}
	for _, tt := range tests {
		list, source, ok := tt.m.Timing.Expand(tt.op, tt.typ, tt.wave)
		got := map[string]int{}
		for _, c := range list {
			got[c]++
		}
		if d := cmp.Diff(tt.want, got); d != "" || !ok || source == "" {
			t.Errorf("%s %s %s %d: source %q\n%s", tt.m.Name, tt.op, tt.typ, tt.wave, source, d)
		}
	}
	if list, _, ok := nano.Timing.Expand("iadd", "i32", 64); ok {
		t.Errorf("iadd expands to %v: want its own class", list)
	}
}

func TestLoweringIsAChoice(t *testing.T) {
	m := suite.Must(LoadMachine(Request{Machine: "gcn3-r9nano", Set: []string{"timing.lowering=lds"}}))(t)
	list, _, _ := m.Timing.Expand("reduce", "i32", 64)
	if n := strings.Count(strings.Join(list, " "), "lds_swizzle"); n != 6 {
		t.Errorf("%d swizzles in %v: want 6", n, list)
	}
	if a, _, _ := m.Timing.Expand("sqrt", "f32", 64); !cmp.Equal(a, []string{"trans"}) {
		t.Errorf("sqrt is %v: rows without use_lds keep use", a)
	}
}

func TestOverlayOrder(t *testing.T) {
	files := mapFS(map[string]string{
		"base.yaml":    "base: gcn3-r9nano\nname: mine\nlds: {banks: 8, bytes: {value: 32768, source: \"M: mine\"}, max_workgroup_bytes: 32768}\nbarrier_latency: 1\nwave_slots: 2",
		"over.yml":     "lds:\n  banks: 16\nbarrier_latency: 2\n",
		"jobs/m.yaml":  "base: ../base.yaml\n",
		"jobs/j2.yaml": "machine: m.yaml\nset:\n  barrier_latency: 3\n  lds.mapping: xor\n  lds: {conflict_cycles: 2}\nshader: s.spv\ndispatch: [1]\n",
	})
	j := suite.Must(LoadJob(files, "jobs/j2.yaml"))(t)
	m := suite.Must(LoadMachine(Request{FS: files, Job: j, Files: []string{"over.yml"}, Set: []string{"simds=2", "timing.classes.lds.latency = 64", "issue={policy: greedy}"}}))(t)
	if again, err := LoadMachine(Request{FS: files, Job: j, Files: []string{"over.yml"}}); err != nil || again.LDS.Mapping != "xor" {
		t.Errorf("a second load of the same job: %v", err)
	}
	type values struct {
		name, mapping, policy                              string
		banks, bytes, barrier, slots, conflict, simds, lds int
	}
	got := values{m.Name, m.LDS.Mapping, m.Issue.Policy, m.LDS.Banks, m.LDS.Bytes, m.BarrierCycles, m.WaveSlots, m.LDS.ConflictCycles, m.SIMDs, m.Timing.Classes["lds"].Latency}
	want := values{"mine", "xor", "greedy", 16, 32768, 3, 2, 2, 2, 64}
	if got != want {
		t.Errorf("found %+v\nwant  %+v", got, want)
	}
	for path, want := range map[string]string{
		"lds.banks": "over.yml", "lds.bytes": "M: mine", "wave_slots": "base.yaml", "barrier_latency": "set by the job jobs/j2.yaml",
		"simds": "set on the command line", "compute_units": "V: 64 compute units in 4 shader engines",
	} {
		if m.Sources[path] != want && m.Sources[path] != "../"+want {
			t.Errorf("%s: source %q: want %q", path, m.Sources[path], want)
		}
	}
	if s := m.Timing.Classes["lds"].Source; !strings.HasPrefix(s, "set on the command line; C: ") {
		t.Errorf("class lds: source %q", s)
	}
}

func TestMachineErrors(t *testing.T) {
	tests := []struct {
		file string
		set  string
		want string
		kind error
	}{
		{"base: gcn3-r9nano\n\nlds:\n  bnaks: 3", "", "config: my.yaml:4: lds.bnaks: unknown key (nearest: lds.banks)", ErrUnknownKey},
		{"base: gcn3-r9nano\nl2: {link_bytes_per_cycle: 3}", "", "l2.link_bytes_per_cycle: unknown key (now link_read_bytes_per_cycle and link_write_bytes_per_cycle, a rate for each direction)", ErrUnknownKey},
		{"base: gcn3-r9nano\nbanks: 3", "", "my.yaml:2: banks: unknown key (nearest: lds.banks)", ErrUnknownKey},
		{"base: gcn3-r9nano\nlds: {banks: many}", "", `my.yaml:2: lds.banks: found "many": want an integer`, ErrType},
		{"base: gcn3-r9nano\nlds: {banks: \"32\"}", "", `lds.banks: found "32": want an integer`, ErrType},
		{"base: gcn3-r9nano\nlds: 3", "", "lds: found 3: want a mapping", ErrType},
		{"base: gcn3-r9nano\ntiming: {classes: 5}", "", "timing.classes: found 5: want a mapping", ErrType},
		{"base: gcn3-r9nano\nlds: {banks: [1]}", "", "lds.banks: found a list: want an integer", ErrType},
		{"base: gcn3-r9nano\nlds: {banks: }", "", "lds.banks: found nothing: want an integer", ErrType},
		{"base: gcn3-r9nano\nlds:\n  banks: 48", "", "my.yaml:3: lds.banks: found 48: want a power of two in 1..1024", ErrRange},
		{"base: gcn3-r9nano\nissue: {policy: oldst}", "", "issue.policy: found oldst: want one of oldest, greedy, round-robin (nearest: oldest)", ErrRange},
		{"base: gcn3-r9nano\nfetch: {enabled: yes}", "", `fetch.enabled: found "yes": want true or false`, ErrType},
		{"base: gcn3-r9nano\nlds: {banks: {value: 3, sauce: x}}", "", "lds.banks: found a mapping: want an integer, or {value: V, source: TEXT}", ErrType},
		{"base: gcn3-r9nano\nwave_sizes: 64", "", "wave_sizes: found 64: want a list, as in [64]", ErrType},
		{"base: gcn3-r9nano\nlds: {banks: 4, banks: 8}", "", "lds.banks: given twice", ErrType},
		{"base: gcn3-r9nan\n", "", `my.yaml:1: base: found "gcn3-r9nan": want a .yaml file or one of`, ErrReference},
		{"base: my.yaml\n", "", "more than 16 bases in a chain", ErrLimit},
		{"base: other.yaml\n", "", "other.yaml: can't read: file does not exist", ErrReference},
		{"name: bare\n", "", "clock_mhz: missing: want a number in 1..100000 MHz", ErrMissing},
		{"base: gcn3-r9nano\nwave_size: 32", "", "wave_size: found 32: want one of wave_sizes [64]", ErrRange},
		{"base: gcn3-r9nano\nl2: {ways: 7}", "", "l2.bytes: found 2097152: want a multiple of line_bytes x ways x slices", ErrRange},
		{"base: gcn3-r9nano\nshader_array: {bytes: 65536}", "", "shader_array.ways: found 0: want at least 1 where the level is present", ErrRange},
		{"base: gcn3-r9nano\nvector_l1: {bytes: 0}", "", "vector_l1.bytes: found 0: want this level", ErrRange},
		{"base: gcn3-r9nano\nl2: {line_bytes: 32}", "", "l2.line_bytes: found 32: want at least the 64", ErrRange},
		{"base: gcn3-r9nano\ntiming: {classes: {vlau32: {issue: 1}}}", "", `timing.classes.vlau32.unit: missing`, ErrMissing},
		{"base: gcn3-r9nano\ntiming: {classes: {vlau32: {unit: valu, issue: 1, busy: 1, latency: 1}}}", "", `found "vlau32": want an instruction class (nearest: valu32)`, ErrReference},
		{"base: gcn3-r9nano\ntiming: {operations: {redcue: {use: [dpp]}}}", "", `found "redcue": want an operation (nearest: reduce)`, ErrReference},
		{"base: gcn3-r9nano\ntiming: {operations: {GLSL.std.450: {use: [dpp]}}}", "", `my.yaml:2: timing.operations."GLSL.std.450": found "GLSL.std.450": want an operation`, ErrReference},
		{"base: gcn3-r9nano\ntiming: {operations: {reduce: {use: [6 dpq]}}}", "", `timing.operations.reduce.use[0]: found "dpq": want an instruction class (nearest: dpp)`, ErrReference},
		{"base: gcn3-r9nano\ntiming: {operations: {reduce: {use: [9999 dpp]}}}", "", `want a class name, or a count up to 4096`, ErrRange},
		{"base: gcn3-r9nano\ntiming: {operations: {reduce/32/i32: {use: [dpp]}}}", "", `want op, op/type, op/wave or op/type/wave`, ErrRange},
		{"base: gcn3-r9nano\ntiming: {classes: {dpp: {busy: 1}}}", "", "timing.classes.dpp.busy: found 1: want at least issue, 4", ErrRange},
		{"base: gcn3-r9nano\nlds: {accesses: {read_b32: {lanes: [\"0-3\"]}}}", "", "lds.accesses.read_b32.lanes: 4 lanes: want each of lanes 0 to 31 once", ErrRange},
		{"base: gcn3-r9nano\nmemory: {bytes_per_cycle: .nan}", "", "memory.bytes_per_cycle", nil},
		{"base: gcn3-r9nano", "lds.bnaks=3", "config: --set lds.bnaks=3: lds.bnaks: unknown key (nearest: lds.banks)", ErrUnknownKey},
		{"base: gcn3-r9nano", "lds.banks=3", "config: --set lds.banks=3: lds.banks: found 3: want a power of two", ErrRange},
		{"base: gcn3-r9nano", "lds.banks", "want PATH=VALUE", ErrSyntax},
		{"base: gcn3-r9nano", "lds..banks=1", "empty key", ErrSyntax},
		{"base: gcn3-r9nano", "wave_sizes=[64, 48]", "wave_sizes[1]: found 48: want one of 16, 32, 64", ErrRange},
	}
	for _, tt := range tests {
		q := Request{Machine: "my.yaml", FS: mapFS(map[string]string{"my.yaml": tt.file})}
		if tt.set != "" {
			q.Set = []string{tt.set}
		}
		_, err := LoadMachine(q)
		if err == nil || !strings.Contains(err.Error(), tt.want) || tt.kind != nil && !errors.Is(err, tt.kind) {
			t.Errorf("%q %s:\nfound %v\nwant  %s (%v)", tt.file, tt.set, err, tt.want, tt.kind)
		}
	}
}

func TestValidateReportsEveryBadField(t *testing.T) {
	m := preset(t, "rdna2-rx6800xt")
	m.ClockMHz, m.LDS.Banks, m.LDS.Mapping, m.L2.Ways = 0, 33, "swizzled", 0
	m.Memory.BytesPerCycle = math.NaN()
	err := m.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"clock_mhz: found 0", "lds.banks: found 33", "lds.mapping: found swizzled", "l2.ways: found 0", "memory.bytes_per_cycle: found NaN"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d lines: want 5", n)
	}
}

func TestKeysSurviveViper(t *testing.T) {
	for _, k := range []string{"GLSL.std.450", "reduce/i32/64", "^x^Y", "ÄÖ", "a.b.c", ""} {
		enc := encodeKey(k)
		if enc != strings.ToLower(enc) || decodeKey(enc) != k {
			t.Errorf("%q -> %q -> %q", k, enc, decodeKey(enc))
		}
	}
	for _, keys := range [][]string{{"a", "GLSL.std.450", "b"}, {`q"uote\`}, {"x=y"}} {
		path := ""
		for _, k := range keys {
			path = joinPath(path, k)
		}
		got, err := splitPath(path)
		if d := cmp.Diff(keys, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", path, err, d)
		}
	}
}

func TestDescribeReadsBack(t *testing.T) {
	for _, name := range Presets() {
		m := preset(t, name)
		var b strings.Builder
		suite.OK(t, m.Describe(&b))
		if !strings.Contains(b.String(), "# V: ") || !strings.Contains(b.String(), "# knob: ") {
			t.Errorf("%s: no sources", name)
		}
		again, err := LoadMachine(Request{Machine: "m.yaml", FS: mapFS(map[string]string{"m.yaml": b.String()})})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ignore := cmpopts.IgnoreFields(Machine{}, "Sources")
		if d := cmp.Diff(m, again, ignore, cmpopts.IgnoreUnexported(Machine{}), cmpopts.IgnoreFields(simd.Class{}, "Source"), cmpopts.IgnoreFields(simd.Operation{}, "Source"), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Every source of a preset begins with a mark that the description explains, and no white paper is without its name.
func TestSourceMarks(t *testing.T) {
	for _, name := range Presets() {
		m := preset(t, name)
		var b strings.Builder
		suite.OK(t, m.Describe(&b))
		for _, s := range SourceKinds {
			if !strings.Contains(b.String(), "# "+s.Mark+": ") || !strings.Contains(b.String(), s.Meaning) {
				t.Errorf("%s: %s is not explained, or is explained nowhere", name, s.Mark)
			}
		}
		for path, source := range m.Sources {
			known := source == ""
			for _, s := range SourceKinds {
				known = known || strings.HasPrefix(source, s.Mark+": ")
			}
			if !known || strings.Contains(source, "white paper") {
				t.Errorf("%s: %s: source %q", name, path, source)
			}
		}
	}
}

// Presets are parsed once for all users: a setting on top of one does not affect another load.
func TestLoadedPresetsAreApart(t *testing.T) {
	for _, name := range Presets() {
		before := suite.Must(Preset(name))(t)
		suite.Must(LoadMachine(Request{Machine: name, Set: []string{"lds.conflict_cycles=7", "timing.classes.vmem_store.latency=777", "compute_units=3", "shader_engines=1"}}))(t)
		after := suite.Must(Preset(name))(t)
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%s is another machine after one with changes was loaded", name)
		}
	}
}
