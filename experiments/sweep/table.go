package sweep

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Type is the type of a column.
type Type int

const (
	Integer Type = iota
	Real
	Text
)

// A TableColumn is a named, typed column. A value is nil (missing), int64, float64 or string; those of a Real column are all
// float64, those of a Text column all string.
type TableColumn struct {
	Name   string
	Type   Type
	Role   Role
	Unit   string // empty: none, or none known
	Source string
	Values []any
}

// A Table is rows as columns of equal length.
type Table struct {
	Rows    int
	Columns []TableColumn
}

// column finds a column by name, or nil.
func (t *Table) column(name string) *TableColumn {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// add appends a column, its type the narrowest that takes all its values.
func (t *Table) add(name string, values []any) {
	c := TableColumn{Name: name, Values: values}
	some := false
	for _, v := range values {
		switch v.(type) {
		case string:
			c.Type = Text
		case float64:
			c.Type = max(c.Type, Real)
		}
		some = some || v != nil
	}
	if !some {
		c.Type = Text // of nothing but missing values nothing is known
	}
	for i, v := range values {
		values[i] = c.Type.convert(v)
	}
	t.Columns = append(t.Columns, c)
}

func (typ Type) convert(v any) any {
	n, isInt := v.(int64)
	switch {
	case v == nil:
		return nil
	case typ == Real && isInt:
		return float64(n)
	case typ == Text:
		return cellText(v)
	}
	return v
}

func cellText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return v
	}
	return ""
}

// WriteCSV writes the rows under a line of names; a missing value is empty.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i := range t.Columns {
		line[i] = t.Columns[i].Name
	}
	if err := c.Write(line); err != nil {
		return err
	}
	for row := range t.Rows {
		for i := range t.Columns {
			line[i] = cellText(t.Columns[i].Values[row])
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

var goTypes = [...]reflect.Type{Integer: reflect.TypeFor[*int64](), Real: reflect.TypeFor[*float64](), Text: reflect.TypeFor[*string]()}

// rowType is a struct with a field for each column, as the schema of the file follows the order of fields.
func (t *Table) rowType() reflect.Type {
	var fields []reflect.StructField
	for i, c := range t.Columns {
		tag := `parquet:` + strconv.Quote(c.Name+",optional,snappy")
		fields = append(fields, reflect.StructField{Name: "C" + strconv.Itoa(i), Type: goTypes[c.Type], Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(fields)
}

// WriteParquet writes the rows as Parquet: columns of 64-bit integers, doubles and strings, all of which may be null. The
// metadata of the file describes them (ColumnsKey).
func (t *Table) WriteParquet(w io.Writer) error {
	notes, err := t.notesText()
	if err != nil {
		return err
	}
	typ := t.rowType()
	out := parquet.NewWriter(w, parquet.SchemaOf(reflect.New(typ).Interface()), parquet.CreatedBy("spvsim", "", ""), parquet.KeyValueMetadata(ColumnsKey, notes))
	for row := range t.Rows {
		v := reflect.New(typ)
		for i := range t.Columns {
			setPointer(v.Elem().Field(i), t.Columns[i].Values[row])
		}
		if err := out.Write(v.Interface()); err != nil {
			return err
		}
	}
	return out.Close()
}

func setPointer(field reflect.Value, v any) {
	if v == nil {
		return
	}
	p := reflect.New(field.Type().Elem())
	p.Elem().Set(reflect.ValueOf(v))
	field.Set(p)
}
