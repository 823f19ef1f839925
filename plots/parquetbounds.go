package plots

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library's decoders allocate by counts that a file claims. All counts are checked here before a decoder sees them.

// Limits of what a file of few bytes may expand to: a run of equal values takes some bytes, however long it is.
const (
	leastCells    = 4_000_000 // cells of any file
	cellsPerByte  = 100       // of the file, and as many cells more
	leastUnpacked = 256 << 20 // bytes of the pages of any file, without compression
	bytesPerByte  = 64
)

// maxParquetCells is the most cells of a file of some bytes.
func maxParquetCells(bytes int) int64 {
	return min(leastCells+cellsPerByte*int64(bytes), maxCells)
}

// maxUnpacked is the most bytes of all pages of a file without compression.
func maxUnpacked(bytes int) int64 { return leastUnpacked + bytesPerByte*int64(bytes) }

// A rest is a stream that knows how many bytes are left.
type rest interface {
	io.Reader
	Len() int
}

// describe decodes a structure of Thrift's compact protocol.
func describe(in rest, to any) error {
	return thrift.NewDecoder(&boundedReader{new(thrift.CompactProtocol).NewReader(in), in}).Decode(to)
}

type thriftReader = thrift.Reader // which has a method of that name

// A boundedReader refuses lists, maps and texts that claim to be longer than what is left: an element takes a byte at least.
type boundedReader struct {
	thriftReader
	in rest
}

func (r *boundedReader) check(size int, err error) error {
	if left := r.in.Len(); err == nil && (size < 0 || size > left) {
		return fmt.Errorf("found a length of %d where %d bytes are left", size, left)
	}
	return err
}

// ReadList implements thrift.Reader.
func (r *boundedReader) ReadList() (thrift.List, error) {
	l, err := r.thriftReader.ReadList()
	return l, r.check(int(l.Size), err)
}

func (r *boundedReader) ReadSet() (thrift.Set, error) {
	s, err := r.thriftReader.ReadSet()
	return s, r.check(int(s.Size), err)
}

func (r *boundedReader) ReadMap() (thrift.Map, error) {
	m, err := r.thriftReader.ReadMap()
	return m, r.check(int(m.Size), err)
}

// ReadLength implements thrift.Reader.
func (r *boundedReader) ReadLength() (int, error) {
	n, err := r.thriftReader.ReadLength()
	return n, r.check(n, err)
}

// ReadBytes implements thrift.Reader.
func (r *boundedReader) ReadBytes() ([]byte, error) {
	n, err := r.ReadLength()
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r.in, b)
	return b, err
}

// ReadString implements thrift.Reader.
func (r *boundedReader) ReadString() (string, error) {
	b, err := r.ReadBytes()
	return string(b), err
}

// checkCounts refuses encoded values that claim to be more than n.
func (p *pages) checkCounts(encoding format.Encoding, data []byte, n int) error {
	switch encoding {
	//lint:ignore SA1019 older writers name it so
	case format.RLEDictionary, format.PlainDictionary:
		if len(data) == 0 {
			return nil
		}
		return checkRuns(data[1:], int(data[0]), n)
	case format.RLE: // booleans, after their length
		return checkRuns(data[min(4, len(data)):], 1, n)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err := afterDelta(data, n)
		return err
	case format.DeltaByteArray:
		return p.checkPrefixes(data, n)
	}
	return nil
}

// maxPadding is what the last run of packed values may hold beyond the page's: writers fill groups of 8, and some groups of 63 of these.
const maxPadding = 504

// checkRuns refuses runs (Parquet's encodings: RLE/bit-packing hybrid) of more than n values in all.
func checkRuns(data []byte, width, n int) error {
	total := uint64(0)
	for len(data) > 0 {
		head, size := binary.Uvarint(data)
		if size <= 0 {
			return errors.New("a run without its length")
		}
		data = data[size:]
		count, bytes := head>>1, uint64(width+7)/8
		if head&1 != 0 {
			count, bytes = count*8, count*uint64(width) // groups of 8
		}
		if total += count; head>>1 > 1<<32 || total > uint64(n+maxPadding) {
			return fmt.Errorf("found runs of %d values: want %d", total, n)
		}
		data = data[min(bytes, uint64(len(data))):]
	}
	return nil
}

// afterDelta refuses a section of DELTA_BINARY_PACKED that claims more than n values, and returns what follows it.
func afterDelta(data []byte, n int) ([]byte, error) {
	var head [4]uint64 // values of a block, its miniblocks, all values, the first
	err := error(nil)
	for i := range head {
		if head[i], data, err = number(data); err != nil {
			return nil, err
		}
	}
	if head[2] > uint64(n) {
		return nil, fmt.Errorf("found %d values: want %d", head[2], n)
	}
	if head[1] == 0 || head[0] > 1<<32 {
		return nil, fmt.Errorf("blocks of %d deltas in %d miniblocks", head[0], head[1])
	}
	each := head[0] / head[1]
	for left := int64(head[2]) - 1; left > 0; {
		if _, data, err = number(data); err != nil { // the least delta
			return nil, err
		}
		widths := data[:min(head[1], uint64(len(data)))]
		data = data[len(widths):]
		if len(widths) == 0 {
			return nil, errCutOff
		}
		for i := 0; i < len(widths) && left > 0; i++ {
			data = data[min(each*uint64(widths[i])/8, uint64(len(data))):]
			left -= int64(each)
		}
		if each == 0 {
			return nil, errors.New("miniblocks without deltas")
		}
	}
	return data, nil
}

var errCutOff = errors.New("deltas that are cut off")

// number reads a number of variable length.
func number(data []byte) (x uint64, rest []byte, err error) {
	x, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, nil, errCutOff
	}
	return x, data[size:], nil
}

// checkPrefixes refuses texts of DELTA_BYTE_ARRAY that are longer in all than pages may be: each may repeat all of the one before.
func (p *pages) checkPrefixes(data []byte, n int) error {
	rest, err := afterDelta(data, n)
	if err == nil {
		_, err = afterDelta(rest, n)
	}
	if err != nil {
		return err
	}
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, data)
	if err != nil {
		return err
	}
	total := int64(len(data))
	for _, length := range prefixes {
		total += max(int64(length), 0)
	}
	if total > *p.left {
		return fmt.Errorf("found texts of %d bytes: want at most %d, which the pages before leave of a file of this size", total, *p.left)
	}
	*p.left -= total
	return nil
}
