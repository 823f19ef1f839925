package mem

import (
	"math"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/mem/texture"
)

func imageBench(t *testing.T, format string, w, h, d, layers uint32) (*bench, *texture.Image) {
	t.Helper()
	img := suite.Must(texture.NewImage(format, w, h, d, layers))(t)
	b := newBench(t, 64)
	buf := suite.Must(b.store.Alloc(img.Size(), "image"))(t)
	desc := suite.Must(OfImage(buf, img))(t)
	b.env.Bind(desc)
	return b, img
}

// TestImageCoordinates stores each texel's number and finds it by address.
func TestImageCoordinates(t *testing.T) {
	cases := []struct {
		name    string
		dim     uint8
		arrayed bool
		size    [4]uint32
		coords  func(x, y, z, layer uint32) [4]uint32
	}{
		{"1D array", 0, true, [4]uint32{8, 1, 1, 4}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x, l} }},
		{"2D", 1, false, [4]uint32{8, 4, 1, 1}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x, y} }},
		{"2D array", 1, true, [4]uint32{4, 4, 1, 3}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x, y, l} }},
		{"3D", 2, false, [4]uint32{4, 2, 5, 1}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x, y, z} }},
		{"cube", 3, false, [4]uint32{2, 2, 1, 6}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x, y, l} }},
		{"buffer", 5, false, [4]uint32{50, 1, 1, 1}, func(x, y, z, l uint32) [4]uint32 { return [4]uint32{x} }},
	}
	for _, c := range cases {
		b, img := imageBench(t, "R32ui", c.size[0], c.size[1], c.size[2], c.size[3])
		n := int(c.size[0] * c.size[1] * c.size[2] * c.size[3])
		in := &isa.Inst{Op: isa.ImageStore, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: c.dim, Arrayed: c.arrayed}, Elem: isa.I32, Count: 4}}}
		for k := range 4 {
			in.Mem.Coords[k], in.Mem.Data[k] = isa.V(k), isa.V(8+k)
		}
		b.st.Exec = 1<<n - 1
		for l := range n {
			i := uint32(l)
			x, y, z := i%img.Width, i/img.Width%img.Height, i/img.Width/img.Height%img.Depth
			for k, v := range c.coords(x, y, z, i/img.Width/img.Height/img.Depth) {
				b.st.V[k*64+l] = v
			}
			b.st.V[8*64+l] = i + 1
		}
		b.port.Issue(0, b.st, &b.env, in)
		for i, bytes := 0, b.env.Descriptors[1].Bytes; i < n; i++ {
			if int(bytes[4*i]) != i+1 {
				t.Fatalf("%s: texel %d holds %d", c.name, i, bytes[4*i])
			}
		}
	}
}

func TestImageLoadConvertsAndChecksBounds(t *testing.T) {
	b, _ := imageBench(t, "Rgba8", 4, 4, 1, 1)
	copy(b.env.Descriptors[1].Bytes[4*(4*2+1):], []byte{255, 0, 51, 255})
	in := &isa.Inst{Op: isa.ImageLoad, Mem: &isa.Mem{
		Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: 1}, Elem: isa.F32, Count: 4},
		Dsts:   [4]isa.Reg{isa.V(8), {}, isa.V(10), isa.V(11)},
	}}
	in.Mem.Coords = [4]isa.Reg{isa.Lit(1), isa.V(1)}
	b.st.Exec = 3
	b.st.V[64], b.st.V[65] = 2, 4
	b.port.Issue(0, b.st, &b.env, in)
	for row, want := range map[int]float32{8: 1, 10: 0.2, 11: 1} {
		if got := math.Float32frombits(b.st.V[row*64]); got != want {
			t.Errorf("row %d = %v, want %v", row, got, want)
		}
		if got := b.st.V[row*64+1]; got != 0 {
			t.Errorf("outside: row %d = %#x, want 0", row, got)
		}
	}
	if b.store.Faults.Count != 1 || b.store.Faults.First[0].Lane != 1 {
		t.Errorf("faults %v", b.store.Faults.First)
	}
}

func TestImageQueriesAndAtomics(t *testing.T) {
	b, _ := imageBench(t, "R32ui", 8, 4, 1, 12)
	for _, c := range []struct {
		dim  uint8
		want []uint64
	}{{1, []uint64{8, 4, 12, 0}}, {3, []uint64{8, 4, 2, 0}}} {
		for k, want := range c.want {
			in := &isa.Inst{Op: isa.ImageSize, Imm: uint64(k), Dst: isa.S(2), Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: c.dim, Arrayed: true}}}}
			if b.port.Issue(0, b.st, &b.env, in); b.st.S[2] != want {
				t.Errorf("dim %d size %d = %d, want %d", c.dim, k, b.st.S[2], want)
			}
		}
	}
	in := &isa.Inst{Op: isa.AtomicIAdd, T: isa.I32, Dst: isa.V(9), Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: 1}, Elem: isa.I32, Count: 1}}}
	in.Mem.Coords, in.Src[0] = [4]isa.Reg{isa.Lit(3), isa.Lit(2)}, isa.Lit(5)
	b.port.Issue(0, b.st, &b.env, in)
	if got := b.env.Descriptors[1].Bytes[4*(2*8+3):][:2]; got[0] != 64 || got[1] != 1 {
		t.Errorf("texel holds %v, want 320", got)
	}
}

// TestSwizzle: components that are others or constants, of texels and of what is outside.
func TestSwizzle(t *testing.T) {
	b, img := imageBench(t, "R8ui", 4, 4, 1, 1)
	b.env.Descriptors[1].Bytes[0] = 7
	img.Swizzle = [4]texture.Component{texture.Alpha, texture.Red, texture.One, texture.Zero}
	in := &isa.Inst{Op: isa.ImageLoad, Mem: &isa.Mem{
		Access: isa.Access{Space: isa.SpaceImage, Binding: 1, Texture: isa.Texture{Dim: 1}, Elem: isa.I32, Count: 4},
		Dsts:   [4]isa.Reg{isa.V(8), isa.V(9), isa.V(10), isa.V(11)},
	}}
	in.Mem.Coords = [4]isa.Reg{isa.V(1), isa.Lit(0)}
	b.st.Exec = 3
	b.st.V[64], b.st.V[65] = 0, 4
	b.port.Issue(0, b.st, &b.env, in)
	for k, want := range [4][2]uint32{{1, 1}, {7, 0}, {1, 1}, {0, 0}} {
		if got := [2]uint32(b.st.V[(8+k)*64:]); got != want {
			t.Errorf("component %d: %v, want %v", k, got, want)
		}
	}
}
