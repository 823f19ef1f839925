package texture

import (
	"math"
	"testing"

	"spvsim/internal/suite"
)

// The caches see each texel of an image at a place of its own, and 8x8 texels together.
func TestTilesHoldEachTexelOnce(t *testing.T) {
	im := suite.Must(NewImage("Rgba8", 32, 16, 1, 2))(t)
	im.Levels, im.Tiled = 3, true
	seen := map[uint64]bool{}
	for level := range uint32(3) {
		w, h := im.levelSize(level)
		for i := range w * h * 2 {
			at := [4]uint32{i % w, i / w % h, 0, i / (w * h)}
			off, ok := im.Texel(level, at)
			place := im.TiledOffset(&at, level, off)
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
	suite.OK(t, im.BuildMips(data))
	// 3 texels halve to 1: the mean of the first two columns.
	if got := im.Format.Decode(data[24:28])[0]; math.Float32frombits(uint32(got)) != 4 {
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
	f.Encode(b[:4], &[4]uint64{uint64(math.Float32bits(float32(v)))})
}
