// Package lane moves values between a wave's registers and bytes of memory. It
// is what device memory and the LDS have in common; it knows neither of them.
package lane

import (
	"encoding/binary"
	"math/bits"

	"spvsim/isa"
)

// Uniform is the value of an operand that is the same in every lane; of a
// vector operand, that of the lowest active lane.
func Uniform(st *isa.State, r isa.Reg) uint64 {
	switch r.Kind {
	case isa.Imm:
		return r.Val
	case isa.Scalar:
		return st.S[r.Index]
	case isa.Vector:
		return uint64(st.V[int(r.Index)*st.Lanes+bits.TrailingZeros64(st.Exec|1<<63)&(st.Lanes-1)])
	}
	return 0
}

// Value is a lane's value of an operand of one register row, or two when wide.
func Value(st *isa.State, r isa.Reg, lane int, wide bool) uint64 {
	if wide || r.Kind != isa.Vector {
		return wideOrUniform(st, r, lane)
	}
	return uint64(st.V[int(r.Index)*st.Lanes+lane])
}

// wideOrUniform is what Value is of two rows, or of what is the same in all lanes.
func wideOrUniform(st *isa.State, r isa.Reg, lane int) uint64 {
	if r.Kind != isa.Vector {
		return Uniform(st, r)
	}
	return Wide(st, r).Lane(lane)
}

// A Pair is the two rows of a vector register of 64-bit values.
type Pair struct{ low, high []uint32 }

// Wide is the pair of rows of a vector register.
func Wide(st *isa.State, r isa.Reg) Pair {
	i := int(r.Index) * st.Lanes
	return Pair{st.V[i : i+st.Lanes], st.V[i+st.Lanes:][:st.Lanes]}
}

func (p Pair) Lane(lane int) uint64 { return uint64(p.low[lane]) | uint64(p.high[lane])<<32 }

// Set writes a lane's result; a scalar destination keeps the last one written,
// which is that of the highest active lane.
func Set(st *isa.State, r isa.Reg, lane int, wide bool, v uint64) {
	switch r.Kind {
	case isa.Scalar:
		st.S[r.Index] = v
	case isa.Vector:
		i := int(r.Index)*st.Lanes + lane
		st.V[i] = uint32(v)
		if wide {
			st.V[i+st.Lanes] = uint32(v >> 32)
		}
	}
}

// Result is the register of the i-th result of a memory instruction.
func Result(in *isa.Inst, i int) isa.Reg {
	if r := in.Mem.Dsts[i]; r.Kind != isa.None || i > 0 {
		return r
	}
	return in.Dst
}

func Element(in *isa.Inst) isa.Type {
	if in.Mem.Elem != isa.Void {
		return in.Mem.Elem
	}
	return in.T
}

// Active is the mask of lanes that take part; a scalar access is lane 0 alone,
// whatever the execution mask.
func Active(st *isa.State, m *isa.Mem) uint64 {
	if m.Scalar {
		return 1
	}
	return st.Exec
}

// AnyScalar reports a result that goes to a scalar register.
func AnyScalar(in *isa.Inst) bool {
	for i := range int(in.Mem.Count) {
		if Result(in, i).Kind == isa.Scalar {
			return true
		}
	}
	return false
}

// SameValue returns the value that all lanes of a mask have in a row; false if they differ, or the mask is empty.
func SameValue(row []uint32, mask uint64) (value uint32, same bool) {
	if mask == 0 {
		return 0, false
	}
	value = row[bits.TrailingZeros64(mask)]
	for l, x := range row {
		if x != value && mask>>l&1 != 0 {
			return 0, false
		}
	}
	return value, true
}

// AllSame says that all words of a row are the same.
func AllSame(row []uint32) bool {
	if wide && len(row) > 0 && len(row)%8 == 0 {
		return sameAVX(&row[0], len(row)) == 0
	}
	_, same := SameValue(row, 1<<len(row)-1)
	return same
}

// ReadElement reads the little-endian element that b is: 1, 2, 4 or 8 bytes.
func ReadElement(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	return uint64(b[0])
}

// WriteElement is the inverse of Get.
func WriteElement(b []byte, v uint64) {
	switch len(b) {
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 8:
		binary.LittleEndian.PutUint64(b, v)
	default:
		b[0] = byte(v)
	}
}
