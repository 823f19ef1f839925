package sampled

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// restore returns memory to the saved contents after any writes, and all-zero pages are not copied.
func TestMemoryCopyRestores(t *testing.T) {
	draw := rand.New(rand.NewPCG(6, 27))
	var k memoryCopy
	for range 20 {
		var memory, want [][]byte
		full := 0
		for range 3 {
			b := make([]byte, draw.IntN(4*pageBytes))
			for at := 0; at < len(b); at += pageBytes {
				if page := b[at:min(at+pageBytes, len(b))]; draw.IntN(2) == 0 {
					page[draw.IntN(len(page))] = 7
					full += len(page)
				}
			}
			memory, want = append(memory, b), append(want, bytes.Clone(b))
		}
		if k.save(memory); len(k.pages) != full {
			t.Fatalf("%d bytes are copied, %d are of pages that are not zero", len(k.pages), full)
		}
		for _, b := range memory {
			for range 10 {
				if len(b) > 0 {
					b[draw.IntN(len(b))] = byte(draw.Uint32())
				}
			}
		}
		k.restore(memory)
		for i := range memory {
			if !bytes.Equal(memory[i], want[i]) {
				t.Fatalf("piece %d of %d bytes is another", i, len(want[i]))
			}
		}
	}
}
