package plots

import (
	"fmt"
	"math"
)

// scale is an axis of numbers or categories, or a bar of colours: it has a range, and computes the positions and ticks
// of values. newScale ensures that its ends are finite and distinct, and above 0 if it is logarithmic. Logarithmic
// scales are computed in logarithms: the quotient of two numbers may overflow float64.
type scale struct {
	kind      string // linear, log2, log10 or category
	low, high float64
	inverted  bool // low is at the upper end
}

// Bounds of the values that can be shown, apart from 0, so that the arithmetic of axes does not overflow. Padded ends
// go a little further, and stay normal numbers.
const (
	largest  = 1e300
	smallest = 1e-300

	farthestEnd = 1e307
	nearestEnd  = 1e-307
)

// base of a logarithmic scale.
var base = map[string]float64{"log2": 2, "log10": 10}

func isLog(kind string) bool { return base[kind] > 0 }

func (s scale) isLog() bool { return isLog(s.kind) }

// refusal describes why a value can't be on a scale of a kind; empty: it can.
func refusal(kind string, v float64) string {
	switch {
	case !(math.Abs(v) <= largest):
		return fmt.Sprintf("%g: want numbers up to %g", v, largest)
	case isLog(kind) && v <= 0:
		return fmt.Sprintf("%g: a %s axis shows values above 0", v, kind)
	case isLog(kind) && v < smallest:
		return fmt.Sprintf("%g: a %s axis shows values from %g", v, kind, smallest)
	}
	return ""
}

// newScale returns the scale of a range; a single value, or ends in the wrong order, become a range about the first.
func newScale(kind string, low, high float64) scale {
	s := scale{kind: kind, low: low, high: high}
	if s.low >= s.high || s.isPoint() {
		s.low, s.high = rangeAround(kind, low)
	}
	if s.isLog() {
		s.low = math.Max(s.low, nearestEnd)
	}
	s.low, s.high = math.Max(s.low, -farthestEnd), math.Min(s.high, farthestEnd)
	return s
}

// rangeAround returns a range about one value.
func rangeAround(kind string, v float64) (low, high float64) {
	if isLog(kind) {
		return v / 2, v * 2
	}
	d := math.Max(math.Abs(v)/2, 0.5)
	return v - d, v + d
}

// leastSpan is the part of its ends' size that a range needs for ticks to have numbers of their own.
const leastSpan = 1e-12

// isPoint reports whether the ends are so close that ticks can't be distinguished in float64.
func (s scale) isPoint() bool {
	if s.isLog() {
		return s.span() <= leastSpan
	}
	return s.span() <= math.Max(math.Abs(s.low), math.Abs(s.high))*leastSpan || s.span() < smallest
}

// unit returns a value in the scale's linear space: its logarithm, or itself.
func (s scale) unit(v float64) float64 {
	if s.isLog() {
		return math.Log(v)
	}
	return v
}

// value is unit turned round.
func (s scale) value(u float64) float64 {
	if s.isLog() {
		return math.Exp(u)
	}
	return u
}

// span is the distance of the ends.
func (s scale) span() float64 { return s.unit(s.high) - s.unit(s.low) }

// farthest bounds the position of values far beyond an axis, in lengths of the axis: the clipping of lines needs finite
// numbers.
const farthest = 1e6

// norm returns a value's position: 0 at one end, 1 at the other. Values that a logarithmic scale can't show (a band's
// end, a bar's foot) are at its lower end.
func (s scale) norm(v float64) float64 {
	if s.isLog() && v <= 0 {
		return 0
	}
	at := (s.unit(v) - s.unit(s.low)) / s.span()
	if s.inverted {
		at = (s.unit(v) - s.unit(s.high)) / -s.span()
	}
	return math.Max(-farthest, math.Min(farthest, at))
}

// contains reports whether a value is between the ends, up to rounding. The logarithm of a value at or below 0 is -Inf or
// NaN, which is outside.
func (s scale) contains(v float64) bool {
	const slack = 1e-9 // of the span
	u, space := s.unit(v), s.span()*slack
	return u >= s.unit(s.low)-space && u <= s.unit(s.high)+space
}

// isCut reports whether a linear axis shows a part of the way from 0: lengths on it are not in the ratio of the values.
func (s scale) isCut() bool { return s.kind == "linear" && (s.low > 0 || s.high < 0) }

// padded adds space around the data, in shares of the span.
func (s scale) padded(part float64) scale {
	low, high := s.low, s.high
	if s.isLog() {
		space := math.Exp(math.Max(s.span()*part, math.Log(leastSpace)))
		return newScale(s.kind, low/space, high*space)
	}
	space := s.span() * part
	if low != 0 {
		low -= space
	}
	if high != 0 {
		high += space
	}
	return newScale(s.kind, low, high)
}

// leastSpace is the least factor that a logarithmic scale leaves around its data.
const leastSpace = 1.05

// barFoot is the power of a logarithmic scale's base below a value: where bars begin, whose length means nothing there.
func barFoot(kind string, v float64) float64 {
	return math.Pow(base[kind], math.Ceil(math.Log(v)/math.Log(base[kind])-1e-9)-1)
}

// balanced makes the scale symmetric about a centre.
func (s scale) balanced(center float64) scale {
	if s.isLog() {
		far := math.Exp(math.Max(math.Log(s.high)-math.Log(center), math.Log(center)-math.Log(s.low)))
		return scale{kind: s.kind, low: center / far, high: center * far}
	}
	far := math.Max(s.high-center, center-s.low)
	return scale{kind: s.kind, low: center - far, high: center + far}
}
