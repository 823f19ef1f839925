package mem

import (
	"math"
	"math/rand/v2"
	"testing"

	akita "github.com/sarchlab/akita/v3/mem/mem"

	"spvsim/isa"
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
					if got := w.place(i, size); got != texel {
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
		list, n, linear := s.choose(lambda, levels)
		if linear != (clamped > 0 && s.MinLinear || clamped <= 0 && s.MagLinear) {
			t.Fatalf("%+v at %g: linear %t", s, lambda, linear)
		}
		sum, mean := 0.0, 0.0
		for _, l := range list[:n] {
			if sum, mean = sum+l.weight, mean+l.weight*float64(l.level); l.level >= levels || !(l.weight > 0) || math.Abs(float64(l.level)-d) >= 1 {
				t.Fatalf("%+v at %g of %d levels: %v", s, lambda, levels, list[:n])
			}
		}
		accessed := s.accessed(lambda, levels)
		if s.MipLinear {
			if sum != 1 || mean != d || accessed != d || n != 1+int(math.Ceil(d)-math.Floor(d)) {
				t.Fatalf("%+v at %g of %d levels: %v, %g is accessed, want %g", s, lambda, levels, list[:n], accessed, d)
			}
		} else if want := math.Ceil(d - 0.5); n != 1 || sum != 1 || mean != want || accessed != want { // of two as near, the lower one
			t.Fatalf("%+v at %g of %d levels: %v, %g is accessed, want %g", s, lambda, levels, list[:n], accessed, want)
		}
	}
	if list, n, _ := (&Sampler{MaxLod: 9, MipLinear: true}).choose(math.NaN(), 4); n != 1 || list[0].level != 0 {
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

// A quad takes the passes of the lane that takes most: one for each so many bytes of a texel, times those of two levels; the texture unit is taken for
// those of all quads.
func TestPassesOfTheTextureUnit(t *testing.T) {
	for bytes := 1; bytes <= 16; bytes++ {
		for texel := 1; texel <= 16; texel *= 2 {
			s := TextureSpec{TexelBytes: texel, TrilinearPasses: 3}
			if got, want := s.passes(1, bytes), (bytes+texel-1)/texel; got != want || s.passes(2, bytes) != 3*want {
				t.Errorf("texels of %d bytes, %d a pass: %d and %d passes, want %d and %d", bytes, texel, got, s.passes(2, bytes), want, 3*want)
			}
		}
	}
	b, img := imageBench(t, "R32f", 8, 8, 1, 1)
	img.Levels = 2
	more := make([]byte, img.Size())
	b.env.Descriptors[1].Bytes = more
	b.env.Bind(Descriptor{Sampler: &Sampler{MipLinear: true, MaxLod: 9}})
	in := &isa.Inst{Op: isa.ImageSampleLod, Mem: &isa.Mem{
		Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: 1, Sampler: 2, Sample: isa.SampleLod}, Elem: isa.F32, Count: 4},
		Dsts:   [4]isa.Reg{isa.V(8), isa.V(9), isa.V(10), isa.V(11)},
	}}
	in.Mem.Coords, in.Mem.Data[0] = [4]isa.Reg{isa.Lit(0), isa.Lit(0)}, isa.V(0)
	quads := b.port.tex.spec.QuadsPerCycle
	for _, c := range []struct {
		between []int // lanes that read two levels
		exec    uint64
		passes  int
	}{{nil, ^uint64(0), 16}, {[]int{1}, ^uint64(0), 15 + b.port.tex.spec.TrilinearPasses}, {[]int{0, 2}, ^uint64(0), 15 + b.port.tex.spec.TrilinearPasses},
		{[]int{0, 7}, ^uint64(0), 14 + 2*b.port.tex.spec.TrilinearPasses}, {nil, 1, 1}, {nil, 0x11, 2}, {[]int{5}, 0x11, 2}, {[]int{4}, 0x11, 1 + b.port.tex.spec.TrilinearPasses}} {
		for l := range 64 {
			b.st.V[l] = 0
		}
		for _, l := range c.between {
			b.st.V[l] = math.Float32bits(0.5)
		}
		b.st.Exec = c.exec
		now := uint64(1 << 20)
		if got, want := b.port.Issue(now, b.st, &b.env, in).UnitFreeAt-now, uint64(max(1, (c.passes+quads-1)/quads)); got != want {
			t.Errorf("lanes %v between levels, of %#x: busy for %d cycles, want %d", c.between, c.exec, got, want)
		}
	}
}

// Barriers write back the levels that they name, and wait for what these have to write; dropped lines that were dirty count as written back.
func TestReleasesOfLevels(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  uint64
	}{{nil, 5000}, {[]string{}, 5000}, {[]string{"l2"}, 6000}, {[]string{"vector_l1"}, 5000}, {[]string{"vector_l1", "l2"}, 6000}, {[]string{"l2", "scalar_l1"}, 6000}} {
		f := newTiny(t, func(s *HierarchySpec) { s.L2.SharedBy, s.L2.ReleaseAtEnd = 2, true })
		f.Access(2000, request(0, Write, 4096))
		if got := f.ReleaseLevels(5000, c.names); got != c.want {
			t.Errorf("%q: done in cycle %d, want %d", c.names, got, c.want)
		}
	}
	f := newTiny(t, nil)
	f.Access(0, request(0, Write, 4096, 4096+64, 8192+128))
	f.Access(2000, request(0, Read, 4096+192))
	if err := f.Flush("l2"); err != nil || f.count("l2").Writebacks != 3 {
		t.Errorf("%d lines are written back, %v: want the 3 that are dirty", f.count("l2").Writebacks, err)
	}
	if f.Access(9000, request(0, Write, 4096)); f.Flush("l2") != nil || f.count("l2").Writebacks != 4 {
		t.Errorf("%d lines are written back, want one more", f.count("l2").Writebacks)
	}
}

// A gate passes a request on in parcels that make it up, each in one line; a store's bytes that its mask leaves out cost nothing, and nothing is passed
// on of which none is left. What the front knows of lanes' bytes is divided among them.
func TestParcelsMakeUpTheirRequest(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 1000 {
		g := &gate{gateSpec: gateSpec{line: 16 << r.IntN(3), cost: 7, serial: 1000}}
		addr, size := r.Uint64N(300), 1+r.Uint64N(100)
		read := &akita.ReadReq{Address: addr, AccessByteSize: size}
		g.split(read, 50)
		at, cost := addr, uint64(0)
		for _, p := range g.queue {
			if p.addr != at || p.addr/g.line != (p.addr+p.size-1)/g.line || p.at != 50 || p.write || p.moved() != p.size || p.left != len(g.queue) {
				t.Fatalf("%d bytes at %d in lines of %d: %+v", size, addr, g.line, p)
			}
			at, cost = at+p.size, cost+p.cost
		}
		if at != addr+size || cost != 7*size {
			t.Fatalf("%d bytes at %d in lines of %d: up to %d, at a cost of %d", size, addr, g.line, at, cost)
		}
		write := &akita.WriteReq{Address: addr, Data: make([]byte, size), DirtyMask: make([]bool, size)}
		set := map[uint64]uint64{} // bytes by line
		for i := range write.DirtyMask {
			if r.IntN(8) == 0 {
				write.DirtyMask[i] = true
				set[(addr+uint64(i))/g.line]++
			}
		}
		g.queue = nil
		g.split(write, 50)
		if len(g.queue) != len(set) {
			t.Fatalf("%d parcels of %d lines", len(g.queue), len(set))
		}
		for _, p := range g.queue {
			if n := set[p.addr/g.line]; p.moved() != n || p.cost != 7*n || !p.write || uint64(len(p.mask)) != p.size {
				t.Fatalf("%+v moves %d bytes, want %d", p, p.moved(), n)
			}
		}
	}
	g := &gate{gateSpec: gateSpec{line: 64, cost: 7, serial: 1000}}
	for _, c := range []struct {
		info any
		want uint64
	}{{nil, 7 * 16}, {ask{bytes: 256, serial: 3}, 256*16/64*7 + 3000}, {ask{serial: 3}, 7 * 16}} {
		if got := g.price(&akita.ReadReq{AccessByteSize: 64, Info: c.info}, 16); got != c.want {
			t.Errorf("16 of 64 bytes with %+v cost %d, want %d", c.info, got, c.want)
		}
		if got := g.price(&akita.WriteReq{Data: make([]byte, 64), Info: c.info}, 16); got != c.want {
			t.Errorf("16 of 64 stored bytes with %+v cost %d, want %d", c.info, got, c.want)
		}
	}
}
