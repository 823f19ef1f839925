package sweep

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Files of Parquet are put together from the parts of parquet-go: its format and encodings. The library's own writer takes any Go
// type and brings every compression, which together were a fifth of the time of the first build.

const (
	parquetMagic = "PAR1"
	pageRows     = 1 << 16 // values of a page: sizes of pages are 32-bit numbers
)

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

// WriteParquet writes the rows as Parquet: columns of 64-bit integers, doubles and strings, all of which may be null. The
// metadata of the file describes them (ColumnsKey).
func (t *Table) WriteParquet(w io.Writer) error {
	notes, err := t.notesText()
	if err != nil {
		return err
	}
	out := bytes.NewBufferString(parquetMagic)
	group := format.RowGroup{NumRows: int64(t.Rows), FileOffset: int64(out.Len())}
	for i := range t.Columns {
		chunk, err := t.Columns[i].writeChunk(out)
		if err != nil {
			return err
		}
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		group.Columns = append(group.Columns, chunk)
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{
		Version: 1, Schema: t.schema(), NumRows: int64(t.Rows), RowGroups: []format.RowGroup{group},
		KeyValueMetadata: []format.KeyValue{{Key: ColumnsKey, Value: notes}}, CreatedBy: "spvsim",
	})
	if err != nil {
		return err
	}
	out.Write(footer)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	out.WriteString(parquetMagic)
	_, err = out.WriteTo(w)
	return err
}

// schema is a root and, under it, a column that may be null for each of the table's.
func (t *Table) schema() []format.SchemaElement {
	list := []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(t.Columns)))}}
	for _, c := range t.Columns {
		p := physical[c.Type]
		e := format.SchemaElement{Type: thrift.New(p.typ), RepetitionType: thrift.New(format.Optional), Name: c.Name, LogicalType: format.LogicalType{Value: p.logical}}
		if p.logical != nil {
			e.ConvertedType = thrift.New(p.converted)
		}
		list = append(list, e)
	}
	return list
}

// writeChunk writes the pages of a column.
func (c *TableColumn) writeChunk(out *bytes.Buffer) (format.ColumnChunk, error) {
	start := out.Len()
	meta := format.ColumnMetaData{
		Type: physical[c.Type].typ, Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{c.Name},
		Codec: format.Snappy, NumValues: int64(len(c.Values)), DataPageOffset: int64(start),
	}
	for values := c.Values; len(values) > 0; {
		n := min(len(values), pageRows)
		plain, err := writePage(out, values[:n])
		if err != nil {
			return format.ColumnChunk{}, err
		}
		meta.TotalUncompressedSize += int64(plain)
		values = values[n:]
	}
	meta.TotalCompressedSize = int64(out.Len() - start)
	return format.ColumnChunk{FileOffset: int64(start), MetaData: meta}, nil
}

// writePage writes a page: which values are there, then those, under a header. It returns its size without compression.
func writePage(out *bytes.Buffer, values []any) (int, error) {
	present := make([]uint8, len(values))
	var cells []byte
	for i, v := range values {
		if v != nil {
			present[i], cells = 1, appendPlain(cells, v)
		}
	}
	levels, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, present)
	if err != nil {
		return 0, err
	}
	page := append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	page = append(page, cells...)
	packed := snappy.Encode(nil, page)
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(len(values)), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
	out.Write(header)
	out.Write(packed)
	return len(header) + len(page), err
}

// appendPlain appends a value as the PLAIN encoding has it.
func appendPlain(b []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return binary.LittleEndian.AppendUint64(b, uint64(v))
	case float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	text := cellText(v)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}
