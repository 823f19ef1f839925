package validate

import "spvsim/spirv"

// imageRules lists the rules of image types and of the instructions on images.
var imageRules = []rule{
	{name: "image-fields", sentence: "[OpTypeImage] Depth: 0, 1, or 2. Arrayed: 0 or 1. MS: 0 or 1. Sampled: 0, 1, or 2.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			for i, field := range []struct {
				name string
				most uint32
			}{{"Depth", 2}, {"Arrayed", 1}, {"MS", 1}, {"Sampled", 2}} {
				if n := in.Operands[2+i]; n > field.most {
					c.faultAt(in, "%s %d: want 0 to %d", field.name, n, field.most)
				}
			}
		}, spirv.OpTypeImage)},
	{name: "image-sampled-type", sentence: "[VUID-StandaloneSpirv-OpTypeImage-04656] OpTypeImage must declare a scalar 32-bit float, 64-bit integer, or 32-bit integer type for the \"Sampled Type\".",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(in.Result).Elem; !(t.is('N') && t.Width == 32) && !(t.is('I') && t.Width == 64) {
				c.faultAt(in, "sampled type %s: want a 32-bit number or a 64-bit integer", c.typeText(t))
			}
		}, spirv.OpTypeImage)},
	{name: "image-sampled", sentence: "[VUID-StandaloneSpirv-OpTypeImage-04657] OpTypeImage must have a \"Sampled\" operand of 1 (sampled image) or 2 (storage image).",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if in.Operands[5] == 0 {
				c.faultAt(in, "Sampled 0, known at run time only: want 1 or 2")
			}
		}, spirv.OpTypeImage)},
	{name: "image-format", sentence: "[VUID-StandaloneSpirv-Image-04965] The Sampled Type operand of the OpTypeImage must match its Image Format, integer or float, 32 or 64 bits, signed or unsigned. (For the sign, the access counts: SignExtend and ZeroExtend set it.)",
		check: func(c *extension) {
			c.eachOp(func(in *spirv.Instruction) {
				t := c.Type(in.Result)
				if f := formatOf(t.Format); t.Format != spirv.ImageFormatUnknown && t.Elem.is('N') && (f.integer != t.Elem.is('I') || f.integer && f.wide != (t.Elem.Width == 64)) {
					c.faultAt(in, "format %s and sampled type %s", t.Format, c.typeText(t.Elem))
				}
			}, spirv.OpTypeImage)
			eachImage(func(u *imageUse) {
				signed := (u.image.Elem.Signed || u.mask()&spirv.ImageOperandsSignExtend != 0) && u.mask()&spirv.ImageOperandsZeroExtend == 0
				if f := formatOf(u.image.Format); imageMaskAt[u.in.Op] != 0 && u.image.Format != spirv.ImageFormatUnknown && f.integer && signed != f.signed {
					u.fault("format %s, accessed as %s integers", u.image.Format, map[bool]string{true: "signed", false: "unsigned"}[signed])
				}
			})(c)
		}},
	{name: "image-multisample", sentence: "[StorageImageMultisample] An MS operand in OpTypeImage indicates multisampled, used with an OpTypeImage that has Sampled of 2.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(in.Result); t.Multisampled && t.Sampled == 2 && t.Dim != spirv.DimSubpassData && !c.Has(spirv.CapabilityStorageImageMultisample) {
				c.faultAt(in, "a multisampled storage image needs the capability %s", spirv.CapabilityStorageImageMultisample)
			}
		}, spirv.OpTypeImage)},
	{name: "sampled-image-type", sentence: "[OpTypeSampledImage] Image Type must be an OpTypeImage. It must not have a Dim of Buffer [from version 1.6 on].",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			switch t := c.Type(in.Result).Elem; {
			case t.Kind != KindImage:
				c.faultAt(in, "%%%d is %s: want an image", t.ID, c.typeText(t))
			case t.Dim == spirv.DimBuffer && c.Raw.Version >= version16:
				c.faultAt(in, "%%%d is an image of Buffer, which has no sampler", t.ID)
			}
		}, spirv.OpTypeSampledImage)},
	{name: "image-operand", sentence: "[OpSampledImage, OpImageFetch, OpImageRead, OpImageWrite, OpImageQuery...] The type of Image must be OpTypeImage. [OpImageSample..., OpImage...Gather, OpImageQueryLod, OpImage] Sampled Image must be an object whose type is OpTypeSampledImage. [OpImageTexelPointer] Image must have a type of OpTypePointer with Type OpTypeImage.",
		check: imageOperands},
	{name: "image-result", sentence: "Result Type must be a vector of four components of floating-point type or integer type. [OpImageSample...Dref...] Result Type must be a scalar of integer type or floating-point type.",
		check: eachImage(func(u *imageUse) {
			t := u.Type(u.in.Type)
			switch _, access := imageMaskAt[u.in.Op]; {
			case !access || u.in.Op == spirv.OpImageWrite || u.in.Op == spirv.OpImageRead:
			case drefSamples[u.in.Op] && !t.is('N'):
				u.fault("result type %s: want a number", u.typeText(t))
			case !drefSamples[u.in.Op] && (t.Kind != KindVector || !t.is('n') || t.Count != 4):
				u.fault("result type %s: want a vector of 4 numbers", u.typeText(t))
			}
		})},
	{name: "image-read-result", sentence: "[VUID-StandaloneSpirv-Result-04780] The Result Type operand of any OpImageRead or OpImageSparseRead instruction must be a vector of four components.",
		check: eachImage(func(u *imageUse) {
			if t := u.Type(u.in.Type); u.in.Op == spirv.OpImageRead && (t.Kind != KindVector || !t.is('n') || t.Count != 4) {
				u.fault("result type %s: want a vector of 4 numbers", u.typeText(t))
			}
		})},
	{name: "image-texel", sentence: "[Result Type's or Texel's] components must be the same as Sampled Type of the underlying OpTypeImage (unless that underlying Sampled Type is OpTypeVoid).",
		check: eachImage(func(u *imageUse) {
			t := u.texel()
			switch {
			case t == nil || u.image.Elem.Kind == KindVoid:
			case !t.is('n'):
				u.fault("a texel of %s: want a number or a vector of numbers", u.typeText(t))
			case t.Component() != u.image.Elem:
				u.fault("a texel of %s: the image is of %s", u.typeText(t), u.typeText(u.image.Elem))
			}
		})},
	{name: "image-coordinate", sentence: "Coordinate must be a scalar or vector of floating-point type [OpImageFetch, OpImageTexelPointer: integer type; OpImageSampleExplicitLod, OpImageRead, OpImageWrite: floating-point type or integer type]. (Of 32 bits.)",
		check: eachImage(func(u *imageUse) {
			_, access := imageMaskAt[u.in.Op]
			if !access && u.in.Op != spirv.OpImageTexelPointer && u.in.Op != spirv.OpImageQueryLod {
				return
			}
			class := byte('f')
			switch {
			case wholeCoordinates[u.in.Op]:
				class = 'i'
			case u.in.Op == spirv.OpImageSampleExplicitLod || u.in.Op == spirv.OpImageRead || u.in.Op == spirv.OpImageWrite:
				class = 'n'
			}
			if t := u.typeAt(1); t == nil || !t.is(class) || t.width() != 32 {
				u.fault("coordinate %%%d is %s: want a 32-bit %s", u.in.Operands[1], u.describe(t), classNames[class])
			}
		})},
	{name: "image-projection", sentence: "[OpImageSampleProj...] Sampled Image [...] must have a Dim of 1D, 2D, 3D, or Rect, with the Arrayed and MS operands 0.",
		check: eachImage(func(u *imageUse) {
			if t := u.image; projections[u.in.Op] && (t.Dim == spirv.DimCube || t.Dim == spirv.DimBuffer || t.Arrayed || t.Multisampled) {
				u.fault("an image of %s: want 1D, 2D or 3D, neither arrayed nor multisampled", t.Dim)
			}
		})},
	{name: "image-samples", sentence: "[OpImageSample..., OpImage...Gather] The MS operand of the underlying OpTypeImage must be 0.",
		check: eachImage(func(u *imageUse) {
			if sampledOperands[u.in.Op] && imageMaskAt[u.in.Op] != 0 && u.image.Multisampled {
				u.fault("of a multisampled image")
			}
		})},
	{name: "image-dref", sentence: "Dref must be a 32-bit floating-point type scalar. [VUID-StandaloneSpirv-OpImage-04777] OpImage*Dref* instructions must not consume an image whose Dim is 3D.",
		check: eachImage(func(u *imageUse) {
			if drefSamples[u.in.Op] || u.in.Op == spirv.OpImageDrefGather {
				u.scalar32("Dref", u.in.Operands[2], 'F')
				if u.image.Dim == spirv.Dim3D {
					u.fault("an image of 3D: want 1D, 2D or Cube")
				}
			}
		})},
	{name: "image-gather", sentence: "[OpImageGather, OpImageDrefGather] [The OpTypeImage] must have a Dim of 2D, Cube, or Rect. Component must be a 32-bit integer type scalar. [VUID-StandaloneSpirv-OpImageGather-04664] The Component operand of any OpImageGather instruction must be the <id> of a constant instruction.",
		check: eachImage(func(u *imageUse) {
			if !gathers[u.in.Op] {
				return
			}
			if u.image.Dim != spirv.Dim2D && u.image.Dim != spirv.DimCube && u.image.Dim != spirv.DimRect {
				u.fault("an image of %s: want 2D or Cube", u.image.Dim)
			}
			if id := u.in.Operands[2]; u.in.Op == spirv.OpImageGather {
				u.scalar32("component", id, 'I')
				if !constant(u.Def(spirv.ID(id)).Op) {
					u.fault("component %%%d is not a constant", id)
				}
			}
		})},
	{name: "image-fetch", sentence: "[OpImageFetch] Image must be an object whose type is OpTypeImage. Its Dim operand must not be Cube, and its Sampled operand must be 1.",
		check: eachImage(func(u *imageUse) {
			if u.in.Op == spirv.OpImageFetch && (u.image.Dim == spirv.DimCube || u.image.Sampled != 1) {
				u.fault("an image of %s with Sampled %d: want another than Cube, with 1", u.image.Dim, u.image.Sampled)
			}
		})},
	{name: "image-storage", sentence: "[OpImageRead, OpImageWrite] Image must be an object whose type is OpTypeImage with a Sampled operand of 0 or 2. If the Arrayed operand is 1, then additional capabilities may be required; e.g., ImageCubeArray, or ImageMSArray. [Image1D, ImageBuffer]",
		check: eachImage(storageImage)},
	{name: "image-no-format", sentence: "[OpImageRead, OpImageWrite] [...] images with Unknown format need StorageImageReadWithoutFormat or StorageImageWriteWithoutFormat [in the Vulkan API].",
		check: eachImage(func(u *imageUse) {
			if cap, ok := formatless[u.in.Op]; ok && u.image.Format == spirv.ImageFormatUnknown && u.image.Dim != spirv.DimSubpassData && !u.Has(cap) {
				u.fault("the image has no format: want the capability %s", cap)
			}
		})},
	{name: "image-size", sentence: "[OpImageQuerySize, OpImageQuerySizeLod] Result Type must be an integer type scalar or vector. The number of components must be 1 for 1D, 2 for 2D and Cube, 3 for 3D, plus 1 more if the image type is arrayed. [OpImageQuerySize: also Buffer, and MS of 1, or Sampled of 0 or 2. OpImageQuerySizeLod: MS of 0]",
		check: eachImage(imageSize)},
	{name: "image-query", sentence: "[OpImageQueryLevels, OpImageQuerySamples] Result Type must be a scalar integer type. [OpImageQueryLevels, OpImageQueryLod] Its Dim operand must be one of 1D, 2D, 3D, or Cube. [OpImageQuerySamples] Its Dim operand must be 2D and MS of 1. [OpImageQueryLod] Result Type must be a two-component floating-point type vector.",
		check: eachImage(imageQuery)},
	{name: "image-query-sampled", sentence: "[VUID-StandaloneSpirv-OpImageQuerySizeLod-04659] OpImageQuerySizeLod, OpImageQueryLod, and OpImageQueryLevels must only consume an \"Image\" operand whose type has its \"Sampled\" operand set to 1.",
		check: eachImage(func(u *imageUse) {
			if op := u.in.Op; (op == spirv.OpImageQuerySizeLod || op == spirv.OpImageQueryLod || op == spirv.OpImageQueryLevels) && u.image.Sampled != 1 {
				u.fault("an image with Sampled %d: want 1", u.image.Sampled)
			}
		})},
	{name: "sampled-image", sentence: "[OpSampledImage] Result Type must be OpTypeSampledImage. Image must have an OpTypeImage that is the same as the Image Type of the OpTypeSampledImage in Result Type, except that the Depth operand need not match; it must not have a Dim of SubpassData. Sampler must be an object whose type is OpTypeSampler. [VUID-StandaloneSpirv-OpTypeSampledImage-06671] [...] its \"Sampled\" operand set to 1.",
		check: eachImage(sampledImage)},
	{name: "sampled-image-use", sentence: "All OpSampledImage instructions must be in the same block in which their Result <id> are consumed. Result <id> from OpSampledImage instructions must not appear as operands to OpPhi instructions or OpSelect instructions, or any instructions other than the image lookup and query instructions specified to take an operand whose type is OpTypeSampledImage.",
		check: sampledImageUses},
	{name: "texel-pointer", sentence: "[OpImageTexelPointer] Result Type must be an OpTypePointer whose Storage Class operand is Image. Its Type operand must be a scalar numerical type, the same as the Sampled Type. Coordinate [has] the number of components [of] the image. Sample must be an integer type scalar, [...] a valid <id> for the value 0 if the OpTypeImage has MS of 0.",
		check: eachImage(texelPointer)},
	{name: "texel-pointer-format", sentence: "[VUID-StandaloneSpirv-OpImageTexelPointer-04658] If an OpImageTexelPointer is used in an atomic operation, the image type of the image parameter to OpImageTexelPointer must have an image format of R64i, R64ui, R32f, R32i, or R32ui.",
		check: eachImage(func(u *imageUse) {
			switch u.image.Format {
			case spirv.ImageFormatR64i, spirv.ImageFormatR64ui, spirv.ImageFormatR32f, spirv.ImageFormatR32i, spirv.ImageFormatR32ui:
			default:
				if u.in.Op == spirv.OpImageTexelPointer {
					u.fault("format %s: want R64i, R64ui, R32f, R32i or R32ui", u.image.Format)
				}
			}
		})},
	{name: "image-bias", sentence: "[Bias] Only valid with implicit-lod instructions. It must be a floating-point type scalar. This must only be used with an OpTypeImage that has a Dim operand of 1D, 2D, 3D, or Cube, and the MS operand must be 0.",
		check: onImageOperand(spirv.ImageOperandsBias, func(u *imageUse, ids []uint32) {
			if !implicitLods[u.in.Op] {
				u.fault("Bias: want an instruction with an implicit level of detail")
				return
			}
			u.scalar32("Bias", ids[0], 'F')
			u.withLevels("Bias")
		})},
	{name: "image-lod", sentence: "[Lod] Only valid with explicit-lod instructions. For sampling operations, it must be a floating-point type scalar. For fetch operations, it must be an integer type scalar. This must only be used with an OpTypeImage that has a Dim operand of 1D, 2D, 3D, or Cube, and the MS operand must be 0. It is invalid to set both the Lod and Grad bits.",
		check: onImageOperand(spirv.ImageOperandsLod, func(u *imageUse, ids []uint32) {
			switch {
			case !explicitLods[u.in.Op] && u.in.Op != spirv.OpImageFetch:
				u.fault("Lod: want OpImageFetch or an instruction with an explicit level of detail")
				return
			case u.mask()&spirv.ImageOperandsGrad != 0:
				u.fault("Lod and Grad: want one of them")
			}
			u.scalar32("Lod", ids[0], map[bool]byte{true: 'I', false: 'F'}[u.in.Op == spirv.OpImageFetch])
			u.withLevels("Lod")
		})},
	{name: "image-grad", sentence: "[Grad] The number of components of each must equal the number of components in Coordinate, minus the array layer component, if present. Only valid with explicit-lod instructions. They must be a scalar or vector of floating-point type.",
		check: onImageOperand(spirv.ImageOperandsGrad, func(u *imageUse, ids []uint32) {
			if !explicitLods[u.in.Op] {
				u.fault("Grad: want an instruction with an explicit level of detail")
				return
			}
			u.inPlane("dx", ids[0], 'f')
			u.inPlane("dy", ids[1], 'f')
		})},
	{name: "image-const-offset", sentence: "[ConstOffset] It must be an <id> of an integer-based constant instruction of scalar or vector type. The number of components must equal the number of components in Coordinate, minus the array layer component, if present. Not valid with the Cube dimension.",
		check: onImageOperand(spirv.ImageOperandsConstOffset, func(u *imageUse, ids []uint32) {
			u.offset("ConstOffset", ids[0])
			if !constant(u.Def(spirv.ID(ids[0])).Op) {
				u.fault("ConstOffset %%%d is not a constant", ids[0])
			}
		})},
	{name: "image-offset", sentence: "[Offset] It must be a scalar or vector of integer type. The number of components must equal the number of components in Coordinate, minus the array layer component, if present. Not valid with the Cube dimension.",
		check: onImageOperand(spirv.ImageOperandsOffset, func(u *imageUse, ids []uint32) { u.offset("Offset", ids[0]) })},
	// maintenance8 allows it, and compilers write it.
	{name: "image-offset-gather", sentence: "[VUID-StandaloneSpirv-Offset-10213] Image operand Offset must only be used with OpImage*Gather operations [without the maintenance8 feature].", warning: true,
		check: onImageOperand(spirv.ImageOperandsOffset, func(u *imageUse, _ []uint32) {
			if !gathers[u.in.Op] {
				u.fault("Offset: want OpImageGather or OpImageDrefGather")
			}
		})},
	{name: "image-const-offsets", sentence: "[ConstOffsets] It must be an <id> of a constant instruction making an array of size four of vectors of two integer components. Only valid with OpImageGather or OpImageDrefGather. Not valid with the Cube dimension.",
		check: onImageOperand(spirv.ImageOperandsConstOffsets, func(u *imageUse, ids []uint32) {
			t := u.TypeOf(spirv.ID(ids[0]))
			switch {
			case !gathers[u.in.Op]:
				u.fault("ConstOffsets: want OpImageGather or OpImageDrefGather")
			case u.image.Dim == spirv.DimCube:
				u.fault("ConstOffsets of an image of Cube")
			case t == nil || t.Kind != KindArray || t.Count != 4 || !twoWords(t.Elem):
				u.fault("ConstOffsets %%%d is %s: want an array of 4 vectors of 2 32-bit integers", ids[0], u.describe(t))
			case !constant(u.Def(spirv.ID(ids[0])).Op):
				u.fault("ConstOffsets %%%d is not a constant", ids[0])
			}
		})},
	{name: "image-one-offset", sentence: "An instruction must specify at most one of the ConstOffset, Offset, ConstOffsets, and Offsets image operands.",
		check: eachImage(func(u *imageUse) {
			if severalOf(u.mask(), offsets) {
				u.fault("%s: want one offset at most", u.mask()&offsets)
			}
		})},
	{name: "image-sample", sentence: "[Sample] Only valid with OpImageFetch, OpImageRead, OpImageWrite, OpImageSparseFetch, and OpImageSparseRead. The Sample operand must be used if and only if the underlying OpTypeImage has MS of 1. It must be an integer type scalar.",
		check: eachImage(func(u *imageUse) {
			_, access := imageMaskAt[u.in.Op]
			ids := u.operandIDs(spirv.ImageOperandsSample)
			switch {
			case !access || sampledOperands[u.in.Op] && ids == nil:
			case sampledOperands[u.in.Op]:
				u.fault("Sample: want OpImageFetch, OpImageRead or OpImageWrite")
			case (ids != nil) != u.image.Multisampled:
				u.fault("%s Sample of an image that is %s multisampled", map[bool]string{true: "a", false: "no"}[ids != nil], map[bool]string{true: "", false: "not"}[u.image.Multisampled])
			case ids != nil:
				u.scalar32("Sample", ids[0], 'I')
			}
		})},
	{name: "image-available", sentence: "[MakeTexelAvailable] Only valid with OpImageWrite. [MakeTexelVisible] Only valid with OpImageRead and OpImageSparseRead. Requires NonPrivateTexel to also be set.",
		check: eachImage(func(u *imageUse) {
			for _, row := range []struct {
				bit spirv.ImageOperands
				op  spirv.Op
			}{{spirv.ImageOperandsMakeTexelAvailable, spirv.OpImageWrite}, {spirv.ImageOperandsMakeTexelVisible, spirv.OpImageRead}} {
				if u.mask()&row.bit != 0 && (u.in.Op != row.op || u.mask()&spirv.ImageOperandsNonPrivateTexel == 0) {
					u.fault("%s: want %s, with NonPrivateTexel", row.bit, row.op)
				}
			}
		})},
	{name: "image-extend", sentence: "[SignExtend] Only valid if the texel type is a scalar or vector of integer type. [ZeroExtend] [...] and the signedness of the texel type is unsigned.",
		check: eachImage(func(u *imageUse) {
			t := u.Type(u.in.Type)
			switch {
			case t == nil:
			case u.mask()&spirv.ImageOperandsSignExtend != 0 && !t.is('i'):
				u.fault("SignExtend: result type %s: want integers", u.typeText(t))
			case u.mask()&spirv.ImageOperandsZeroExtend != 0 && !t.is('u'):
				u.fault("ZeroExtend: result type %s: want unsigned integers", u.typeText(t))
			}
		})},
}

// offset tests an offset of one component for each coordinate.
func (u *imageUse) offset(name string, id uint32) {
	if u.image.Dim == spirv.DimCube {
		u.fault("%s of an image of Cube", name)
		return
	}
	u.inPlane(name, id, 'i')
}

// imageOperands tests that operand 0 of each instruction on images is one.
func imageOperands(c *extension) {
	for i := range c.Raw.Instructions {
		in := &c.Raw.Instructions[i]
		var want Kind
		switch {
		case sampledOperands[in.Op]:
			want = KindSampledImage
		case plainOperands[in.Op]:
			want = KindImage
		case in.Op == spirv.OpImageTexelPointer:
			want = KindPointer
		default:
			continue
		}
		t := c.TypeOf(spirv.ID(in.Operands[0]))
		if t == nil || t.Kind != want || want == KindPointer && (t.Elem == nil || t.Elem.Kind != KindImage) {
			c.faultAt(in, "operand 0: %%%d is %s: want %s", in.Operands[0], c.describe(t),
				map[Kind]string{KindSampledImage: "a sampled image", KindImage: "an image", KindPointer: "a pointer to an image"}[want])
		} else if in.Op == spirv.OpImage && c.Type(in.Type) != t.Elem {
			c.faultAt(in, "result type %s: want the image of operand 0, %%%d", c.typeText(c.Type(in.Type)), t.Elem.ID)
		}
	}
}

// formatless maps accesses to storage images to the capabilities that allow them without a format.
var formatless = map[spirv.Op]spirv.Capability{
	spirv.OpImageRead: spirv.CapabilityStorageImageReadWithoutFormat, spirv.OpImageWrite: spirv.CapabilityStorageImageWriteWithoutFormat,
}

// storageImage tests an access of a storage image: its dimension and its arrays.
func storageImage(u *imageUse) {
	if _, ok := formatless[u.in.Op]; !ok {
		return
	}
	t := u.image
	if t.Sampled == 1 {
		u.fault("an image with Sampled 1: want a storage image, with 2")
		return
	}
	for _, row := range []struct {
		need bool
		cap  spirv.Capability
	}{
		{t.Dim == spirv.Dim1D, spirv.CapabilityImage1D}, {t.Dim == spirv.DimBuffer, spirv.CapabilityImageBuffer},
		{t.Dim == spirv.DimCube && t.Arrayed, spirv.CapabilityImageCubeArray}, {t.Multisampled && t.Arrayed, spirv.CapabilityImageMSArray},
	} {
		if row.need && !u.Has(row.cap) && !u.Kernels() {
			u.fault("this storage image needs the capability %s", row.cap)
		}
	}
}

// sizes holds the number of components of an image's size, by its dimension.
var sizes = map[spirv.Dim]int{spirv.Dim1D: 1, spirv.DimBuffer: 1, spirv.Dim2D: 2, spirv.DimCube: 2, spirv.DimRect: 2, spirv.Dim3D: 3}

func imageSize(u *imageUse) {
	lod := u.in.Op == spirv.OpImageQuerySizeLod
	if !lod && u.in.Op != spirv.OpImageQuerySize {
		return
	}
	t, result := u.image, u.Type(u.in.Type)
	want := sizes[t.Dim]
	if t.Arrayed {
		want++
	}
	switch {
	case sizes[t.Dim] == 0 || lod && !levelled[t.Dim]:
		u.fault("an image of %s has no such size", t.Dim)
	case lod && t.Multisampled:
		u.fault("of a multisampled image, which has one level")
	case !lod && levelled[t.Dim] && !t.Multisampled && t.Sampled == 1:
		u.fault("an image with levels: want OpImageQuerySizeLod")
	case !result.is('i') || result.components() != want:
		u.fault("result type %s: want %d integers", u.typeText(result), want)
	case lod:
		u.scalar32("level", u.in.Operands[1], 'I')
	}
}

func imageQuery(u *imageUse) {
	result := u.Type(u.in.Type)
	switch u.in.Op {
	case spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		if !result.is('I') {
			u.fault("result type %s: want an integer", u.typeText(result))
		}
	case spirv.OpImageQueryLod:
		if result.Kind != KindVector || !result.is('f') || result.Count != 2 {
			u.fault("result type %s: want a vector of 2 floats", u.typeText(result))
		}
	default:
		return
	}
	switch samples := u.in.Op == spirv.OpImageQuerySamples; {
	case samples && (u.image.Dim != spirv.Dim2D || !u.image.Multisampled):
		u.fault("an image of %s: want a multisampled one of 2D", u.image.Dim)
	case !samples && !levelled[u.image.Dim]:
		u.fault("an image of %s: want 1D, 2D, 3D or Cube", u.image.Dim)
	}
}

func sampledImage(u *imageUse) {
	if u.in.Op != spirv.OpSampledImage {
		return
	}
	result, sampler := u.Type(u.in.Type), u.typeAt(1)
	switch {
	case result.Kind != KindSampledImage:
		u.fault("result type %s: want a sampled image", u.typeText(result))
	case !sameImage(result.Elem, u.image):
		u.fault("result type %s: want one of the image's type, %%%d", u.typeText(result), u.image.ID)
	case u.image.Sampled != 1 && !u.Kernels(): // OpenCL has 0: known when it runs
		u.fault("an image with Sampled %d: want 1", u.image.Sampled)
	case sampler == nil || sampler.Kind != KindSampler:
		u.fault("operand 1: %%%d is %s: want a sampler", u.in.Operands[1], u.describe(sampler))
	}
}

// sameImage reports whether the types of two images are equal except for their Depth.
func sameImage(a, b *Type) bool {
	if a.Kind != KindImage || b.Kind != KindImage {
		return false
	}
	for i := range min(len(a.Def.Operands), len(b.Def.Operands)) {
		if i != 2 && a.Def.Operands[i] != b.Def.Operands[i] {
			return false
		}
	}
	return len(a.Def.Operands) == len(b.Def.Operands)
}

// sampledImageUses tests the instructions that use results of OpSampledImage.
func sampledImageUses(c *extension) {
	for _, f := range c.Functions {
		for n, b := range f.Blocks {
			for i := range b.Code {
				in := &b.Code[i]
				for at, id := range in.Operands {
					def := c.Def(spirv.ID(id))
					if def == nil || def.Op != spirv.OpSampledImage || !c.idOperand(in, at) {
						continue
					}
					if p := c.definitions[id]; p.block != int32(n) {
						c.faultAt(in, "%%%d is of another block: want OpSampledImage in the block that uses it", id)
					} else if !sampledOperands[in.Op] && in.Op != spirv.OpCopyObject {
						c.faultAt(in, "takes %%%d, a sampled image: want an image instruction", id)
					}
				}
			}
		}
	}
}

// idOperand reports an operand that is an id, and not a literal.
func (m *Module) idOperand(in *spirv.Instruction, at int) bool {
	found := false
	_ = spirv.Walk(in, spirv.NewContext(0), func(o spirv.Operand) error { // the form is tested already
		found = found || o.Index == at && o.Kind.IsID()
		return nil
	})
	return found
}

func texelPointer(u *imageUse) {
	if u.in.Op != spirv.OpImageTexelPointer {
		return
	}
	result, at, sample := u.Type(u.in.Type), u.typeAt(1), u.typeAt(2)
	want := u.image.Coordinates()
	if u.image.Arrayed && u.image.Dim != spirv.DimCube {
		want++
	}
	zero, known := u.constantValue(u.in.Operands[2])
	switch {
	case result.Kind != KindPointer || result.Storage != spirv.StorageClassImage || result.Elem != u.image.Elem:
		u.fault("result type %s: want a pointer to %s in Image", u.typeText(result), u.typeText(u.image.Elem))
	case at != nil && at.components() != want:
		u.fault("coordinate %%%d has %d components: the image takes %d", u.in.Operands[1], at.components(), want)
	case sample == nil || !sample.is('I'):
		u.fault("sample %%%d is %s: want an integer", u.in.Operands[2], u.describe(sample))
	case !u.image.Multisampled && (!known || zero != 0) && u.Def(spirv.ID(u.in.Operands[2])).Op != spirv.OpConstantNull:
		u.fault("sample %%%d of an image that is not multisampled: want 0", u.in.Operands[2])
	}
}
