package driver

import (
	"cmp"
	"encoding/binary"
	"time"
	"unsafe"

	"spvsim/account"
	"spvsim/gpu"
	"spvsim/mem"
	"spvsim/vulkan/vk"
)

// Transfers move bytes, and advance simulated time by the time of reading and writing them.

// A rowCopy copies rows of bytes to a place, from another one or from repeated data.
type rowCopy struct {
	to, from     mem.Descriptor
	data         []byte // instead of from
	bytes, rows  uint64
	toRow, ofRow uint64 // from one row to the next
}

// oneRow is a move of one row.
func oneRow(to, from mem.Descriptor, data []byte) rowCopy {
	return rowCopy{to: to, from: from, data: data, bytes: uint64(len(to.Bytes)), rows: 1}
}

func (m *rowCopy) run() {
	for row := range m.rows {
		out := m.to.Bytes[row*m.toRow:][:m.bytes]
		if m.data == nil {
			copy(out, m.from.Bytes[row*m.ofRow:])
			continue
		}
		n := copy(out, m.data)
		for n > 0 && n < len(out) {
			n += copy(out[n:], out[:n])
		}
	}
}

// transfer records moves, with the total of bytes read and written.
func (b *commandBuffer) transfer(name string, bytes uint64, moves ...rowCopy) {
	b.timed(name, bytes, moves, func() {
		for i := range moves {
			moves[i].run()
		}
	})
}

// A timedWork is an action that takes the time of a transfer.
type timedWork struct {
	name   string
	bytes  uint64
	moves  []rowCopy // nil: it can't be captured
	action func()
	pool   *queryPool // whose available results it reads; nil: none
}

// timed records an action that takes the time of a transfer. Without moves, it can't be captured.
func (b *commandBuffer) timed(name string, bytes uint64, moves []rowCopy, do func()) {
	if b.moves += len(moves); b.moves > mostMoves {
		fail(vk.ErrorOutOfHostMemory, "more than %d rows and planes in the copies of a command buffer", mostMoves)
	}
	b.add((&timedWork{name: name, bytes: bytes, moves: moves, action: do}).run)
}

func (t *timedWork) run(x *executor) error {
	if x.batch != nil {
		return x.batch.transfer(x, t)
	}
	title := labelled(x.labels, t.name)
	if x.plan != nil {
		return x.plan.addTransfer(title, t.bytes, t.moves)
	}
	begin, started := x.device.gpu.Cycle(), time.Now()
	counts, file, told := x.nextReplayed()
	if !told {
		t.action()
		counts = &account.Counts{Cycles: x.device.gpu.PassTransfer(t.bytes, x.notFirst)}
	}
	x.device.record(x, &row{
		busy: x.busy(counts), kind: "transfer", name: title, pipeline: t.name, beginCycle: begin, bytes: t.bytes, counts: *counts, captured: file, host: time.Since(started),
	})
	x.notFirst = true
	return nil
}

// access lists the memory that a move reads and writes.
func (m *rowCopy) access() []gpu.Rows {
	to := gpu.Rows{Write: true, Addr: m.to.Addr, Bytes: m.bytes, Rows: m.rows, Stride: m.toRow}
	if m.data != nil {
		return []gpu.Rows{to}
	}
	return []gpu.Rows{to, {Addr: m.from.Addr, Bytes: m.bytes, Rows: m.rows, Stride: m.ofRow}}
}

func CmdCopyBuffer(h vk.CommandBuffer, from, to vk.Buffer, count uint32, regions *vk.BufferCopy) {
	b := record(h)
	src, dst := b.copied("vkCmdCopyBuffer", from, to)
	for _, r := range items(regions, count) {
		b.copyBuffer(src, dst, r.SrcOffset, r.DstOffset, r.Size)
	}
}

func CmdCopyBuffer2(h vk.CommandBuffer, info *vk.CopyBufferInfo2) {
	b := record(h)
	src, dst := b.copied("vkCmdCopyBuffer2", info.SrcBuffer, info.DstBuffer)
	for _, r := range items(info.PRegions, info.RegionCount) {
		b.copyBuffer(src, dst, r.SrcOffset, r.DstOffset, r.Size)
	}
}

// copied are the buffers of a copy.
func (b *commandBuffer) copied(command string, from, to vk.Buffer) (src, dst *buffer) {
	return b.useBuffer(command, from, vk.BufferUsageTransferSrcBit, "TRANSFER_SRC"), b.useBuffer(command, to, vk.BufferUsageTransferDstBit, "TRANSFER_DST")
}

func (b *commandBuffer) copyBuffer(from, to *buffer, at, into, size uint64) {
	if size == vk.WholeSize {
		fail(vk.ErrorUnknown, "VK_WHOLE_SIZE bytes of a copy: want a number")
	}
	src, dst := from.descriptor(at, size), to.descriptor(into, size)
	if size == 0 {
		b.device.warn("vkCmdCopyBuffer", "a copy of no bytes")
	}
	if distance := max(src.Addr, dst.Addr) - min(src.Addr, dst.Addr); distance < size {
		b.device.warn("vkCmdCopyBuffer", "%d bytes from byte %d of %v to byte %d of %v overlap: what comes of it is undefined", size, at, from.object, into, to.object)
	}
	b.transfer("copy buffer", 2*size, oneRow(dst, src, nil))
}

func CmdFillBuffer(h vk.CommandBuffer, to vk.Buffer, offset, size uint64, value uint32) {
	b := record(h)
	x := b.useBuffer("vkCmdFillBuffer", to, vk.BufferUsageTransferDstBit, "TRANSFER_DST")
	if offset%4 != 0 || size == 0 || size != vk.WholeSize && size%4 != 0 {
		fail(vk.ErrorUnknown, "%d bytes from byte %d on: want multiples of 4, and some", size, offset)
	}
	dst := x.descriptor(offset, size)
	dst.Bytes = dst.Bytes[:len(dst.Bytes)&^3]
	b.transfer("fill buffer", uint64(len(dst.Bytes)), oneRow(dst, mem.Descriptor{}, binary.LittleEndian.AppendUint32(nil, value)))
}

// mostUpdated is the limit of vkCmdUpdateBuffer, in bytes.
const mostUpdated = 1 << 16

func CmdUpdateBuffer(h vk.CommandBuffer, to vk.Buffer, offset, size uint64, data unsafe.Pointer) {
	b := record(h)
	x := b.useBuffer("vkCmdUpdateBuffer", to, vk.BufferUsageTransferDstBit, "TRANSFER_DST")
	if offset%4 != 0 || size%4 != 0 || size == 0 || size > mostUpdated {
		fail(vk.ErrorUnknown, "%d bytes from byte %d on: want multiples of 4, and 4 to %d bytes", size, offset, mostUpdated)
	}
	dst := x.descriptor(offset, size)
	src := append([]byte{}, unsafe.Slice((*byte)(data), size)...)
	b.transfer("update buffer", size, oneRow(dst, mem.Descriptor{}, src))
}

// A region is the memory of one layer's texels, row by row.
type region struct {
	texels  mem.Descriptor
	offset  func(y, z uint32) uint64 // of the first texel of a row
	rowSize uint64
}

// slices returns the number of planes of a copy: of a volume, or of layers times their samples.
func (i *image) slices(first, count, depth uint32) uint32 {
	if i.desc.Depth > 1 {
		return depth
	}
	return i.layers(first, count) * max(i.desc.Samples, 1)
}

// slice returns one of them.
func (i *image) slice(s *vk.ImageSubresourceLayers, o vk.Offset3D, e vk.Extent3D, k uint32) region {
	e.Depth = 1
	if i.desc.Depth > 1 {
		o.Z += int32(k)
		return i.inImage(s.MipLevel, 0, o, e)
	}
	return i.inImage(s.MipLevel, s.BaseArrayLayer*max(i.desc.Samples, 1)+k, o, e)
}

// inImage is a region of a layer of an image, or of a sample of one.
func (i *image) inImage(level, layer uint32, o vk.Offset3D, e vk.Extent3D) region {
	first, ok := i.desc.Texel(level, [4]uint32{uint32(o.X), uint32(o.Y), uint32(o.Z), layer})
	w, h, depth := i.desc.LevelExtent(level)
	within := func(at int32, n, most uint32) bool { return at >= 0 && uint64(at)+uint64(n) <= uint64(most) }
	if !ok || !within(o.X, e.Width, w) || !within(o.Y, e.Height, h) || !within(o.Z, e.Depth, depth) {
		fail(vk.ErrorUnknown, "%v texels at %v of level %d, layer %d: outside of %v", e, o, level, layer, i.object)
	}
	texel := uint64(i.desc.Format.Bytes)
	return region{mem.Descriptor{Addr: i.address(), Bytes: i.bytes()}, func(y, z uint32) uint64 { return first + (uint64(z)*uint64(h)+uint64(y))*uint64(w)*texel }, uint64(e.Width) * texel}
}

// inBuffer returns the region of a buffer, with the command's lengths of rows and planes. No image is larger than
// maxImageSide, so much larger lengths are refused (mostPitch).
func (b *buffer) inBuffer(offset uint64, row, height uint32, texel uint64, e vk.Extent3D) region {
	row = cmp.Or(row, e.Width)
	height = cmp.Or(height, e.Height)
	if row < e.Width || height < e.Height || max(row, height) > mostPitch {
		fail(vk.ErrorUnknown, "rows of %d texels and planes of %d rows for %d x %d texels: want as many at least, and at most %d", row, height, e.Width, e.Height, mostPitch)
	}
	at := func(y, z uint32) uint64 { return (uint64(z)*uint64(height) + uint64(y)) * uint64(row) * texel }
	size := at(e.Height-1, e.Depth-1) + uint64(e.Width)*texel
	return region{b.descriptor(offset, size), at, uint64(e.Width) * texel}
}

// mostPitch bounds row lengths and image heights in buffers, so that no product of them, a depth and a texel overflows.
const mostPitch = 1 << 20

// copyRegion lists the moves of texels from one region to another, one per plane.
func copyRegion(from, to region, e vk.Extent3D) (moves []rowCopy) {
	for z := range e.Depth {
		moves = append(moves, rowCopy{
			to: to.from(z), from: from.from(z), bytes: from.rowSize, rows: uint64(e.Height),
			toRow: to.offset(1, z) - to.offset(0, z), ofRow: from.offset(1, z) - from.offset(0, z),
		})
	}
	return moves
}

// copies are moves that read as much as they write, in one transfer.
func (b *commandBuffer) copies(name string, moves []rowCopy) {
	bytes := uint64(0)
	for i := range moves {
		bytes += 2 * moves[i].bytes * moves[i].rows
	}
	b.transfer(name, bytes, moves...)
}

// from is the region from a plane on.
func (r *region) from(z uint32) mem.Descriptor {
	at := r.offset(0, z)
	return mem.Descriptor{Addr: r.texels.Addr + at, Bytes: r.texels.Bytes[at:]}
}

// copyBufferImage copies the layers of a region between a buffer and an image.
func (b *commandBuffer) copyBufferImage(f *buffer, i *image, r *vk.BufferImageCopy2, toImage bool) {
	e, texel := r.ImageExtent, uint64(i.desc.Format.Bytes)
	if e.Width == 0 || e.Height == 0 || e.Depth == 0 {
		return
	}
	name := "copy image to buffer"
	if toImage {
		name = "copy buffer to image"
	}
	if r.BufferOffset%texel != 0 {
		b.device.warn(name, "byte %d of %v: want a multiple of the %d bytes of a texel", r.BufferOffset, f.object, texel)
	}
	var moves []rowCopy
	offset := r.BufferOffset
	for layer := range i.layers(r.ImageSubresource.BaseArrayLayer, r.ImageSubresource.LayerCount) {
		inImage := i.inImage(r.ImageSubresource.MipLevel, r.ImageSubresource.BaseArrayLayer+layer, r.ImageOffset, e)
		inBuffer := f.inBuffer(offset, r.BufferRowLength, r.BufferImageHeight, texel, e)
		offset += inBuffer.offset(0, e.Depth)
		if toImage {
			moves = append(moves, copyRegion(inBuffer, inImage, e)...)
		} else {
			moves = append(moves, copyRegion(inImage, inBuffer, e)...)
		}
	}
	b.copies(name, moves)
}

// layers is a count of layers from a first one on.
func (i *image) layers(first, count uint32) uint32 {
	if count == vk.RemainingArrayLayers {
		return i.desc.Layers - min(first, i.desc.Layers)
	}
	if uint64(first)+uint64(count) > uint64(i.desc.Layers) {
		fail(vk.ErrorUnknown, "%d layers from %d on: %v has %d", count, first, i.object, i.desc.Layers)
	}
	return count
}

func region2(r *vk.BufferImageCopy) *vk.BufferImageCopy2 {
	return &vk.BufferImageCopy2{BufferOffset: r.BufferOffset, BufferRowLength: r.BufferRowLength, BufferImageHeight: r.BufferImageHeight,
		ImageSubresource: r.ImageSubresource, ImageOffset: r.ImageOffset, ImageExtent: r.ImageExtent}
}

func CmdCopyBufferToImage(h vk.CommandBuffer, from vk.Buffer, to vk.Image, layout vk.ImageLayout, count uint32, regions *vk.BufferImageCopy) {
	b := record(h)
	src, dst := b.useBuffer("vkCmdCopyBufferToImage", from, vk.BufferUsageTransferSrcBit, "TRANSFER_SRC"), b.useImage("vkCmdCopyBufferToImage", to, written, layout)
	for _, r := range items(regions, count) {
		b.copyBufferImage(src, dst, region2(&r), true)
	}
}

func CmdCopyBufferToImage2(h vk.CommandBuffer, info *vk.CopyBufferToImageInfo2) {
	b := record(h)
	src, dst := b.useBuffer("vkCmdCopyBufferToImage2", info.SrcBuffer, vk.BufferUsageTransferSrcBit, "TRANSFER_SRC"), b.useImage("vkCmdCopyBufferToImage2", info.DstImage, written, info.DstImageLayout)
	for _, r := range items(info.PRegions, info.RegionCount) {
		b.copyBufferImage(src, dst, &r, true)
	}
}

func CmdCopyImageToBuffer(h vk.CommandBuffer, from vk.Image, layout vk.ImageLayout, to vk.Buffer, count uint32, regions *vk.BufferImageCopy) {
	b := record(h)
	src, dst := b.useImage("vkCmdCopyImageToBuffer", from, read, layout), b.useBuffer("vkCmdCopyImageToBuffer", to, vk.BufferUsageTransferDstBit, "TRANSFER_DST")
	for _, r := range items(regions, count) {
		b.copyBufferImage(dst, src, region2(&r), false)
	}
}

func CmdCopyImageToBuffer2(h vk.CommandBuffer, info *vk.CopyImageToBufferInfo2) {
	b := record(h)
	src, dst := b.useImage("vkCmdCopyImageToBuffer2", info.SrcImage, read, info.SrcImageLayout), b.useBuffer("vkCmdCopyImageToBuffer2", info.DstBuffer, vk.BufferUsageTransferDstBit, "TRANSFER_DST")
	for _, r := range items(info.PRegions, info.RegionCount) {
		b.copyBufferImage(dst, src, &r, false)
	}
}

func CmdCopyImage(h vk.CommandBuffer, from vk.Image, fromLayout vk.ImageLayout, to vk.Image, toLayout vk.ImageLayout, count uint32, regions *vk.ImageCopy) {
	b := record(h)
	src, dst := b.useImage("vkCmdCopyImage", from, read, fromLayout), b.useImage("vkCmdCopyImage", to, written, toLayout)
	for _, r := range items(regions, count) {
		b.copyImage(src, dst, &vk.ImageCopy2{SrcSubresource: r.SrcSubresource, SrcOffset: r.SrcOffset, DstSubresource: r.DstSubresource, DstOffset: r.DstOffset, Extent: r.Extent})
	}
}

func CmdCopyImage2(h vk.CommandBuffer, info *vk.CopyImageInfo2) {
	b := record(h)
	src, dst := b.useImage("vkCmdCopyImage2", info.SrcImage, read, info.SrcImageLayout), b.useImage("vkCmdCopyImage2", info.DstImage, written, info.DstImageLayout)
	for _, r := range items(info.PRegions, info.RegionCount) {
		b.copyImage(src, dst, &r)
	}
}

func (b *commandBuffer) copyImage(src, dst *image, r *vk.ImageCopy2) {
	e := r.Extent
	if src.desc.Format.Bytes != dst.desc.Format.Bytes {
		fail(vk.ErrorUnknown, "texels of %d bytes into those of %d", src.desc.Format.Bytes, dst.desc.Format.Bytes)
	}
	if e.Width == 0 || e.Height == 0 || e.Depth == 0 {
		return
	}
	n := src.slices(r.SrcSubresource.BaseArrayLayer, r.SrcSubresource.LayerCount, e.Depth)
	if into := dst.slices(r.DstSubresource.BaseArrayLayer, r.DstSubresource.LayerCount, e.Depth); into != n {
		fail(vk.ErrorUnknown, "%d layers or planes into %d", n, into)
	}
	e.Depth = 1
	var moves []rowCopy
	for k := range n {
		moves = append(moves, copyRegion(src.slice(&r.SrcSubresource, r.SrcOffset, e, k), dst.slice(&r.DstSubresource, r.DstOffset, e, k), e)...)
	}
	b.copies("copy image", moves)
}

func CmdClearColorImage(h vk.CommandBuffer, to vk.Image, layout vk.ImageLayout, color *vk.ClearColorValue, count uint32, ranges *vk.ImageSubresourceRange) {
	b := record(h)
	i := b.useImage("vkCmdClearColorImage", to, written, layout)
	texel := i.desc.Format.Pack(*color)
	for _, r := range items(ranges, count) {
		levels := r.LevelCount
		if levels == vk.RemainingMipLevels {
			levels = i.desc.Levels - min(r.BaseMipLevel, i.desc.Levels)
		}
		for level := range levels {
			b.clear(i, r.BaseMipLevel+level, &r, texel)
		}
	}
}

// clear writes a texel all over the layers of a level.
func (b *commandBuffer) clear(i *image, level uint32, r *vk.ImageSubresourceRange, texel []byte) {
	w, h, depth := i.desc.LevelExtent(level)
	e := vk.Extent3D{Width: w, Height: h, Depth: depth}
	samples := max(i.desc.Samples, 1)
	first, n := r.BaseArrayLayer*samples, i.layers(r.BaseArrayLayer, r.LayerCount)*samples
	var moves []rowCopy
	total := uint64(0)
	for plane := range n {
		to := i.inImage(level, first+plane, vk.Offset3D{}, e)
		bytes := to.rowSize * uint64(h) * uint64(depth)
		at := to.from(0)
		at.Bytes = at.Bytes[:bytes]
		moves, total = append(moves, oneRow(at, mem.Descriptor{}, texel)), total+bytes
	}
	b.transfer("clear image", total, moves...)
}
