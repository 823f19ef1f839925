package frontend

import "testing"

// BenchmarkBuild translates a shader with matrices and several functions.
func BenchmarkBuild(b *testing.B) {
	m := check(b, "testdata/matrix.spv")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(m, Options{WaveSize: 32}); err != nil {
			b.Fatal(err)
		}
	}
}
