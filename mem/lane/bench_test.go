package lane

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkFamilies has what is in assembly, on waves of 64 lanes. With GODEBUG=cpu.avx2=off it is the Go code (docs/develop/speed.md).
func BenchmarkFamilies(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 4096)
	var index [64]uint32
	for l := range index {
		index[l] = uint32(4 * l)
	}
	for _, bytes := range []bool{false, true} {
		b.Run(fmt.Sprintf("walk/bytes=%v", bytes), func(b *testing.B) {
			var w Addresses
			for b.Loop() {
				w.Compute(index[:], &AddressParams{Stride: 4, Shift: 6, Exec: ^uint64(0), Bytes: bytes})
			}
		})
	}
	for _, follow := range []bool{true, false} {
		for _, words := range []int{1, 2, 4} {
			var w Addresses
			w.places(r, ^uint64(0), len(text)-4*words, follow)
			rows := make([][]uint32, words)
			for k := range rows {
				rows[k] = make([]uint32, 64)
			}
			name := fmt.Sprintf("words=%d/follow=%v", words, follow)
			b.Run("gather/"+name, func(b *testing.B) {
				for b.Loop() {
					w.Gather(rows, text, ^uint64(0))
				}
			})
			b.Run("scatter/"+name, func(b *testing.B) {
				for b.Loop() {
					w.Scatter(text, rows, ^uint64(0))
				}
			})
		}
	}
	b.Run("fill", func(b *testing.B) {
		rows := make([]uint32, 4*64)
		for b.Loop() {
			FillRows(rows, text, 64)
		}
	})
}
