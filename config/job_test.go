package config

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

// job parses text as j.yaml next to the given files.
func job(t *testing.T, text string, files map[string]string) *Job {
	t.Helper()
	j := suite.Must(ParseJob(mapFS(files), "jobs/j.yaml", []byte(text)))(t)
	return j
}

func mapFS(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const reduceJob = `
machine: rdna3-rx7900xtx
set: {compute_units: 8, lds.banks: 64}
shader: reduce.spv
entry: main
specialization: {"0": 256, block: 0x10, 7: 1}
buffers:
  - {set: 0, binding: 0, name: input,  data: {iota: f32, count: 65536}}
  - {set: 0, binding: 1, name: output, data: {zero: 4}}
push_constants: [{u32: 65536}]
dispatch: [256, 1, 1]
expect:
  - {buffer: output, f32: [2147450880], tolerance: 1e-6}
`

func TestJobOfTheManual(t *testing.T) {
	j := job(t, reduceJob, nil)
	launches := suite.Must(j.Launches())(t)
	want := []Launch{{
		Shader: "reduce.spv", Entry: "main", Dispatch: [3]uint32{256, 1, 1},
		Specialization: []SpecValue{{ID: 0, Value: Number{Int: 256}}, {Name: "block", Value: Number{Int: 16}}, {ID: 7, Value: Number{Int: 1}}},
		Push:           Content{Bytes: []byte{0, 0, 1, 0}},
	}}
	if d := cmp.Diff(want, launches); d != "" {
		t.Error(d)
	}
	b, err := j.Buffers[0].Bytes()
	if err != nil || len(b) != 4*65536 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if x := math.Float32frombits(binary.LittleEndian.Uint32(b[4*65535:])); x != 65535 {
		t.Errorf("last element %g", x)
	}
	m := suite.Must(LoadMachine(Request{Job: j}))(t)
	if m.ComputeUnits != 8 || m.LDS.Banks != 64 || m.Name != "rdna3-rx7900xtx" {
		t.Errorf("machine %s, %d compute units, %d banks", m.Name, m.ComputeUnits, m.LDS.Banks)
	}
}

func TestStepsAndLoops(t *testing.T) {
	j := job(t, `
parameters: {log: 3, n: 1 << log}
shader: sort.spv
repeat: 2
buffers: [{binding: 0, name: data, data: {random: {type: u32, seed: 7, count: n}}}]
steps:
  - name: sort
    for: {stage: 0..log-1, pass: 0..stage}
    push_constants: [{u32: [stage, pass]}, {u32: "1 << (stage - pass)"}]
    dispatch: [n/2/4]
  - {name: last, dispatch: [1, 2], push_constants: [{f32: n*0.5}, {address: data}, {u8: 3}, {u16: 4, offset: 32}]}
`, nil)
	launches := suite.Must(j.Launches())(t)
	if len(launches) != 7 {
		t.Fatalf("%d launches: want 1+2+3 and 1", len(launches))
	}
	if d := cmp.Diff([]byte{2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, launches[4].Push.Bytes); d != "" {
		t.Error(d)
	}
	last := launches[6]
	if last.Step != "last" || last.Dispatch != [3]uint32{1, 2, 1} || len(last.Push.Bytes) != 34 || last.Push.Bytes[16] != 3 || last.Push.Bytes[32] != 4 {
		t.Errorf("%+v", last)
	}
	if d := cmp.Diff([]AddressFixup{{At: 8, Buffer: "data"}}, last.Push.Addresses); d != "" {
		t.Error(d)
	}
	if n, err := j.Rounds(); n != 2 || err != nil {
		t.Errorf("%d rounds, %v", n, err)
	}
}

func TestNestedStepsInherit(t *testing.T) {
	j := job(t, `
shader: a.spv
specialization: {0: 1, 1: 2}
steps:
  - for: {i: 1..2}
    steps:
      - {name: one, dispatch: [i]}
      - {name: two, shader: b.spv, specialization: {1: i*10}, dispatch: [i, i]}
`, nil)
	launches := suite.Must(j.Launches())(t)
	var got []string
	for _, l := range launches {
		got = append(got, l.Step+" "+l.Shader)
	}
	if d := cmp.Diff([]string{"one a.spv", "two b.spv", "one a.spv", "two b.spv"}, got); d != "" {
		t.Error(d)
	}
	if v := launches[3].Specialization[1].Value.Int; v != 20 {
		t.Errorf("constant 1 is %d: want 20", v)
	}
}

func TestData(t *testing.T) {
	files := map[string]string{"jobs/raw.bin": "0123456789"}
	tests := []struct {
		data string
		want []byte
	}{
		{"{iota: u16, count: 3, start: 5, step: -2}", []byte{5, 0, 3, 0, 1, 0}},
		{"{iota: f16, count: 2, start: 1}", []byte{0, 0x3c, 0, 0x40}},
		{"{iota: i32, count: 3, start: 1, step: -1}", []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255}},
		{"{iota: i32, count: 2, start: 1e0, step: 1.0}", []byte{1, 0, 0, 0, 2, 0, 0, 0}},
		{"{iota: u64, count: 2, start: 18446744073709551614}", []byte{254, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},
		{"{iota: f32, count: 2, start: -1, step: 3}", []byte{0, 0, 0x80, 0xbf, 0, 0, 0, 0x40}},
		{"{iota: f32, count: 2, start: 0.5, step: 1}", []byte{0, 0, 0, 0x3f, 0, 0, 0xc0, 0x3f}},
		{"{zero: 3}", []byte{0, 0, 0}},
		{"{file: raw.bin, offset: 2, bytes: 3}", []byte("234")},
		{"{file: raw.bin}", []byte("0123456789")},
		{"{values: [1, -1], type: i8, count: 5}", []byte{1, 255, 1, 255, 1}},
		{"{values: [0xffffffffffffffff], type: u64}", []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"{values: [.inf, -1.5], type: f32}", []byte{0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0xbf}},
		{"{repeat: {times: 2, data: {values: [7], type: u8}}}", []byte{7, 7}},
		{"{parts: [{values: [1], type: u8}, {zero: 2}, {file: raw.bin, bytes: 1}]}", []byte{1, 0, 0, '0'}},
		{"{repeat: {times: 2, data: {address_of: b}}}", make([]byte, 16)},
		{"{random: {type: u8, count: 4, min: 3, max: 3}}", []byte{3, 3, 3, 3}},
	}
	for _, tt := range tests {
		j := job(t, "shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: "+tt.data+"}]", files)
		got, err := j.Buffers[0].Bytes()
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.data, err, d)
		}
	}
}

func TestRandomIsSeededAndBounded(t *testing.T) {
	one := func(seed string) []byte {
		j := job(t, "shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: {random: {type: i32, min: -5, max: 5, count: 1000, seed: "+seed+"}}}]", nil)
		b := suite.Must(j.Buffers[0].Bytes())(t)
		return b
	}
	a, b, c := one("1"), one("1"), one("2")
	if !cmp.Equal(a, b) || cmp.Equal(a, c) {
		t.Error("the seed must decide the numbers")
	}
	seen := map[int32]bool{}
	for i := 0; i < len(a); i += 4 {
		seen[int32(binary.LittleEndian.Uint32(a[i:]))] = true
	}
	for v := range seen {
		if v < -5 || v > 5 {
			t.Errorf("%d is out of -5..5", v)
		}
	}
	if len(seen) != 11 {
		t.Errorf("%d different values: want all 11", len(seen))
	}
}

func TestExpectations(t *testing.T) {
	out := []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0x80, 0x3f}
	tests := []struct{ expect, want string }{
		{"{buffer: b, u32: [1, 2]}", ""},
		{"{buffer: b, u32: [1, 3]}", "config: j.yaml:4: expect[0]: b: u32 at byte 4: found 2: want 3"},
		{"{buffer: b, u32: 0, count: 2}", "found 1: want 0 (2 of 2 differ)"},
		{"{buffer: b, f32: 1.0001, offset: 8, tolerance: 1e-3}", ""},
		{"{buffer: b, f32: 1.0001, offset: 8, tolerance: 1e-5}", "found 1: want 1.0001"},
		{"{buffer: b, f32: nan, offset: 8, tolerance: 1}", "want NaN"},
		{"{buffer: b, u32: [1], offset: 12}", "found 0 bytes from byte 12 on: want 4"},
		{"{buffer: b, u32: [1], offset: 13}", "offset: found 13: want 0 to 12"},
		{"{buffer: b, data: {iota: u32, start: 1, count: 2}}", ""},
		{"{buffer: b, file: f.bin}", "u8 at byte 1: found 0: want 1"},
		{"{buffer: b, sha256: 47DC540C94CEB704A23875C11273E16BB0B8A87AED84DE911F2133568115F254, bytes: 2}", ""},
		{"{buffer: b, sha256: 9dcf97a184f32623d11a73124ceb99a5709b083721e878a16d78f596718ba7b2, bytes: 2}", "sha256 47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254"},
	}
	for _, tt := range tests {
		j, err := ParseJob(mapFS(map[string]string{"f.bin": "\x01\x01"}), "j.yaml",
			[]byte("shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: {zero: 12}}]\nexpect: ["+tt.expect+"]"))
		if err != nil {
			t.Fatal(err)
		}
		err = j.Expect[0].Check(out, nil)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: found %v: want %q", tt.expect, err, tt.want)
		}
	}
	j := job(t, "shader: s.spv\ndispatch: [1]\nbuffers: [{name: b, data: {zero: 12}}]\nexpect: [{buffer: b, u8: 9}]", nil)
	if err := j.Expect[0].Check(out, nil); !errors.Is(err, ErrMismatch) {
		t.Errorf("%v does not wrap ErrMismatch", err)
	}
}

func TestJobErrors(t *testing.T) {
	const head = "shader: s.spv\ndispatch: [1]\n"
	const buf = "buffers: [{name: out, data: {zero: 4}}]\n"
	tests := []struct {
		text, want string
		kind       error
	}{
		{head + "bufers: []", "config: j.yaml:3: bufers: unknown key (nearest: buffers)", ErrUnknownKey},
		{head + "buffers: 3", "j.yaml:3: buffers: found 3: want a list", ErrType},
		{head + "buffers: [{name: a, data: {zero: 4}},\n {name: a, data: {zero: 4}, bindng: 1}]", "j.yaml:4: buffers[1].bindng: unknown key (nearest: buffers[1].binding)", ErrUnknownKey},
		{head + "buffers: [{name: a, data: {zero: 4, iota: u32}}]", "buffers[0].data: found iota and zero: want exactly one", ErrRange},
		{head + "buffers: [{name: a}]", "buffers[0].data: missing", ErrMissing},
		{head + "buffers: [{name: a, data: {zero: 4}}, {name: b, data: {zero: 4}}]", "found set 0, binding 0, index 0, which buffers[0] has too", ErrRange},
		{head + "buffers: [{name: a, data: {zero: 4}}, {name: a, binding: 1, data: {zero: 4}}]", `found "a", which is the name of another buffer`, ErrRange},
		{head + "buffers: [{name: a, image: {format: Rgba32F, width: 4}}]", "found \"Rgba32F\": want a SPIR-V image format such as Rgba32f (nearest: Rgba32f)", ErrRange},
		{head + "buffers: [{name: a, image: {format: R32f}}]", "width: missing", ErrRange},
		{head + "buffers: [{data: {random: u32, count: 4}}]", `j.yaml:3: buffers[0].data.random: found "u32": want a mapping, as in random: {type: u32, ...}`, ErrType},
		{head + "buffers: [{data: {random: {type: u32}, count: 4}}]", "buffers[0].data.count: random data has no count beside it: want it inside, as in random: {count: ...}", ErrRange},
		{head + "buffers: [{data: {random: {type: u32}}}]", "buffers[0].data.random.count: missing", ErrMissing},
		{head + "buffers: [{data: {zero: 4, step: 2}}]", "buffers[0].data.step: zero data has no step", ErrRange},
		{head + buf + "expect: [{buffer: ouy, u32: 1}]", `j.yaml:4: expect[0].buffer: found "ouy": want the name of a buffer (nearest: out)`, ErrReference},
		{head + buf + "expect: [{buffer: out, u32: 1, f32: 2}]", "a second typed value", ErrType},
		{head + buf + "expect: [{buffer: out}]", "found 0 expectations", ErrRange},
		{head + "push_constants: [{u32: m}]", `found "m": want a number, a parameter or a loop variable`, ErrExpr},
		{head + "push_constants: [{u32: 1, address: x}]", "want one typed value", ErrRange},
		{head + "push_constants: [{address: x}]", `found "x": want the name of a buffer`, ErrReference},
		{head + "push_constants: [{u32: 1, offset: 2000}]", "found 2000: want 0 to 1024", ErrExpr},
		{head + "parameters: {n: 1/0}", "parameters.n: expression \"1/0\": division by zero", ErrExpr},
		{head + "parameters: {n: (1}", "want )", ErrExpr},
		{head + "wave_size: 48", "wave_size: found 48: want one of 0, 16, 32, 64", ErrRange},
		{head + "repeat: 0", "repeat: found 0: want 1 to", ErrRange},
		{"shader: s.spv", "dispatch: missing", ErrMissing},
		{"shader: s.spv\ndispatch: []", "dispatch", ErrMissing},
		{"shader: s.spv\ndispatch: [1, 2, 3, 4]", "dispatch: found 4 items: want 1 to 3", ErrRange},
		{"shader: s.spv\ndispatch: [-1]", "dispatch[0]: found -1: want 0 to 4294967295", ErrExpr},
		{"dispatch: [1]", "shader: missing", ErrMissing},
		{head + "steps: [{dispatch: [1]}]", "found dispatch and steps", ErrRange},
		{"steps: [{dispatch: [1]}]", "steps[0].shader: missing", ErrMissing},
		{"shader: s\nsteps: [{for: {i: 0..131072}, dispatch: [i]}]", "steps[0]: found more than 131072 launches", ErrLimit},
		{"shader: s\nsteps: [{for: {i: 0..999999999}, steps: [{for: {j: 1..0}, dispatch: [1]}]}]", "steps[0].for.i: found more than 524288 rounds of loops", ErrLimit},
		{"shader: s\nsteps: [{for: {i: 1..3}, dispatch: [i - 2]}]", "steps[0].dispatch[0]: found -1", ErrExpr},
		{"shader: s\nsteps: [{for: {i: 1}, dispatch: [i]}]", "want first..last", ErrExpr},
		{"shader: [1", "not YAML", ErrSyntax},
		{"shader: a\nshader: b\ndispatch: [1]", "j.yaml:2: shader: given twice", ErrType},
		{"[1]", "found a list: want a mapping", ErrType},
		{"a: &a [*a]", "unknown key", ErrUnknownKey},
	}
	for _, tt := range tests {
		if testing.Short() && errors.Is(tt.kind, ErrLimit) {
			continue // it counts up to the limit
		}
		_, err := ParseJob(mapFS(nil), "j.yaml", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, tt.kind) {
			t.Errorf("%q:\nfound %v\nwant  %s (%v)", tt.text, err, tt.want, tt.kind)
		}
	}
}

func TestImages(t *testing.T) {
	j := job(t, `
shader: s.spv
dispatch: [1]
parameters: {side: 4}
buffers:
  - {binding: 0, name: im, image: {format: Rgba8, width: side, height: side*2, layers: 3}}
  - {binding: 1, name: full, image: {format: R32ui, width: 2, data: {iota: u32, count: 2}}}
  - {binding: 2, name: short, image: {format: R32ui, width: 2, data: {iota: u32, count: 1}}}
  - {binding: 3, index: 2, name: texels, texel_buffer: R32f, data: {zero: 16}}
`, nil)
	s, err := j.Buffers[0].Shape()
	if d := cmp.Diff(Shape{4, 8, 1, 3, 4, 1, 1}, s); d != "" || err != nil {
		t.Error(err, d)
	}
	if b, err := j.Buffers[0].Bytes(); len(b) != 4*8*3*4 || err != nil {
		t.Error(len(b), err)
	}
	if b, err := j.Buffers[1].Bytes(); !cmp.Equal(b, []byte{0, 0, 0, 0, 1, 0, 0, 0}) || err != nil {
		t.Error(b, err)
	}
	if _, err := j.Buffers[2].Bytes(); err == nil || !strings.Contains(err.Error(), "j.yaml:8: buffers[2].image.data: found 4 bytes: want 8") {
		t.Error(err)
	}
}

func TestExpressions(t *testing.T) {
	s := scope{"n": {Int: 10}, "x": {Float: 2.5, IsFloat: true}}
	tests := []struct {
		text string
		want Number
	}{
		{"1+2*3", Number{Int: 7}}, {"(1+2)*3", Number{Int: 9}}, {"7/2", Number{Int: 3}}, {"-7/2", Number{Int: -3}}, {"-7%3", Number{Int: -1}},
		{"1<<4>>2", Number{Int: 4}}, {"1<<n-2", Number{Int: 256}}, {"n*x", float(25)}, {"n/4.0", float(2.5)}, {"1e3", float(1000)}, {"1e-3", float(0.001)},
		{"0x1e-3", Number{Int: 27}}, {"010", Number{Int: 10}}, {"1_000", Number{Int: 1000}}, {"n>=10", Number{Int: 1}}, {"n<10", Number{}}, {"n==bitor(10, 4)", Number{}},
		{"bitor(bitand(5, 3), bitxor(8, 1))", Number{Int: 9}}, {"!n", Number{}}, {"bitnot(0)", Number{Int: -1}}, {"18446744073709551615", Number{Int: -1, Unsigned: true}},
		{"-.inf", float(math.Inf(-1))}, {"True", Number{Int: 1}}, {"+5", Number{Int: 5}}, {"18446744073709551615 - 1", Number{Int: -2, Unsigned: true}}, {"max(n, 3)", Number{Int: 10}}, {"- -3", Number{Int: 3}}, {"true", Number{Int: 1}}, {"2<3", Number{Int: 1}}, {"1 - 2 - 3", Number{Int: -4}},
	}
	for _, tt := range tests {
		got, err := Expr(tt.text).eval(s, Number{})
		if err != nil || got != tt.want {
			t.Errorf("%s = %+v, %v: want %+v", tt.text, got, err, tt.want)
		}
	}
	for _, bad := range []string{"1+", "(", "1 2", "a..b", "1.2.3", "n+y", "1<<64", "1.5<<2", "~x", "1%0", "5|3", "5&3", "5^3", "9223372036854775807*3", "18446744073709551616", "1.0/0", "()", "$", "0x", strings.Repeat("(", 500)} {
		if v, err := Expr(bad).eval(s, Number{}); err == nil {
			t.Errorf("%s = %+v: want an error", bad, v)
		}
	}
}

// The job of docs/reference/job.md.
func TestDocumentedExpressions(t *testing.T) {
	j := job(t, `
parameters: {n: 1000, log: int(log2(1024)), last: (1 << log) - 1, parts: "ceildiv(n, 256)"}
shader: s.spv
steps: [{for: {stage: 0..log - 1, pass: 0..stage}, push_constants: [{u32: 1 << (stage - pass)}], dispatch: [parts]}]
`, nil)
	l, err := j.Launches()
	if err != nil || len(l) != 55 || l[54].Dispatch != [3]uint32{4, 1, 1} || !cmp.Equal(l[45].Push.Bytes, []byte{0, 2, 0, 0}) {
		t.Errorf("%d launches, %v", len(l), err)
	}
	for old, want := range map[string]string{"n ^ 2": "steps[0].dispatch[0]: expression \"n ^ 2\": at character 3: found ^: write bitxor(a, b)", "n ~ 2": "bitnot", "n & 2": "bitand", "n | 2": "bitor"} {
		_, err := ParseJob(nil, "job.yaml", []byte("parameters: {n: 1}\nshader: s.spv\nsteps:\n- dispatch: ["+old+"]"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "job.yaml:4: ") {
			t.Errorf("%s: %v", old, err)
		}
	}
}

func TestLaunchLimitIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("expands as many launches as there may be")
	}
	j := job(t, "shader: s\nsteps: [{for: {i: 1..131072}, dispatch: [i]}]", nil)
	if l, err := j.Launches(); len(l) != maxLaunches || err != nil {
		t.Errorf("%d launches, %v", len(l), err)
	}
}

// A file with many errors costs no more than the reported ones.
func TestManyFaultsAreCut(t *testing.T) {
	_, err := ParseJob(nil, "j", []byte("buffers: ["+strings.Repeat("{bnaks: 1}, ", 50_000)+"]"))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxErrors {
		t.Errorf("%d faults told: want %d", n, maxErrors)
	}
}

func TestOneDocumentOnly(t *testing.T) {
	for text, want := range map[string]string{
		"shader: a\ndispatch: [1]\n---\nshader: b\n":                                "j.yaml:3: found a second YAML document",
		"shader: a\ndispatch: [1]\n---\n]junk: [\n":                                 "j.yaml:4: not YAML",
		"shader: a\ndispatch: [1]\n...\nshader: [1\n":                               "not YAML",
		"shader: a\ndispatch: [1]\nlimits: {cycle: 1}":                              "limits.cycle: unknown key (nearest: limits.cycles)",
		"shader: a\ndispatch: [1]\nbuffers: [{index: 4294967295, data: {zero: 4}}]": "buffers[0].index: found 4294967295: want at most 1048575",
	} {
		if _, err := ParseJob(mapFS(nil), "j.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v: want %s", text, err, want)
		}
	}
	if _, err := ParseJob(mapFS(nil), "j.yaml", []byte("---\nshader: a\ndispatch: [1]\n...\n")); err != nil {
		t.Error(err)
	}
}

func TestCopyStep(t *testing.T) {
	j := job(t, `
shader: sort.spv
parameters: {n: 8}
buffers: [{binding: 0, name: data, data: {zero: 4 * n}}]
steps:
  - {copy: {to: device, bytes: 4 * n}}
  - {copy: {to: host, bytes: 1}, name: back}
  - {dispatch: [1], once: true}
`, nil)
	launches := suite.Must(j.Launches())(t)
	if d := cmp.Diff(&CopyCall{Bytes: 32}, launches[0].Copy); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&CopyCall{FromDevice: true, Bytes: 1}, launches[1].Copy); d != "" || launches[1].Step != "back" {
		t.Error(launches[1].Step, d)
	}
	if launches[0].Once || !launches[2].Once || launches[2].Copy != nil {
		t.Errorf("%+v", launches)
	}
}

func TestCopyStepErrors(t *testing.T) {
	for step, want := range map[string]string{
		"{copy: {bytes: 4}}":                          "missing: want device or host",
		"{copy: {to: disk, bytes: 4}}":                "found disk",
		"{copy: {to: host, bytes: -4}}":               "copy.bytes",
		"{copy: {to: host, bytes: 4}, dispatch: [1]}": "want one of dispatch",
		"{synchronize: true, dispatch: [1]}":          "want one of dispatch",
		"{synchronize: false}":                        "want one of dispatch",
		"{synchronize: 2}":                            "steps[0].synchronize",
	} {
		_, err := ParseJob(nil, "job.yaml", []byte("shader: a.spv\nsteps: ["+step+"]\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", step, err, want)
		}
	}
}

// Parts of a buffer and fixed addresses: their places, and the cases that are refused.
func TestBufferLocations(t *testing.T) {
	head := "machine: m\nshader: s.spv\ndispatch: [1, 1, 1]\nbuffers:\n  - {name: a, binding: 0, data: {zero: 64}, address: 4096}\n"
	j := suite.Must(LoadJob(fstest.MapFS{"j.yaml": {Data: []byte(head + "  - {name: b, binding: 1, part_of: a, offset: 16, bytes: 8}\n  - {name: c, binding: 2, part_of: a, offset: 60}\n")}}, "j.yaml"))(t)
	for i, want := range []BufferLocation{{Address: 4096, Parent: -1}, {Parent: 0, Offset: 16, Bytes: 8}, {Parent: 0, Offset: 60, Bytes: 4}} {
		if got, err := j.Buffers[i].Location(func(int) uint64 { return 64 }); err != nil || got != want {
			t.Errorf("buffers[%d]: %+v, %v: want %+v", i, got, err, want)
		}
	}
	for _, bad := range []struct{ row, want string }{
		{"{name: b, binding: 1, part_of: x}", `found "x": want the name of a buffer before`},
		{"{name: b, binding: 1, part_of: a, data: {zero: 4}}", "found data or address beside part_of"},
		{"{name: b, binding: 1, data: {zero: 4}, offset: 4}", "want part_of"},
		{"{name: b, binding: 1, part_of: a}\n  - {name: c, binding: 2, part_of: b}", "which is itself a part"},
	} {
		_, err := LoadJob(fstest.MapFS{"j.yaml": {Data: []byte(head + "  - " + bad.row + "\n")}}, "j.yaml")
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v: want %q", bad.row, err, bad.want)
		}
	}
	j.Buffers[1].PartBytes = "49"
	if _, err := j.Buffers[1].Location(func(int) uint64 { return 64 }); err == nil || !strings.Contains(err.Error(), "found 49: want 0 to 48") {
		t.Errorf("a part beyond the end: %v", err)
	}
}

// Parameters that refer to one another, each to the one before, cost the same each: twice as many take twice the time.
func TestChainedParametersCostTheSameEach(t *testing.T) {
	load := func(n int) float64 {
		var b strings.Builder
		b.WriteString("shader: a.spv\ndispatch: [1]\nparameters:\n  p0: 1\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  p%d: p%d + 1\n", i, i-1)
		}
		return testing.AllocsPerRun(1, func() {
			j := suite.Must(ParseJob(fstest.MapFS{}, "job.yaml", []byte(b.String())))(t)
			if last := j.scope[fmt.Sprintf("p%d", n-1)]; last.Int != int64(n) {
				t.Fatalf("the last parameter is %v, want %d", last, n)
			}
		})
	}
	few, many := load(2000), load(4000)
	if many > 2.2*few || many > 4000*300 {
		t.Errorf("%v allocations for 2000 parameters, %v for 4000: want at most 2.2 times as many, and 300 each", few, many)
	}
}

// The host waits between steps; a queue is filled before it begins, so that no wait is part of it.
func TestSynchronizeStep(t *testing.T) {
	const head = "shader: sort.spv\nbuffers: [{binding: 0, name: data, data: {zero: 8}}]\n"
	list := suite.Must(job(t, head+"steps:\n  - {for: {i: 1..2}, steps: [{dispatch: [1]}, {synchronize: true, once: true, name: wait}]}\n", nil).Launches())(t)
	for i, want := range []bool{false, true, false, true} {
		if l := list[i]; l.Synchronize != want || want && (l.Step != "wait" || !l.Once) {
			t.Errorf("launch %d of %d is %+v", i, len(list), l)
		}
	}
	for _, steps := range []string{"{synchronize: true}", "{for: {i: 1..2}, steps: [{synchronize: true}]}"} {
		_, err := ParseJob(nil, "job.yaml", []byte(head+"queues: [{steps: ["+steps+"]}]\n"))
		if err == nil || !strings.Contains(err.Error(), "synchronize: found synchronize in a queue, but the host fills all queues before any of them begins: want after") {
			t.Errorf("%s in a queue: %v", steps, err)
		}
	}
}

// The inputs of a launch follow the loops' variables, wherever they occur: the launches of a loop equal those of its
// rounds written out.
func TestLoopsChangeLaunches(t *testing.T) {
	const head = "shader: s\nparameters: {n: 3, v: 5}\nbuffers: [{set: 0, binding: 0, name: b, data: {zero: 4096}}, {set: 0, binding: 1, name: im, image: {format: Rgba8, width: 4, height: 1}}]\nsteps:\n"
	for _, step := range []string{
		"dispatch: [n]", "dispatch: [VAR]", "dispatch: [1, n, VAR + 1]", "dispatch: [n], base: [0, VAR]",
		"indirect: {buffer: b, offset: 4 * VAR}",
		"dispatch: [n], specialization: {7: n}", "dispatch: [n], specialization: {7: n, 8: VAR % 2}",
		"dispatch: [n], push_constants: [{u32: n}, {address: b}]", "dispatch: [n], push_constants: [{u32: [n, VAR]}]",
		"dispatch: [n], push_constants: [{u32: 1, offset: 16 * VAR}]",
		`dispatch: [n], push_constants: [{f64: "VAR < 4 ? 1.5 : 2"}]`,
		"name: outer, push_constants: [{u32: VAR}], steps: [{dispatch: [n]}, {dispatch: [2], push_constants: [{u32: 9}]}]",
		"draw: {width: VAR, height: 1, positions: {type: f32, values: [0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]}, color: [{buffer: im}]}",
	} {
		looped := head + "  - {for: {v: 2..4}, steps: [{" + strings.ReplaceAll(step, "VAR", "v") + "}]}\n"
		written := head
		for _, v := range []string{"2", "3", "4"} {
			written += "  - {steps: [{" + strings.ReplaceAll(step, "VAR", v) + "}]}\n"
		}
		want, err1 := job(t, written, nil).Launches()
		got, err2 := job(t, looped, nil).Launches()
		if err1 != nil || err2 != nil {
			t.Errorf("%s: %v, %v", step, err1, err2)
			continue
		}
		var handed []Launch
		if err := job(t, looped, nil).EachLaunch(func(l *Launch) error { handed = append(handed, *l); return nil }); err != nil {
			t.Error(err)
		}
		for _, list := range [][]Launch{want, got, handed} {
			for i := range list {
				list[i].Path = ""
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: launches of the rounds written out (-) and of a loop (+):\n%s", step, diff)
		}
		if diff := cmp.Diff(want, handed); diff != "" {
			t.Errorf("%s: launches of the rounds written out (-) and as they are handed on (+):\n%s", step, diff)
		}
	}
}
