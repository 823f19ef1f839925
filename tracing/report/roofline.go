package report

import (
	"fmt"
	"html/template"
	"math"

	"spvsim/tracing/profile"
)

// A rooflinePoint is a step at one level of memory.
type rooflinePoint struct {
	Step, Level string
	Intensity   float64 // operations a byte
	Rate        float64 // operations a cycle
	Bound       float64 // that the level and the units allow at this intensity, operations a cycle
	Bytes       uint64
	Operations  uint64
	level, step int
}

// roofline are the points of all steps at the levels that they use.
func roofline(p *profile.Profile) []rooflinePoint {
	var list []rooflinePoint
	for i := range p.Steps {
		s := &p.Steps[i]
		for l, bytes := range s.Levels {
			if bytes == 0 || s.Operations == 0 || s.Cycles == 0 {
				continue
			}
			x := float64(s.Operations) / float64(bytes)
			list = append(list, rooflinePoint{Step: s.Name, Level: p.Levels[l].Name, Intensity: x, Rate: float64(s.Operations) / float64(s.Cycles),
				Bound: min(p.Peak, x*p.Levels[l].BytesPerCycle), Bytes: bytes, Operations: s.Operations, level: l, step: i})
		}
	}
	return list
}

// A logAxis runs over powers of ten.
type logAxis struct{ from, to float64 } // exponents

func newLogAxis(values []float64) logAxis {
	a := logAxis{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		a.from, a.to = min(a.from, math.Floor(math.Log10(v))), max(a.to, math.Ceil(math.Log10(v)))
	}
	if a.to == a.from {
		a.to++
	}
	return a
}

func (a logAxis) position(v float64) float64 { return (math.Log10(v) - a.from) / (a.to - a.from) }

// drawRoofline draws each level's roof and the points under it.
func drawRoofline(width float64, p *profile.Profile, points []rooflinePoint) template.HTML {
	xs, ys := []float64{}, []float64{p.Peak}
	for _, pt := range points {
		xs, ys = append(xs, pt.Intensity), append(ys, pt.Rate)
	}
	for l := range p.Levels {
		if used(points, l) {
			xs = append(xs, p.Peak/p.Levels[l].BytesPerCycle)
		}
	}
	pl := newPlot(width, min(width*0.62, 430), "roofline: operations a cycle against operations a byte")
	x, y := newLogAxis(xs), newLogAxis(ys)
	pl.logAxes(x, y, "operations a byte", "operations a cycle")
	for l := range p.Levels {
		if used(points, l) {
			pl.roof(p, l, x, y)
		}
	}
	pl.line(pl.x(0), pl.y(y.position(p.Peak)), pl.x(1), pl.y(y.position(p.Peak)), "peak")
	pl.text(pl.right, pl.y(y.position(p.Peak))-5, end, "tick", "multiply-add peak "+shortNumber(p.Peak)+" a cycle")
	var taken [][2]float64
	for _, pt := range points {
		place := [2]float64{pl.x(x.position(pt.Intensity)), pl.y(y.position(pt.Rate))}
		shown := freePlace(place, taken)
		taken = append(taken, shown)
		if shown != place {
			pl.line(place[0], place[1], shown[0], shown[1], "axis")
		}
		pl.marker(pt.level, shown[0], shown[1], fmt.Sprintf("l%d mark", pt.level),
			fmt.Sprintf("%s at %s: %s operations a byte, %s a cycle (%s of what it allows)", pt.Step, pt.Level, shortNumber(pt.Intensity), shortNumber(pt.Rate), percent(pt.Rate, pt.Bound)))
	}
	return pl.done()
}

// pointDistance is the least distance between points, in pixels: a marker's width.
const pointDistance = 11

// freePlace is a point's own place, or the nearest about it at which no other point is; a line then leads to it.
func freePlace(at [2]float64, taken [][2]float64) [2]float64 {
	isFree := func(p [2]float64) bool {
		for _, t := range taken {
			if math.Hypot(p[0]-t[0], p[1]-t[1]) < pointDistance-0.5 {
				return false
			}
		}
		return true
	}
	if isFree(at) {
		return at
	}
	for ring := 1.0; ring <= 8; ring++ {
		for k := range 8 * int(ring) {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / (8 * ring))
			if p := [2]float64{at[0] + ring*pointDistance*cos, at[1] + ring*pointDistance*sin}; isFree(p) {
				return p
			}
		}
	}
	return at // hundreds of points on one spot: their table distinguishes them
}

func used(points []rooflinePoint, level int) bool {
	for i := range points {
		if points[i].level == level {
			return true
		}
	}
	return false
}

// roof draws the slope of a level's bandwidth up to the peak.
func (pl *plot) roof(p *profile.Profile, l int, x, y logAxis) {
	bandwidth := p.Levels[l].BytesPerCycle
	from, to := math.Pow(10, x.from), math.Min(p.Peak/bandwidth, math.Pow(10, x.to))
	if low := math.Pow(10, y.from) / bandwidth; low > from {
		from = low
	}
	if from >= to {
		return
	}
	pl.path([][2]float64{{pl.x(x.position(from)), pl.y(y.position(from * bandwidth))}, {pl.x(x.position(to)), pl.y(y.position(to * bandwidth))}}, false,
		fmt.Sprintf("curve l%d", l), fmt.Sprintf("%s: %s bytes a cycle", p.Levels[l].Name, shortNumber(bandwidth)))
}

func (pl *plot) logAxes(x, y logAxis, xName, yName string) {
	for e := y.from; e <= y.to; e++ {
		at := pl.y((e - y.from) / (y.to - y.from))
		pl.line(pl.left, at, pl.right, at, "grid")
		pl.text(pl.left-6, at+4, end, "tick", shortNumber(math.Pow(10, e)))
	}
	for e := x.from; e <= x.to; e++ {
		at := pl.x((e - x.from) / (x.to - x.from))
		pl.line(at, pl.top, at, pl.bottom, "grid")
		pl.text(at, pl.bottom+16, middle, "tick", shortNumber(math.Pow(10, e)))
	}
	pl.line(pl.left, pl.bottom, pl.right, pl.bottom, "axis")
	pl.text(pl.right, pl.height-3, end, "name", xName)
	pl.text(pl.left, pl.top-2, start, "name", yName)
}
