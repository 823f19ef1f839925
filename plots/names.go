package plots

import (
	"errors"
	"slices"

	"spvsim/internal/lists"
)

// CheckNames checks that the table has the columns that the figure names, whatever their values.
func (f *Figure) CheckNames(t *Table) error {
	s := &selection{f: f, t: &Table{File: t.File, Rows: t.Rows, Columns: append([]Column(nil), t.Columns...)}}
	errs := lists.Map(f.Columns, s.derive)
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

// CheckPlaces refuses a figure with several rows at one place and no rule to combine them, as Build would. The table
// has every future row, and given names the columns that already have their final cells. If other columns decide which
// rows are kept or where they are placed, it can't check, and returns nil.
func (f *Figure) CheckPlaces(t *Table, given map[string]bool) error {
	if !kinds[f.Kind].combines || f.Combine != "" || f.Band.As != "" || !f.isPlacedBy(t, given) {
		return nil
	}
	s, err := selectRows(f, t)
	if err != nil {
		return nil // of rows that a variant of the experiment has, perhaps
	}
	b := &builder{selection: s, chart: &Chart{Kind: f.Kind, figure: f}}
	for _, step := range []func() error{b.findColumns, b.axes, b.groups, b.observe, b.hide, b.panels} {
		if err := step(); err != nil {
			return onlyRepeated(err)
		}
	}
	return nil
}

// onlyRepeated drops faults that are of the values, which are not known.
func onlyRepeated(err error) error {
	if errors.Is(err, ErrRepeated) {
		return err
	}
	return nil
}

// isPlacedBy reports whether the given columns, and those derived from them, determine which rows are kept and where
// they are placed.
func (f *Figure) isPlacedBy(t *Table, given map[string]bool) bool {
	known := map[string]bool{}
	for name, is := range given {
		known[name] = is
	}
	s := &selection{f: f, t: &Table{File: t.File, Rows: t.Rows, Columns: slices.Clone(t.Columns)}}
	for _, d := range f.Columns {
		e, err := compile(d.Values[0], s.t)
		if err != nil || s.derive(d) != nil {
			return false
		}
		known[d.Key] = !slices.ContainsFunc(e.code.Names(), func(name string) bool { return !known[name] })
	}
	deciding := []string{f.X.Column, f.Series.Column, f.Facets.Column, f.Facets.Rows}
	if f.Kind == "heatmap" {
		deciding = append(deciding, f.Y.Column)
	}
	deciding = append(deciding, lists.Map(f.Where, func(w Pair) string { return w.Key })...)
	if f.Filter != "" {
		e, err := compile(f.Filter, s.t)
		if err != nil {
			return false
		}
		deciding = append(deciding, e.code.Names()...)
	}
	return !slices.ContainsFunc(deciding, func(name string) bool { return name != "" && !known[name] })
}
