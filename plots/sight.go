package plots

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/plot"
)

// What can be drawn: numbers between these, apart from 0, leave the arithmetic of axes room.
const (
	largest  = 1e300
	smallest = 1e-300
)

// checkValues refuses what an axis can't show, and notes where the ticks of a line's x may stand.
func (b *builder) checkValues() error {
	for _, p := range b.chart.Panels {
		for _, s := range p.Series {
			for i := range s.Points {
				if err := b.checkPoint(&s.Points[i]); err != nil {
					return err
				}
			}
		}
	}
	b.chart.noteValues()
	return nil
}

func (b *builder) checkPoint(p *Point) error {
	c := b.chart
	values := append([]float64{p.Low, p.High, p.End}, p.Values...)
	for _, v := range values {
		if !(math.Abs(v) <= largest) {
			return b.f.fail("", ErrRange, fmt.Sprintf("a value is %g: want numbers up to %g", v, largest))
		}
	}
	low := p.Y
	if len(p.Values) > 0 {
		low = p.Values[0]
	}
	for _, of := range []struct {
		path  string
		scale string
		v     float64
	}{{"x", c.X.Scale, p.X}, {"y", c.Y.Scale, low}, {"value", c.value.Scale, p.Value}} {
		if err := b.checkValue(of.path, of.scale, of.v); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) checkValue(path, scale string, v float64) error {
	switch {
	case !(math.Abs(v) <= largest):
		return b.f.fail(path, ErrRange, fmt.Sprintf("a value is %g: want numbers up to %g", v, largest))
	case isLog(scale) && v <= 0:
		return b.f.fail(path+".scale", ErrRange, fmt.Sprintf("a value is %g: a %s axis shows values above 0", v, scale))
	case isLog(scale) && v < smallest:
		return b.f.fail(path+".scale", ErrRange, fmt.Sprintf("a value is %g: a %s axis shows values from %g", v, scale, smallest))
	}
	return nil
}

// maxDataTicks is how many values of x may have a tick each.
const maxDataTicks = 12

// noteValues keeps the few values that a line's x takes.
func (c *Chart) noteValues() {
	if c.Kind != "line" || !isLog(c.X.Scale) {
		return
	}
	seen := map[float64]bool{}
	for _, p := range c.Panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				seen[pt.X] = true
			}
		}
	}
	if len(seen) < 3 || len(seen) > maxDataTicks {
		return
	}
	for v := range seen {
		c.X.values = append(c.X.values, v)
	}
	sort.Float64s(c.X.values)
}

// checkSight refuses a figure of which nothing would be seen: its axes' ends lie beside all that it shows.
func (b *builder) checkSight() error {
	c := b.chart
	for i := range c.Panels {
		own := c.Panels[i : i+1]
		p := plot.New()
		c.setRanges(p, own, own)
		for _, s := range own[0].Series {
			for k := range s.Points {
				if c.isSeen(&s.Points[k], p) {
					return nil
				}
			}
		}
	}
	return b.f.fail("", ErrEmpty, "nothing lies between the min and max that the figure gives its axes")
}

func (c *Chart) isSeen(pt *Point, p *plot.Plot) bool {
	low, high := kinds[c.Kind].extent(*pt)
	if kinds[c.Kind].zero {
		low, high = min(low, 0), max(high, 0)
	}
	left, right := pt.X, max(pt.X, pt.End)
	return right >= p.X.Min && left <= p.X.Max && high >= p.Y.Min && low <= p.Y.Max
}
