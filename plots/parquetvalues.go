package plots

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// parquetTypes are the physical types that are read.
var parquetTypes = map[format.Type]Type{
	format.Int32: Number, format.Int64: Number, format.Float: Number, format.Double: Number,
	format.Boolean: Text, format.ByteArray: Text,
}

// parquetEncodings are those of values that are not in a dictionary.
var parquetEncodings = map[format.Encoding]encoding.Encoding{
	format.Plain:                new(plain.Encoding),
	format.RLE:                  &rle.Encoding{BitWidth: 1}, // of booleans
	format.DeltaBinaryPacked:    new(delta.BinaryPackedEncoding),
	format.DeltaLengthByteArray: new(delta.LengthByteArrayEncoding),
	format.DeltaByteArray:       new(delta.ByteArrayEncoding),
	format.ByteStreamSplit:      new(bytestreamsplit.Encoding),
}

// unpacked is a page without compression, of the size that its header says.
func (p *pages) unpacked(packed []byte, size int) (data []byte, err error) {
	if size < 0 || int64(size) > *p.left {
		return nil, fmt.Errorf("found a page of %d bytes before compression: want at most %d, which the pages before leave of a file of this size", size, *p.left)
	}
	*p.left -= int64(size)
	codec := p.chunk.Codec
	switch codec {
	case format.Uncompressed:
		data = packed
	case format.Snappy:
		if n, err := snappy.DecodedLen(packed); err != nil || n != size {
			return nil, fmt.Errorf("damaged Parquet: a page of %d bytes (%v), its header says %d", n, err, size)
		}
		data, err = snappy.Decode(nil, packed)
	case format.Gzip:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			data, err = io.ReadAll(io.LimitReader(r, int64(size)+1))
		}
	case format.Zstd:
		var r *zstd.Decoder
		if r, err = zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(size)+1<<20)); err == nil {
			data, err = io.ReadAll(io.LimitReader(r, int64(size)+1))
			r.Close()
		}
	case format.Lz4Raw:
		data = make([]byte, size)
		_, err = lz4.UncompressBlock(packed, data)
	default:
		return nil, fmt.Errorf("compressed with %s: want snappy, gzip, zstd, LZ4 (LZ4_RAW) or none", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("damaged Parquet: %s: %w", codec, err)
	}
	if len(data) != size {
		return nil, fmt.Errorf("damaged Parquet: a page of %d bytes, its header says %d", len(data), size)
	}
	return data, nil
}

// missing says which of n rows have no value, nil for none, and how many have one.
func (p *pages) missing(n int, levels []byte) ([]bool, int, error) {
	if p.leaf.optional == 0 {
		return nil, n, nil
	}
	width := bits.Len(uint(p.leaf.optional))
	if err := checkRuns(levels, width, n); err != nil {
		return nil, 0, fmt.Errorf("damaged Parquet: levels: %w", err)
	}
	got, err := (&rle.Encoding{BitWidth: width}).DecodeLevels(nil, levels)
	if err != nil || len(got) < n {
		return nil, 0, fmt.Errorf("damaged Parquet: %d levels of %d values: %v", len(got), n, err)
	}
	list, some := make([]bool, n), 0
	for i := range list {
		if list[i] = int(got[i]) < p.leaf.optional; !list[i] {
			some++
		}
	}
	return list, some, nil
}

// decode appends n values to a column.
func (p *pages) decode(c *Column, encoding format.Encoding, data []byte, n int) error {
	if n == 0 {
		return nil
	}
	err := p.checkCounts(encoding, data, n)
	switch e := parquetEncodings[encoding]; {
	case err != nil:
	//lint:ignore SA1019 older writers name it so
	case encoding == format.RLEDictionary || encoding == format.PlainDictionary:
		err = p.lookup(c, data, n)
	case e == nil:
		err = fmt.Errorf("values in %s, which is not read", encoding)
	default:
		err = p.direct(c, e, data)
	}
	if err == nil && c.cells() < n {
		err = fmt.Errorf("%d of %d values are there", c.cells(), n)
	}
	if err != nil {
		return fmt.Errorf("damaged Parquet: %w", err)
	}
	return nil
}

// lookup takes values from the dictionary.
func (p *pages) lookup(c *Column, data []byte, n int) error {
	if p.dictionary == nil {
		return fmt.Errorf("a page without its dictionary")
	}
	indexes, err := new(rle.DictionaryEncoding).DecodeInt32(nil, data)
	if err != nil {
		return err
	}
	for _, i := range indexes[:min(n, len(indexes))] {
		if i < 0 || int(i) >= p.dictionary.cells() {
			return fmt.Errorf("value %d of a dictionary of %d", i, p.dictionary.cells())
		}
		if c.Type == Number {
			c.Numbers = append(c.Numbers, p.dictionary.Numbers[i])
		} else {
			c.Texts = append(c.Texts, p.dictionary.Texts[i])
		}
	}
	return nil
}

// direct decodes all values of a page.
func (p *pages) direct(c *Column, e encoding.Encoding, data []byte) error {
	switch p.leaf.Type.V {
	case format.Int32:
		list, err := e.DecodeInt32(nil, data)
		return putNumbers(c, list, err, func(v int32) float64 {
			if p.unsigned {
				return float64(uint32(v))
			}
			return float64(v)
		})
	case format.Int64:
		list, err := e.DecodeInt64(nil, data)
		return putNumbers(c, list, err, func(v int64) float64 {
			if p.unsigned {
				return float64(uint64(v))
			}
			return float64(v)
		})
	case format.Float:
		list, err := e.DecodeFloat(nil, data)
		return putNumbers(c, list, err, func(v float32) float64 { return float64(v) })
	case format.Double:
		list, err := e.DecodeDouble(nil, data)
		return putNumbers(c, list, err, func(v float64) float64 { return v })
	case format.Boolean:
		list, err := e.DecodeBoolean(nil, data)
		for i := range 8 * len(list) {
			c.Texts = append(c.Texts, fmt.Sprint(list[i/8]>>(i%8)&1 != 0))
		}
		return err
	}
	text, ends, err := e.DecodeByteArray(nil, data, nil)
	for i := range max(len(ends), 1) - 1 {
		c.Texts = append(c.Texts, string(text[ends[i]:ends[i+1]]))
	}
	return err
}

func putNumbers[T any](c *Column, list []T, err error, number func(T) float64) error {
	c.Numbers = slices.Grow(c.Numbers, len(list))
	for _, v := range list {
		c.Numbers = append(c.Numbers, number(v))
	}
	return err
}
