// Package parquet writes tables as Parquet: columns of 64-bit integers, doubles and strings, all of which may be null, a group of rows at a
// time, so that a table may be larger than memory.
//
// Files are put together from the parts of parquet-go: its format and encodings. The library's own writer takes any Go type and brings every
// compression, which together were a fifth of the time of the first build.
package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	magic = "PAR1"
	// PageRows are the values of a page: sizes of pages are 32-bit numbers.
	PageRows = 1 << 16
)

// Type is the type of a column.
type Type int

const (
	Integer Type = iota
	Real
	Text
)

func (t Type) String() string { return [...]string{"integer", "real", "text"}[t] }

// physical are the types of columns as Parquet has them.
var physical = [...]struct {
	typ       format.Type
	converted deprecated.ConvertedType
	logical   format.LogicalTypeValue
}{
	Integer: {format.Int64, deprecated.Int64, &format.IntType{BitWidth: 64, IsSigned: true}},
	Real:    {format.Double, -1, nil},
	Text:    {format.ByteArray, deprecated.UTF8, &format.StringType{}},
}

// A Column is a column of the rows that are not written yet. Each row has one value, of the column's type, or none (Null).
type Column struct {
	name    string
	typ     Type
	present []uint8 // of the values that are in no page yet
	cells   []byte
	pages   bytes.Buffer
	rows    int
	plain   int // bytes of the pages without compression
	err     error
}

// Int adds an integer.
func (c *Column) Int(n int64) {
	c.cells = binary.LittleEndian.AppendUint64(c.cells, uint64(n))
	c.add(1)
}

// Real adds a double.
func (c *Column) Real(x float64) {
	c.cells = binary.LittleEndian.AppendUint64(c.cells, math.Float64bits(x))
	c.add(1)
}

// Text adds a string.
func (c *Column) Text(s string) {
	c.cells = append(binary.LittleEndian.AppendUint32(c.cells, uint32(len(s))), s...)
	c.add(1)
}

// Null adds a missing value.
func (c *Column) Null() { c.add(0) }

func (c *Column) add(present uint8) {
	c.present = append(c.present, present)
	if c.rows++; len(c.present) == PageRows {
		c.endPage()
	}
}

// endPage makes a page of the values that are in none: which values are there, then those, under a header.
func (c *Column) endPage() {
	if len(c.present) == 0 {
		return
	}
	levels, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, c.present)
	page := append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	page = append(page, c.cells...)
	pack := s2.EncodeSnappyBetter
	if c.typ == Text { // long runs, which need no better search
		pack = s2.EncodeSnappy
	}
	packed := pack(nil, page)
	header, err2 := thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(len(c.present)), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
	c.err = cmp.Or(c.err, err)
	c.err = cmp.Or(c.err, err2)
	c.pages.Write(header)
	c.pages.Write(packed)
	c.plain += len(header) + len(page)
	c.present, c.cells = c.present[:0], c.cells[:0]
}

// endChunk returns the column's rows of a group that begins at a place of the file, and begins the next.
func (c *Column) endChunk(at int64) (format.ColumnChunk, []byte) {
	c.endPage()
	data := bytes.Clone(c.pages.Bytes())
	chunk := format.ColumnChunk{FileOffset: at, MetaData: format.ColumnMetaData{
		Type: physical[c.typ].typ, Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{c.name},
		Codec: format.Snappy, NumValues: int64(c.rows), DataPageOffset: at,
		TotalUncompressedSize: int64(c.plain), TotalCompressedSize: int64(len(data)),
	}}
	c.pages.Reset()
	c.rows, c.plain = 0, 0
	return chunk, data
}

// A Writer writes a table.
type Writer struct {
	Columns []*Column
	// Metadata is written at the end of the file.
	Metadata []format.KeyValue
	w        io.Writer
	written  int64
	rows     int64
	groups   []format.RowGroup
	err      error
}

// NewWriter begins a table.
func NewWriter(w io.Writer) *Writer {
	t := &Writer{w: w}
	t.write([]byte(magic))
	return t
}

// Column adds a column, before the first row.
func (t *Writer) Column(name string, typ Type) *Column {
	c := &Column{name: name, typ: typ}
	t.Columns = append(t.Columns, c)
	return c
}

func (t *Writer) write(b []byte) {
	if t.err == nil {
		_, t.err = t.w.Write(b)
	}
	t.written += int64(len(b))
}

// Bytes is the size of the file so far, or more: values of pages that have not ended count without compression.
func (t *Writer) Bytes() int64 {
	n := t.written
	for _, c := range t.Columns {
		n += int64(c.pages.Len() + len(c.cells) + len(c.present))
	}
	return n
}

// EndGroup writes the rows that were added as a group.
func (t *Writer) EndGroup(rows int) error {
	group := format.RowGroup{NumRows: int64(rows), FileOffset: t.written}
	for _, c := range t.Columns {
		chunk, data := c.endChunk(t.written)
		t.write(data)
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		group.Columns = append(group.Columns, chunk)
		t.err = cmp.Or(t.err, c.err)
	}
	t.groups = append(t.groups, group)
	t.rows += int64(rows)
	return t.err
}

// Close writes the end of the table.
func (t *Writer) Close() error {
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{
		Version: 1, Schema: t.schema(), NumRows: t.rows, RowGroups: t.groups, KeyValueMetadata: t.Metadata, CreatedBy: "spvsim",
	})
	if err != nil {
		return err
	}
	t.write(footer)
	t.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	t.write([]byte(magic))
	return t.err
}

// schema is a root and, under it, a column that may be null for each of the table's.
func (t *Writer) schema() []format.SchemaElement {
	list := []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(t.Columns)))}}
	for _, c := range t.Columns {
		p := physical[c.typ]
		e := format.SchemaElement{Type: thrift.New(p.typ), RepetitionType: thrift.New(format.Optional), Name: c.name, LogicalType: format.LogicalType{Value: p.logical}}
		if p.logical != nil {
			e.ConvertedType = thrift.New(p.converted)
		}
		list = append(list, e)
	}
	return list
}
