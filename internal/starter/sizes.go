package starter

import (
	"fmt"
	"math"
	"math/bits"

	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// typeWord returns the element type of job files for a scalar type; empty for others.
func typeWord(t *validate.Type) string {
	switch {
	case t.Kind == validate.KindFloat:
		return fmt.Sprintf("f%d", t.Width)
	case t.Kind == validate.KindInt && t.Signed:
		return fmt.Sprintf("i%d", t.Width)
	case t.Kind == validate.KindInt:
		return fmt.Sprintf("u%d", t.Width)
	}
	return ""
}

// number formats a literal for a job file; empty if a job can't express it.
func number(words []uint32, t *validate.Type) string {
	bits := uint64(words[0])
	if len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch {
	case t.Kind == validate.KindFloat && t.Width == 32:
		return real(float64(math.Float32frombits(uint32(bits))))
	case t.Kind == validate.KindFloat && t.Width == 64:
		return real(math.Float64frombits(bits))
	case t.Kind != validate.KindInt:
		return ""
	case t.Signed && t.Width == 64:
		return fmt.Sprint(int64(bits))
	case t.Signed:
		return fmt.Sprint(int32(bits)) // narrow integers are stored sign-extended
	}
	return fmt.Sprint(bits)
}

func real(x float64) string {
	switch {
	case math.IsNaN(x):
		return ".nan"
	case math.IsInf(x, 1):
		return ".inf"
	case math.IsInf(x, -1):
		return "-.inf"
	}
	return fmt.Sprint(x)
}

// sizer computes the layout of types, with specialization constants at their defaults. It caches results: structures
// may contain one another many times.
type sizer struct {
	m     *validate.Module
	cache map[*validate.Type]size
}

// size holds the length of a type without its last run-time array, and the array's stride, 0 if there is none.
type size struct{ bytes, stride uint64 }

// times multiplies sizes, and saturates.
func times(a, b uint64) uint64 {
	if high, low := bits.Mul64(a, b); high == 0 {
		return low
	}
	return math.MaxUint64
}

// plus adds sizes as times multiplies them.
func plus(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return math.MaxUint64
}

// member returns the size of a member, with the stride of a run-time array at its end.
func (s *sizer) member(t *validate.Type, i int) (bytes, stride uint64) {
	m := t.Members[i]
	if step, ok := s.m.MemberDecoration(t.ID, i, spirv.DecorationMatrixStride); ok && m.Kind == validate.KindMatrix {
		lines := m.Count
		if s.m.MemberDecorated(t.ID, i, spirv.DecorationRowMajor) {
			lines = m.Elem.Count
		}
		return uint64(step) * uint64(lines), 0
	}
	return s.size(m)
}

func (s *sizer) size(t *validate.Type) (bytes, stride uint64) {
	if n, ok := s.cache[t]; ok {
		return n.bytes, n.stride
	}
	bytes, stride = s.measure(t)
	s.cache[t] = size{bytes, stride}
	return bytes, stride
}

func (s *sizer) measure(t *validate.Type) (bytes, stride uint64) {
	switch t.Kind {
	case validate.KindBool:
		return 4, 0
	case validate.KindInt, validate.KindFloat:
		return uint64(t.Width / 8), 0
	case validate.KindVector, validate.KindMatrix:
		n, _ := s.size(t.Elem)
		return times(n, uint64(t.Count)), 0
	case validate.KindArray:
		return times(s.count(t), s.step(t)), 0
	case validate.KindRuntimeArray:
		return 0, s.step(t)
	case validate.KindPointer:
		return 8, 0
	case validate.KindStruct:
		for i := range t.Members {
			at, _ := s.m.MemberDecoration(t.ID, i, spirv.DecorationOffset)
			n, last := s.member(t, i)
			bytes, stride = max(bytes, plus(uint64(at), n)), max(stride, last)
		}
	}
	return bytes, stride
}

func (s *sizer) step(t *validate.Type) uint64 {
	if n, ok := s.m.Decoration(t.ID, spirv.DecorationArrayStride); ok {
		return uint64(n)
	}
	n, _ := s.size(t.Elem)
	return n
}

// count returns the length of an array; 1 if an expression of constants determines it.
func (s *sizer) count(t *validate.Type) uint64 {
	if t.Count > 0 {
		return uint64(t.Count)
	}
	if in := s.m.Def(t.CountID); in != nil && in.Op == spirv.OpSpecConstant {
		return uint64(in.Operands[0])
	}
	return 1
}
