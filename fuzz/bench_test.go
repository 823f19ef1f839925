package fuzz

import "testing"

// BenchmarkExecute feeds modules through validation, lowering and execution.
func BenchmarkExecute(b *testing.B) {
	t, err := Find("execute")
	if err != nil {
		b.Fatal(err)
	}
	f, err := New(t, "..")
	if err != nil {
		b.Fatal(err)
	}
	seed := uint64(0)
	for b.Loop() {
		if _, err := f.Feed(f.Make(seed)); err != nil {
			b.Fatal(err)
		}
		seed++
	}
}
