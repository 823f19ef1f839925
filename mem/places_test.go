package mem

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Each texel of each level has bytes of its own, with none between, whatever the image has of layers, samples and depth; tiles only change the order
// in which caches see those of a plane. A view of some of the layers has those.
func TestTexelsFillTheImage(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for range 150 {
		few := func(n uint32) uint32 { return 1 + r.Uint32N(n) }
		img, err := NewImage([]string{"R8ui", "R16ui", "R32ui", "Rgba32f"}[r.IntN(4)], few(20), few(20), few(3), few(3))
		if err != nil {
			t.Fatal(err)
		}
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
				place := img.place(&at, level, off)
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

// A payload cache holds the lines of each set that were used last, as many as it has ways; stores go through and atomics go by.
func TestPayloadCacheHoldsWhatWasUsedLast(t *testing.T) {
	const line, sets = 64, 4
	c := NewPayloadCache(line*sets*payloadWays, line, 5, 64, 1)
	held := [sets][]uint64{}
	r := rand.New(rand.NewPCG(16, 16))
	for range 5000 {
		number := r.Uint64N(110)
		set := (number + 1) % sets
		at := slices.Index(held[set], number)
		hit := at >= 0
		kind := []Kind{Read, Write, Atomic}[r.IntN(3)]
		if got := c.holds(nil, kind, &Line{Addr: number*line + r.Uint64N(line)}); got != (hit && kind == Read) {
			t.Fatalf("line %d is held: %t, want %t", number, got, hit)
		}
		if kind == Atomic {
			continue
		}
		if hit {
			held[set] = slices.Delete(held[set], at, at+1)
		}
		held[set] = slices.Insert(held[set], 0, number)
		held[set] = held[set][:min(len(held[set]), payloadWays)]
	}
	if c.Counter.Accesses != 5000 {
		t.Errorf("%d accesses", c.Counter.Accesses)
	}
}

// Addresses of a channel are its own, one after the other, whatever the number of channels.
func TestAddressesWithinChannels(t *testing.T) {
	for _, channels := range []int{1, 2, 3, 4, 6, 8, 12, 16} {
		s := tiny()
		s.Memory.Channels, s.Memory.InterleaveBytes = channels, 256
		m := &banks{device: newDevice(&s.Memory)}
		seen := make([]map[uint64]bool, channels)
		const units = 240
		for unit := range uint64(units) {
			for _, at := range []uint64{0, 1, 255} {
				channel, local := m.local(unit*256 + at)
				if channel >= uint64(channels) || local&255 != at || local>>8 > units/uint64(channels) {
					t.Fatalf("%d channels: address %d is %d of channel %d", channels, unit*256+at, local, channel)
				}
				if seen[channel] == nil {
					seen[channel] = map[uint64]bool{}
				}
				if seen[channel][local] {
					t.Fatalf("%d channels: %d of channel %d is two addresses", channels, local, channel)
				}
				seen[channel][local] = true
			}
		}
		for i, s := range seen {
			if len(s) != 3*units/channels {
				t.Errorf("%d channels: %d addresses of channel %d", channels, len(s), i)
			}
		}
	}
}

// Traffic of a launch is what its own requests had each level move: of two that take turns the sums are what the levels count.
func TestTrafficIsOfItsOwnRequests(t *testing.T) {
	f := newTiny(t, nil)
	r := rand.New(rand.NewPCG(17, 17))
	var of [2]Traffic
	for n := range uint64(400) {
		i := r.IntN(2)
		of[i].before = f.counts(of[i].before[:0])
		f.Access(1000*n, request(i, []Kind{Read, Write}[r.IntN(2)], 4096+64*r.Uint64N(60)))
		of[i].add(f)
	}
	for i, c := range f.Counters() {
		if a, b := of[0].Levels[i], of[1].Levels[i]; a.Bytes+b.Bytes != c.Bytes || a.Written+b.Written != c.Written || a.Level != c.Level || c.Level != "scalar_l1" && (a.Bytes == 0 || b.Bytes == 0) {
			t.Errorf("%s: %d and %d bytes of %d, %d and %d written of %d", c.Level, a.Bytes, b.Bytes, c.Bytes, a.Written, b.Written, c.Written)
		}
	}
}
