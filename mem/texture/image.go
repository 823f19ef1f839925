// Package texture holds images and samplers: texel formats, the layout of images in memory, and the texels that a sample reads.
package texture

import (
	"fmt"

	"spvsim/isa"
)

// An Image is a storage image or a texel buffer: texels in rows, x fastest,
// then y, z, sample and layer, without padding or tiling.
type Image struct {
	Format *Format
	Width  uint32
	Height uint32
	Depth  uint32
	Layers uint32 // of a cube: six for each
	// Levels of detail, the largest first, each half the size of the one before
	// in width, height and depth; 0 counts as 1.
	Levels uint32
	// Samples of a texel, each of a plane of its own; 0 counts as 1.
	Samples uint32
	// Tiled: what the caches see are tiles of 8x8 texels, one after the other, as
	// images that are sampled or drawn to lie in memory. The bytes stay in rows.
	Tiled bool
	// First is the first layer of those that lie at the image's bytes, of which
	// there are Stored; 0: all of them are the image's.
	First, Stored uint32
	// Swizzle says what is read as each component.
	Swizzle [4]Component
}

// A Component replaces a component of a texel that is read.
type Component uint8

// Components: the one that it is, a constant, or another one.
const (
	Same Component = iota
	Zero
	One
	Red
	Green
	Blue
	Alpha
)

// Swizzled returns a texel as a shader reads it.
func (i *Image) Swizzled(texel [4]uint64) [4]uint64 {
	if i.Swizzle == [4]Component{} {
		return texel
	}
	v := texel
	for k, c := range i.Swizzle {
		switch c {
		case Same:
		case Zero:
			v[k] = 0
		case One:
			v[k] = i.Format.one()
		default:
			v[k] = texel[c-Red]
		}
	}
	return v
}

// Outside returns the texel read beyond the image: zeros, and one where the format has no alpha (Vulkan 1.3, "Component
// Substitution").
func (i *Image) Outside() [4]uint64 { return i.Swizzled(i.Format.Border(&[4]uint32{})) }

// tileSide is the side of a tile in texels.
const tileSide = 8

// TiledOffset returns the offset at which caches see the texel at offset off. Levels whose sides are no whole tiles are
// not tiled.
func (i *Image) TiledOffset(at *[4]uint32, level uint32, off uint64) uint64 {
	w, h := i.levelSize(level)
	if !i.Tiled || w%tileSide != 0 || h%tileSide != 0 {
		return off
	}
	x, y := at[0], at[1]
	inRows := uint64(y)*uint64(w) + uint64(x)
	tile := uint64(y/tileSide)*uint64(w/tileSide) + uint64(x/tileSide)
	inTiles := tile*tileSide*tileSide + uint64(y%tileSide*tileSide+x%tileSide)
	return off + (inTiles-inRows)*uint64(i.Format.Bytes)
}

// Size returns the bytes of the image.
func (i *Image) Size() uint64 { return i.levelOffset(max(i.Levels, 1)) }

// levelSize is the width and height of a level of detail.
func (i *Image) levelSize(level uint32) (width, height uint32) {
	return max(i.Width>>level, 1), max(i.Height>>level, 1)
}

// levelDepth is the depth of a level of detail.
func (i *Image) levelDepth(level uint32) uint32 { return max(i.Depth>>level, 1) }

// planes are the layers' samples, each a volume of texels of its own.
func (i *Image) planes() uint32 { return i.Layers * max(i.Samples, 1) }

// stored are the planes that lie at the image's bytes.
func (i *Image) stored() uint32 { return max(i.Layers, i.Stored) * max(i.Samples, 1) }

// levelOffset returns the first byte of a level.
func (i *Image) levelOffset(level uint32) (offset uint64) {
	for l := range level {
		w, h := i.levelSize(l)
		offset += uint64(w) * uint64(h) * uint64(i.levelDepth(l)) * uint64(i.stored()) * uint64(i.Format.Bytes)
	}
	return offset
}

// NewImage describes an image; dimensions that it does not have are 1.
func NewImage(format string, width, height, depth, layers uint32) (*Image, error) {
	f, ok := FormatByName(format)
	if !ok {
		return nil, fmt.Errorf("texture: unknown texel format %q", format)
	}
	return &Image{Format: f, Width: width, Height: height, Depth: depth, Layers: layers, Levels: 1}, nil
}

// dimensions is how many coordinates each SPIR-V Dim has before the layer. The
// third coordinate of a cube is the face, counted as a layer.
var dimensions = [...]int{0: 1, 1: 2, 2: 3, 3: 2, 4: 2, 5: 1, 6: 2}

const dimCube = 3

// TexelOffset returns the offset of a texel in the image, and the offset at which caches see it; ok is false outside of
// the image.
func (i *Image) TexelOffset(m *isa.Mem, c *[4]uint32) (offset, seen uint64, ok bool) {
	at := [4]uint32{}
	n := dimensions[m.Dim]
	copy(at[:n], c[:n])
	if m.Arrayed || m.Dim == dimCube {
		at[3] = c[n]
	}
	level := uint32(0)
	switch {
	case m.Level:
		level = c[3]
	case m.Multisampled && c[3] >= max(i.Samples, 1):
		return 0, 0, false
	case m.Multisampled && at[3] < i.Layers:
		at[3] = at[3]*max(i.Samples, 1) + c[3]
	}
	if offset, ok = i.Texel(level, at); ok {
		seen = i.TiledOffset(&at, level, offset)
	}
	return offset, seen, ok
}

// Texel returns the offset of the texel at x, y, z and plane of a level; ok is false outside of the image.
func (i *Image) Texel(level uint32, at [4]uint32) (offset uint64, ok bool) {
	if level >= max(i.Levels, 1) {
		return 0, false
	}
	w, h := i.levelSize(level)
	if at[0] >= w || at[1] >= h || at[2] >= i.levelDepth(level) || at[3] >= i.planes() {
		return 0, false
	}
	plane := uint64(at[3]) + uint64(i.First)*uint64(max(i.Samples, 1))
	index := ((plane*uint64(i.levelDepth(level))+uint64(at[2]))*uint64(h)+uint64(at[1]))*uint64(w) + uint64(at[0])
	return i.levelOffset(level) + index*uint64(i.Format.Bytes), true
}

// Dimension returns the k-th number of the image's size: its dimensions, then the layers of an array (cubes, for cube
// images).
func (i *Image) Dimension(m *isa.Mem, k int) uint32 {
	if i == nil {
		return 0
	}
	if k == isa.ImageLevels {
		return max(i.Levels, 1)
	}
	level := uint32(k) >> isa.ImageLevelShift
	w, h := i.levelSize(level)
	k &= 1<<isa.ImageLevelShift - 1
	size := [...]uint32{w, h, i.levelDepth(level)}
	n := dimensions[m.Dim]
	switch {
	case k < n:
		return size[k]
	case k == n && m.Arrayed && m.Dim == dimCube:
		return i.Layers / 6
	case k == n && m.Arrayed:
		return i.Layers
	}
	return 0
}

func (i *Image) LevelExtent(level uint32) (width, height, depth uint32) {
	width, height = i.levelSize(level)
	return width, height, i.levelDepth(level)
}
