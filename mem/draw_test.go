package mem

import (
	"math"
	"testing"

	"spvsim/isa"
)

// The caches see each texel of an image at a place of its own, and 8x8 texels together.
func TestTilesHoldEachTexelOnce(t *testing.T) {
	im, err := NewImage("Rgba8", 32, 16, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	im.Levels, im.Tiled = 3, true
	seen := map[uint64]bool{}
	for level := range uint32(3) {
		w, h := im.levelSize(level)
		for i := range w * h * 2 {
			at := [4]uint32{i % w, i / w % h, 0, i / (w * h)}
			off, ok := im.texelAt(&at, level)
			place := im.place(&at, level, off)
			if !ok || seen[place] || place >= im.Size() {
				t.Fatalf("level %d, texel %v: place %d", level, at, place)
			}
			seen[place] = true
			base := im.levelOffset(level) + uint64(at[3])*uint64(w)*uint64(h)*4
			if tile := (place - base) / 256; level == 0 && tile != uint64(at[1]/8*4+at[0]/8) {
				t.Fatalf("texel %v is in tile %d", at, tile)
			}
		}
	}
}

// Levels of detail are means, at odd sides too, and integers have none.
func TestBuildMips(t *testing.T) {
	im, _ := NewImage("R32f", 3, 2, 1, 1)
	im.Levels = 2
	data := make([]byte, im.Size())
	for i, v := range []float64{1, 3, 9, 5, 7, 9} {
		setFloat(data[4*i:], v)
	}
	if err := im.BuildMips(data); err != nil {
		t.Fatal(err)
	}
	// 3 texels halve to 1: the mean of the first two columns.
	if got := im.Format.texel(data[24:28])[0]; math.Float32frombits(uint32(got)) != 4 {
		t.Errorf("the second level is %v", math.Float32frombits(uint32(got)))
	}
	ints, _ := NewImage("R32ui", 2, 2, 1, 1)
	ints.Levels = 2
	if err := ints.BuildMips(make([]byte, ints.Size())); err == nil {
		t.Error("integers are averaged")
	}
}

func setFloat(b []byte, v float64) {
	f, _ := FormatByName("R32f")
	f.setTexel(b[:4], &[4]uint64{uint64(math.Float32bits(float32(v)))})
}

// Of the fragments of one pixel the last primitive's stays, or the nearest, in
// whatever order they come.
func TestTargetsDoNotDependOnTheOrderOfWaves(t *testing.T) {
	type fragment struct {
		order uint32
		z     float32
	}
	list := []fragment{{0, 0.5}, {1, 0.25}, {2, 0.75}, {3, 0.25}}
	for _, c := range []struct {
		depth bool
		want  uint32
	}{{false, 3}, {true, 1}} {
		for p := range 24 {
			target, last := NewTarget(1, 1, 1, c.depth), uint32(99)
			for _, i := range permutation(p) {
				f := &isa.Fragments{}
				f.Prims[0] = &isa.Primitive{Index: list[i].order}
				f.Coord[2][0] = list[i].z
				if target.takes(f, 0, 0) {
					last = list[i].order
				}
			}
			if last != c.want {
				t.Errorf("depth %v, order %v: primitive %d stays, want %d", c.depth, permutation(p), last, c.want)
			}
		}
	}
}

// permutation is the n-th of the 24 orders of four things.
func permutation(n int) []int {
	left, out := []int{0, 1, 2, 3}, []int(nil)
	for k := 4; k > 0; k-- {
		i := n % k
		n /= k
		out = append(out, left[i])
		left = append(left[:i:i], left[i+1:]...)
	}
	return out
}
