package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"spvsim/config"
	"spvsim/tracing"
)

// Blank returns the table that the sweep will write, with the number 1 for every result, so that names of columns can
// be checked before anything runs. The error names the columns that derived columns and references lack.
func (p *Plan) Blank() (*Table, error) {
	b := &rowsBuilder{plan: p, table: &Table{Rows: len(p.Specs)}}
	for i := range p.Specs {
		b.points = append(b.points, i)
		b.records = append(b.records, &Record{Inputs: p.Specs[i].Inputs, Status: Done})
		b.stats = append(b.stats, nil)
	}
	b.parameters()
	b.addColumn("status", func(int) any { return string(Done) })
	err := errors.Join(b.unknownColumns(), b.results(), b.references(), b.derived())
	for i := range b.table.Columns {
		b.table.Columns[i].fill()
	}
	for _, name := range []string{"error", "inputs", "version"} {
		b.addColumn(name, func(int) any { return name })
	}
	return b.table, errors.Join(err, b.unique())
}

// unknownColumns refuses columns of statistics that no run has.
func (b *rowsBuilder) unknownColumns() error {
	var errs []error
	for _, c := range b.columnsKept() {
		if _, ok := absentCount(c.Path); ok {
			continue
		}
		if _, err := tracing.Describe(c.Path); err != nil {
			errs = append(errs, fmt.Errorf("%w: columns: %w", ErrColumn, err))
		}
	}
	return errors.Join(errs...)
}

// FinalColumns returns the columns of Blank that already have their final cells: those of the points, and those derived from
// them.
func (p *Plan) FinalColumns() map[string]bool {
	given := map[string]bool{"point": true, "status": true}
	for i := range p.Specs {
		for _, c := range p.Specs[i].Cells {
			given[c.Name] = true
		}
	}
	for _, r := range p.Experiment.References {
		known := !slices.ContainsFunc(r.On, func(on config.Renamed) bool { return !given[on.Name] })
		for _, c := range r.Columns {
			given[c.Name] = known
		}
	}
	for i := range p.Experiment.Derived {
		d := &p.Experiment.Derived[i]
		given[d.Name] = isDetermined(d, given)
	}
	return given
}

// isDetermined reports whether a derived column can be computed from given ones.
func isDetermined(d *config.Derived, given map[string]bool) bool {
	if d.Column == "" {
		return !slices.ContainsFunc(d.Expr.Names(), func(name string) bool { return !given[name] })
	}
	return given[d.Column] && !slices.ContainsFunc(d.Matches, func(m config.Match) bool { return !given[m.Column] })
}

// fill sets a column without values to ones.
func (c *TableColumn) fill() {
	for _, v := range c.Values {
		if v != nil {
			return
		}
	}
	c.Type = Real
	for i := range c.Values {
		c.Values[i] = 1.0
	}
}

// absent words which columns the statistics of one point have not: most likely slips, as points have much the same.
func (p *Plan) absent(r *Record) (warnings []string) {
	b := &rowsBuilder{plan: p, stats: make([]any, 1)}
	d := json.NewDecoder(bytes.NewReader(r.Stats))
	d.UseNumber()
	if d.Decode(&b.stats[0]) != nil {
		return nil // reported when the rows are made
	}
	for _, c := range b.columnsKept() {
		found, all := 0, 0
		if b.result(0, c.Path, &found, &all); found == 0 {
			warnings = append(warnings, fmt.Sprintf("columns: %s: the first point's statistics have no such value%s", c.Path, b.nearest(c.Path)))
		}
	}
	return warnings
}
