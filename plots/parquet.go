package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// parquetMagic begins and ends a file; before the end is the length of what describes it.
const parquetMagic = "PAR1"

// ReadParquet reads the rows of a Parquet file: numbers, booleans (as the texts true and false) and strings, a null being a
// missing value. Groups become dotted names; repeated columns are refused.
func ReadParquet(file string, data []byte) (t *Table, err error) {
	defer func() { // the library's decoders trust what a damaged file says of itself
		if fault := recover(); fault != nil {
			t, err = nil, &Error{File: file, Msg: fmt.Sprintf("damaged Parquet: %v", fault), Kind: ErrSyntax}
		}
	}()
	meta, err := parquetFooter(data)
	if err != nil {
		return nil, &Error{File: file, Msg: "not Parquet: " + err.Error(), Kind: ErrSyntax}
	}
	if meta.NumRows < 0 {
		return nil, &Error{File: file, Msg: fmt.Sprintf("damaged Parquet: %d rows", meta.NumRows), Kind: ErrSyntax}
	}
	leaves, err := parquetLeaves(meta.Schema)
	if err != nil {
		return nil, &Error{File: file, Msg: "damaged Parquet: " + err.Error(), Kind: ErrSyntax}
	}
	if len(leaves) > maxColumns {
		return nil, &Error{File: file, Msg: fmt.Sprintf("found %d columns: want at most %d", len(leaves), maxColumns), Kind: ErrLimit}
	}
	if n, most := int64(max(len(leaves), 1)), maxParquetCells(len(data)); meta.NumRows > most/n {
		return nil, &Error{File: file, Msg: fmt.Sprintf("found %d rows of %d columns: want at most %d cells in a file of %d bytes", meta.NumRows, len(leaves), most, len(data)), Kind: ErrLimit}
	}
	left := maxUnpacked(len(data))
	t = &Table{File: file, Rows: int(meta.NumRows)}
	for i := range leaves {
		c := Column{Name: leaves[i].name}
		if err := c.readParquet(data, meta, i, &leaves[i], &left); err != nil {
			return nil, &Error{File: file, Path: c.Name, Msg: err.Error(), Kind: ErrType}
		}
		if n := c.cells(); n != t.Rows {
			return nil, &Error{File: file, Path: c.Name, Msg: fmt.Sprintf("damaged Parquet: %d values in %d rows", n, t.Rows), Kind: ErrSyntax}
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// parquetFooter reads the description at a file's end.
func parquetFooter(data []byte) (*format.FileMetaData, error) {
	n := len(data)
	if n < 12 || string(data[:4]) != parquetMagic || string(data[n-4:]) != parquetMagic {
		return nil, fmt.Errorf("want %s at the beginning and at the end", parquetMagic)
	}
	size := binary.LittleEndian.Uint32(data[n-8:])
	if int64(size) > int64(n)-12 {
		return nil, fmt.Errorf("a description of %d bytes in a file of %d", size, n)
	}
	var meta format.FileMetaData
	err := describe(bytes.NewReader(data[n-8-int(size):n-8]), &meta)
	return &meta, err
}

// A parquetLeaf is a column with values.
type parquetLeaf struct {
	format.SchemaElement
	name     string
	optional int // how many of the groups on its path, and itself, may be missing
	repeated bool
}

// parquetLeaves finds the columns of a schema, a tree whose nodes follow each other depth first.
func parquetLeaves(schema []format.SchemaElement) (leaves []parquetLeaf, err error) {
	if len(schema) == 0 {
		return nil, errors.New("no schema")
	}
	next := 1
	var walk func(children int32, path []string, optional int, repeated bool) error
	walk = func(children int32, path []string, optional int, repeated bool) error {
		for range children {
			if next == len(schema) || len(path) > 100 {
				return errors.New("a group has more members than there are, or they nest deeper than 100")
			}
			e := schema[next]
			next++
			l := parquetLeaf{e, strings.Join(append(path, e.Name), "."), optional, repeated || e.RepetitionType.V == format.Repeated}
			if e.RepetitionType.V != format.Required {
				l.optional++
			}
			if !e.Type.Valid {
				if err := walk(e.NumChildren.V, append(path, e.Name), l.optional, l.repeated); err != nil {
					return err
				}
				continue
			}
			leaves = append(leaves, l)
		}
		return nil
	}
	return leaves, walk(schema[0].NumChildren.V, nil, 0, false)
}

// plainConverted are the converted types, of files without logical ones, under which a number or a text is what it seems.
var plainConverted = map[deprecated.ConvertedType]bool{
	deprecated.UTF8: true, deprecated.Enum: true, deprecated.Json: true, deprecated.Int8: true, deprecated.Int16: true, deprecated.Int32: true,
	deprecated.Int64: true, deprecated.Uint8: true, deprecated.Uint16: true, deprecated.Uint32: true, deprecated.Uint64: true,
}

// unsigned says whether a column's numbers are, and refuses those whose plain number would be wrong: decimals, dates.
func (l *parquetLeaf) unsigned() (bool, error) {
	switch typ := l.LogicalType.Value.(type) {
	case *format.IntType:
		return !typ.IsSigned, nil
	case *format.StringType, *format.EnumType, *format.JsonType:
		return false, nil
	case nil:
		if c := l.ConvertedType; c.Valid && !plainConverted[c.V] {
			return false, fmt.Errorf("a column of converted type %d: want a plain number, text or boolean", c.V)
		}
		c := l.ConvertedType
		return c.Valid && c.V >= deprecated.Uint8 && c.V <= deprecated.Uint64, nil
	}
	return false, fmt.Errorf("a column of logical type %s: want a plain number, text or boolean", &l.LogicalType)
}

func (c *Column) readParquet(data []byte, meta *format.FileMetaData, index int, leaf *parquetLeaf, left *int64) error {
	typ, ok := parquetTypes[leaf.Type.V]
	if !ok || leaf.repeated {
		return fmt.Errorf("a column of type %s: want one number, text or boolean a row", leaf.Type.V)
	}
	unsigned, err := leaf.unsigned()
	if err != nil {
		return err
	}
	c.Type = typ
	for g := range meta.RowGroups {
		columns := meta.RowGroups[g].Columns
		if index >= len(columns) {
			return fmt.Errorf("damaged Parquet: %d columns in row group %d", len(columns), g)
		}
		p := pages{leaf: leaf, unsigned: unsigned, chunk: &columns[index].MetaData, rows: int(meta.NumRows), left: left}
		if columns[index].FilePath != "" {
			return fmt.Errorf("its values are in another file, %q", columns[index].FilePath)
		}
		if err := p.open(data); err != nil {
			return err
		}
		if err := p.into(c); err != nil {
			return err
		}
	}
	return nil
}

// pages are those of one column in one group of rows.
type pages struct {
	leaf       *parquetLeaf
	unsigned   bool
	chunk      *format.ColumnMetaData
	in         *bytes.Reader
	dictionary *Column
	rows       int    // of the table
	left       *int64 // bytes that pages of the file may still take without compression
}

// open finds where the pages begin.
func (p *pages) open(data []byte) error {
	from, size := p.chunk.DataPageOffset, p.chunk.TotalCompressedSize
	if d := p.chunk.DictionaryPageOffset; d > 0 {
		from = min(from, d)
	}
	if from < 0 || size < 0 || from > int64(len(data)) || size > int64(len(data))-from {
		return fmt.Errorf("damaged Parquet: pages of %d bytes at %d in a file of %d", size, from, len(data))
	}
	p.in = bytes.NewReader(data[from : from+size])
	return nil
}

// into appends the values of all pages to a column.
func (p *pages) into(c *Column) error {
	for left := p.chunk.NumValues; left > 0; {
		var h format.PageHeader
		if err := describe(p.in, &h); err != nil {
			return fmt.Errorf("damaged Parquet: header of a page: %w", err)
		}
		if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > int64(p.in.Len()) || h.UncompressedPageSize < 0 {
			return fmt.Errorf("damaged Parquet: a page of %d bytes, %d before compression, where %d are left", h.CompressedPageSize, h.UncompressedPageSize, p.in.Len())
		}
		body := make([]byte, h.CompressedPageSize)
		if _, err := p.in.Read(body); err != nil && len(body) > 0 {
			return err
		}
		n, err := p.page(c, &h, body)
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

// page appends the values of a page and returns their number, 0 for one without.
func (p *pages) page(c *Column, h *format.PageHeader, body []byte) (int, error) {
	switch h.Type {
	case format.DictionaryPage:
		plain, err := p.unpacked(body, int(h.UncompressedPageSize))
		if err != nil {
			return 0, err
		}
		p.dictionary = &Column{Type: c.Type}
		return 0, p.decode(p.dictionary, format.Plain, plain, int(h.DictionaryPageHeader.V.NumValues))
	case format.DataPage:
		return p.firstForm(c, h, body)
	case format.DataPageV2:
		return p.secondForm(c, h, body)
	}
	return 0, nil
}

// firstForm reads a data page of the first version, whose levels are compressed with the values.
func (p *pages) firstForm(c *Column, h *format.PageHeader, body []byte) (int, error) {
	d := h.DataPageHeader.V
	plain, err := p.unpacked(body, int(h.UncompressedPageSize))
	if err != nil {
		return 0, err
	}
	var levels []byte
	if p.leaf.optional > 0 {
		if d.DefinitionLevelEncoding != format.RLE || len(plain) < 4 || int64(binary.LittleEndian.Uint32(plain)) > int64(len(plain)-4) {
			return 0, fmt.Errorf("levels in %s, in a page of %d bytes: want RLE", d.DefinitionLevelEncoding, len(plain))
		}
		end := 4 + int(binary.LittleEndian.Uint32(plain))
		levels, plain = plain[4:end], plain[end:]
	}
	return int(d.NumValues), p.values(c, int(d.NumValues), levels, d.Encoding, plain)
}

// secondForm reads a data page of the second version, whose levels precede what is compressed.
func (p *pages) secondForm(c *Column, h *format.PageHeader, body []byte) (int, error) {
	d := h.DataPageHeaderV2.V
	repetition, definition := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength)
	if repetition < 0 || definition < 0 || repetition+definition > len(body) {
		return 0, fmt.Errorf("damaged Parquet: levels of %d and %d bytes in a page of %d", repetition, definition, len(body))
	}
	levels, plain := body[repetition:repetition+definition], body[repetition+definition:]
	if !d.IsCompressed.Valid || d.IsCompressed.V {
		var err error
		if plain, err = p.unpacked(plain, int(h.UncompressedPageSize)-repetition-definition); err != nil {
			return 0, err
		}
	}
	return int(d.NumValues), p.values(c, int(d.NumValues), levels, d.Encoding, plain)
}

// values appends the cells of a page: levels say which rows have a value, and data holds those.
func (p *pages) values(c *Column, n int, levels []byte, encoding format.Encoding, data []byte) error {
	if n < 0 || c.cells()+n > p.rows {
		return fmt.Errorf("damaged Parquet: %d values in %d rows", c.cells()+n, p.rows)
	}
	missing, some, err := p.missing(n, levels)
	if err != nil {
		return err
	}
	got := Column{Type: c.Type}
	if err := p.decode(&got, encoding, data, some); err != nil {
		return err
	}
	at := 0
	for i := range n {
		switch {
		case missing != nil && missing[i]:
			c.putMissing()
			continue
		case c.Type == Number:
			c.Numbers = append(c.Numbers, got.Numbers[at])
		default:
			c.Texts = append(c.Texts, got.Texts[at])
		}
		at++
	}
	return nil
}

func (c *Column) putMissing() {
	if c.Type == Number {
		c.Numbers = append(c.Numbers, math.NaN())
		return
	}
	c.Texts = append(c.Texts, "")
}
