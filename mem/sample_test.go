package mem

import (
	"math"
	"testing"

	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/texture"
)

// A quad takes the passes of the lane that takes most: one for each so many bytes of a texel, times those of two levels; the texture unit is taken for
// those of all quads.
func TestPassesOfTheTextureUnit(t *testing.T) {
	for bytes := 1; bytes <= 16; bytes++ {
		for texel := 1; texel <= 16; texel *= 2 {
			s := textureUnit{spec: &hierarchy.TextureSpec{TexelBytes: texel, TrilinearPasses: 3}}
			if got, want := s.passes(1, bytes), (bytes+texel-1)/texel; got != want || s.passes(2, bytes) != 3*want {
				t.Errorf("texels of %d bytes, %d a pass: %d and %d passes, want %d and %d", bytes, texel, got, s.passes(2, bytes), want, 3*want)
			}
		}
	}
	b, img := imageBench(t, "R32f", 8, 8, 1, 1)
	img.Levels = 2
	more := make([]byte, img.Size())
	b.env.Descriptors[1].Bytes = more
	b.env.Bind(Descriptor{Sampler: &texture.Sampler{MipLinear: true, MaxLod: 9}})
	in := &isa.Inst{Op: isa.ImageSampleLod, Mem: &isa.Mem{
		Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: 1, Sampler: 2, Sample: isa.SampleLod}, Elem: isa.F32, Count: 4},
		Dsts:   [4]isa.Reg{isa.V(8), isa.V(9), isa.V(10), isa.V(11)},
	}}
	in.Mem.Coords, in.Mem.Data[0] = [4]isa.Reg{isa.Lit(0), isa.Lit(0)}, isa.V(0)
	quads := b.port.textureUnit.spec.QuadsPerCycle
	for _, c := range []struct {
		between []int // lanes that read two levels
		exec    uint64
		passes  int
	}{{nil, ^uint64(0), 16}, {[]int{1}, ^uint64(0), 15 + b.port.textureUnit.spec.TrilinearPasses}, {[]int{0, 2}, ^uint64(0), 15 + b.port.textureUnit.spec.TrilinearPasses},
		{[]int{0, 7}, ^uint64(0), 14 + 2*b.port.textureUnit.spec.TrilinearPasses}, {nil, 1, 1}, {nil, 0x11, 2}, {[]int{5}, 0x11, 2}, {[]int{4}, 0x11, 1 + b.port.textureUnit.spec.TrilinearPasses}} {
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
