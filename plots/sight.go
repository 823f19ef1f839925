package plots

import (
	"fmt"
	"sort"
)

// checkValues refuses values that an axis can't show, and records the x of lines that may have a tick each.
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
	return b.checkShades()
}

func (b *builder) checkPoint(p *Point) error {
	c := b.chart
	for _, v := range append([]float64{p.Low, p.High, p.End}, p.Values...) {
		if err := b.checkValue("", "linear", v); err != nil {
			return err
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

func (b *builder) checkValue(path, kind string, v float64) error {
	text := refusal(kind, v)
	if text == "" {
		return nil
	}
	if isLog(kind) {
		path += ".scale"
	}
	return b.f.fail(path, ErrRange, "a value is "+text)
}

// checkShades refuses a centre so far from the values that the other side of the scale overflows.
func (b *builder) checkShades() error {
	v := b.f.Value
	if b.value == nil || v.Center == nil {
		return nil
	}
	s := b.chart.shadeScale()
	if refusal(s.kind, s.low)+refusal(s.kind, s.high) == "" {
		return nil
	}
	return b.f.fail("value.center", ErrRange, fmt.Sprintf("found %g: the values are so far from it that there are no numbers as far to its other side", *v.Center))
}

// maxDataTicks is the number of distinct x up to which each has a tick.
const maxDataTicks = 12

// noteValues records the distinct x of lines on a logarithmic axis, if they are few.
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

// checkSight refuses a figure without visible content: its axes' ends exclude all of it.
func (b *builder) checkSight() error {
	c := b.chart
	for i := range c.Panels {
		own := c.Panels[i : i+1]
		if len(own[0].Series) == 0 { // an empty panel of a grid
			continue
		}
		p := c.axesOf(own, own)
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

func (c *Chart) isSeen(pt *Point, p *axes) bool {
	low, high := kinds[c.Kind].extent(*pt)
	if kinds[c.Kind].zero {
		low, high = min(low, 0), max(high, 0)
	}
	left, right := pt.X, max(pt.X, pt.End)
	return right >= p.X.low && left <= p.X.high && high >= p.Y.low && low <= p.Y.high
}
