package texture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
)

// ErrFormat says that a texel format does not allow what is asked of it.
var ErrFormat = errors.New("texture: format")

// Fill sets all texels of the first level; components left out are zero.
func (i *Image) Fill(data []byte, value []float64) {
	var v [4]uint64
	for k, x := range value {
		v[k] = uint64(int64(x))
		if i.Format.codec.float {
			v[k] = uint64(math.Float32bits(float32(x)))
		}
	}
	for off := uint64(0); off < i.levelOffset(1); off += uint64(i.Format.Bytes) {
		i.Format.Encode(data[off:][:i.Format.Bytes], &v)
	}
}

// BuildMips makes each level from the one before: a texel is the mean of 2x2, or
// 2x2x2 in a volume, or of what there is of them at an odd side's end.
func (i *Image) BuildMips(data []byte) error {
	if !i.Format.codec.float {
		return fmt.Errorf("%w: %s: levels of detail of integers can't be averaged", ErrFormat, i.Format.Name)
	}
	for level := uint32(1); level < max(i.Levels, 1); level++ {
		w, h := i.levelSize(level)
		for layer := range i.Layers {
			for at := range w * h * i.levelDepth(level) {
				i.average(data, [4]uint32{at % w, at / w % h, at / (w * h), layer}, level)
			}
		}
	}
	return nil
}

func (i *Image) average(data []byte, at [4]uint32, level uint32) {
	w, h := i.levelSize(level - 1)
	depth, n := i.levelDepth(level-1), uint32(4)
	if i.Depth > 1 {
		n = 8
	}
	var sum [4]float64
	for k := range n {
		from := [4]uint32{min(2*at[0]+k&1, w-1), min(2*at[1]+k>>1&1, h-1), min(2*at[2]+k>>2, depth-1), at[3]}
		off, _ := i.Texel(level-1, from)
		AddWeighted(&sum, i.Format.Decode(data[off:][:i.Format.Bytes]), 1/float64(n))
	}
	var v [4]uint64
	for k := range v {
		v[k] = uint64(math.Float32bits(float32(sum[k])))
	}
	off, _ := i.Texel(level, at)
	i.Format.Encode(data[off:][:i.Format.Bytes], &v)
}

// Picture is the first level and layer as a picture of 8 bits a component; what
// lies outside of 0 to 1 is clamped. A missing green and blue are zero.
func (i *Image) Picture(data []byte) (image.Image, error) {
	if !i.Format.codec.float {
		return nil, fmt.Errorf("%w: %s: a picture of integers", ErrFormat, i.Format.Name)
	}
	out := image.NewNRGBA(image.Rect(0, 0, int(i.Width), int(i.Height)))
	for y := range i.Height {
		for x := range i.Width {
			off, _ := i.Texel(0, [4]uint32{x, y})
			v := i.Format.Decode(data[off:][:i.Format.Bytes])
			out.SetNRGBA(int(x), int(y), color.NRGBA{byteOf(v[0]), byteOf(v[1]), byteOf(v[2]), byteOf(v[3])})
		}
	}
	return out, nil
}

func byteOf(v uint64) uint8 { return uint8(math.RoundToEven(clampNaN(v, 0) * 255)) }
