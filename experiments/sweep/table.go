package sweep

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"spvsim/internal/lists"
	"spvsim/internal/parquet"
)

// Types of columns.
const (
	Integer = parquet.Integer
	Real    = parquet.Real
	Text    = parquet.Text
)

// A TableColumn is a named, typed column. A value is nil (missing), int64, float64 or string; those of a Real column
// are all float64, those of a Text column all string.
type TableColumn struct {
	Name   string
	Type   parquet.Type
	Role   Role
	Unit   string // empty: none, or not known
	Source string
	Values []any
}

// A Table is rows as columns of equal length.
type Table struct {
	Rows    int
	Columns []TableColumn
	points  []int // of each row, of a sweep
}

// Points returns the point of each row of a sweep.
func (t *Table) Points() []int { return t.points }

// column finds a column by name, or nil.
func (t *Table) column(name string) *TableColumn {
	return lists.Find(t.Columns, func(c *TableColumn) bool { return c.Name == name })
}

// Add appends a column with the narrowest type for all its values.
func (t *Table) Add(name string, values []any) {
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
		values[i] = convert(c.Type, v)
	}
	t.Columns = append(t.Columns, c)
}

func convert(typ parquet.Type, v any) any {
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

// WriteParquet writes the rows as Parquet. The metadata of the file describes the columns (ColumnsKey).
func (t *Table) WriteParquet(w io.Writer) error {
	notes, err := t.notesText()
	if err != nil {
		return err
	}
	out := parquet.NewWriter(w)
	out.Metadata = []format.KeyValue{{Key: ColumnsKey, Value: notes}}
	for i := range t.Columns {
		from := &t.Columns[i]
		c := out.Column(from.Name, from.Type)
		for _, v := range from.Values {
			switch v := v.(type) {
			case nil:
				c.Null()
			case int64:
				c.Int(v)
			case float64:
				c.Real(v)
			default:
				c.Text(cellText(v))
			}
		}
	}
	if err := out.EndGroup(t.Rows); err != nil {
		return err
	}
	return out.Close()
}
