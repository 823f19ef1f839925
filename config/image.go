package config

import (
	"cmp"
	"fmt"
)

// Shape is the size of an image in texels.
type Shape struct {
	Width, Height, Depth, Layers int
	TexelBytes                   int
	Levels                       int // of detail
	Samples                      int // of a texel
}

// Bytes is the size of all texels, tightly packed, level after level.
func (s Shape) Bytes() int {
	n := 0
	for l := range max(s.Levels, 1) {
		n += s.levelBytes(l)
	}
	return n
}

func (s Shape) levelBytes(level int) int {
	return max(s.Width>>level, 1) * max(s.Height>>level, 1) * max(s.Depth>>level, 1) * s.Layers * max(s.Samples, 1) * s.TexelBytes
}

// maxImageSide is the largest image dimension that Vulkan drivers offer.
const maxImageSide = 32768

// maxSamples is the most samples of a texel that Vulkan has a bit for (VK_SAMPLE_COUNT_64_BIT).
const maxSamples = 64

func (im *Image) shape(s scope) (Shape, error) {
	out := Shape{TexelBytes: TexelBytes(im.Format)}
	for _, d := range []struct {
		name string
		e    Expr
		to   *int
	}{{"width", im.Width, &out.Width}, {"height", im.Height, &out.Height}, {"depth", im.Depth, &out.Depth}, {"layers", im.Layers, &out.Layers}} {
		if d.name == "width" && d.e == "" {
			return out, fmt.Errorf("width: missing")
		}
		n, err := d.e.evalInt(s, 1, 1, maxImageSide)
		if err != nil {
			return out, underKey(d.name, err)
		}
		*d.to = int(n)
	}
	samples, err := im.Samples.evalInt(s, 1, 1, maxSamples)
	if err != nil || samples&(samples-1) != 0 {
		return out, underKey("samples", cmp.Or(err, fmt.Errorf("found %d: want 1, 2, 4, 8, 16, 32 or 64", samples)))
	}
	out.Samples = int(samples)
	if out.Width*out.Height > maxDataBytes/max(out.Depth*out.Layers*out.Samples*out.TexelBytes, 1) {
		return out, fmt.Errorf("found more than %d bytes: want a smaller image", maxDataBytes)
	}
	return out, im.imageLevels(s, &out)
}

// texelFormats lists SPIR-V's image formats with their texel sizes (SPIR-V specification, section 3.11), and formats
// without a name in SPIR-V, which can only be sampled.
var texelFormats = map[string]int{
	"Rgba32f": 16, "Rgba16f": 8, "R32f": 4, "Rgba8": 4, "Rgba8Snorm": 4, "Rg32f": 8, "Rg16f": 4, "R11fG11fB10f": 4,
	"R16f": 2, "Rgba16": 8, "Rgb10A2": 4, "Rg16": 4, "Rg8": 2, "R16": 2, "R8": 1, "Rgba16Snorm": 8, "Rg16Snorm": 4,
	"Rg8Snorm": 2, "R16Snorm": 2, "R8Snorm": 1, "Rgba32i": 16, "Rgba16i": 8, "Rgba8i": 4, "R32i": 4, "Rg32i": 8,
	"Rg16i": 4, "Rg8i": 2, "R16i": 2, "R8i": 1, "Rgba32ui": 16, "Rgba16ui": 8, "Rgba8ui": 4, "R32ui": 4,
	"Rgb10a2ui": 4, "Rg32ui": 8, "Rg16ui": 4, "Rg8ui": 2, "R16ui": 2, "R8ui": 1, "R64ui": 8, "R64i": 8,

	"Rgba8Srgb": 4, "Rg8Srgb": 2, "R8Srgb": 1, "Bgra8": 4, "Bgra8Snorm": 4, "Bgra8i": 4, "Bgra8ui": 4, "Bgra8Srgb": 4,
	"Bgr10A2": 4, "Bgr10a2ui": 4, "Bgr5A1": 2, "Bgr565": 2, "Rgb5A1": 2, "Argb4": 2, "Bgra4": 2, "Rgba4": 2,
	"A8": 1, "Rgb9E5": 4,
}

// TexelBytes is the size of a texel of a SPIR-V image format; 0 for an unknown format.
func TexelBytes(format string) int { return texelFormats[format] }

// Content generates the initial contents of the buffer, or the texels of its image.
func (b *Buffer) Content() (Content, error) { return b.ContentWithin(maxDataBytes, "") }

// ContentWithin returns Content of at most limit bytes, which the key named bound leaves: no more is allocated.
func (b *Buffer) ContentWithin(limit uint64, bound string) (Content, error) {
	g := &generator{job: b.job, scope: b.job.scope, limit: maxDataBytes}
	if limit < maxDataBytes {
		g.limit, g.bound = int(limit), bound
	}
	c, err := b.generate(g)
	if err != nil {
		return c, withPositions([]problem{problemAt(indexPath("buffers", b.index), err, ErrRange)}, b.job.positions)
	}
	return c, nil
}

// Bytes is Content without the places for addresses.
func (b *Buffer) Bytes() ([]byte, error) {
	c, err := b.Content()
	return c.Bytes, err
}

// contents returns the data of the buffer or of its image, with its key; nil: there is none.
func (b *Buffer) contents() (d *Data, key string) {
	if b.Image != nil {
		return b.Image.Data, "image.data"
	}
	return b.Data, "data"
}

func (b *Buffer) generate(g *generator) (Content, error) {
	if b.Image == nil {
		err := g.data(b.Data)
		return g.out, underKey("data", err)
	}
	shape, err := b.Image.shape(b.job.scope)
	if err != nil {
		return Content{}, underKey("image", err)
	}
	if shape.Bytes() > g.limit {
		return Content{}, underKey("image", g.tooLarge(fmt.Sprintf("%d bytes", shape.Bytes())))
	}
	c, err := b.job.content(b.Image.Data, b.job.scope, shape.Bytes())
	if err != nil {
		return c, underKey("image.data", err)
	}
	want := shape.Bytes()
	if b.Image.Mips == "auto" {
		want = shape.levelBytes(0)
	}
	if b.Image.Data != nil && len(c.Bytes) != want {
		return c, underKey("image.data", fmt.Errorf("found %d bytes: want %d", len(c.Bytes), want))
	}
	c.Bytes = append(c.Bytes, make([]byte, shape.Bytes()-len(c.Bytes))...)
	return c, nil
}

// Shape is the size of the buffer's image, which must not be nil.
func (b *Buffer) Shape() (Shape, error) {
	s, err := b.Image.shape(b.job.scope)
	if err != nil {
		return s, withPositions([]problem{problemAt(indexPath("buffers", b.index)+".image", err, ErrRange)}, b.job.positions)
	}
	return s, nil
}
