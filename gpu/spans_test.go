package gpu

import (
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/mem"
)

// Rows a distance apart take up to the end of the last one; none take nothing, and what no memory holds is refused.
func TestSpansOfRows(t *testing.T) {
	for _, c := range []struct {
		count, size, stride, want uint64
		ok                        bool
	}{
		{0, 8, 1 << 60, 0, true}, {1, 8, 1 << 60, 8, true}, {2, 8, 8, 16, true}, {3, 8, 100, 208, true}, {5, 4, 0, 4, true},
		{2, 8, 1 << 40, 1<<40 + 8, true}, {2, 8, 1<<40 + 1, 0, false}, {3, 8, 1 << 39, 1<<40 + 8, true}, {3, 8, 1<<39 + 1, 0, false}, {1 << 40, 1, 2, 0, false},
	} {
		if got, err := span(c.count, c.size, c.stride); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
	r := &resources{job: &config.Job{Buffers: []config.Buffer{{Name: "a"}, {Name: "b"}}}, buffers: []*mem.Buffer{{Bytes: make([]byte, 5)}, {Bytes: make([]byte, 100)}}}
	for at := range uint64(110) {
		for _, rows := range []uint64{0, 1, 2, 7} {
			const bytes, stride = 4, 10
			size := uint64(0)
			if rows > 0 {
				size = (rows-1)*stride + bytes
			}
			got, err := r.rows("b", at, bytes, rows, stride)
			if (err == nil) != (at+size <= 100) || err == nil && uint64(len(got)) != size {
				t.Errorf("%d rows from byte %d on: %d bytes, %v", rows, at, len(got), err)
			}
		}
	}
}

// A conversion of a printed format is its flags, the number of values, length letters and the verb, as C and GLSL write them; what follows is text.
func TestConversionsOfFormats(t *testing.T) {
	for text, want := range map[string]struct {
		flags string
		n     int
		verb  byte
		rest  string
	}{
		"%d": {"", 1, 'd', ""}, "%-+ #08.3fx": {"-+ #08.3", 1, 'f', "x"}, "%v4f,": {"", 4, 'f', ","}, "%v2u": {"", 2, 'u', ""}, "%5.2v3f": {"5.2", 3, 'f', ""}, "%v5f": {"", 1, 'v', "5f"},
		"%v1f": {"", 1, 'v', "1f"}, "%lu": {"", 1, 'u', ""}, "%llx ": {"", 1, 'x', " "}, "%hd": {"", 1, 'd', ""}, "%v2lu": {"", 2, 'u', ""}, "%ul!": {"", 1, 'u', "!"},
		"%dl": {"", 1, 'd', "l"}, "%": {"", 1, 0, ""}, "%4": {"4", 1, 0, ""}, "%v3": {"", 3, 0, ""}, "%v": {"", 1, 'v', ""}, "%l": {"", 1, 0, ""}, "%%": {"", 1, '%', ""},
	} {
		flags, n, verb, size := parseSpec(text)
		if flags != want.flags || n != want.n || verb != want.verb || !strings.HasSuffix(text, want.rest) || size != len(text)-len(want.rest) {
			t.Errorf("%q: flags %q, %d values, verb %q, %d letters", text, flags, n, verb, size)
		}
	}
}
