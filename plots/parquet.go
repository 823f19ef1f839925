package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ReadParquet reads the rows of a Parquet file: numbers, booleans (as the texts true and false) and strings, a null being a
// missing value. Groups become dotted names; repeated columns are refused.
func ReadParquet(file string, data []byte) (t *Table, err error) {
	defer func() { // the library trusts what a damaged file says of itself
		if fault := recover(); fault != nil {
			t, err = nil, &Error{File: file, Msg: fmt.Sprintf("damaged Parquet: %v", fault), Kind: ErrSyntax}
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &Error{File: file, Msg: "not Parquet: " + err.Error(), Kind: ErrSyntax}
	}
	t = &Table{File: file, Rows: int(f.NumRows())}
	if f.NumRows() < 0 {
		return nil, &Error{File: file, Msg: fmt.Sprintf("damaged Parquet: %d rows", f.NumRows()), Kind: ErrSyntax}
	}
	paths := f.Schema().Columns()
	if len(paths) > maxColumns || f.NumRows()*int64(max(len(paths), 1)) > maxCells {
		return nil, &Error{File: file, Msg: fmt.Sprintf("more than %d columns or %d cells", maxColumns, maxCells), Kind: ErrLimit}
	}
	for i, path := range paths {
		leaf, _ := f.Schema().Lookup(path...)
		c := Column{Name: strings.Join(path, ".")}
		if err := c.readParquet(f, i, leaf, t.Rows); err != nil {
			return nil, &Error{File: file, Path: c.Name, Msg: err.Error(), Kind: ErrType}
		}
		if n := c.cells(); n != t.Rows {
			return nil, &Error{File: file, Path: c.Name, Msg: fmt.Sprintf("damaged Parquet: %d values in %d rows", n, t.Rows), Kind: ErrSyntax}
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// parquetCells puts a value of each physical type into a column.
var parquetCells = map[parquet.Kind]struct {
	typ Type
	put func(c *Column, v parquet.Value)
}{
	parquet.Int32:     {Number, func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, float64(v.Int32())) }},
	parquet.Int64:     {Number, func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, float64(v.Int64())) }},
	parquet.Float:     {Number, func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, float64(v.Float())) }},
	parquet.Double:    {Number, func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, v.Double()) }},
	parquet.Boolean:   {Text, func(c *Column, v parquet.Value) { c.Texts = append(c.Texts, fmt.Sprint(v.Boolean())) }},
	parquet.ByteArray: {Text, func(c *Column, v parquet.Value) { c.Texts = append(c.Texts, string(v.ByteArray())) }},
}

// unsignedCells are those of logical types whose bits mean something else.
var unsignedCells = map[parquet.Kind]func(c *Column, v parquet.Value){
	parquet.Int32: func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, float64(v.Uint32())) },
	parquet.Int64: func(c *Column, v parquet.Value) { c.Numbers = append(c.Numbers, float64(v.Uint64())) },
}

func (c *Column) readParquet(f *parquet.File, index int, leaf parquet.LeafColumn, rows int) error {
	kind := leaf.Node.Type().Kind()
	cell, ok := parquetCells[kind]
	if !ok || leaf.MaxRepetitionLevel > 0 {
		return fmt.Errorf("a column of type %s: want one number, text or boolean a row", leaf.Node.Type())
	}
	c.Type = cell.typ
	put := cell.put
	if l := leaf.Node.Type().LogicalType(); l != nil {
		switch typ := l.Value.(type) {
		case *format.IntType:
			if !typ.IsSigned {
				put = unsignedCells[kind]
			}
		case nil, *format.StringType, *format.EnumType, *format.JsonType:
		default: // decimals, dates: the plain number would be wrong
			return fmt.Errorf("a column of logical type %s: want a plain number, text or boolean", l)
		}
	}
	for _, group := range f.RowGroups() {
		pages := group.ColumnChunks()[index].Pages()
		err := c.readPages(pages, put, rows)
		if err = errors.Join(err, pages.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Column) readPages(pages parquet.Pages, put func(*Column, parquet.Value), rows int) error {
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n := int64(c.cells()) + page.NumValues(); page.NumValues() < 0 || n > int64(rows) {
			return fmt.Errorf("damaged Parquet: %d values in %d rows", n, rows)
		}
		values := make([]parquet.Value, page.NumValues())
		n, err := page.Values().ReadValues(values)
		if err != nil && !errors.Is(err, io.EOF) || n != len(values) {
			return fmt.Errorf("%d of %d values could be read: %v", n, len(values), err)
		}
		for _, v := range values {
			switch {
			case !v.IsNull():
				put(c, v)
			case c.Type == Number:
				c.Numbers = append(c.Numbers, math.NaN())
			default:
				c.Texts = append(c.Texts, "")
			}
		}
	}
}
