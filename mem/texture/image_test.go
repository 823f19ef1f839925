package texture

import (
	"math"
	"slices"
	"testing"

	"spvsim/internal/suite"
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
		got := format.Decode(c.bytes)
		if c.format == "R11fG11fB10f" {
			// 11 bits: exponent 15 is 0x3C0 (1), 16 is 0x400 (2); 10 bits: 14 is 0x1C0 (0.5)
			var b [4]byte
			format.Encode(b[:], &[4]uint64{f(1), f(2), f(0.5), 0})
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
		format.Encode(b[:], &[4]uint64{f(c.give[0]), f(c.give[1]), f(c.give[2])})
		v := format.Decode(b[:])
		for k, want := range c.want {
			if got := math.Float32frombits(uint32(v[k])); float64(got) != want {
				t.Errorf("%v: component %d is %g, want %g", c.give, k, got, want)
			}
		}
	}
}

// TestLayersOfMore: an image may be some of the layers that lie together in each level.
func TestLayersOfMore(t *testing.T) {
	all := suite.Must(NewImage("R8", 4, 2, 1, 5))(t)
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
