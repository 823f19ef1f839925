package validate

import (
	"math/bits"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// imageMaskAt holds the index of the operand that is the mask of image operands, by instruction.
var imageMaskAt = map[spirv.Op]int{
	spirv.OpImageSampleImplicitLod: 2, spirv.OpImageSampleExplicitLod: 2, spirv.OpImageSampleProjImplicitLod: 2, spirv.OpImageSampleProjExplicitLod: 2,
	spirv.OpImageSampleDrefImplicitLod: 3, spirv.OpImageSampleDrefExplicitLod: 3, spirv.OpImageSampleProjDrefImplicitLod: 3, spirv.OpImageSampleProjDrefExplicitLod: 3,
	spirv.OpImageGather: 3, spirv.OpImageDrefGather: 3, spirv.OpImageFetch: 2, spirv.OpImageRead: 2, spirv.OpImageWrite: 3,
}

// Sets of image instructions with common properties.
var (
	explicitLods = set(spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefExplicitLod)
	drefSamples  = set(spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod)
	gathers      = set(spirv.OpImageGather, spirv.OpImageDrefGather)
	// sampledOperands take an image with its sampler; plainOperands one without.
	sampledOperands = set(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod,
		spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod,
		spirv.OpImageGather, spirv.OpImageDrefGather, spirv.OpImageQueryLod, spirv.OpImage)
	plainOperands = set(spirv.OpSampledImage, spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize,
		spirv.OpImageQueryLevels, spirv.OpImageQuerySamples)
	// wholeCoordinates address a texel by integers; OpImageRead and OpImageWrite may also use floats.
	wholeCoordinates = set(spirv.OpImageFetch, spirv.OpImageTexelPointer)
	levelled         = set(spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimCube) // dimensions with levels of detail
)

// An imageUse is an instruction on an image, in the context of a rule.
type imageUse struct {
	*extension
	in    *spirv.Instruction
	image *Type // of operand 0, or of its sampled image or pointer
}

// eachImage visits the instructions on images whose operand 0 has an image.
func eachImage(visit func(u *imageUse)) func(*extension) {
	return func(c *extension) {
		if c.imageUses == nil {
			c.imageUses = c.findImageUses()
		}
		for i := range c.imageUses {
			visit(&c.imageUses[i])
		}
	}
}

// findImageUses lists what eachImage visits; never nil.
func (c *extension) findImageUses() []imageUse {
	list := []imageUse{}
	for i := range c.Raw.Instructions {
		in := &c.Raw.Instructions[i]
		if !sampledOperands[in.Op] && !plainOperands[in.Op] && in.Op != spirv.OpImageTexelPointer {
			continue
		}
		t := c.TypeOf(spirv.ID(in.Operands[0]))
		if t != nil && (t.Kind == KindSampledImage || t.Kind == KindPointer && in.Op == spirv.OpImageTexelPointer) {
			t = t.Elem
		}
		if t != nil && t.Kind == KindImage {
			list = append(list, imageUse{c, in, t})
		}
	}
	return list
}

// fault reports a violation of the rule by the instruction.
func (u *imageUse) fault(format string, args ...any) { u.faultAt(u.in, format, args...) }

// typeAt returns the type of an operand, or nil.
func (u *imageUse) typeAt(n int) *Type { return u.TypeOf(spirv.ID(u.in.Operands[n])) }

// mask returns the mask of image operands, 0 where there is none.
func (u *imageUse) mask() spirv.ImageOperands {
	if at, ok := imageMaskAt[u.in.Op]; ok && at < len(u.in.Operands) {
		return spirv.ImageOperands(u.in.Operands[at])
	}
	return 0
}

// operandIDs returns the ids that follow the mask for one of its bits.
func (u *imageUse) operandIDs(bit spirv.ImageOperands) []uint32 {
	mask, next := uint32(u.mask()), imageMaskAt[u.in.Op]+1
	for rest := mask & uint32(bit-1); rest != 0; rest &= rest - 1 {
		next += imageParameters(rest & -rest)
	}
	end := next + imageParameters(uint32(bit))
	if mask&uint32(bit) == 0 || end > len(u.in.Operands) {
		return nil
	}
	return u.in.Operands[next:end]
}

func imageParameters(bit uint32) int {
	if e := grammar.KindImageOperands.Lookup(bit); e != nil {
		return len(e.Parameters)
	}
	return 0
}

// onImageOperand returns a check of the instructions with a bit of the image operands.
func onImageOperand(bit spirv.ImageOperands, visit func(u *imageUse, ids []uint32)) func(*extension) {
	return eachImage(func(u *imageUse) {
		if u.mask()&bit != 0 {
			visit(u, u.operandIDs(bit))
		}
	})
}

// scalar32 tests an image operand: a 32-bit scalar of a class.
func (u *imageUse) scalar32(name string, id uint32, class byte) {
	if t := u.TypeOf(spirv.ID(id)); t == nil || !t.is(class) || t.Width != 32 {
		u.fault("%s %%%d is %s: want a 32-bit %s", name, id, u.describe(t), classNames[class])
	}
}

// inPlane tests an image operand with one component for each coordinate within the image.
func (u *imageUse) inPlane(name string, id uint32, class byte) {
	t := u.TypeOf(spirv.ID(id))
	switch {
	case t == nil || !t.is(class) || t.width() != 32:
		u.fault("%s %%%d is %s: want a 32-bit %s", name, id, u.describe(t), classNames[class])
	case t.components() != u.image.Coordinates():
		u.fault("%s %%%d has %d components: an image of %s takes %d", name, id, t.components(), u.image.Dim, u.image.Coordinates())
	}
}

// withLevels tests that the image is one with levels of detail.
func (u *imageUse) withLevels(name string) {
	if !levelled[u.image.Dim] || u.image.Multisampled {
		u.fault("%s of an image of %s%s: want 1D, 2D, 3D or Cube without multisampling", name, u.image.Dim, map[bool]string{true: ", multisampled"}[u.image.Multisampled])
	}
}

// texel returns the type of the texel that an access reads or writes; nil for other instructions.
func (u *imageUse) texel() *Type {
	switch {
	case u.in.Op == spirv.OpImageWrite:
		return u.typeAt(2)
	case imageMaskAt[u.in.Op] != 0:
		return u.Type(u.in.Type)
	}
	return nil
}

// An imageFormat holds the type of a format's texels.
type imageFormat struct {
	integer, signed, wide bool // wide: of 64 bits
}

// formatOf reads a format from its name, as Rg16ui or Rgba8Snorm.
func formatOf(f spirv.ImageFormat) imageFormat {
	name := f.String()
	n := len(name)
	integer := n > 1 && name[n-1] == 'i'
	unsigned := integer && name[n-2] == 'u'
	return imageFormat{integer, integer && !unsigned, f == spirv.ImageFormatR64i || f == spirv.ImageFormatR64ui}
}

// offsets holds the image operands that exclude each other.
const offsets = spirv.ImageOperandsConstOffset | spirv.ImageOperandsOffset | spirv.ImageOperandsConstOffsets | spirv.ImageOperandsOffsets

// severalOf reports a mask with more than one bit of a group.
func severalOf(mask, group spirv.ImageOperands) bool { return bits.OnesCount32(uint32(mask&group)) > 1 }
