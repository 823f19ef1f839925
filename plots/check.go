package plots

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// kindKeys lists the keys that each kind accepts, except those of all kinds; ! marks a required key.
var kindKeys = map[string]string{
	"line":     "x! y! series combine band relative_to relative_as lines step markers",
	"bar":      "x! y! series combine summary band relative_to relative_as cells",
	"stacked":  "x! y! series combine percent",
	"box":      "x! y! series relative_to relative_as",
	"heatmap":  "x! y! value! combine relative_to relative_as cells",
	"scatter":  "x! y! series band text identity within relative_to relative_as",
	"timeline": "x! y! end! series text",
	"roofline": "x! y! series text roofs!",
}

// check reports every fault that can be seen without rows.
func (f *Figure) check() error {
	var errs []error
	fail := func(path string, kind error, format string, args ...any) {
		errs = append(errs, f.fail(path, kind, fmt.Sprintf(format, args...)))
	}
	if f.Kind == "" {
		fail("kind", ErrMissing, "missing: want one of line, bar, stacked, box, heatmap, scatter, timeline, roofline")
		return errors.Join(errs...)
	}
	f.checkKeys(fail)
	f.checkAxes(fail)
	f.checkBand(fail)
	for i := range f.Roofs {
		if r := &f.Roofs[i]; (r.Peak > lowestRoof) == (r.Bandwidth > lowestRoof) {
			fail(fmt.Sprintf("roofs[%d]", i), ErrRange, "want a peak or a bandwidth above %g, and not both", lowestRoof)
		}
	}
	for i := range f.Annotations {
		f.Annotations[i].check(fmt.Sprintf("annotations[%d]", i), fail)
	}
	f.checkPairs(fail)
	return errors.Join(errs...)
}

// lowestRoof keeps the quotient of two roofs a number.
const lowestRoof = 1e-100

type failer func(path string, kind error, format string, args ...any)

func (f *Figure) checkKeys(fail failer) {
	allowed := map[string]bool{}
	for _, key := range strings.Fields(kindKeys[f.Kind]) {
		name := strings.TrimSuffix(key, "!")
		allowed[name] = true
		if _, given := f.lines[name]; name != key && !given {
			fail(name, ErrMissing, "missing: want it in a %s figure", f.Kind)
		}
	}
	for _, name := range someKindsKeys() {
		if _, given := f.lines[name]; given && !allowed[name] {
			fail(name, ErrUnknownKey, "found in a %s figure: want it left out", f.Kind)
		}
	}
}

// someKindsKeys returns the keys that only some kinds accept, sorted.
func someKindsKeys() []string {
	seen := map[string]bool{}
	var names []string
	for _, keys := range kindKeys {
		for _, key := range strings.Fields(keys) {
			if name := strings.TrimSuffix(key, "!"); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// wideKinds accept several y columns.
var wideKinds = map[string]bool{"line": true, "bar": true, "stacked": true, "box": true}

func (f *Figure) checkAxes(fail failer) {
	f.X.check("x", f.scaleOf(&f.X), fail)
	f.Y.check("y", f.scaleOf(&f.Y), fail)
	if f.Kind == "stacked" && isLog(f.Y.Scale) {
		fail("y.scale", ErrRange, "found %s: want linear, as parts of a stack can not be compared on a log axis", f.Y.Scale)
	}
	if x, y := cmp.Or(f.X.Scale, "linear"), cmp.Or(f.Y.Scale, "linear"); f.Identity && x != y {
		fail("identity", ErrRange, "found the scales %s and %s: want one scale for y = x", x, y)
	}
	if f.Within != 0 && !f.Identity {
		fail("within", ErrRange, "found %g without identity: want identity: true, as the lines are beside y = x", f.Within)
	}
	if len(f.X.Columns) > 0 {
		fail("x.columns", ErrUnknownKey, "found several columns: want one")
	}
	if len(f.Y.Columns) > 0 && (!wideKinds[f.Kind] || f.Series.Column != "" || f.Y.Column != "" || f.Band.Low != "" && f.Band.Of == "") {
		fail("y.columns", ErrRange, "found several columns: want them only in line, bar, stacked and box figures, without series and y.column, and with band.of if there is band.low")
	}
	if f.lines["value"] > 0 && f.Value.Column == "" {
		fail("value.column", ErrMissing, "missing: want the name of a column")
	}
	v := f.Value
	checkEnd("value.min", v.Scale, v.Min, fail)
	checkEnd("value.max", v.Scale, v.Max, fail)
	checkEnd("value.center", v.Scale, v.Center, fail)
	for _, g := range []string{"series", "facets"} {
		column := map[string]string{"series": f.Series.Column, "facets": f.Facets.Column}[g]
		if f.lines[g] > 0 && column == "" {
			fail(g+".column", ErrMissing, "missing: want the name of a column")
		}
	}
}

// scaleOf returns an axis' scale: the figure's or the kind's; a roofline's axes are logarithmic by default.
func (f *Figure) scaleOf(a *Axis) string {
	if f.Kind == "roofline" {
		return cmp.Or(a.Scale, "log10")
	}
	return a.Scale
}

func (a *Axis) check(path, scale string, fail failer) {
	if a.Column == "" && len(a.Columns) == 0 {
		fail(path+".column", ErrMissing, "missing: want the name of a column")
	}
	if a.Min != nil && a.Max != nil && *a.Min >= *a.Max {
		fail(path+".max", ErrRange, "found %g: want more than min, %g", *a.Max, *a.Min)
	}
	checkEnd(path+".min", scale, a.Min, fail)
	checkEnd(path+".max", scale, a.Max, fail)
	for i := range a.Ticks {
		checkEnd(fmt.Sprintf("%s.ticks[%d]", path, i), scale, &a.Ticks[i], fail)
	}
}

// checkEnd checks a number of the file against the range of a scale's kind.
func checkEnd(path, kind string, v *float64, fail failer) {
	if v == nil {
		return
	}
	if text := refusal(kind, *v); text != "" {
		fail(path, ErrRange, "found %s", text)
	}
}

func (f *Figure) checkBand(fail failer) {
	if (f.Band.Low == "") != (f.Band.High == "") || f.Band.Low != "" && f.Band.As != "" {
		fail("band", ErrRange, "found low, high and as that do not fit: want both low and high, or as (with over or without)")
	}
	if of := f.Band.Of; of != "" && (f.Band.Low == "" || !slices.Contains(f.Y.Columns, of)) {
		fail("band.of", ErrRange, "found %s: want a column of y.columns, with low and high", of)
	}
	if f.Band.As == "confidence" && f.Combine != "" && f.Combine != "mean" {
		fail("combine", ErrRange, "found %s: want mean with a band of confidence", f.Combine)
	}
	if f.RelativeAs != "" && len(f.RelativeTo) == 0 {
		fail("relative_as", ErrMissing, "found relative_as alone: want relative_to, the baseline")
	}
	for i, name := range f.Band.Over {
		if _, kind := bands[name]; (kind || name == "none") && f.Band.As == "confidence" && f.lines["band.as"] == 0 {
			fail(fmt.Sprintf("band.over[%d]", i), ErrRange, "found %s, which is a kind of band: want the column that is pooled, and as: %s", name, name)
		}
	}
	if f.Lines == "off" && f.Step {
		fail("step", ErrRange, "found step without lines: want lines: on")
	}
	if f.Legend.Place == "direct" && (f.Kind != "line" || f.Lines == "off") {
		fail("legend.place", ErrRange, "found direct: want another place in a figure without lines, as names are at their ends")
	}
	if f.Kind == "scatter" && f.Band.As != "" {
		fail("band", ErrRange, "found a band over rows: want low and high columns in a scatter figure, which draws every row")
	}
}

// check determines the form of an annotation, and checks its keys.
func (a *Annotation) check(path string, fail failer) {
	forms := 0
	for _, there := range []bool{a.VLine != nil, a.HLine != nil && len(a.Crossing) == 0, a.Points != nil, a.Crossing != nil, a.X != nil || a.Y != nil} {
		if there {
			forms++
		}
	}
	if forms != 1 {
		fail(path, ErrRange, "want one of vline, hline, points, crossing, or x and y of a text")
	}
	if (a.X != nil || a.Y != nil) && (a.X == nil || a.Y == nil || a.Text == "") {
		fail(path, ErrMissing, "a text wants text, x and y")
	}
	if a.Points != nil && a.Source == "" && a.Text == "" {
		fail(path+".source", ErrMissing, "reference points want a source or a text for the legend")
	}
	for i, p := range a.Points {
		if len(p) != 2 {
			fail(fmt.Sprintf("%s.points[%d]", path, i), ErrRange, "%d numbers: want [x, y]", len(p))
		}
	}
	if n := len(a.Crossing); a.Crossing != nil && n != 2 && (n != 1 || a.HLine == nil) {
		fail(path+".crossing", ErrRange, "want two series, or one and hline")
	}
}

// checkPairs checks that the entries of mappings have one value where only one is allowed.
func (f *Figure) checkPairs(fail failer) {
	maps := []struct {
		path string
		p    Pairs
	}{
		{"columns", f.Columns}, {"relative_to", f.RelativeTo}, {"x.names", f.X.Names}, {"y.names", f.Y.Names},
		{"series.names", f.Series.Names}, {"facets.names", f.Facets.Names},
	}
	for _, m := range maps {
		for _, e := range m.p {
			if len(e.Values) != 1 {
				fail(joinPath(m.path, e.Key), ErrType, "found a list: want one value")
			}
		}
	}
}
