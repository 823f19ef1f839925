package texture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A texel outside of the image is the one that its address mode walks to: over the same again, back and forth, at the edge, or the border.
func TestWrapsWalkOverTheImage(t *testing.T) {
	for size := 1; size <= 5; size++ {
		// Going from texel 0 by steps of one, either way.
		at := map[Wrap]int{}
		for _, way := range []int{1, -1} {
			up := map[Wrap]int{WrapMirror: way}
			clear(at)
			if way < 0 {
				at[WrapMirror], up[WrapMirror] = 0, 1 // -1 is texel 0 again
			}
			for i := 0; i >= -17 && i <= 17; i += way {
				inside := min(max(i, 0), size-1)
				want := map[Wrap]int{WrapRepeat: at[WrapRepeat], WrapMirror: at[WrapMirror], WrapClamp: inside, WrapBorder: i, WrapMirrorOnce: min(max(i, -1-i), size-1)}
				if way < 0 && i == 0 {
					want[WrapMirror] = 0
				}
				for w, texel := range want {
					if got := w.texel(i, size); got != texel {
						t.Fatalf("mode %d, texel %d of %d is %d, want %d", w, i, size, got, texel)
					}
				}
				at[WrapRepeat] = (at[WrapRepeat] + way + size) % size
				if way < 0 && i == 0 {
					continue // the next one is texel 0 once more
				}
				if next := at[WrapMirror] + up[WrapMirror]; next < 0 || next >= size {
					up[WrapMirror] = -up[WrapMirror] // and the texel at the end once more
				} else {
					at[WrapMirror] = next
				}
			}
		}
	}
}

// The levels that are read lie about the clamped level of detail with weights in proportion, or are the one nearest; a magnified image
// is filtered as it says, a minified one as it says.
func TestLevelsOfDetail(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 3000 {
		s := &Sampler{MagLinear: r.IntN(2) == 0, MinLinear: r.IntN(2) == 0, MipLinear: r.IntN(2) == 0, MinLod: float64(r.IntN(5)) / 2, MaxLod: 1 + float64(r.IntN(10))/2}
		s.MinLod = min(s.MinLod, s.MaxLod)
		lambda, levels := float64(r.IntN(33)-8)/4, uint32(1+r.IntN(6))
		clamped := min(max(lambda, s.MinLod), s.MaxLod)
		d := min(max(clamped, 0), float64(levels-1))
		list, n, linear := s.ChooseLevels(lambda, levels)
		if linear != (clamped > 0 && s.MinLinear || clamped <= 0 && s.MagLinear) {
			t.Fatalf("%+v at %g: linear %t", s, lambda, linear)
		}
		sum, mean := 0.0, 0.0
		for _, l := range list[:n] {
			if sum, mean = sum+l.Weight, mean+l.Weight*float64(l.Level); l.Level >= levels || !(l.Weight > 0) || math.Abs(float64(l.Level)-d) >= 1 {
				t.Fatalf("%+v at %g of %d levels: %v", s, lambda, levels, list[:n])
			}
		}
		accessed := s.AccessedLevel(lambda, levels)
		if s.MipLinear {
			if sum != 1 || mean != d || accessed != d || n != 1+int(math.Ceil(d)-math.Floor(d)) {
				t.Fatalf("%+v at %g of %d levels: %v, %g is accessed, want %g", s, lambda, levels, list[:n], accessed, d)
			}
		} else if want := math.Ceil(d - 0.5); n != 1 || sum != 1 || mean != want || accessed != want { // of two as near, the lower one
			t.Fatalf("%+v at %g of %d levels: %v, %g is accessed, want %g", s, lambda, levels, list[:n], accessed, want)
		}
	}
	if list, n, _ := (&Sampler{MaxLod: 9, MipLinear: true}).ChooseLevels(math.NaN(), 4); n != 1 || list[0].Level != 0 {
		t.Errorf("no number: %v", list[:n])
	}
	for _, c := range []struct {
		dx, dy, size [3]float64
		want         float64
	}{
		{[3]float64{1.0 / 8}, [3]float64{0, 1.0 / 8}, [3]float64{8, 8, 1}, 0}, {[3]float64{1}, [3]float64{}, [3]float64{8, 4, 1}, 3}, {[3]float64{}, [3]float64{0, 1}, [3]float64{8, 4, 1}, 2},
		{[3]float64{3, 4}, [3]float64{}, [3]float64{1, 1, 1}, math.Log2(5)}, {[3]float64{}, [3]float64{0, 3, 2}, [3]float64{1, 1, 2}, math.Log2(5)},
	} {
		if got := levelOfDetail(c.dx, c.dy, c.size); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: level %g", c, got)
		}
	}
}

// A direction to a place on a face is on that face at that place, and the slopes on the face are what small steps come to. Of equal components z decides, then y.
func TestFacesOfCubes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		face, u, v := r.IntN(6), r.Float64(), r.Float64()
		d := direction(face, u, v)
		for k := range d {
			d[k] *= 3
		}
		if st := onFace(face, d); faceOf(d) != face || math.Abs(st[0]-u) > 1e-12 || math.Abs(st[1]-v) > 1e-12 {
			t.Fatalf("%g, %g of face %d is at %v of face %d", u, v, face, st, faceOf(d))
		}
		const step = 1e-6
		e := [3]float64{r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5}
		var next [3]float64
		for k := range next {
			next[k] = d[k] + step*e[k]
		}
		a, b, slope := onFace(face, d), onFace(face, next), faceSlope(face, d, e)
		for k := range 2 {
			if got := (b[k] - a[k]) / step; math.Abs(got-slope[k]) > 1e-4 {
				t.Fatalf("face %d, %v by %v: slope %v, steps give %g", face, d, e, slope, got)
			}
		}
	}
	for d, want := range map[[3]float64]int{{1, 1, 1}: 4, {1, 1, -1}: 5, {1, 1, 0}: 2, {1, -1, 0.5}: 3, {-1, 0, 0.5}: 1, {1, 0, 0}: 0, {2, 1, 2}: 4, {2, -2, 1}: 3} {
		if got := faceOf(d); got != want {
			t.Errorf("%v is on face %d, want %d", d, got, want)
		}
	}
}
