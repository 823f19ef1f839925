package driver

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"spvsim/vulkan/vk"
)

// A wait for all holds when all conditions do, a wait for any when one does; without conditions, only the first holds.
func TestWaitsForAllOrAny(t *testing.T) {
	for n := range 5 {
		for mask := range 1 << n {
			holds := func(i int) bool { return mask>>i&1 != 0 }
			if got, want := conditionsMet(true, n, holds), mask == 1<<n-1; got != want {
				t.Errorf("all of %d, of which %b hold: %t", n, mask, got)
			}
			if got, want := conditionsMet(false, n, holds), mask != 0; got != want {
				t.Errorf("any of %d, of which %b hold: %t", n, mask, got)
			}
		}
	}
}

// A timeline semaphore has reached every value up to its own, and never goes back; a binary semaphore stays signaled
// until a wait consumes the signal.
func TestSemaphores(t *testing.T) {
	line := &semaphore{timeline: true, value: 3}
	for v, want := range map[uint64]bool{0: true, 2: true, 3: true, 4: false} {
		if got := (point{semaphore: line, value: v}).reached(); got != want {
			t.Errorf("a timeline at 3 has reached %d: %t", v, got)
		}
	}
	for _, v := range []uint64{2, 7, 5} {
		before := line.value
		p := point{semaphore: line, value: v}
		if p.signal(); line.value != max(before, v) {
			t.Errorf("a timeline at %d is at %d after a signal of %d", before, line.value, v)
		}
		if p.consume(); line.value != max(before, v) {
			t.Errorf("a wait takes a timeline to %d", line.value)
		}
	}
	b := &semaphore{}
	p := point{semaphore: b}
	if p.reached() {
		t.Error("a binary semaphore is signaled from the beginning")
	}
	if p.signal(); !p.reached() {
		t.Error("a signaled one is not")
	}
	if p.consume(); p.reached() {
		t.Error("one whose signal was taken is signaled")
	}
}

// Query results lie a stride apart, in 4 or 8 bytes, followed by their availability if requested. Unavailable results
// are only written with the PARTIAL flag.
func TestResultsOfQueries(t *testing.T) {
	p := &queryPool{values: []uint64{1<<32 + 10, 20, 30, 40}, available: []bool{true, true, false, true}, ready: make([]bool, 4)}
	for flags := range vk.QueryResultFlags(16) {
		size, with := 4, flags&vk.QueryResultWithAvailabilityBit != 0
		if flags&vk.QueryResult64Bit != 0 {
			size = 8
		}
		each := size
		if with {
			each *= 2
		}
		for _, stride := range []int{each, each + 4, 40} {
			for first := range 3 {
				count := 4 - first
				out := make([]byte, stride*(count-1)+each)
				for i := range out {
					out[i] = 0xEE
				}
				want := append([]byte(nil), out...)
				put := func(at int, v uint64) {
					word := binary.LittleEndian.AppendUint64(nil, v)
					copy(want[at:at+size], word)
				}
				for i := range count {
					if p.available[first+i] || flags&vk.QueryResultPartialBit != 0 {
						put(i*stride, p.values[first+i])
					}
					if with {
						put(i*stride+size, map[bool]uint64{true: 1}[p.available[first+i]])
					}
				}
				fits := func(size uint64) bool {
					return misused(func() { p.fits(size, uint64(stride), uint32(count), flags) }) == nil
				}
				if !fits(uint64(len(out))) || fits(uint64(len(out))-1) {
					t.Errorf("flags %b, stride %d, %d results: %d bytes do not fit, or one less does", flags, stride, count, len(out))
				}
				if all := p.write(out, uint64(stride), uint32(first), uint32(count), flags); all || string(out) != string(want) {
					t.Errorf("flags %b, stride %d from %d on: % x, want % x", flags, stride, first, out, want)
				}
			}
		}
	}
	if two := make([]byte, 8); !p.write(two, 4, 0, 2, 0) || string(two) != "\x0a\x00\x00\x00\x14\x00\x00\x00" {
		t.Errorf("two results that are there: % x", two)
	}
	if misused(func() { p.check(1, 3) }) != nil || misused(func() { p.check(1, 4) }) == nil || misused(func() { p.check(1<<32-1, 2) }) == nil {
		t.Error("ranges of queries are taken that the pool does not have, or those that it has are not")
	}
	p.reset(1, 2)
	if p.values[0] == 0 || p.values[1]+p.values[2] != 0 || p.values[3] == 0 || p.available[1] || !p.available[3] || p.ready[0] || !p.ready[1] || !p.ready[2] || p.ready[3] {
		t.Errorf("after a reset of two: %v, %v", p.values, p.available)
	}
}

// Ranges of memory, buffers and mappings are accepted if they lie within their object, to the byte.
func TestRangesLieWithin(t *testing.T) {
	g := newTransferRig(t, 23)
	h := vk.Device(g.d.handle)
	fits := func(call func()) bool { return misused(call) == nil }
	for _, c := range []struct {
		size, offset uint64 // of a buffer, in memory of 100,000 bytes
		ok           bool
	}{{100_000, 0, true}, {100_001, 0, false}, {160, 99_840, true}, {161, 99_840, false}, {1, 100_096, false}, {600, 1024, true}, {600, 1025, false}, {600, 1152, false}, {1, 1 << 63, false}} {
		var b vk.Buffer
		CreateBuffer(h, &vk.BufferCreateInfo{Size: c.size}, nil, &b)
		m := g.memory(100_000)
		if got := fits(func() { BindBufferMemory(h, b, m, c.offset) }); got != c.ok {
			t.Errorf("%d bytes at %d of 100,000: %t", c.size, c.offset, got)
		}
		if c.ok && fits(func() { BindBufferMemory(h, b, m, c.offset) }) {
			t.Error("a buffer is bound twice")
		}
	}
	b := &buffer{size: 100}
	for offset := range uint64(103) {
		for _, n := range []uint64{0, 1, 50, 99, 100, 101, vk.WholeSize} {
			want, ok := n, offset+n <= 100
			if n == vk.WholeSize {
				want, ok = 100-offset, offset <= 100
			}
			got := uint64(0)
			if fits(func() { got = b.span(offset, n) }) != ok || ok && got != want {
				t.Errorf("%d bytes from %d on of 100: %d", n, offset, got)
			}
		}
	}
	for _, c := range []struct {
		offset, size uint64
		ok           bool
	}{{0, 1000, true}, {0, 1001, false}, {999, 1, true}, {1000, 1, false}, {400, vk.WholeSize, true}, {1000, vk.WholeSize, false}, {400, 601, false}} {
		m := g.memory(1000)
		var at unsafe.Pointer
		if got := fits(func() { MapMemory(h, m, c.offset, c.size, 0, &at) }); got != c.ok {
			t.Errorf("a mapping of %d bytes from %d on of 1000: %t", c.size, c.offset, got)
		}
		if c.ok && fits(func() { MapMemory(h, m, 0, 1, 0, &at) }) {
			t.Error("memory is mapped twice")
		}
		if c.ok != fits(func() { UnmapMemory(h, m) }) {
			t.Error("memory that is not mapped is unmapped, or mapped memory is not")
		}
		if !fits(func() { MapMemory(h, m, 0, 1, 0, &at) }) {
			t.Error("memory can't be mapped again")
		}
	}
	for size := uint64(1); size < 1030; size++ {
		if r := requirements(size); r.Size%r.Alignment != 0 || r.Size < size || r.Size >= size+r.Alignment || r.Alignment&(r.Alignment-1) != 0 {
			t.Errorf("%d bytes need %+v", size, r)
		}
	}
}

// A view has the texels of its levels, layers or planes.
func TestViewsOfImages(t *testing.T) {
	g := newTransferRig(t, 24)
	for i := range 60 {
		m := g.image(vk.FormatR32g32Uint, []vk.ImageType{vk.ImageType1d, vk.ImageType2d, vk.ImageType3d}[i%3])
		level := g.r.Uint32N(m.levels)
		volume := m.kind == vk.ImageType3d
		info := vk.ImageViewCreateInfo{Image: m.handle, Format: m.format, ViewType: vk.ImageViewType2dArray}
		info.SubresourceRange = vk.ImageSubresourceRange{BaseMipLevel: level, LevelCount: 1 + g.r.Uint32N(m.levels-level)}
		all := m.layers
		if whole := volume && g.r.IntN(2) == 0; whole {
			info.ViewType = vk.ImageViewType3d
		} else if volume {
			all, info.SubresourceRange.LevelCount = m.side(level).Depth, 1
		}
		first := g.r.Uint32N(all)
		n := 1 + g.r.Uint32N(all-first)
		info.SubresourceRange.BaseArrayLayer, info.SubresourceRange.LayerCount = first, n
		if first+n == all && g.r.IntN(2) == 0 {
			info.SubresourceRange.LayerCount = vk.RemainingArrayLayers
		}
		levels := info.SubresourceRange.LevelCount
		if level+levels == m.levels && g.r.IntN(2) == 0 && (!volume || info.ViewType == vk.ImageViewType3d) {
			info.SubresourceRange.LevelCount = vk.RemainingMipLevels
		}
		var out vk.ImageView
		if r := CreateImageView(vk.Device(g.d.handle), &info, nil, &out); r != vk.Success {
			t.Fatal(r)
		}
		v := mustLookUp[*imageView](uint64(out))
		d := v.descriptor()
		planes := volume && info.ViewType != vk.ImageViewType3d
		for p, texel := range m.texels {
			at := [4]uint32{p[5], p[4], p[3], (p[1]-first)*m.samples + p[2]}
			inside := p[0] >= level && p[0] < level+levels && p[1] >= first && p[1] < first+n
			if planes {
				at, inside = [4]uint32{p[5], p[4], 0, p[3] - first}, p[0] == level && p[3] >= first && p[3] < first+n
			}
			if !inside {
				continue
			}
			offset, ok := d.Image.Texel(p[0]-level, at)
			if !ok || offset+uint64(m.size) > uint64(len(d.Bytes)) || string(d.Bytes[offset:][:m.size]) != texel {
				t.Fatalf("%+v, view %+v: texel %v is not at %d", m.extent, info.SubresourceRange, p, offset)
			}
		}
		for _, wrong := range []vk.ImageSubresourceRange{{BaseMipLevel: m.levels, LevelCount: 1, LayerCount: 1}, {LevelCount: m.levels + 1, LayerCount: 1},
			{LevelCount: 1, BaseArrayLayer: all, LayerCount: 1}, {BaseMipLevel: level, LevelCount: 1, BaseArrayLayer: first, LayerCount: all - first + 1}} {
			bad := info
			if bad.SubresourceRange = wrong; misused(func() { CreateImageView(vk.Device(g.d.handle), &bad, nil, &out) }) == nil && !(volume && wrong.BaseMipLevel == 0 && wrong.BaseArrayLayer == all) {
				t.Errorf("%+v of %d levels and %d layers: a view %+v is made", m.extent, m.levels, all, wrong)
			}
		}
	}
}
