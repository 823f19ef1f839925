package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/expression"
	"spvsim/internal/lists"
)

// maxPoints bounds an experiment, so that a slip in a range does not fill a disk.
const maxPoints = 1_000_000

// Point is one run of an experiment: settings in order, later ones over earlier ones, and the cells that name it in the rows.
type Point struct {
	Settings []Setting
	Cells    []Cell
}

// Cell is one named value of a row: int64, float64 or string.
type Cell struct {
	Name  string
	Value any
}

// Cell returns the value of a cell by name, or nil.
func (p *Point) Cell(name string) any {
	if c := lists.Find(p.Cells, func(c *Cell) bool { return c.Name == name }); c != nil {
		return c.Value
	}
	return nil
}

// choice holds the settings and cells that one value of an axis adds to a point.
type choice struct {
	settings []Setting
	cells    []Cell
}

// Points lists the points in order; small selects the small variant's axes and settings.
func (e *Experiment) Points(small bool) ([]Point, error) {
	base := choice{}
	settings := e.Set
	if small {
		settings = slices.Concat(e.Set, e.SmallVariant.Set)
	}
	for _, s := range slices.Concat(settings, e.overrides) {
		base.add(s)
	}
	points := []Point{{base.settings, base.cells}}
	var all [][]choice
	count := 1.0
	for _, a := range e.axes(small) {
		choices, err := a.choices()
		if err != nil {
			return nil, withPositions([]problem{problemf(joinPath("axes", a.Name), "%v", err)}, e.positions)
		}
		all = append(all, choices)
		count *= float64(len(choices))
	}
	if count > maxPoints {
		return nil, withPositions([]problem{{"axes", fmt.Sprintf("found %.0f points: want at most %d", count, maxPoints), ErrLimit}}, e.positions)
	}
	for _, choices := range all {
		points = combine(points, choices)
	}
	points, err := e.exclude(points, small)
	if err != nil {
		return nil, err
	}
	return points, e.checkBaselines(points)
}

// checkBaselines refuses a derived column whose baseline no point is.
func (e *Experiment) checkBaselines(points []Point) error {
	var ps []problem
	for i := range e.Derived {
		for _, m := range e.Derived[i].Matches {
			if msg := m.noneOf(points); msg != "" {
				ps = append(ps, problem{e.Derived[i].keyPath, msg, ErrReference})
			}
		}
	}
	return withPositions(ps, e.positions)
}

// noneOf describes that no point has one of the values; "" if one has, or if the column is not an axis.
func (m *Match) noneOf(points []Point) string {
	var have []string
	for i := range points {
		cell := points[i].Cell(m.Column)
		if cell == nil || m.Matches(cell) {
			return ""
		}
		if text := fmt.Sprint(cell); !slices.Contains(have, text) && len(have) < 8 {
			have = append(have, text)
		}
	}
	want := lists.Map(m.Values, func(v Value) string { return v.String() })
	return fmt.Sprintf("found %s = %s, which no point has: want one of %s", m.Column, strings.Join(want, " or "), strings.Join(have, ", "))
}

// Partners lists the columns of the axis that sets one of them: they vary together, so each determines the others'
// values.
func (e *Experiment) Partners(small bool, column string) []string {
	for _, a := range e.axes(small) {
		choices, err := a.choices()
		if err != nil {
			continue // refused when the file was read
		}
		var names []string
		for _, c := range choices {
			for _, cell := range c.cells {
				names = lists.AppendNew(names, cell.Name)
			}
		}
		if slices.Contains(names, column) {
			return names
		}
	}
	return []string{column}
}

// axes returns the experiment's axes; those of the small variant replace axes of the same name.
func (e *Experiment) axes(small bool) []Axis {
	out := slices.Clone(e.Axes)
	for i := range out {
		for k := range e.SmallVariant.Axes {
			if small && e.SmallVariant.Axes[k].Name == out[i].Name {
				out[i] = e.SmallVariant.Axes[k]
			}
		}
	}
	return out
}

func combine(points []Point, choices []choice) []Point {
	out := make([]Point, 0, len(points)*len(choices))
	for _, p := range points {
		for _, c := range choices {
			out = append(out, Point{slices.Concat(p.Settings, c.settings), mergeCells(p.Cells, c.cells)})
		}
	}
	return out
}

// mergeCells replaces cells by later ones of the same name.
func mergeCells(a, b []Cell) []Cell {
	out := slices.Clone(a)
	for _, c := range b {
		if i := slices.IndexFunc(out, func(o Cell) bool { return o.Name == c.Name }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// rowPrefix begins paths that name a column and set nothing.
const rowPrefix = "row."

func (c *choice) add(s Setting) {
	if name, ok := strings.CutPrefix(s.Path, rowPrefix); ok {
		c.cells = mergeCells(c.cells, []Cell{{name, s.Value.cell()}})
		return
	}
	c.settings = append(c.settings, s)
}

func (a *Axis) choices() ([]choice, error) {
	switch {
	case a.Zip != nil:
		return a.zipped()
	case a.Variants != nil:
		return a.variants(), nil
	}
	values, err := a.list()
	if err != nil {
		return nil, err
	}
	var out []choice
	for _, v := range values {
		c := choice{cells: []Cell{{a.Name, v.cell()}}}
		if path := a.path(); !strings.HasPrefix(path, rowPrefix) {
			c.settings = []Setting{{Path: path, Value: v, keyPath: joinPath("axes", a.Name)}}
		}
		out = append(out, c)
	}
	return out, nil
}

func (a *Axis) variants() (out []choice) {
	for _, v := range a.Variants {
		c := choice{cells: []Cell{{a.Name, v.Name}}}
		for _, s := range v.Settings {
			c.add(s)
		}
		out = append(out, c)
	}
	return out
}

// zipped combines the values of the axes in parallel; lengths have been compared if all are known.
func (a *Axis) zipped() ([]choice, error) {
	var out []choice
	for i := range a.Zip {
		list, err := a.Zip[i].choices()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Zip[i].Name, err)
		}
		if i == 0 {
			out = make([]choice, len(list))
		}
		if len(list) != len(out) {
			return nil, fmt.Errorf("%s: found %d values: want %d", a.Zip[i].Name, len(list), len(out))
		}
		for k, c := range list {
			out[k].settings = append(out[k].settings, c.settings...)
			out[k].cells = mergeCells(out[k].cells, c.cells)
		}
	}
	return out, nil
}

// list evaluates the values of an axis.
func (a *Axis) list() ([]Value, error) {
	switch {
	case a.Pow2 != nil:
		if len(a.Pow2) != 2 || a.Pow2[0] < 0 || a.Pow2[1] > 62 {
			return nil, fmt.Errorf("pow2: found %v: want two exponents in 0..62", a.Pow2)
		}
		var out []Value
		for e := a.Pow2[0]; e <= a.Pow2[1]; e++ {
			out = append(out, numberValue(Number{Int: 1 << e}))
		}
		return out, nil
	case a.From != "" || a.To != "":
		return a.span()
	}
	return a.Values, nil
}

// span lists from, from+step, ... up to to.
func (a *Axis) span() ([]Value, error) {
	var ends [3]Number
	for i, e := range []Expr{a.From, a.To, a.Step} {
		v, err := e.eval(scope{}, Number{Int: 1})
		if err != nil {
			return nil, err
		}
		ends[i] = v
	}
	if a.From == "" || a.To == "" {
		return nil, fmt.Errorf("found only one of from and to: want both")
	}
	from, to, step := ends[0].AsFloat(), ends[1].AsFloat(), ends[2].AsFloat()
	count := math.Floor((to-from)/step+1e-9) + 1 // a step of 0.1 ten times is not quite 1
	if n := ends[1].Int - ends[0].Int; !ends[0].IsFloat && !ends[1].IsFloat && !ends[2].IsFloat && count >= 1 && count <= maxPoints {
		count = float64(n/ends[2].Int) + 1 // floats are too coarse beyond 2^53
		if n != 0 && (n < 0) != (ends[2].Int < 0) {
			count = 0
		}
	}
	if count > maxPoints && !math.IsInf(count, 0) {
		return nil, fmt.Errorf("found %g to %g by %g, %.0f values: want at most %d", from, to, step, count, maxPoints)
	}
	if !(count >= 1 && count <= maxPoints) {
		return nil, fmt.Errorf("found %g to %g by %g: want a step that leads from the first to the last", from, to, step)
	}
	var out []Value
	for i := range int(count) {
		n := Number{Int: ends[0].Int + int64(i)*ends[2].Int, Unsigned: ends[0].Unsigned}
		if ends[0].IsFloat || ends[2].IsFloat {
			n = Number{Float: from + float64(i)*step, IsFloat: true}
		}
		out = append(out, numberValue(n))
	}
	return out, nil
}

func numberValue(n Number) Value {
	if !n.IsFloat { // as Encode writes it, without a reader of the text for each
		return Value{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(n.value())}}
	}
	v := &yaml.Node{}
	_ = v.Encode(n.Float) // numbers always can be
	return Value{v}
}

// cell converts a value for a row: to a number if possible, else to its text.
func (v Value) cell() any {
	n := deref(v.node)
	if n.Kind != yaml.ScalarNode {
		return v.String()
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		if num, err := parseNumber(n.Value); err == nil && !num.Unsigned { // a column has no unsigned numbers
			return num.value()
		}
	}
	return n.Value
}

// String is the value as YAML in one line.
func (v Value) String() string {
	if v.node == nil {
		return ""
	}
	n := cloneNode(v.node, new(int))
	flow(n)
	out, err := yaml.Marshal(n)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// ParseValue is the inverse of String.
func ParseValue(text string) (Value, error) {
	n, err := parseYAML("", []byte(text))
	return Value{n}, err
}

// flow sets a node's style so that it prints in one line.
func flow(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		n.Style |= yaml.FlowStyle
	}
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		flow(c)
	}
}

// exclude drops the points that the experiment excludes.
func (e *Experiment) exclude(points []Point, small bool) ([]Point, error) {
	if err := e.checkExclusions(points, small); err != nil {
		return nil, err
	}
	out := points[:0]
	for _, p := range points {
		drop := false
		for i := range e.Exclude {
			x := &e.Exclude[i]
			yes, err := x.matches(&p)
			if err != nil {
				return nil, withPositions([]problem{{x.keyPath, err.Error(), ErrExpr}}, e.positions)
			}
			drop = drop || yes
		}
		if !drop {
			out = append(out, p)
		}
	}
	return out, nil
}

// checkExclusions refuses values that no point has; a small variant may well lack some.
func (e *Experiment) checkExclusions(points []Point, small bool) error {
	var ps []problem
	for i := range e.Exclude {
		for k := range e.Exclude[i].Matches {
			if msg := e.Exclude[i].Matches[k].noneOf(points); msg != "" && !small {
				ps = append(ps, problem{e.Exclude[i].keyPath, msg, ErrReference})
			}
		}
	}
	return withPositions(ps, e.positions)
}

func (x *Exclusion) matches(p *Point) (bool, error) {
	for _, m := range x.Matches {
		if p.Cell(m.Column) == nil {
			return false, fmt.Errorf("found %q: want the name of an axis or a row column", m.Column)
		}
		if !m.Matches(p.Cell(m.Column)) {
			return false, nil
		}
	}
	if x.Condition == "" {
		return true, nil
	}
	v, err := x.Condition.Eval(p.Cells)
	return v.AsFloat() != 0, err
}

// Matches reports whether a cell equals one of the values. Numbers are compared as numbers: in a column that contains
// 0.5, 1 is a float.
func (m *Match) Matches(cell any) bool {
	return slices.ContainsFunc(m.Values, func(v Value) bool {
		value := v.cell()
		if whole, ok := value.(int64); ok {
			if f, ok := cell.(float64); ok {
				return f == float64(whole)
			}
		}
		return value == cell
	})
}

// Eval works an expression out over cells.
func (e Expr) Eval(cells []Cell) (Number, error) {
	if n, ok := e.literal(); ok {
		return n, nil
	}
	return e.run(expression.Integers, cellValues(cells))
}

// EvalFloat is Eval in floats, including the numbers of the expression: 1 / 2 is 0.5. Division by zero gives an
// infinity or NaN, and an expression with a missing cell (NaN) gives NaN.
func (e Expr) EvalFloat(cells []Cell) (float64, error) {
	if n, ok := e.literal(); ok {
		return n.AsFloat(), nil
	}
	v, err := e.run(expression.Reals, cellValues(cells))
	return v.AsFloat(), err
}

func cellValues(cells []Cell) func(name string) (any, error) {
	return func(name string) (any, error) {
		i := slices.IndexFunc(cells, func(c Cell) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("found %q: want the name of a column", name)
		}
		return cells[i].Value, nil
	}
}

// Names lists the names that an expression uses.
func (e Expr) Names() []string { return e.names(expression.Reals) }

func (e Expr) names(kind expression.Arithmetic) []string {
	if _, ok := e.literal(); ok || e == "" {
		return nil
	}
	p, err := e.program(kind)
	if err != nil {
		return nil
	}
	return p.Names()
}

// usesAny reports whether an expression, if it is valid, uses one of some names.
func (e Expr) usesAny(names []string) bool {
	return slices.ContainsFunc(e.names(expression.Integers), func(name string) bool { return slices.Contains(names, name) })
}
