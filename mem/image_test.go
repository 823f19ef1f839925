package mem

import (
	"math"
	"slices"
	"testing"

	"spvsim/isa"
)

func TestFormatTableIsComplete(t *testing.T) {
	for i, f := range formats {
		if f.Value != uint32(i+1) {
			t.Errorf("%s: value %d at row %d", f.Name, f.Value, i+1)
		}
	}
	for _, f := range everyFormat() {
		total := uint(0)
		for _, n := range f.bits {
			total += n
		}
		if f.codec == asShared {
			total += 5 // the exponent
		}
		if total != uint(f.Bytes)*8 {
			t.Errorf("%s: %d bits in %d bytes", f.Name, total, f.Bytes)
		}
		if f.order != nil && len(f.order) < len(f.bits) {
			t.Errorf("%s: an order of %d of %d components", f.Name, len(f.order), len(f.bits))
		}
	}
	if len(formats) != 41 {
		t.Errorf("%d formats, want the 41 of SPIR-V 1.6", len(formats))
	}
}

func everyFormat() []Format { return slices.Concat(formats, sampledFormats) }

// TestFormatCodes: every code of up to 16 bits comes back as itself, but the
// second code of -1 and NaNs.
func TestFormatCodes(t *testing.T) {
	for _, f := range everyFormat() {
		for k, n := range f.bits {
			codec := f.codecOf(f.component(k))
			if n > 16 || codec == asShared {
				continue
			}
			for code := range uint64(1) << n {
				v := codec.decode(code, n)
				if codec == asSnorm && code == 1<<(n-1) || codec.float && math.IsNaN(float64(math.Float32frombits(uint32(v)))) {
					continue
				}
				if got := codec.encode(v, n) & (1<<n - 1); got != code {
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
		{"Bgra8", []byte{51, 102, 255, 0}, [4]uint64{f(1), f(0.4), f(0.2), f(0)}},
		{"Rgba8Srgb", []byte{0, 255, 10, 51}, [4]uint64{f(0), f(1), f(float32(10 / 255.0 / 12.92)), f(0.2)}},
		{"Bgra8Srgb", []byte{188, 0, 255, 255}, [4]uint64{f(1), f(0), f(0.50288647), f(1)}}, // ((188/255 + 0.055) / 1.055) ^ 2.4
		{"Bgr10A2", []byte{0xFF, 0x03, 0x00, 0xC0}, [4]uint64{f(0), f(0), f(1), f(1)}},
		{"Bgr10a2ui", []byte{0x01, 0x08, 0x30, 0x40}, [4]uint64{3, 2, 1, 1}},
		{"Bgr565", []byte{0x1F, 0xF8}, [4]uint64{f(1), f(0), f(1), f(1)}},
		{"Bgr5A1", []byte{0x00, 0x7C}, [4]uint64{f(1), f(0), f(0), f(0)}},
		{"Argb4", []byte{0x0F, 0xF0}, [4]uint64{f(0), f(0), f(1), f(1)}},
		{"Argb4", []byte{0xF0, 0x06}, [4]uint64{f(1), f(0.4), f(0), f(0)}},
		{"Bgra4", []byte{0xF0, 0x06}, [4]uint64{f(0.4), f(1), f(0), f(0)}},
		{"Rgba4", []byte{0xF0, 0x06}, [4]uint64{f(0), f(1), f(0.4), f(0)}},
		{"Rgb5A1", []byte{0x1F, 0x80}, [4]uint64{f(1), f(0), f(0), f(1)}},
		{"A8", []byte{51}, [4]uint64{f(0), f(0), f(0), f(0.2)}},
		{"Rgb9E5", []byte{0x00, 0x01, 0x01, 0x80}, [4]uint64{f(1), f(0.5), f(0), f(1)}}, // mantissas 256, 128 and 0 of 512, exponent 16 - 15
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

// TestSharedExponent: what is packed comes back as near as its largest component's exponent allows.
func TestSharedExponent(t *testing.T) {
	format, _ := FormatByName("Rgb9E5")
	f := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	for _, c := range []struct{ give, want [3]float64 }{
		{[3]float64{1, 0.5, 0.25}, [3]float64{1, 0.5, 0.25}},
		{[3]float64{1e9, -1, math.NaN()}, [3]float64{65408, 0, 0}},                   // 511/512 of 2 to the 16
		{[3]float64{1023.0 / 1024, 0, 1.0 / 1024}, [3]float64{1, 0, 0}},              // rounds up to the next exponent, of whose 256ths the last is no half
		{[3]float64{math.Ldexp(1, -24), 0, 0}, [3]float64{math.Ldexp(1, -24), 0, 0}}, // the smallest
		{[3]float64{math.Ldexp(1, -26), 0, 0}, [3]float64{}},
	} {
		var b [4]byte
		format.setTexel(b[:], &[4]uint64{f(c.give[0]), f(c.give[1]), f(c.give[2])})
		v := format.texel(b[:])
		for k, want := range c.want {
			if got := math.Float32frombits(uint32(v[k])); float64(got) != want {
				t.Errorf("%v: component %d is %g, want %g", c.give, k, got, want)
			}
		}
	}
}

// TestSwizzle: components that are others or constants, of texels and of what is outside.
func TestSwizzle(t *testing.T) {
	b, img := imageBench(t, "R8ui", 4, 4, 1, 1)
	b.env.Descriptors[1].Bytes[0] = 7
	img.Swizzle = [4]Component{Alpha, Red, One, Zero}
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

// TestLayersOfMore: an image may be some of the layers that lie together in each level.
func TestLayersOfMore(t *testing.T) {
	all, err := NewImage("R8", 4, 2, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	all.Levels = 3
	some := *all
	some.Layers, some.First, some.Stored = 2, 3, 5
	for level := range all.Levels {
		for layer := range some.Layers {
			want, _ := all.Texel(level, [4]uint32{0, 0, 0, layer + 3})
			if got, ok := some.Texel(level, [4]uint32{0, 0, 0, layer}); got != want || !ok {
				t.Errorf("level %d, layer %d: byte %d, want %d", level, layer, got, want)
			}
		}
	}
	if _, ok := some.Texel(0, [4]uint32{3: 2}); ok {
		t.Error("it has a third layer")
	}
	if some.Size() != all.Size() {
		t.Errorf("%d bytes, want all %d", some.Size(), all.Size())
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
