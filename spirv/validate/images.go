package validate

import "spvsim/spirv"

// planes holds the number of coordinates of a texel, by dimension, without the layer. Other dimensions are refused
// before.
var planes = map[spirv.Dim]int{spirv.Dim1D: 1, spirv.Dim2D: 2, spirv.Dim3D: 3, spirv.DimCube: 3, spirv.DimRect: 2, spirv.DimBuffer: 1, spirv.DimSubpassData: 2}

// Coordinates returns the number of coordinates of a position within the image, without the layer of an array.
func (t *Type) Coordinates() int { return planes[t.Dim] }

// texelOps address a texel by whole numbers, in which a face of a cube counts as a layer.
var texelOps = set(spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageSparseFetch, spirv.OpImageSparseRead)

// projections divide their coordinates by a further one.
var projections = set(spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod)

var samples = set(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod,
	spirv.OpImageGather, spirv.OpImageDrefGather)

// imageCoordinates tests that accesses to images have as many coordinates as the image (section 3.3.10).
func imageCoordinates(m *Module, r *report) {
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for i := range b.Code {
				if in := &b.Code[i]; texelOps[in.Op] || samples[in.Op] || projections[in.Op] {
					m.coordinatesOf(in, r)
				}
			}
		}
	}
}

func (m *Module) coordinatesOf(in *spirv.Instruction, r *report) {
	image, at := m.TypeOf(spirv.ID(in.Operands[0])), m.TypeOf(spirv.ID(in.Operands[1]))
	if image != nil && image.Kind == KindSampledImage {
		image = image.Elem
	}
	if image == nil || image.Kind != KindImage || at == nil || image.Coordinates() == 0 {
		return // which other rules refuse
	}
	want, got := image.Coordinates(), 1
	if image.Arrayed && !(texelOps[in.Op] && image.Dim == spirv.DimCube) {
		want++
	}
	if projections[in.Op] {
		want++
	}
	if at.Kind == KindVector {
		got = at.Count
	}
	if got < want {
		r.faultAt(in, "image coordinates", "%d components: an image of %s takes at least %d", got, image.Dim, want)
	}
}
