package texture

import (
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
)

// Each texel of each level has bytes of its own, with none between, whatever the image has of layers, samples and depth; tiles only change the order
// in which caches see those of a plane. A view of some of the layers has those.
func TestTexelsFillTheImage(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for range 150 {
		few := func(n uint32) uint32 { return 1 + r.Uint32N(n) }
		img := suite.Must(NewImage([]string{"R8ui", "R16ui", "R32ui", "Rgba32f"}[r.IntN(4)], few(20), few(20), few(3), few(3)))(t)
		if img.Levels, img.Samples, img.Tiled = few(5), []uint32{0, 1, 2, 4}[r.IntN(4)], r.IntN(2) == 0; r.IntN(3) == 0 {
			img.Width, img.Height = 8*few(3), 8*few(3)
		}
		seen, placed, want := map[uint64]bool{}, map[uint64]bool{}, uint64(0)
		for level := range img.Levels {
			w, h, d := img.LevelExtent(level)
			if w != max(img.Width>>level, 1) || h != max(img.Height>>level, 1) || d != max(img.Depth>>level, 1) {
				t.Fatalf("level %d of %+v is %d by %d by %d", level, img, w, h, d)
			}
			planes := img.Layers * max(img.Samples, 1)
			for n := range w * h * d * planes {
				at := [4]uint32{n % w, n / w % h, n / w / h % d, n / w / h / d}
				off, ok := img.Texel(level, at)
				place := img.TiledOffset(&at, level, off)
				if !ok || off != want || seen[off] || placed[place] {
					t.Fatalf("texel %v of level %d of %+v is at %d, seen at %d: %t, want %d", at, level, img, off, place, ok, want)
				}
				seen[off], placed[place] = true, true
				want += uint64(img.Format.Bytes)
			}
			for k, side := range [4]uint32{w, h, d, planes} {
				var at [4]uint32
				at[k] = side
				if _, ok := img.Texel(level, at); ok {
					t.Fatalf("%v is in level %d of %+v", at, level, img)
				}
			}
		}
		for place := range placed {
			if !seen[place] {
				t.Fatalf("caches see a texel of %+v at %d, where none is", img, place)
			}
		}
		if _, ok := img.Texel(img.Levels, [4]uint32{}); ok || img.Size() != want {
			t.Errorf("%+v has %d bytes, want %d", img, img.Size(), want)
		}
		view := *img
		view.First = r.Uint32N(img.Layers)
		view.Layers, view.Stored = img.Layers-view.First, img.Layers
		for level := range img.Levels {
			a, _ := view.Texel(level, [4]uint32{})
			if b, _ := img.Texel(level, [4]uint32{3: view.First * max(img.Samples, 1)}); a != b {
				t.Errorf("layer %d of level %d of %+v is at %d, its view's first at %d", view.First, level, img, b, a)
			}
		}
	}
}
