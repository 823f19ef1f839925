// Package spirv is the binary form of SPIR-V modules: it decodes bytes to
// instructions, checks every word against the grammar, and encodes them
// again. It does not know what instructions mean, nor which modules are
// valid (package validate does), nor anything of the machine that runs them.
package spirv

import "encoding/binary"

// ID is a result id.
type ID uint32

const (
	// Magic is the first word of every module.
	Magic = 0x07230203
	// HeaderWords is the length of a module's header.
	HeaderWords = 5
	// MaxBound is the greatest accepted id bound: the universal limit of the specification (section 2.17), which also
	// bounds the memory of tables indexed by id.
	MaxBound = 0x3FFFFF
)

// Instruction is one instruction. Operands holds the words after the result type and the result id, as in the module.
type Instruction struct {
	Op       Op
	Type     ID // 0 when the opcode has no result type
	Result   ID // 0 when the opcode has no result
	Operands []uint32
	Word     int // index in the module of its first word, header included
}

// Module is a decoded module.
type Module struct {
	Version      uint32 // as in the header: major<<16 | minor<<8
	Generator    uint32
	Bound        uint32
	Schema       uint32
	Order        binary.ByteOrder // byte order of the decoded data
	Instructions []Instruction
	Source       *Source // the text that the module was assembled from; nil if none
}

// Words returns the length of the encoded instruction.
func (in *Instruction) Words() int {
	n := 1 + len(in.Operands)
	if in.Type != 0 {
		n++
	}
	if in.Result != 0 {
		n++
	}
	return n
}

// Words returns the module as words, header included.
func (m *Module) Words() []uint32 {
	n := HeaderWords
	for i := range m.Instructions {
		n += m.Instructions[i].Words()
	}
	words := make([]uint32, 0, n)
	words = append(words, Magic, m.Version, m.Generator, m.Bound, m.Schema)
	for i := range m.Instructions {
		words = m.Instructions[i].Append(words)
	}
	return words
}

// Append appends the encoded instruction to words.
func (in *Instruction) Append(words []uint32) []uint32 {
	words = append(words, uint32(in.Words())<<16|uint32(in.Op))
	if in.Type != 0 {
		words = append(words, uint32(in.Type))
	}
	if in.Result != 0 {
		words = append(words, uint32(in.Result))
	}
	return append(words, in.Operands...)
}

// Encode returns the bytes of the module in a byte order, usually
// binary.LittleEndian.
func (m *Module) Encode(order binary.ByteOrder) []byte {
	words := m.Words()
	b := make([]byte, 4*len(words))
	for i, w := range words {
		order.PutUint32(b[4*i:], w)
	}
	return b
}

// DecodeString reads a string literal and returns it with the number of its words; n is 0 if the string has no end
// within words.
func DecodeString(words []uint32) (s string, n int) {
	for i, w := range words {
		if !hasZeroByte(w) {
			continue
		}
		b := make([]byte, 0, 4*i+3)
		for _, w := range words[:i] {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		for ; w&0xFF != 0; w >>= 8 {
			b = append(b, byte(w))
		}
		return string(b), i + 1
	}
	return "", 0
}

// hasZeroByte is Lamport's classic test for a zero byte in a word.
func hasZeroByte(w uint32) bool { return (w-0x01010101)&^w&0x80808080 != 0 }

// EncodeString returns the words of a string literal. The string ends at its
// first zero byte, if it has any, since the format can't hold one.
func EncodeString(s string) []uint32 {
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			s = s[:i]
			break
		}
	}
	words := make([]uint32, len(s)/4+1)
	for i := 0; i < len(s); i++ {
		words[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return words
}
