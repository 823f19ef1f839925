package lane

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian hosts hold a row of registers in the byte order of the device.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// view is the bytes of a row in the host's order. Rows are never empty.
func view(row []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), 4*len(row))
}

// LoadWords fills the row with consecutive little-endian words.
func LoadWords(row []uint32, b []byte) {
	if littleEndian {
		copy(view(row), b)
		return
	}
	for l := range row {
		row[l] = binary.LittleEndian.Uint32(b[4*l:])
	}
}

// StoreWords is the inverse of LoadWords.
func StoreWords(b []byte, row []uint32) {
	if littleEndian {
		copy(b, view(row))
		return
	}
	for l, v := range row {
		binary.LittleEndian.PutUint32(b[4*l:], v)
	}
}

func fillSlow(rows []uint32, b []byte, lanes int) {
	for k := range len(rows) / lanes {
		x := binary.LittleEndian.Uint32(b[4*k:])
		for l := range lanes {
			rows[k*lanes+l] = x
		}
	}
}

// Lead is how many words come before those of a list in order: it is read from its end back, so far at a time.
const Lead = 40

func aboveSlow(list []uint32, end int, word uint32) (count int) {
	for i := end - 1; list[i] > word; i-- {
		count++
	}
	return count
}

// A Span is from when until when something is so.
type Span struct{ From, Until uint32 }

func insertAllSlow(x, y []uint32, end int, spans []Span) {
	for i, s := range spans {
		insertSlow(x, end+i, s.From)
		insertSlow(y, end+i, s.Until)
	}
}

func insertSlow(list []uint32, end int, word uint32) {
	for ; list[end-1] > word; end-- {
		list[end] = list[end-1]
	}
	list[end] = word
}
