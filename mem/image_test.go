package mem

import (
	"math"
	"testing"

	"spvsim/isa"
)

func TestFormatTableIsComplete(t *testing.T) {
	for i, f := range formats {
		total := uint(0)
		for _, n := range f.bits {
			total += n
		}
		if f.Value != uint32(i+1) || total != uint(f.Bytes)*8 {
			t.Errorf("%s: value %d at row %d, %d bits in %d bytes", f.Name, f.Value, i+1, total, f.Bytes)
		}
	}
	if len(formats) != 41 {
		t.Errorf("%d formats, want the 41 of SPIR-V 1.6", len(formats))
	}
}

// TestFormatCodes: every code of up to 16 bits comes back as itself, but the
// second code of -1 and NaNs.
func TestFormatCodes(t *testing.T) {
	for _, f := range formats {
		for _, n := range f.bits {
			if n > 16 {
				continue
			}
			for code := range uint64(1) << n {
				v := f.codec.decode(code, n)
				if f.codec == asSnorm && code == 1<<(n-1) || f.codec.float && math.IsNaN(float64(math.Float32frombits(uint32(v)))) {
					continue
				}
				if got := f.codec.encode(v, n) & (1<<n - 1); got != code {
					t.Fatalf("%s: code %#x of %d bits decodes to %#x and comes back as %#x", f.Name, code, n, v, got)
				}
			}
		}
	}
}

func TestFormatValues(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	cases := []struct {
		format string
		bytes  []byte
		want   [4]uint64
	}{
		{"Rgba8", []byte{0, 255, 51, 102}, [4]uint64{f(0), f(1), f(0.2), f(0.4)}},
		{"R8Snorm", []byte{0x80}, [4]uint64{f(-1), 0, 0, f(1)}},
		{"Rg16f", []byte{0x00, 0x3C, 0x00, 0xC0}, [4]uint64{f(1), f(-2), 0, f(1)}},
		{"R32i", []byte{0xFF, 0xFF, 0xFF, 0xFF}, [4]uint64{math.MaxUint64, 0, 0, 1}},
		{"Rgb10a2ui", []byte{0x01, 0x08, 0x30, 0xC0}, [4]uint64{1, 2, 3, 3}},
		{"R11fG11fB10f", []byte{0xC0, 0x03, 0x20, 0x70}, [4]uint64{f(1), f(2), f(0.5), f(1)}},
	}
	for _, c := range cases {
		format, ok := FormatByName(c.format)
		if !ok {
			t.Fatal(c.format)
		}
		got := format.texel(c.bytes)
		if c.format == "R11fG11fB10f" {
			// 11 bits: exponent 15 is 0x3C0 (1), 16 is 0x400 (2); 10 bits: 14 is 0x1C0 (0.5)
			var b [4]byte
			format.setTexel(b[:], &[4]uint64{f(1), f(2), f(0.5), 0})
			if b != [4]byte{0xC0, 0x03, 0x20, 0x70} {
				t.Errorf("packed to %x", b)
			}
		}
		if got != c.want {
			t.Errorf("%s %x = %x, want %x", c.format, c.bytes, got, c.want)
		}
	}
}

func imageBench(t *testing.T, format string, w, h, d, layers uint32) (*bench, *Image) {
	t.Helper()
	img, err := NewImage(format, w, h, d, layers)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 64)
	buf, err := b.store.Alloc(img.Size(), "image")
	if err != nil {
		t.Fatal(err)
	}
	desc, err := OfImage(buf, img)
	if err != nil {
		t.Fatal(err)
	}
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
