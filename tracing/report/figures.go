package report

import (
	"fmt"
	"html/template"
	"slices"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// A plot is the area of a drawing between its axes.
type plot struct {
	*drawing
	left, top, right, bottom float64
}

// newPlot reserves space for the numbers of both axes.
func newPlot(width, height float64, label string) *plot {
	return &plot{newDrawing(width, height, label), 46, 12, width - 12, height - 34}
}

func (p *plot) x(v float64) float64 { return p.left + v*(p.right-p.left) }
func (p *plot) y(v float64) float64 { return p.bottom - v*(p.bottom-p.top) }

// axes draws both axes from 0: values of x up to xTop, of y up to the last tick of yTicks.
func (p *plot) axes(xTop float64, xName string, yTicks []float64, yName string) {
	top := yTicks[len(yTicks)-1]
	for _, t := range yTicks {
		p.line(p.left, p.y(t/top), p.right, p.y(t/top), "grid")
		p.text(p.left-6, p.y(t/top)+4, end, "tick", shortNumber(t))
	}
	p.text(p.left, p.top-2, start, "name", yName)
	p.xAxis(xTop, xName)
}

// xAxis draws the axis of x alone.
func (p *plot) xAxis(xTop float64, xName string) {
	n := int((p.right - p.left) / 90)
	for _, t := range ticks(xTop, max(n, 3)) {
		if t <= xTop {
			p.line(p.x(t/xTop), p.bottom, p.x(t/xTop), p.bottom+4, "axis")
			p.text(p.x(t/xTop), p.bottom+16, middle, "tick", shortNumber(t))
		}
	}
	p.line(p.left, p.bottom, p.right, p.bottom, "axis")
	p.text(p.right, p.height-3, end, "name", xName)
}

// stack draws one bar per row: the shares of its slot-cycles, without empty slots.
func stack(width float64, rows []stackRow) template.HTML {
	const rowHeight, nameHeight = 22, 17
	d := newDrawing(width, float64(len(rows))*(rowHeight+nameHeight+8)+2, "slot-cycles by reason")
	y := 0.0
	for i := range rows {
		r := &rows[i]
		total := float64(r.slots.Total())
		d.text(0, y+12, start, "label", shortened(r.name, int((width-110)/7)))
		d.text(width, y+12, end, "tick", shortNumber(total)+" slot-cycles")
		y += nameHeight
		x := 0.0
		for reason, n := range r.slots {
			if n == 0 {
				continue
			}
			w := float64(n) / total * width
			name := account.Reason(reason).String()
			d.rect(x, y, w, rowHeight, fmt.Sprintf("r%d cell", reason), fmt.Sprintf("%s: %s, %s; %s", name, grouped(n), percent(float64(n), total), account.Reason(reason).Meaning()))
			if label := name + " " + percent(float64(n), total); float64(len(label))*7+16 < w {
				d.text(x+6, y+15, start, fmt.Sprintf("on%d", reason), label)
			}
			x += w
		}
		y += rowHeight + 8
	}
	return d.done()
}

type stackRow struct {
	name  string
	slots account.SlotCycles
}

// units draws a column for each compute unit: how its slot-cycles were spent.
func units(width float64, p *profile.Profile, list []account.SlotCycles) template.HTML {
	pl := newPlot(width, 200, "slot-cycles by compute unit")
	most := 0.0
	for i := range list {
		if total := float64(list[i].Total()); total > 0 {
			most = max(most, 100-100*float64(list[i][account.Empty])/total)
		}
	}
	marks := ticks(most, 4)
	top := marks[len(marks)-1] / 100
	pl.axes(float64(len(list)), "compute unit", marks, "% of slot-cycles")
	step := (pl.right - pl.left) / float64(len(list))
	gap := min(step*0.15, 2)
	for i := range list {
		total := float64(list[i].Total())
		y := 0.0
		for r, n := range list[i] {
			if n == 0 || account.Reason(r) == account.Empty {
				continue
			}
			share := float64(n) / total / top
			pl.rect(pl.left+float64(i)*step, pl.y(y+share), step-gap, pl.y(y)-pl.y(y+share), fmt.Sprintf("r%d", r),
				fmt.Sprintf("SE %d CU %d: %s %s", i/p.Units, i%p.Units, account.Reason(r), percent(float64(n), total)))
			y += share
		}
	}
	for e := 1; e < p.Engines; e++ {
		x := pl.left + float64(e*p.Units)*step - gap/2
		pl.line(x, pl.top, x, pl.bottom, "divide")
	}
	return pl.done()
}

// A curve is a row of values, a value a bin of the series.
type curve struct {
	name   string
	class  string
	values []float64
}

// A binMean is the mean of adjacent bins, as there may be more bins than pixels.
type binMean struct{ from, to, value float64 } // cycles; mean

// steps joins bins so that none is narrower than two pixels.
func (pl *plot) steps(p *profile.Profile, values []float64) []binMean {
	s := &p.Series
	join := max(1, int(float64(len(values))/((pl.right-pl.left)/2))+1)
	var list []binMean
	for i := 0; i < len(values); i += join {
		x := binMean{from: float64(uint64(i) * s.BinCycles)}
		x.to = x.from
		for k := i; k < min(i+join, len(values)); k++ {
			n := float64(s.Length(k, p.Cycles))
			x.to += n
			x.value += values[k] * n
		}
		x.value /= x.to - x.from
		list = append(list, x)
	}
	return list
}

// overTime draws curves on top of each other, or each for itself.
func overTime(width, height float64, p *profile.Profile, yName string, stacked bool, curves []curve) template.HTML {
	pl := newPlot(width, height, yName+" over time")
	rows := make([][]binMean, len(curves)+1) // rows[i+1] is the upper edge of curve i
	top := 0.0
	for i := range curves {
		rows[i+1] = pl.steps(p, curves[i].values)
		for k := range rows[i+1] {
			if stacked && i > 0 {
				rows[i+1][k].value += rows[i][k].value
			}
			top = max(top, rows[i+1][k].value)
		}
	}
	rows[0] = pl.steps(p, make([]float64, p.Series.Len()))
	marks := ticks(top, max(int(height/45), 2))
	pl.axes(float64(p.Cycles), "cycle", marks, yName)
	top = marks[len(marks)-1]
	for i := range curves {
		edge := pl.corners(p, rows[i+1], top)
		if !stacked {
			pl.path(edge, false, "curve "+curves[i].class, curves[i].name)
			continue
		}
		below := pl.corners(p, rows[i], top)
		slices.Reverse(below)
		pl.path(append(edge, below...), true, curves[i].class, curves[i].name)
	}
	pl.spans(p)
	return pl.done()
}

// corners are the points of a line through steps.
func (pl *plot) corners(p *profile.Profile, list []binMean, top float64) (points [][2]float64) {
	for i, s := range list {
		if i > 0 && i+1 < len(list) && list[i-1].value == s.value && list[i+1].value == s.value {
			continue
		}
		y := pl.y(s.value / top)
		points = append(points, [2]float64{pl.x(s.from / float64(p.Cycles)), y}, [2]float64{pl.x(s.to / float64(p.Cycles)), y})
	}
	return points
}

// spans marks the beginnings of steps.
func (pl *plot) spans(p *profile.Profile) {
	for i := 1; i < len(p.Series.Steps) && len(p.Series.Steps) <= maxSpans; i++ {
		x := pl.x(float64(p.Series.Steps[i].From) / float64(p.Cycles))
		pl.line(x, pl.top, x, pl.bottom, "divide")
	}
}

// maxSpans bounds the steps that a picture separates: more would hide it.
const maxSpans = 24

func floats(row []uint64) []float64 {
	out := make([]float64, len(row))
	for i, n := range row {
		out[i] = float64(n)
	}
	return out
}

// rate turns amounts by bin into amounts a cycle.
func rate(p *profile.Profile, row []uint64) []float64 {
	out := make([]float64, len(row))
	for i, n := range row {
		out[i] = float64(n) / float64(p.Series.Length(i, p.Cycles))
	}
	return out
}
