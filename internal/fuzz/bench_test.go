package fuzz

import "testing"

// What a seed of the targets that run for days costs.
func BenchmarkLower(b *testing.B)   { benchmark(b, "lower") }
func BenchmarkExecute(b *testing.B) { benchmark(b, "execute") }

func benchmark(b *testing.B, target string) {
	t, err := Find(target)
	if err != nil {
		b.Fatal(err)
	}
	f, err := New(t, "../..")
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
