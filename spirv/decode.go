package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"spvsim/spirv/grammar"
)

var (
	// ErrMalformed is wrapped by every error of Decode.
	ErrMalformed = errors.New("malformed module")
	// ErrUnknownOpcode reports an opcode that the grammar lacks; it is ErrMalformed too.
	ErrUnknownOpcode = fmt.Errorf("%w: unknown opcode", ErrMalformed)
)

// Error is a fault of a module with its position.
type Error struct {
	Word   int // index of a word; of an instruction's first one
	Op     Op
	InOp   bool // whether Op is known
	Result ID   // of the instruction; 0 if it has none, or none was read
	Text   string
	Err    error // the sentinel
}

func (e *Error) Error() string {
	if e.InOp && e.Result != 0 {
		return fmt.Sprintf("spirv: word %d (%s %%%d): %s", e.Word, e.Op, e.Result, e.Text)
	}
	if e.InOp {
		return fmt.Sprintf("spirv: word %d (%s): %s", e.Word, e.Op, e.Text)
	}
	return fmt.Sprintf("spirv: word %d: %s", e.Word, e.Text)
}

func (e *Error) Unwrap() error { return e.Err }

func malformed(word int, format string, args ...any) error {
	return &Error{Word: word, Text: fmt.Sprintf(format, args...), Err: ErrMalformed}
}

// Decode reads a module in either byte order and checks its form: the header,
// the length of every instruction, and every operand against the grammar.
// Every id of the result is above 0 and below Bound, which is at most
// MaxBound. The module does not keep data.
func Decode(data []byte) (*Module, error) {
	words, order, err := toWords(data)
	if err != nil {
		return nil, err
	}
	return decode(words, order)
}

// DecodeWords is Decode for a module in words. The operands of the module's instructions are slices of words.
func DecodeWords(words []uint32) (*Module, error) {
	if len(words) < HeaderWords {
		return nil, malformed(len(words), "the header is cut off: want %d words", HeaderWords)
	}
	if words[0] != Magic {
		return nil, badMagic(words[0])
	}
	return decode(words, binary.LittleEndian)
}

// HasMagic reports whether data begins with the magic number, in either byte order.
func HasMagic(data []byte) bool {
	return len(data) >= 4 && (binary.LittleEndian.Uint32(data) == Magic || binary.BigEndian.Uint32(data) == Magic)
}

func badMagic(word uint32) error {
	return malformed(0, "found magic number %#08x: want %#08x, the first word of a SPIR-V module", word, Magic)
}

func decode(words []uint32, order binary.ByteOrder) (*Module, error) {
	d, n, err := newDecoder(words, order)
	if err != nil {
		return nil, err
	}
	d.m.Instructions = make([]Instruction, n)
	at := HeaderWords
	for i := range d.m.Instructions {
		in := &d.m.Instructions[i]
		if at, err = d.head(in, at); err != nil {
			return nil, err
		}
		if err := d.operands(in, nil); err != nil {
			return nil, err
		}
		d.c.Note(in)
	}
	return d.m, nil
}

// newDecoder tests the header and the lengths of all instructions, which it counts.
func newDecoder(words []uint32, order binary.ByteOrder) (*decoder, int, error) {
	m := &Module{Version: words[1], Generator: words[2], Bound: words[3], Schema: words[4], Order: order}
	if err := checkHeader(m); err != nil {
		return nil, 0, err
	}
	n, err := countInstructions(words)
	return &decoder{m: m, words: words, c: NewContext(min(int(m.Bound), len(words)))}, n, err
}

func toWords(data []byte) ([]uint32, binary.ByteOrder, error) {
	if len(data) < 4 {
		return nil, nil, malformed(0, "%d bytes: want a header of %d words", len(data), HeaderWords)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if binary.BigEndian.Uint32(data) == Magic {
		order = binary.BigEndian
	} else if magic := binary.LittleEndian.Uint32(data); magic != Magic {
		return nil, nil, badMagic(magic)
	}
	if len(data)%4 != 0 {
		return nil, nil, malformed(len(data)/4, "the word is cut off: the module has %d bytes, want a multiple of 4", len(data))
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i : 4*i+4])
	}
	if order == binary.BigEndian {
		for i, w := range words {
			words[i] = bits.ReverseBytes32(w)
		}
	}
	if len(words) < HeaderWords {
		return nil, nil, malformed(len(words), "the header is cut off: want %d words", HeaderWords)
	}
	return words, order, nil
}

func checkHeader(m *Module) error {
	if v := m.Version; v&0xFF0000FF != 0 || v>>16 != 1 || v>>8&0xFF > 6 {
		return malformed(1, "version is %#08x: want 1.0 to 1.6", v)
	}
	if m.Bound == 0 || m.Bound > MaxBound {
		return malformed(3, "id bound is %d: want 1 to %d", m.Bound, MaxBound)
	}
	if m.Schema != 0 {
		return malformed(4, "instruction schema is %d: want 0", m.Schema)
	}
	return nil
}

func countInstructions(words []uint32) (int, error) {
	n := 0
	for at := HeaderWords; at < len(words); n++ {
		length, op := int(words[at]>>16), Op(words[at])
		if length == 0 {
			return 0, &Error{Word: at, Op: op, InOp: true, Text: "word count is 0", Err: ErrMalformed}
		}
		if at+length > len(words) {
			text := fmt.Sprintf("truncated: the instruction has %d words, and the module ends after %d", length, len(words)-at)
			return 0, &Error{Word: at, Op: op, InOp: true, Text: text, Err: ErrMalformed}
		}
		at += length
	}
	return n, nil
}

type decoder struct {
	m     *Module
	words []uint32
	c     *Context
}

// head reads the opcode, the result type and the result id of the instruction at a word, and returns the word after it.
func (d *decoder) head(in *Instruction, at int) (int, error) {
	in.Word, in.Op = at, Op(d.words[at])
	end := d.end(at)
	g := in.Op.Grammar()
	if g == nil {
		return end, &Error{Word: at, Text: fmt.Sprintf("unknown opcode %d", uint16(in.Op)), Err: ErrUnknownOpcode}
	}
	rest := d.words[at+1 : end]
	if err := d.results(in, g, &rest); err != nil {
		return end, in.malformed(err)
	}
	in.Operands = rest[:len(rest):len(rest)]
	return end, nil
}

// operands tests what head has not, and visits the operands that are ids.
func (d *decoder) operands(in *Instruction, visit func(index int, id ID) error) error {
	w := walker{in: in, c: d.c, visitID: visit, bound: d.m.Bound}
	if err := w.instruction(); err != nil {
		return in.malformed(err)
	}
	return nil
}

// end returns the word after the instruction at a word.
func (d *decoder) end(at int) int { return at + int(d.words[at]>>16) }

func (in *Instruction) malformed(err error) error {
	return &Error{Word: in.Word, Op: in.Op, InOp: true, Result: in.Result, Text: err.Error(), Err: ErrMalformed}
}

// results takes the result type and the result id off rest.
func (d *decoder) results(in *Instruction, g *grammar.Op, rest *[]uint32) error {
	if g.HasType {
		if err := d.takeID(&in.Type, rest, "result type"); err != nil {
			return err
		}
	}
	if g.HasResult {
		return d.takeID(&in.Result, rest, "result id")
	}
	return nil
}

func (d *decoder) takeID(id *ID, rest *[]uint32, what string) error {
	if len(*rest) == 0 {
		return fmt.Errorf("%s: missing: the instruction ends before it", what)
	}
	w := (*rest)[0]
	if err := d.checkID(w); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*id, *rest = ID(w), (*rest)[1:]
	return nil
}

func (d *decoder) checkID(w uint32) error {
	if w == 0 {
		return errors.New("id is 0")
	}
	if w >= d.m.Bound {
		return fmt.Errorf("id %d is not below the module's bound, %d", w, d.m.Bound)
	}
	return nil
}
