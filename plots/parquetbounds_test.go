package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"spvsim/internal/suite"
)

// allocated is what a function allocates in all, in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A file of some kilobytes that claims to hold very many values is refused, and nothing of what it claims is allocated.
func TestParquetOfLyingCounts(t *testing.T) {
	data := suite.Must(os.ReadFile("testdata/delta.parquet"))(t)
	var failed error
	if n := allocated(func() { _, failed = ReadParquet("delta.parquet", data) }); failed == nil || n > 100<<20 {
		t.Errorf("%d bytes are allocated: %v", n, failed)
	}
	rows := maxParquetCells(1000) + 1
	if n := maxParquetCells(1000); n != 4_100_000 {
		t.Errorf("%d of %d cells in 1000 bytes", n, rows)
	}
	if n := maxParquetCells(1 << 30); n != maxCells {
		t.Errorf("%d cells in a file of any length", n)
	}
}

// Lists and texts of a description that claim to be longer than what is left are refused before they are made.
func TestThriftOfLyingCounts(t *testing.T) {
	list := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, 1<<31-1)...)         // field 2, a list of structures
	text := append([]byte{0x68}, binary.AppendUvarint(nil, 1<<31-1)...)               // field 6, a text
	skipped := append([]byte{0xf8}, binary.AppendUvarint(nil, 1<<31-1)...)            // a text of an unknown field
	nested := append([]byte{0xf9, 0xf9, 0xf9}, binary.AppendUvarint(nil, 1<<31-1)...) // an unknown list of lists
	for name, data := range map[string][]byte{"list": list, "text": text, "skipped": skipped, "nested": nested} {
		var meta format.FileMetaData
		var err error
		if n := allocated(func() { err = describe(bytes.NewReader(data), &meta) }); err == nil || n > 10<<20 {
			t.Errorf("%s: %d bytes are allocated: %v", name, n, err)
		}
	}
}

// What the library's encoders write passes with the number of its values and not with fewer, and the walk ends where the section does.
func TestCountsOfEncodings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 1 + rng.IntN(2000)
		list := make([]int32, n)
		for i := range list {
			if rng.IntN(4) > 0 && i > 0 {
				list[i] = list[i-1]
			} else {
				list[i] = rng.Int32N(1 << rng.IntN(31))
			}
		}
		section := suite.Must(new(delta.BinaryPackedEncoding).EncodeInt32(nil, list))(t)
		rest, err := afterDelta(append(section[:len(section):len(section)], 1, 2, 3), n)
		if err != nil || !bytes.Equal(rest, []byte{1, 2, 3}) {
			t.Errorf("round %d: %d values leave %d bytes: %v", round, n, len(rest), err)
		}
		if _, err := afterDelta(section, n-1); err == nil {
			t.Errorf("round %d: %d values pass for %d", round, n, n-1)
		}
		levels := make([]byte, n)
		for i := range levels {
			levels[i] = byte(list[i] & 3)
		}
		runs := suite.Must((&rle.Encoding{BitWidth: 2}).EncodeLevels(nil, levels))(t)
		if err := checkRuns(runs, 2, n); err != nil {
			t.Errorf("round %d: %d levels: %v", round, n, err)
		}
	}
	for _, data := range [][]byte{binary.AppendUvarint(nil, 1<<31<<1), binary.AppendUvarint(nil, 1<<62), append(binary.AppendUvarint(nil, 1000<<1), 1)} {
		if err := checkRuns(data, 1, 100); err == nil || !strings.Contains(err.Error(), "want 100") {
			t.Errorf("%x: %v", data, err)
		}
	}
	for _, data := range [][]byte{nil, {0x80}, {128, 1, 4}, {128, 1, 0, 1, 0}, append([]byte{128, 1, 4}, binary.AppendUvarint(nil, 1<<40)...)} {
		if _, err := afterDelta(data, 1<<20); err == nil {
			t.Errorf("%x passes", data)
		}
	}
}

// Texts that each repeat the one before and add a letter are as long in all as the square of their number.
func TestPrefixesHaveABound(t *testing.T) {
	const n = 40_000
	prefixes, suffixes := make([]int32, n), make([]int32, n)
	for i := range n {
		prefixes[i], suffixes[i] = int32(i), 1
	}
	first, err1 := new(delta.BinaryPackedEncoding).EncodeInt32(nil, prefixes)
	second, err2 := new(delta.BinaryPackedEncoding).EncodeInt32(nil, suffixes)
	suite.OK(t, errors.Join(err1, err2))
	data := append(append(first, second...), bytes.Repeat([]byte("x"), n)...)
	left := maxUnpacked(len(data))
	p := &pages{left: &left}
	if err := p.checkCounts(format.DeltaByteArray, data, n); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("found texts of %d bytes", n*(n-1)/2+len(data))) {
		t.Error(err)
	}
	left = 1 << 40
	if err := p.checkCounts(format.DeltaByteArray, data, n); err != nil || left >= 1<<40 {
		t.Error(err, left)
	}
}
