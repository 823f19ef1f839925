package config

import (
	"errors"
	"testing"
)

// sentinels are the kinds that an error of a reader may have.
var sentinels = []error{ErrSyntax, ErrUnknownKey, ErrType, ErrRange, ErrMissing, ErrReference, ErrExpr, ErrLimit}

func wantSentinel(t *testing.T, err error) {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return
		}
	}
	t.Errorf("%v wraps no sentinel", err)
}

func FuzzMachine(f *testing.F) {
	f.Add("base: gcn3-r9nano\nlds: {banks: {value: 64, source: \"M: x\"}}")
	f.Add("base: m.yaml")
	f.Add("base: rdna4-like\ntiming: {operations: {reduce/i64/32: {use: [6 dpp, readlane]}}, classes: {dpp: {latency: 9}}}")
	f.Add("a: &a [*a, *a]\nlds: *a")
	f.Add("wave_sizes: [32, 64]\nfetch: {enabled: true}\nmemory: {bytes_per_cycle: .inf}")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := LoadMachine(Request{Machine: "m.yaml", FS: mapFS(map[string]string{"m.yaml": text})})
		if err != nil {
			wantSentinel(t, err)
			return
		}
		if err := m.Validate(); err != nil {
			t.Errorf("loaded, but %v", err)
		}
	})
}

func FuzzSetting(f *testing.F) {
	for _, s := range []string{"lds.banks=64", `timing.operations."a.b".use=[dpp]`, "wave_sizes=[32]", "l2={ways: 4}", "=", "lds=&a {banks: *a}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := LoadMachine(Request{Machine: "gcn3-r9nano", Set: []string{s}}); err != nil {
			wantSentinel(t, err)
		}
	})
}

func FuzzJob(f *testing.F) {
	f.Add(reduceJob)
	f.Add("shader: a\nparameters: {n: 4}\nsteps: [{for: {i: 0..n, j: 0..i}, dispatch: [i], push_constants: [{u32: i*j}]}]")
	f.Add("shader: a\ndispatch: [1]\nbuffers: [{name: b, data: {parts: [{zero: 4}, {repeat: {times: 3, data: {values: [1.5], type: f16}}}, {address_of: b}]}}]\nexpect: [{buffer: b, f16: 1.5}]")
	f.Add("shader: a\ndispatch: [1]\nbuffers: [{name: b, data: {parts: &p [{parts: *p}, {parts: *p}]}}]")
	f.Add("shader: a\ndispatch: [1]\nset: {lds.banks: 3, lds: {bytes: 1}}\nbuffers: [{image: {format: R32f, width: 3, height: 2}}, {binding: 1, texel_buffer: R8, data: {random: {type: i64, count: 2}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := ParseJob(mapFS(nil), "j.yaml", []byte(text))
		if err != nil {
			wantSentinel(t, err)
			return
		}
		if _, err := j.Launches(); err != nil {
			t.Errorf("loaded, but %v", err)
		}
		for i := range j.Buffers {
			d := j.Buffers[i].Data
			if c, err := j.content(d, j.scope, 1<<16); err == nil && len(c.Bytes) > 1<<16 {
				t.Errorf("%d bytes of data over the bound", len(c.Bytes))
			}
		}
	})
}

func FuzzExpr(f *testing.F) {
	f.Add("1+2*(n-3)<<4")
	f.Add("-!~.inf")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Expr(text).eval(scope{"n": {Int: 7}}, Number{})
		if err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}
