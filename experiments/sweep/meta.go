package sweep

import (
	"encoding/json"

	"spvsim/config"
	"spvsim/tracing"
)

// Role is the purpose of a column.
type Role string

const (
	Bookkeeping Role = "bookkeeping" // number, status, error, digest, version
	Parameter   Role = "parameter"   // varied by the experiment
	Result      Role = "result"      // of the statistics or a buffer
	Published   Role = "reference"   // from a file of the experiment
	Computed    Role = "derived"     // computed from others
)

// ColumnsKey is the key of a Parquet file's metadata under which its columns are described: a list in JSON.
const ColumnsKey = "spvsim.columns"

// A ColumnNote describes a column for readers of a Parquet file.
type ColumnNote struct {
	Name   string `json:"name" doc:"name of the column"`
	Type   string `json:"type" doc:"integer (64 bits), real (double) or text"`
	Role   Role   `json:"role" doc:"purpose of the column"`
	Unit   string `json:"unit,omitempty" doc:"unit; left out where none is known"`
	Source string `json:"source,omitempty" doc:"path of the setting or in the statistics, expression, or source of a reference"`
}

// Notes describe the columns in order.
func (t *Table) Notes() []ColumnNote {
	list := make([]ColumnNote, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = ColumnNote{c.Name, c.Type.String(), c.Role, c.Unit, c.Source}
	}
	return list
}

func (t *Table) notesText() (string, error) {
	text, err := json.Marshal(t.Notes())
	return string(text), err
}

// statUnit returns the unit of a statistic by path; "" if the path is not known.
func statUnit(path string) string {
	s, err := tracing.Describe(path)
	if err != nil {
		return ""
	}
	return s.Unit
}

// describe sets the role, source and unit of every column. The units at the figures' axes have precedence over the
// rules.
func (b *rowsBuilder) describe() {
	e := b.plan.Experiment
	parameters := map[string]bool{}
	for _, name := range b.parameterNames() {
		parameters[name] = true
	}
	for i := range b.table.Columns {
		c := &b.table.Columns[i]
		c.Role = Bookkeeping
		if parameters[c.Name] {
			c.Role, c.Source = Parameter, e.ColumnPath(b.plan.Small, c.Name)
			c.Unit = config.PathUnit(c.Source)
		}
	}
	note := func(name string, role Role, source, unit string) {
		if c := b.table.column(name); c != nil {
			c.Role, c.Source, c.Unit = role, source, unit
		}
	}
	for _, c := range b.columnsKept() {
		note(c.Name, Result, c.Path, statUnit(c.Path))
	}
	for _, c := range modeColumns {
		if !parameters[c.name] {
			note(c.name, Result, c.path, statUnit(c.path))
		}
	}
	for name := range parameters {
		for _, suffix := range ratioColumns {
			if b.table.column(name) != nil && !parameters[name+suffix] {
				note(name+suffix, Result, "cycles over those of the first "+name, "")
			}
		}
	}
	for _, v := range e.Values {
		note(v.Name, Result, "buffer "+v.Buffer, "")
	}
	for _, r := range e.References {
		for _, c := range r.Columns {
			note(c.Name, Published, r.Source, "")
		}
	}
	for _, d := range e.Derived {
		b.describeDerived(&d, note)
	}
	for name, unit := range e.Units() {
		if c := b.table.column(name); c != nil {
			c.Unit = unit
		}
	}
}

func (b *rowsBuilder) describeDerived(d *config.Derived, note func(name string, role Role, source, unit string)) {
	if from := b.table.column(d.Column); from != nil {
		note(d.Name, Computed, d.Column+" of the baseline", from.Unit)
		return
	}
	note(d.Name, Computed, string(d.Expr), "")
}
