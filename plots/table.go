package plots

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"spvsim/internal/files"
	"spvsim/internal/lists"
	"spvsim/internal/spec"
)

// Type is the type of a column's cells.
type Type int

const (
	Number Type = iota // a missing number is NaN
	Text               // a missing text is empty
)

func (t Type) String() string { return [...]string{"number", "text"}[t] }

// Column is a named column; Numbers or Texts holds a cell for each row, by its type.
type Column struct {
	Name    string
	Type    Type
	Numbers []float64
	Texts   []string
}

// Table is named, typed columns of equal length.
type Table struct {
	File    string // where it was read, for errors
	Rows    int
	Columns []Column
}

// Limits that keep a wrong file from taking the machine's memory.
const (
	maxCells   = 100_000_000
	maxColumns = 10_000
)

// ReadTable reads a file of rows; its name ends in .csv or .parquet.
func ReadTable(path string) (*Table, error) {
	return ReadTableFrom(files.OS(), path)
}

// ReadTableFrom is ReadTable from a file system.
func ReadTableFrom(fsys fs.FS, path string) (*Table, error) {
	read := ReadParquet
	switch {
	case strings.HasSuffix(path, ".csv"):
		read = func(path string, data []byte) (*Table, error) { return ReadCSV(path, bytes.NewReader(data)) }
	case !strings.HasSuffix(path, ".parquet"):
		return nil, &Error{File: path, Msg: "found another kind of file: want rows in .csv or .parquet", Kind: ErrType}
	}
	data, err := files.ReadFrom(fsys, path, files.MaxRows)
	if err != nil {
		return nil, err
	}
	return read(path, data)
}

// ReadCSV reads comma-separated rows under a line of column names. A column has numbers if every cell is a number or
// empty, and at least one is not empty; else it has text.
func ReadCSV(file string, r io.Reader) (*Table, error) {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = -1
	names, err := cr.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Msg: "found an empty file: want a line of column names", Kind: ErrEmpty}
	}
	if err != nil {
		return nil, csvError(file, err)
	}
	names[0] = strings.TrimPrefix(names[0], "\ufeff")
	t := &Table{File: file}
	if err := t.name(names); err != nil {
		return nil, err
	}
	return t, t.readRecords(cr)
}

// name creates a text column for each name.
func (t *Table) name(names []string) error {
	if len(names) > maxColumns {
		return &Error{File: t.File, Line: 1, Msg: fmt.Sprintf("found %d columns: want at most %d", len(names), maxColumns), Kind: ErrLimit}
	}
	seen := map[string]bool{}
	for i, n := range names {
		if n == "" || seen[n] {
			return &Error{File: t.File, Line: 1, Msg: fmt.Sprintf("column %d: found the name %q: want a name that no other column has", i+1, n), Kind: ErrColumn}
		}
		seen[n] = true
		t.Columns = append(t.Columns, Column{Name: n, Type: Text})
	}
	return nil
}

func (t *Table) readRecords(cr *csv.Reader) error {
	for {
		cells, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return csvError(t.File, err)
		}
		line, _ := cr.FieldPos(0)
		if len(cells) != len(t.Columns) {
			return &Error{File: t.File, Line: line, Msg: fmt.Sprintf("found %d cells: want %d, as there are columns", len(cells), len(t.Columns)), Kind: ErrSyntax}
		}
		if t.Rows++; t.Rows*len(cells) > maxCells {
			return &Error{File: t.File, Line: line, Msg: fmt.Sprintf("found more than %d cells: want fewer", maxCells), Kind: ErrLimit}
		}
		for i, c := range cells {
			t.Columns[i].Texts = append(t.Columns[i].Texts, c)
		}
	}
	for i := range t.Columns {
		t.Columns[i].infer()
	}
	return nil
}

func csvError(file string, err error) error {
	line := 0
	if p := (*csv.ParseError)(nil); errors.As(err, &p) {
		line, err = p.Line, p.Err
	}
	return &Error{File: file, Line: line, Msg: "not CSV: " + err.Error(), Kind: ErrSyntax}
}

// infer converts a text column to numbers if all its cells are numbers.
func (c *Column) infer() {
	numbers := make([]float64, len(c.Texts))
	some := false
	for i, s := range c.Texts {
		if s == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return
		}
		numbers[i], some = x, true
	}
	if some {
		c.Type, c.Numbers, c.Texts = Number, numbers, nil
	}
}

// Column finds a column by name, or nil.
func (t *Table) Column(name string) *Column {
	return lists.Find(t.Columns, func(c *Column) bool { return c.Name == name })
}

// Names lists the columns in order.
func (t *Table) Names() []string {
	return lists.Map(t.Columns, func(c Column) string { return c.Name })
}

// missing returns the message that a column does not exist, with the nearest that does.
func (t *Table) missing(name string) string {
	near := spec.Hint(name, t.Names())
	names := t.Names()
	if i := slices.IndexFunc(names, func(column string) bool { return lastName(column) == lastName(name) }); i >= 0 {
		near = fmt.Sprintf(" (nearest: %s)", names[i])
	}
	return fmt.Sprintf("%s: found no column %q%s", t.File, name, near)
}

// lastName returns the part after the last dot: bins of parameters.bins.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// text is a cell as people write it; a missing one is empty.
func (c *Column) text(row int) string {
	if c.Type == Text {
		return c.Texts[row]
	}
	return numberText(c.Numbers[row])
}

func numberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	if math.Abs(x) < 1e15 && x == math.Trunc(x) {
		return strconv.FormatFloat(x+0, 'f', -1, 64) // +0: no sign on zero
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// pick returns a table of some of the rows, in the order given.
func (t *Table) pick(rows []int) *Table {
	out := &Table{File: t.File, Rows: len(rows)}
	for _, c := range t.Columns {
		p := Column{Name: c.Name, Type: c.Type}
		for _, r := range rows {
			if c.Type == Number {
				p.Numbers = append(p.Numbers, c.Numbers[r])
			} else {
				p.Texts = append(p.Texts, c.Texts[r])
			}
		}
		out.Columns = append(out.Columns, p)
	}
	return out
}
