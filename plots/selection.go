package plots

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"spvsim/internal/lists"
	"spvsim/internal/spec"
)

// selection is the rows of a figure: derived, filtered, and in an order that does not depend on the file's.
type selection struct {
	f *Figure
	t *Table
}

func selectRows(f *Figure, t *Table) (*selection, error) {
	s := &selection{f: f, t: &Table{File: t.File, Rows: t.Rows, Columns: append([]Column(nil), t.Columns...)}}
	if t.Rows == 0 {
		return nil, f.fail("rows", ErrEmpty, t.File+": found no rows: want at least one")
	}
	for _, d := range f.Columns {
		if err := s.derive(d); err != nil {
			return nil, err
		}
	}
	if err := s.filter(); err != nil {
		return nil, err
	}
	s.sort()
	return s, nil
}

func (s *selection) derive(d Pair) error {
	path := joinPath("columns", d.Key)
	if s.t.Column(d.Key) != nil {
		return s.f.fail(path, ErrColumn, "found the name of a column of "+s.t.File+": want a new name")
	}
	e, err := compile(d.Values[0], s.t)
	if err != nil {
		return s.f.fail(path, ErrExpr, err.Error())
	}
	c, err := e.column(d.Key)
	if err != nil {
		return s.f.fail(path, ErrExpr, err.Error())
	}
	s.t.Columns = append(s.t.Columns, c)
	return nil
}

// column works an expression out in all rows.
func (e *expr) column(name string) (c Column, err error) {
	c.Name = name
	if e.texts() {
		c.Type = Text
		c.Texts, err = eachRow(e.table.Rows, e.text)
	} else {
		c.Numbers, err = eachRow(e.table.Rows, e.number)
	}
	return c, err
}

func eachRow[T any](rows int, cell func(row int) (T, error)) ([]T, error) {
	out := make([]T, rows)
	for row := range out {
		var err error
		if out[row], err = cell(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// filter keeps the rows that where and filter select. Each key must select at least one row by itself.
func (s *selection) filter() error {
	keep := make([]bool, s.t.Rows)
	for i := range keep {
		keep[i] = true
	}
	for _, w := range s.f.Where {
		if err := s.filterEqual(w, keep); err != nil {
			return err
		}
	}
	if s.f.Filter != "" {
		if err := s.keepWhere(s.f.Filter, keep); err != nil {
			return err
		}
	}
	var rows []int
	for i, k := range keep {
		if k {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return s.f.fail("where", ErrEmpty, fmt.Sprintf("found no row of the %d in %s with all of %s", s.t.Rows, s.t.File, s.conditions()))
	}
	s.t = s.t.pick(rows)
	return nil
}

func (s *selection) conditions() string {
	words := lists.Map(s.f.Where, func(w Pair) string { return w.Key + " = " + strings.Join(w.Values, " or ") })
	if s.f.Filter != "" {
		words = append(words, s.f.Filter)
	}
	return strings.Join(words, ", ")
}

func (s *selection) filterEqual(w Pair, keep []bool) error {
	path := joinPath("where", w.Key)
	c := s.t.Column(w.Key)
	if c == nil {
		return s.f.fail(path, ErrColumn, s.t.missing(w.Key))
	}
	matched := map[string]bool{}
	for row := range keep {
		in := false
		for _, v := range w.Values {
			if c.is(row, v) {
				in, matched[v] = true, true
			}
		}
		keep[row] = keep[row] && in
	}
	for _, v := range w.Values {
		if !matched[v] {
			return s.f.fail(path, ErrEmpty, s.noRow(c, v))
		}
	}
	return nil
}

func (s *selection) noRow(c *Column, value string) string {
	have := lists.Map(levelsOf(c, nil), func(l levelValue) string { return l.value })
	msg := fmt.Sprintf("found no row of %s with %s = %s", s.t.File, c.Name, value)
	if near := spec.Hint(value, have); near != "" {
		return msg + near
	}
	if n := len(have); n <= 8 {
		return msg + " (it has " + strings.Join(have, ", ") + ")"
	}
	return fmt.Sprintf("%s (it has %d others, %s to %s)", msg, len(have), have[0], have[len(have)-1])
}

// is reports whether a cell equals a value as written in a figure.
func (c *Column) is(row int, value string) bool {
	if c.Type == Text {
		return c.Texts[row] == value
	}
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && (x == c.Numbers[row] || math.IsNaN(x) && math.IsNaN(c.Numbers[row])) || value == "" && math.IsNaN(c.Numbers[row])
}

func (s *selection) keepWhere(text string, keep []bool) error {
	e, err := compile(text, s.t)
	if err == nil && e.texts() {
		err = fmt.Errorf("expression %q: a text: want a comparison", text)
	}
	var c Column
	if err == nil {
		c, err = e.column("filter")
	}
	if err != nil {
		return s.f.fail("filter", ErrExpr, err.Error())
	}
	for row, x := range c.Numbers {
		keep[row] = keep[row] && x != 0 && !math.IsNaN(x)
	}
	return nil
}

// sort orders the rows by all their cells, so that no result depends on the file's order, including sums of floats.
func (s *selection) sort() {
	rows := make([]int, s.t.Rows)
	for i := range rows {
		rows[i] = i
	}
	sort.SliceStable(rows, func(i, j int) bool {
		for k := range s.t.Columns {
			if c := s.t.Columns[k].compare(rows[i], rows[j]); c != 0 {
				return c < 0
			}
		}
		return false
	})
	s.t = s.t.pick(rows)
}

// compare orders two cells; missing numbers come first.
func (c *Column) compare(a, b int) int {
	if c.Type == Text {
		return strings.Compare(c.Texts[a], c.Texts[b])
	}
	return compareNumbers(c.Numbers[a], c.Numbers[b])
}

func compareNumbers(x, y float64) int {
	switch {
	case x < y || math.IsNaN(x) && !math.IsNaN(y):
		return -1
	case x > y || math.IsNaN(y) && !math.IsNaN(x):
		return 1
	}
	return 0
}

// levelValue is one value of a column that distinguishes series, panels or categories.
type levelValue struct {
	value    string // as in the rows
	name     string // for people
	baseline bool   // others are relative to it
}

// label is the name as it is written in a figure: a baseline is called so, as its values say nothing.
func (l levelValue) label() string {
	if l.baseline {
		return l.name + " (baseline)"
	}
	return l.name
}

// levelsOf lists a column's values: numbers by size, texts of a sweep in the order of its points, other texts by name with the numbers
// in them by size.
func (s *selection) levelsOf(c *Column, names Pairs) []levelValue {
	levels := levelsOf(c, names)
	for i := range levels {
		levels[i].baseline = slices.Contains(s.f.RelativeTo.values(c.Name), levels[i].value)
	}
	point := s.t.Column(pointColumn)
	if c.Type == Number || point == nil || point.Type != Number {
		return levels
	}
	first := map[string]float64{}
	for row := range c.cells() {
		v := c.text(row)
		if have, ok := first[v]; !ok || point.Numbers[row] < have {
			first[v] = point.Numbers[row]
		}
	}
	sort.SliceStable(levels, func(i, j int) bool { return compareNumbers(first[levels[i].value], first[levels[j].value]) < 0 })
	return levels
}

// pointColumn numbers the points of a sweep in the order of its axes' values.
const pointColumn = "point"

// levelsOf lists a column's values: numbers by size, texts by name with the numbers in them by size.
func levelsOf(c *Column, names Pairs) []levelValue {
	seen := map[string]int{}
	var values []string
	for row := range c.cells() {
		if v := c.text(row); v != "" {
			if _, ok := seen[v]; !ok {
				seen[v] = row
				values = append(values, v)
			}
		}
	}
	sort.Slice(values, func(i, j int) bool {
		if c.Type == Number {
			return c.Numbers[seen[values[i]]] < c.Numbers[seen[values[j]]]
		}
		return naturalLess(values[i], values[j])
	})
	return lists.Map(values, func(v string) levelValue { return levelValue{value: v, name: names.first(v, v)} })
}

func (c *Column) cells() int { return max(len(c.Numbers), len(c.Texts)) }

// naturalLess orders wave2 before wave16.
func naturalLess(a, b string) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := digits(a[i:]), digits(b[j:])
		if x == "" || y == "" {
			if a[i] != b[j] {
				return a[i] < b[j]
			}
			i, j = i+1, j+1
			continue
		}
		p, q := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if len(p) != len(q) || p != q {
			return len(p) < len(q) || len(p) == len(q) && p < q
		}
		i, j = i+len(x), j+len(y)
	}
	if len(a)-i != len(b)-j {
		return len(a)-i < len(b)-j
	}
	return a < b
}

func digits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// arrange moves the levels named in order to the front, and removes hidden ones; a name without rows is an error. Without order,
// texts are in the order of names or where, if one of these has them all.
func (s *selection) arrange(c *Column, path string, levels []levelValue, order, hide []string, names Pairs) ([]levelValue, error) {
	take := func(key string, i int, v string) (levelValue, error) {
		for k, l := range levels {
			if l.value == v {
				levels = append(levels[:k:k], levels[k+1:]...)
				return l, nil
			}
		}
		return levelValue{}, s.f.fail(fmt.Sprintf("%s.%s[%d]", path, key, i), ErrEmpty, s.noRow(c, v))
	}
	for i, v := range hide {
		if _, err := take("hide", i, v); err != nil {
			return nil, err
		}
	}
	if order == nil && c.Type == Text {
		order = s.written(c, levels, names)
	}
	var first []levelValue
	for i, v := range order {
		l, err := take("order", i, v)
		if err != nil {
			return nil, err
		}
		first = append(first, l)
	}
	return append(first, levels...), nil
}

// written is the order in which the figure writes all levels of a column: in their names, or in the values of where. It is nil if
// neither has them all.
func (s *selection) written(c *Column, levels []levelValue, names Pairs) []string {
	named := lists.Map(names, func(n Pair) string { return n.Key })
	for _, list := range [][]string{named, s.f.Where.values(c.Name)} {
		var order []string
		for _, v := range list {
			if slices.ContainsFunc(levels, func(l levelValue) bool { return l.value == v }) && !slices.Contains(order, v) {
				order = append(order, v)
			}
		}
		if len(order) == len(levels) {
			return order
		}
	}
	return nil
}
