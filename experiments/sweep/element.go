package sweep

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// elementTypes read an element from the front of little-endian bytes, as text.
var elementTypes = map[string]struct {
	bytes int
	text  func(b []byte) string
}{
	"u8":  {1, func(b []byte) string { return strconv.Itoa(int(b[0])) }},
	"i8":  {1, func(b []byte) string { return strconv.Itoa(int(int8(b[0]))) }},
	"u16": {2, func(b []byte) string { return strconv.Itoa(int(binary.LittleEndian.Uint16(b))) }},
	"i16": {2, func(b []byte) string { return strconv.Itoa(int(int16(binary.LittleEndian.Uint16(b)))) }},
	"u32": {4, func(b []byte) string { return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10) }},
	"i32": {4, func(b []byte) string { return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b)))) }},
	"u64": {8, func(b []byte) string { return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10) }},
	"i64": {8, func(b []byte) string { return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10) }},
	"f32": {4, func(b []byte) string { return real32(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	"f64": {8, func(b []byte) string {
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	}},
}

func real32(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// elements reads the elements of buffers that are columns of the rows.
func (s *Spec) elements(buffers map[string][]byte) ([]string, error) {
	var out []string
	for _, v := range s.Values {
		data, ok := buffers[v.Buffer]
		if !ok {
			return nil, fmt.Errorf("values: %s: the job has no buffer named %q", v.Name, v.Buffer)
		}
		typ, ok := elementTypes[v.Type]
		if !ok {
			return nil, fmt.Errorf("values: %s: no type %q", v.Name, v.Type)
		}
		if v.Index >= len(data)/typ.bytes {
			return nil, fmt.Errorf("values: %s: %s has %d elements of type %s: there is no %d", v.Name, v.Buffer, len(data)/typ.bytes, v.Type, v.Index)
		}
		out = append(out, typ.text(data[v.Index*typ.bytes:]))
	}
	return out, nil
}
