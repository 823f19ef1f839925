package plots

import "errors"

// CheckNames tests that the table has the columns that the figure names, whatever stands in them.
func (f *Figure) CheckNames(t *Table) error {
	s := &selection{f: f, t: &Table{File: t.File, Rows: t.Rows, Columns: append([]Column(nil), t.Columns...)}}
	var errs []error
	for _, d := range f.Columns {
		errs = append(errs, s.derive(d))
	}
	for _, list := range []struct {
		key   string
		pairs Pairs
	}{{"where", f.Where}, {"relative_to", f.RelativeTo}} {
		for _, w := range list.pairs {
			if s.t.Column(w.Key) == nil {
				errs = append(errs, f.fail(joinPath(list.key, w.Key), ErrColumn, s.t.missing(w.Key)))
			}
		}
	}
	if f.Filter != "" {
		if _, err := compile(f.Filter, s.t); err != nil {
			errs = append(errs, f.fail("filter", ErrExpr, err.Error()))
		}
	}
	b := &builder{selection: s, chart: &Chart{Kind: f.Kind, figure: f}}
	return errors.Join(append(errs, b.findColumns())...)
}
