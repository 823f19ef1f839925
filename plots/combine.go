package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"spvsim/internal/lists"
)

// combines turn the values of repeated rows, ascending, into one.
var combines = map[string]func(values []float64) float64{
	"mean":    mean,
	"geomean": geomean,
	"median":  func(v []float64) float64 { return quantile(v, 0.5) },
	"min":     func(v []float64) float64 { return v[0] },
	"max":     func(v []float64) float64 { return v[len(v)-1] },
	"sum":     sum,
}

func sum(values []float64) float64 {
	return lists.Sum(values, func(v float64) float64 { return v })
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// geomean is the geometric mean; no number unless all values are above 0.
func geomean(values []float64) float64 {
	logs := 0.0
	for _, v := range values {
		if v <= 0 {
			return math.NaN()
		}
		logs += math.Log(v)
	}
	return math.Exp(logs / float64(len(values)))
}

// quantile of ascending values, between neighbours in proportion (R's type 7).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// student holds the two-sided 95 % quantiles of Student's t distribution by degrees of freedom, from 1. Source:
// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
var student = []float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// studentPoint returns the quantile; beyond the table, by the Cornish-Fisher expansion to its second term, which is
// right to three decimals there.
func studentPoint(freedom int) float64 {
	if freedom <= len(student) {
		return student[freedom-1]
	}
	const z = 1.959964 // of the normal distribution
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n)
}

// bands turn the values of repeated rows into the ends of a band; one row has no spread to show.
var bands = map[string]func(values []float64) (low, high float64){
	"confidence": confidence,
	"range":      func(v []float64) (low, high float64) { return v[0], v[len(v)-1] },
}

func confidence(values []float64) (low, high float64) {
	m, n := mean(values), len(values)
	if n == 1 {
		return m, m
	}
	squares := lists.Sum(values, func(v float64) float64 { return (v - m) * (v - m) })
	half := studentPoint(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return m - half, m + half
}

// combined combines the rows at one place into one point. It refuses to do so without a rule: a swept parameter that
// the figure ignores would vanish in a mean.
func (b *builder) combined(obs []observation) ([]Point, error) {
	var points []Point
	for start := 0; start < len(obs); {
		end := start + 1
		for end < len(obs) && obs[end].x == obs[start].x && (b.value == nil || obs[end].y == obs[start].y) {
			end++
		}
		p, err := b.combine(obs[start:end])
		if err != nil {
			return nil, err
		}
		points = append(points, p)
		start = end
	}
	return points, nil
}

func (b *builder) combine(obs []observation) (Point, error) {
	if len(obs) > 1 && b.f.Combine == "" && b.f.Band.As == "" {
		return Point{}, b.f.fail("x", ErrRepeated, fmt.Sprintf("%d rows at %s%s: say band: confidence, range or none, or combine:, or keep fewer rows by where:",
			len(obs), b.placeText(obs[0], nil), b.differing(obs)))
	}
	if len(obs) > 1 {
		b.pool(obs)
	}
	how := combines[cmp.Or(b.f.Combine, "mean")]
	of := func(get func(o *observation) float64) []float64 {
		values := make([]float64, len(obs))
		for i := range obs {
			values[i] = get(&obs[i])
		}
		sort.Float64s(values)
		return values
	}
	measured := of(func(o *observation) float64 { return o.measured })
	p := Point{X: obs[0].x, Y: how(measured), Rows: len(obs)}
	if math.IsNaN(p.Y) {
		return p, b.f.fail("combine", ErrRange, fmt.Sprintf("a geometric mean of %g at %s: want values above 0", measured[0], b.placeText(obs[0], nil)))
	}
	if b.value != nil {
		p.Y, p.Value = obs[0].y, p.Y
	}
	if band, ok := bands[b.f.Band.As]; ok {
		p.Low, p.High = band(measured)
	}
	if b.low != nil {
		p.Low = how(of(func(o *observation) float64 { return o.low }))
		p.High = how(of(func(o *observation) float64 { return o.high }))
	}
	return p, nil
}

// differing names the axes of a sweep that the figure ignores, in which rows at one place differ. For other rows, it
// names the first such column that is not drawn.
func (b *builder) differing(obs []observation) string {
	columns, most := b.axisColumns(), maxSeries
	if columns == nil {
		for i := range b.t.Columns {
			columns = append(columns, &b.t.Columns[i])
		}
		most = 1
	}
	drawn := map[string]bool{}
	for _, c := range append([]*Column{b.low, b.high, b.value}, b.y...) {
		if c != nil {
			drawn[c.Name] = true
		}
	}
	var words []string
	for _, c := range columns {
		other := slices.IndexFunc(obs, func(o observation) bool { return c.compare(obs[0].row, o.row) != 0 })
		if !drawn[c.Name] && other >= 0 && len(words) < most {
			words = append(words, fmt.Sprintf("%s (%s, %s)", c.Name, c.text(obs[0].row), c.text(obs[other].row)))
		}
	}
	if words == nil {
		return ""
	}
	return ", which differ in " + strings.Join(words, ", ")
}

// everyRow draws every row.
func (b *builder) everyRow(obs []observation) ([]Point, error) {
	var points []Point
	for _, o := range obs {
		p := Point{X: o.x, Y: o.y, Low: o.low, High: o.high, End: o.end, Rows: 1}
		if b.text != nil {
			p.Text = b.text.text(o.row)
		}
		if b.end != nil && o.end < o.x {
			return nil, b.f.fail("end", ErrRange, fmt.Sprintf("a span ends at %g, before it begins at %g", o.end, o.x))
		}
		points = append(points, p)
	}
	return points, nil
}

// boxes collects all values at each x.
func (b *builder) boxes(obs []observation) ([]Point, error) {
	var points []Point
	for _, o := range obs {
		if n := len(points); n == 0 || points[n-1].X != o.x {
			points = append(points, Point{X: o.x})
		}
		p := &points[len(points)-1]
		p.Values = append(p.Values, o.y)
		p.Rows++
	}
	for i := range points {
		sort.Float64s(points[i].Values)
		points[i].Y = quantile(points[i].Values, 0.5)
	}
	return points, nil
}

// stack stacks the bars of each x, in the order of the series.
func (b *builder) stack(series []Series) error {
	top, total := map[float64]float64{}, map[float64]float64{}
	for _, s := range series {
		for _, p := range s.Points {
			if p.Y < 0 {
				return b.f.fail("y", ErrRange, fmt.Sprintf("%s is %g at %s: stacked bars want values from 0 up", s.Name, p.Y, b.xLevels[int(p.X)].name))
			}
			total[p.X] += p.Y
		}
	}
	for _, s := range series {
		for i := range s.Points {
			p := &s.Points[i]
			if b.f.Percent && total[p.X] > 0 {
				p.Y *= 100 / total[p.X]
			}
			p.Low, p.High = top[p.X], top[p.X]+p.Y
			top[p.X] = p.High
		}
	}
	return nil
}
