package driver

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Transfers are tested against a model of images as texels by position: each command is written out texel by texel, as
// in Vulkan's chapters on copies and clears.

// A texelPlace is level, layer, sample, z, y, x.
type texelPlace [6]uint32

// A modelImage pairs an image of the driver with its model.
type modelImage struct {
	handle                  vk.Image
	real                    *image
	format                  vk.Format
	size                    uint32 // bytes of a texel
	kind                    vk.ImageType
	extent                  vk.Extent3D
	layers, levels, samples uint32
	texels                  map[texelPlace]string
}

// A transferRig records commands and runs them.
type transferRig struct {
	t      *testing.T
	d      *logicalDevice
	r      *rand.Rand
	buffer vk.CommandBuffer
}

func newTransferRig(t *testing.T, seed uint64) *transferRig {
	d := open(t)
	var pool vk.CommandPool
	var b vk.CommandBuffer
	CreateCommandPool(vk.Device(d.handle), &vk.CommandPoolCreateInfo{Flags: vk.CommandPoolCreateResetCommandBufferBit}, nil, &pool)
	AllocateCommandBuffers(vk.Device(d.handle), &vk.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 1}, &b)
	return &transferRig{t: t, d: d, r: rand.New(rand.NewPCG(seed, 1)), buffer: b}
}

// do records a command and runs it.
func (g *transferRig) do(command func(b vk.CommandBuffer)) {
	BeginCommandBuffer(g.buffer, &vk.CommandBufferBeginInfo{})
	command(g.buffer)
	EndCommandBuffer(g.buffer)
	b := mustLookUp[*commandBuffer](uint64(g.buffer))
	state.Unlock() // as in the worker, which runs them without the lock
	err := (&executor{device: g.d}).run(b.commands)
	state.Lock()
	if err != nil {
		g.t.Fatal(err)
	}
	ResetCommandBuffer(g.buffer, 0)
}

// memory allocates memory of at least so many bytes.
func (g *transferRig) memory(size uint64) vk.DeviceMemory {
	var m vk.DeviceMemory
	if r := AllocateMemory(vk.Device(g.d.handle), &vk.MemoryAllocateInfo{AllocationSize: size, MemoryTypeIndex: 1}, nil, &m); r != vk.Success {
		g.t.Fatal(r)
	}
	return m
}

// anyUsage allows all uses of a buffer in these tests.
const anyUsage = vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageStorageBufferBit | vk.BufferUsageUniformBufferBit | vk.BufferUsageIndirectBufferBit |
	vk.BufferUsageStorageTexelBufferBit | vk.BufferUsageUniformTexelBufferBit

// bytes creates a buffer of random bytes, and returns both.
func (g *transferRig) bytes(size uint64) (vk.Buffer, []byte) {
	var b vk.Buffer
	CreateBuffer(vk.Device(g.d.handle), &vk.BufferCreateInfo{Size: size, Usage: anyUsage}, nil, &b)
	BindBufferMemory(vk.Device(g.d.handle), b, g.memory(size+256), 256)
	to := mustLookUp[*buffer](uint64(b)).bytes(0, size)
	for i := range to {
		to[i] = byte(g.r.Uint32())
	}
	return b, to
}

// transferFormats have texels of each size.
var transferFormats = map[vk.Format]uint32{vk.FormatR8Uint: 1, vk.FormatR16Uint: 2, vk.FormatR8g8b8a8Uint: 4, vk.FormatR32g32Uint: 8, vk.FormatR32g32b32a32Uint: 16}

// image is a random image of a format, and its texels.
func (g *transferRig) image(f vk.Format, kind vk.ImageType) *modelImage {
	few := func(n uint32) uint32 { return 1 + g.r.Uint32N(n) }
	m := &modelImage{format: f, size: transferFormats[f], kind: kind, extent: vk.Extent3D{Width: few(9), Height: 1, Depth: 1}, layers: few(3), levels: 1, samples: 1}
	if kind != vk.ImageType1d {
		m.extent.Height = few(9)
	}
	if kind == vk.ImageType3d {
		m.extent.Depth, m.layers = 1+few(5), 1
	}
	usage := vk.ImageUsageFlags(vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit)
	if g.r.IntN(2) == 0 {
		usage |= vk.ImageUsageSampledBit // tiled
	}
	if m.levels = few(3); kind == vk.ImageType2d && g.r.IntN(4) == 0 {
		m.levels, m.samples = 1, 4
	}
	info := vk.ImageCreateInfo{ImageType: kind, Format: f, Extent: m.extent, MipLevels: m.levels, ArrayLayers: m.layers, Samples: vk.SampleCountFlagBits(m.samples), Usage: usage}
	if r := CreateImage(vk.Device(g.d.handle), &info, nil, &m.handle); r != vk.Success {
		g.t.Fatal(r)
	}
	var need vk.MemoryRequirements
	GetImageMemoryRequirements(vk.Device(g.d.handle), m.handle, &need)
	BindImageMemory(vk.Device(g.d.handle), m.handle, g.memory(need.Size+512), 512)
	m.real, m.texels = mustLookUp[*image](uint64(m.handle)), map[texelPlace]string{}
	all := m.real.bytes()
	for i := range all {
		all[i] = byte(g.r.Uint32())
	}
	for p := range m.places() {
		m.texels[p] = string(m.at(p))
	}
	return m
}

// side is a level's extent.
func (m *modelImage) side(level uint32) vk.Extent3D {
	return vk.Extent3D{Width: max(m.extent.Width>>level, 1), Height: max(m.extent.Height>>level, 1), Depth: max(m.extent.Depth>>level, 1)}
}

// places iterates over all texels.
func (m *modelImage) places() func(visit func(texelPlace) bool) {
	return func(visit func(texelPlace) bool) {
		for level := range m.levels {
			e := m.side(level)
			for i := range m.layers * m.samples * e.Depth * e.Height * e.Width {
				x, y, z, s := i%e.Width, i/e.Width%e.Height, i/e.Width/e.Height%e.Depth, i/e.Width/e.Height/e.Depth
				if !visit(texelPlace{level, s / m.samples, s % m.samples, z, y, x}) {
					return
				}
			}
		}
	}
}

// at is a texel's bytes.
func (m *modelImage) at(p texelPlace) []byte {
	offset, ok := m.real.desc.Texel(p[0], [4]uint32{p[5], p[4], p[3], p[1]*m.samples + p[2]})
	if !ok {
		panic("a texel outside of the image")
	}
	return m.real.bytes()[offset:][:m.size]
}

// check compares all texels.
func (m *modelImage) check(t *testing.T, what string) {
	t.Helper()
	for p := range m.places() {
		if got := m.at(p); string(got) != m.texels[p] {
			t.Fatalf("%s: %+v: texel %v is % x, want % x", what, m.extent, p, got, m.texels[p])
		}
	}
}

// window is a random part of a level.
func (g *transferRig) window(m *modelImage, level uint32) (vk.Offset3D, vk.Extent3D) {
	e := m.side(level)
	x, y, z := g.r.Uint32N(e.Width), g.r.Uint32N(e.Height), g.r.Uint32N(e.Depth)
	return vk.Offset3D{X: int32(x), Y: int32(y), Z: int32(z)},
		vk.Extent3D{Width: 1 + g.r.Uint32N(e.Width-x), Height: 1 + g.r.Uint32N(e.Height-y), Depth: 1 + g.r.Uint32N(e.Depth-z)}
}

// layersOf draws a range of layers, sometimes written as all remaining ones.
func (g *transferRig) layersOf(m *modelImage, level uint32) (vk.ImageSubresourceLayers, uint32) {
	first := g.r.Uint32N(m.layers)
	n := 1 + g.r.Uint32N(m.layers-first)
	s := vk.ImageSubresourceLayers{MipLevel: level, BaseArrayLayer: first, LayerCount: n}
	if first+n == m.layers && g.r.IntN(2) == 0 {
		s.LayerCount = vk.RemainingArrayLayers
	}
	return s, n
}

// eachOf iterates over a region's texels.
func eachOf(e vk.Extent3D, layers uint32, visit func(layer, z, y, x uint32)) {
	for i := range layers * e.Depth * e.Height * e.Width {
		visit(i/e.Width/e.Height/e.Depth, i/e.Width/e.Height%e.Depth, i/e.Width%e.Height, i%e.Width)
	}
}

// betweenBuffer copies a random region from or to a buffer: rows and planes in the buffer have the command's length, or
// the region's.
func (g *transferRig) betweenBuffer(m *modelImage, toImage bool) {
	level := g.r.Uint32N(m.levels)
	o, e := g.window(m, level)
	s, n := g.layersOf(m, level)
	r := vk.BufferImageCopy{BufferOffset: uint64(g.r.Uint32N(5) * m.size), ImageSubresource: s, ImageOffset: o, ImageExtent: e}
	row, height := e.Width, e.Height
	if g.r.IntN(2) == 0 {
		row += g.r.Uint32N(3)
		r.BufferRowLength = row
	}
	if g.r.IntN(2) == 0 {
		height += g.r.Uint32N(3)
		r.BufferImageHeight = height
	}
	buf, data := g.bytes(r.BufferOffset + uint64(row*height*e.Depth*n*m.size))
	want := bytes.Clone(data)
	eachOf(e, n, func(layer, z, y, x uint32) {
		at := r.BufferOffset + uint64((((layer*e.Depth+z)*height+y)*row+x)*m.size)
		p := texelPlace{level, s.BaseArrayLayer + layer, 0, uint32(o.Z) + z, uint32(o.Y) + y, uint32(o.X) + x}
		if toImage {
			m.texels[p] = string(data[at:][:m.size])
		} else {
			copy(want[at:], m.texels[p])
		}
	})
	two := region2(&r)
	g.do(func(b vk.CommandBuffer) {
		switch second := g.r.IntN(2) == 0; {
		case toImage && second:
			CmdCopyBufferToImage2(b, &vk.CopyBufferToImageInfo2{SrcBuffer: buf, DstImage: m.handle, DstImageLayout: vk.ImageLayoutTransferDstOptimal, RegionCount: 1, PRegions: two})
		case toImage:
			CmdCopyBufferToImage(b, buf, m.handle, vk.ImageLayoutGeneral, 1, &r)
		case second:
			CmdCopyImageToBuffer2(b, &vk.CopyImageToBufferInfo2{DstBuffer: buf, SrcImage: m.handle, SrcImageLayout: vk.ImageLayoutTransferSrcOptimal, RegionCount: 1, PRegions: two})
		default:
			CmdCopyImageToBuffer(b, m.handle, vk.ImageLayoutGeneral, buf, 1, &r)
		}
	})
	if !bytes.Equal(data, want) {
		g.t.Fatalf("%+v, to image %t: the buffer is % x, want % x", r, toImage, data, want)
	}
}

// plane returns the position of a texel in plane k of a copy between images: a layer, a sample of one, or a plane of a
// volume.
func (m *modelImage) plane(s *vk.ImageSubresourceLayers, o vk.Offset3D, k, y, x uint32) texelPlace {
	p := texelPlace{s.MipLevel, s.BaseArrayLayer, 0, uint32(o.Z), uint32(o.Y) + y, uint32(o.X) + x}
	if m.kind == vk.ImageType3d {
		p[3] += k
	} else {
		p[1], p[2] = p[1]+k/m.samples, k%m.samples
	}
	return p
}

// betweenImages copies a random region from one image to another: the planes of a volume act as layers.
func (g *transferRig) betweenImages(from, to *modelImage) {
	r := vk.ImageCopy{}
	r.SrcSubresource.MipLevel, r.DstSubresource.MipLevel = g.r.Uint32N(from.levels), g.r.Uint32N(to.levels)
	var a, b vk.Extent3D
	r.SrcOffset, a = g.window(from, r.SrcSubresource.MipLevel)
	r.DstOffset, b = g.window(to, r.DstSubresource.MipLevel)
	planes := func(m *modelImage, s *vk.ImageSubresourceLayers, e vk.Extent3D) uint32 {
		if m.kind == vk.ImageType3d {
			s.LayerCount = 1
			return e.Depth
		}
		var n uint32
		*s, n = g.layersOf(m, s.MipLevel)
		return n
	}
	n, into := planes(from, &r.SrcSubresource, a), planes(to, &r.DstSubresource, b)
	n = min(n, into)
	r.Extent = vk.Extent3D{Width: min(a.Width, b.Width), Height: min(a.Height, b.Height), Depth: 1}
	for m, s := range map[*modelImage]*vk.ImageSubresourceLayers{from: &r.SrcSubresource, to: &r.DstSubresource} {
		if m.kind == vk.ImageType3d {
			r.Extent.Depth = n
		} else {
			s.LayerCount = n
		}
	}
	if from.samples != to.samples {
		return
	}
	read := map[texelPlace]string{}
	eachOf(vk.Extent3D{Width: r.Extent.Width, Height: r.Extent.Height, Depth: 1}, n*from.samples, func(k, _, y, x uint32) {
		read[to.plane(&r.DstSubresource, r.DstOffset, k, y, x)] = from.texels[from.plane(&r.SrcSubresource, r.SrcOffset, k, y, x)]
	})
	for p, texel := range read {
		to.texels[p] = texel
	}
	g.do(func(b vk.CommandBuffer) {
		if g.r.IntN(2) == 0 {
			CmdCopyImage(b, from.handle, vk.ImageLayoutTransferSrcOptimal, to.handle, vk.ImageLayoutTransferDstOptimal, 1, &r)
			return
		}
		CmdCopyImage2(b, &vk.CopyImageInfo2{SrcImage: from.handle, SrcImageLayout: vk.ImageLayoutGeneral, DstImage: to.handle, DstImageLayout: vk.ImageLayoutGeneral, RegionCount: 1, PRegions: &vk.ImageCopy2{
			SrcSubresource: r.SrcSubresource, SrcOffset: r.SrcOffset, DstSubresource: r.DstSubresource, DstOffset: r.DstOffset, Extent: r.Extent}})
	})
	to.check(g.t, "copied")
}

// clear sets all texels of some levels and layers to a colour.
func (g *transferRig) clear(m *modelImage) {
	first := g.r.Uint32N(m.levels)
	n := 1 + g.r.Uint32N(m.levels-first)
	s, layers := g.layersOf(m, first)
	r := vk.ImageSubresourceRange{BaseMipLevel: first, LevelCount: n, BaseArrayLayer: s.BaseArrayLayer, LayerCount: s.LayerCount}
	if first+n == m.levels && g.r.IntN(2) == 0 {
		r.LevelCount = vk.RemainingMipLevels
	}
	var color vk.ClearColorValue
	words := (*[4]uint32)(unsafe.Pointer(&color))
	for i := range words {
		words[i] = g.r.Uint32N(200) // fits any of the formats
	}
	texel := string(m.real.desc.Format.Pack(color))
	for p := range m.places() {
		if p[0] >= first && p[0] < first+n && p[1] >= s.BaseArrayLayer && p[1] < s.BaseArrayLayer+layers {
			m.texels[p] = texel
		}
	}
	g.do(func(b vk.CommandBuffer) { CmdClearColorImage(b, m.handle, vk.ImageLayoutGeneral, &color, 1, &r) })
}

// Copies and clears of random regions change the texels of the region as specified, and no others.
func TestTransfersOfTexels(t *testing.T) {
	kinds := []vk.ImageType{vk.ImageType1d, vk.ImageType2d, vk.ImageType3d}
	formatsOfAllSizes := []vk.Format{vk.FormatR8Uint, vk.FormatR16Uint, vk.FormatR8g8b8a8Uint, vk.FormatR32g32Uint, vk.FormatR32g32b32a32Uint}
	g := newTransferRig(t, 20)
	for i := range 60 {
		f := formatsOfAllSizes[i%len(formatsOfAllSizes)]
		a, b := g.image(f, kinds[i%3]), g.image(f, kinds[g.r.IntN(3)])
		for range 4 {
			for _, m := range []*modelImage{a, b} {
				if m.samples == 1 {
					g.betweenBuffer(m, true)
					g.betweenBuffer(m, false)
				}
				g.clear(m)
				m.check(t, "cleared or written")
			}
			g.betweenImages(a, b)
		}
	}
}

// A part of an image is at the offset of its layout.
func TestLayoutsOfImages(t *testing.T) {
	g := newTransferRig(t, 21)
	for i := range 30 {
		m := g.image(vk.FormatR16Uint, []vk.ImageType{vk.ImageType1d, vk.ImageType2d, vk.ImageType3d}[i%3])
		if m.samples > 1 {
			continue
		}
		for p := range m.places() {
			var l vk.SubresourceLayout
			GetImageSubresourceLayout(vk.Device(g.d.handle), m.handle, &vk.ImageSubresource{MipLevel: p[0], ArrayLayer: p[1]}, &l)
			at := l.Offset + uint64(p[3])*l.DepthPitch + uint64(p[4])*l.RowPitch + uint64(p[5]*m.size)
			if got := m.real.bytes()[at:][:m.size]; &got[0] != &m.at(p)[0] || at+uint64(m.size) > l.Offset+l.Size {
				t.Fatalf("%+v: texel %v is not at byte %d of %+v", m.extent, p, at, l)
			}
			if next := (texelPlace{p[0], p[1] + 1, 0, p[3], p[4], p[5]}); next[1] < m.layers && &m.real.bytes()[at+l.ArrayPitch] != &m.at(next)[0] {
				t.Fatalf("%+v: texel %v is not an array pitch of %d after", m.extent, next, l.ArrayPitch)
			}
		}
	}
}

// Buffers are copied, filled with words and updated in the command's range, and nowhere else.
func TestTransfersOfBuffers(t *testing.T) {
	g := newTransferRig(t, 22)
	for range 50 {
		from, data := g.bytes(100)
		to, was := g.bytes(100)
		want := bytes.Clone(was)
		at, into := uint64(g.r.IntN(100)), uint64(g.r.IntN(100))
		n := uint64(g.r.Int64N(int64(100-max(at, into)))) + 1
		copy(want[into:], data[at:at+n])
		g.do(func(b vk.CommandBuffer) {
			if n%2 == 0 {
				CmdCopyBuffer(b, from, to, 1, &vk.BufferCopy{SrcOffset: at, DstOffset: into, Size: n})
				return
			}
			CmdCopyBuffer2(b, &vk.CopyBufferInfo2{SrcBuffer: from, DstBuffer: to, RegionCount: 1, PRegions: &vk.BufferCopy2{SrcOffset: at, DstOffset: into, Size: n}})
		})
		word := []byte{1, 2, 3, 4}
		at = uint64(4 * g.r.IntN(25))
		n = uint64(1+g.r.IntN(int(100-at)/4)) * 4
		size := n
		if at+n == 100 {
			size = vk.WholeSize
		}
		copy(want[at:at+n], bytes.Repeat(word, 25))
		g.do(func(b vk.CommandBuffer) { CmdFillBuffer(b, to, at, size, 0x04030201) })
		given := []byte("these are twenty bytes")[:20]
		at = uint64(4 * g.r.IntN(20))
		copy(want[at:], given)
		g.do(func(b vk.CommandBuffer) {
			once := slices.Clone(given)
			CmdUpdateBuffer(b, to, at, 20, unsafe.Pointer(&once[0]))
			clear(once) // the command took them
		})
		if !bytes.Equal(was, want) {
			t.Fatalf("% x, want % x", was, want)
		}
	}
}
