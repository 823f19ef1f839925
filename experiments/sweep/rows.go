package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
)

// ErrColumn means that a column of an experiment does not exist, or can't be computed.
var ErrColumn = errors.New("bad column")

// defaultColumns are the results of an experiment without columns.
var defaultColumns = []config.Column{
	{Name: "cycles", Path: "cycles"}, {Name: "seconds", Path: "seconds"},
	{Name: "instructions.total", Path: "instructions.total"}, {Name: "occupancy", Path: "occupancy"},
}

// Rows returns the table of all points that have a record, in point order: number, parameters, status, results,
// references, derived columns, then error, digest of the inputs, and version. If some points were not fully timed,
// mode, interval and timed share follow the results.
func (p *Plan) Rows(s *Store) (*Table, error) {
	b := &rowsBuilder{plan: p, table: &Table{}}
	if err := b.read(s); err != nil {
		return nil, err
	}
	b.parameters()
	b.addColumn("status", func(i int) any { return string(b.records[i].Status) })
	err := b.results()
	b.modes()
	err = errors.Join(err, b.references(), b.derived())
	b.addColumn("error", func(i int) any { return orMissing(b.records[i].Error) })
	b.addColumn("inputs", func(i int) any { return b.records[i].Inputs })
	b.addColumn("version", func(i int) any { return b.records[i].Version })
	b.describe()
	b.table.points = b.points
	return b.table, errors.Join(err, b.unique())
}

func orMissing(s string) any {
	if s == "" {
		return nil
	}
	return s
}

type rowsBuilder struct {
	plan    *Plan
	table   *Table
	points  []int // of each row
	records []*Record
	stats   []any // of each row, decoded; nil for a failed point
}

func (b *rowsBuilder) read(s *Store) error {
	for i := range b.plan.Specs {
		r, err := s.Load(&b.plan.Specs[i])
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		var stats any
		if r.Status == Done {
			d := json.NewDecoder(bytes.NewReader(r.Stats))
			d.UseNumber()
			if err := d.Decode(&stats); err != nil {
				return fmt.Errorf("point %d: %w", i, err)
			}
		}
		b.points, b.records, b.stats = append(b.points, i), append(b.records, r), append(b.stats, stats)
	}
	b.table.Rows = len(b.points)
	return nil
}

func (b *rowsBuilder) addColumn(name string, value func(row int) any) {
	values := make([]any, b.table.Rows)
	for i := range values {
		values[i] = value(i)
	}
	b.table.Add(name, values)
}

// parameters adds the number of each point, and the cells that any point has.
func (b *rowsBuilder) parameters() {
	b.addColumn("point", func(i int) any { return int64(b.points[i]) })
	var names []string
	for _, i := range b.points {
		for _, c := range b.plan.Specs[i].Cells {
			names = lists.AppendNew(names, c.Name)
		}
	}
	for _, name := range names {
		b.addColumn(name, func(i int) any { return b.plan.Specs[b.points[i]].cell(name) })
	}
}

func (s *Spec) cell(name string) any {
	if c := lists.Find(s.Cells, func(c *Cell) bool { return c.Name == name }); c != nil {
		return c.Value
	}
	return nil
}

func (b *rowsBuilder) results() error {
	var errs []error
	for _, c := range b.columnsKept() {
		found, all := 0, 0
		b.addColumn(c.Name, func(i int) any { return b.result(i, c.Path, &found, &all) })
		if all > 0 && found == 0 {
			errs = append(errs, fmt.Errorf("%w: columns: %s: no such value in the statistics%s", ErrColumn, c.Path, b.nearest(c.Path)))
		}
	}
	for i, v := range b.plan.Experiment.Values {
		b.addColumn(v.Name, func(row int) any {
			if values := b.records[row].Values; i < len(values) {
				return parseCell(values[i])
			}
			return nil
		})
	}
	return errors.Join(errs...)
}

func (b *rowsBuilder) columnsKept() []config.Column {
	if columns := b.plan.Experiment.Columns; columns != nil {
		return columns
	}
	return defaultColumns
}

// result looks up a path in a row's statistics, and counts the rows with statistics and those with the value.
func (b *rowsBuilder) result(row int, path string, found, all *int) any {
	if b.stats[row] == nil {
		return nil
	}
	*all++
	v, ok := lookup(b.stats[row], path)
	if !ok {
		v, ok = absentCount(path)
	}
	if !ok {
		ok = timeless(b.stats[row], path)
	}
	if ok {
		*found++
	}
	return v
}

const classPrefix = "instructions.by_class."

// absentCount: the statistics omit classes without issues.
func absentCount(path string) (any, bool) {
	name, ok := strings.CutPrefix(path, classPrefix)
	if ok && slices.Contains(config.ClassNames(), name) {
		return int64(0), true
	}
	return nil, false
}

// lookup follows a path through JSON: members by name, items of a list by their name or number.
func lookup(v any, path string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		// Names may hold dots: the longest member that the path begins with wins.
		for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
			if inner, ok := v[path[:end]]; ok {
				return lookup(inner, strings.TrimPrefix(path[end:], "."))
			}
		}
	case []any:
		return lookupItem(v, path)
	case json.Number:
		if path == "" {
			return jsonNumber(v)
		}
	case string:
		if path == "" {
			return v, true
		}
	}
	return nil, false
}

func lookupItem(list []any, path string) (any, bool) {
	for i, item := range list {
		m, _ := item.(map[string]any)
		name, _ := m["name"].(string)
		for _, key := range []string{name, strconv.Itoa(i)} {
			if rest, ok := strings.CutPrefix(path, key+"."); ok && key != "" {
				return lookup(item, rest)
			}
		}
	}
	return nil, false
}

func jsonNumber(n json.Number) (any, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	return f, err == nil
}

// nearest names the path of the statistics that is most like a wrong one.
func (b *rowsBuilder) nearest(path string) string {
	var known []string
	for _, s := range b.stats {
		if s != nil {
			leafPaths(s, "", &known)
			break
		}
	}
	slices.Sort(known)
	return config.Hint(path, known)
}

func leafPaths(v any, at string, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			leafPaths(inner, strings.TrimPrefix(at+"."+k, "."), out)
		}
	case []any:
		for i, inner := range v {
			leafPaths(inner, at+"."+strconv.Itoa(i), out)
		}
	default:
		*out = append(*out, at)
	}
}

// references joins the columns of the experiment's CSV files.
func (b *rowsBuilder) references() error {
	var errs []error
	for i := range b.plan.Experiment.References {
		if err := b.reference(&b.plan.Experiment.References[i]); err != nil {
			errs = append(errs, fmt.Errorf("%w: references: %s: %w", ErrColumn, b.plan.Experiment.References[i].File, err))
		}
	}
	return errors.Join(errs...)
}

func (b *rowsBuilder) reference(r *config.Reference) error {
	data, err := b.plan.Experiment.ReadFile(r.File)
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errors.New("no line of column names")
	}
	byKey, err := keyed(lines, r.On)
	if err != nil {
		return err
	}
	on, err := b.columns(r.On)
	if err != nil {
		return err
	}
	for _, c := range r.Columns {
		at := slices.Index(lines[0], c.From)
		if at < 0 {
			return fmt.Errorf("no column %q", c.From)
		}
		b.addColumn(c.Name, func(row int) any {
			if line, ok := byKey[rowKey(on, row)]; ok {
				return parseCell(line[at])
			}
			return nil
		})
	}
	return nil
}

// keyed indexes lines by their values in some columns; the first of equal ones wins.
func keyed(lines [][]string, on []config.Renamed) (map[string][]string, error) {
	var at []int
	for _, c := range on {
		i := slices.Index(lines[0], c.From)
		if i < 0 {
			return nil, fmt.Errorf("no column %q", c.From)
		}
		at = append(at, i)
	}
	out := map[string][]string{}
	for _, line := range lines[1:] {
		key := ""
		for _, i := range at {
			key += line[i] + "\x00"
		}
		if _, ok := out[key]; !ok {
			out[key] = line
		}
	}
	return out, nil
}

func (b *rowsBuilder) columns(list []config.Renamed) (out []*TableColumn, err error) {
	for _, c := range list {
		column := b.table.column(c.Name)
		if column == nil {
			return nil, b.unknown(c.Name)
		}
		out = append(out, column)
	}
	return out, nil
}

func rowKey(on []*TableColumn, row int) string {
	key := ""
	for _, c := range on {
		key += cellText(c.Values[row]) + "\x00"
	}
	return key
}

func parseCell(s string) any {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return orMissing(s)
}

func (b *rowsBuilder) unknown(name string) error {
	known := lists.Map(b.table.Columns, func(t TableColumn) string { return t.Name })
	return fmt.Errorf("the rows have no column %s%s", name, config.Hint(name, known))
}

func (b *rowsBuilder) derived() error {
	var errs []error
	for i := range b.plan.Experiment.Derived {
		d := &b.plan.Experiment.Derived[i]
		do := b.expression
		if d.Column != "" {
			do = b.baseline
		}
		if err := do(d); err != nil {
			errs = append(errs, fmt.Errorf("%w: derived: %s: %w", ErrColumn, d.Name, err))
		}
	}
	return errors.Join(errs...)
}

// expression computes a column row by row; a missing operand makes the result missing.
func (b *rowsBuilder) expression(d *config.Derived) error {
	var used []*TableColumn
	for _, name := range d.Expr.Names() {
		c := b.table.column(name)
		if c == nil {
			return b.unknown(name)
		}
		used = append(used, c)
	}
	var fault error
	b.addColumn(d.Name, func(row int) any {
		if fault != nil {
			return nil
		}
		cells := lists.Map(used, func(c *TableColumn) config.Cell { return config.Cell{Name: c.Name, Value: c.orNaN(row)} })
		var v float64
		if v, fault = d.Expr.EvalFloat(cells); fault != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	})
	return fault
}

// orNaN converts a cell for expressions: a missing number is NaN. A column without values counts as one of missing
// numbers.
func (c *TableColumn) orNaN(row int) any {
	if v := c.Values[row]; v != nil {
		return v
	}
	if c.Type == Text && slices.ContainsFunc(c.Values, func(v any) bool { return v != nil }) {
		return ""
	}
	return math.NaN()
}

// baseline copies a column from the row that has the values of where and otherwise the same parameters.
func (b *rowsBuilder) baseline(d *config.Derived) error {
	from := b.table.column(d.Column)
	if from == nil {
		return b.unknown(d.Column)
	}
	same := b.otherParameters(lists.Map(d.Matches, func(m config.Match) string { return m.Column })...)
	rows := map[string]int{}
	for row := range b.table.Rows {
		matches := true
		for i := range d.Matches {
			c := b.table.column(d.Matches[i].Column)
			if c == nil {
				return b.unknown(d.Matches[i].Column)
			}
			matches = matches && d.Matches[i].Matches(c.Values[row])
		}
		if _, have := rows[rowKey(same, row)]; matches && !have {
			rows[rowKey(same, row)] = row
		}
	}
	b.addColumn(d.Name, func(row int) any {
		if i, ok := rows[rowKey(same, row)]; ok {
			return from.Values[i]
		}
		return nil
	})
	return nil
}

// otherParameters returns the parameters but for some, and for those that vary with these: of zipped axes any one is enough.
func (b *rowsBuilder) otherParameters(freed ...string) []*TableColumn {
	var partners []string
	for _, name := range freed {
		partners = append(partners, b.plan.Experiment.Partners(b.plan.Small, name)...)
	}
	others := lists.Filter(b.parameterNames(), func(name string) bool { return !slices.Contains(partners, name) })
	return lists.Map(others, b.table.column)
}

// parameterNames are the columns between point and status.
func (b *rowsBuilder) parameterNames() (names []string) {
	for i := range b.table.Columns[1:] {
		name := b.table.Columns[i+1].Name
		if name == "status" {
			break
		}
		names = append(names, name)
	}
	return names
}

// unique checks that column names are distinct.
func (b *rowsBuilder) unique() error {
	var errs []error
	seen := map[string]bool{}
	for i := range b.table.Columns {
		name := b.table.Columns[i].Name
		if seen[name] {
			errs = append(errs, fmt.Errorf("%w: two columns are named %s", ErrColumn, name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}
