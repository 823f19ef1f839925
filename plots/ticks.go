package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"spvsim/internal/lists"
)

// side describes an axis as drawn: its length, direction, and the font of its labels.
type side struct {
	font     *family
	length   vg.Length
	vertical bool
}

// ticks chooses the ticks of an axis, as many as fit with their labels.
func (s scale) ticks(d Dimension, given []float64, along side) []plot.Tick {
	switch {
	case s.kind == "category":
		return categoryTicks(d.Categories, along)
	case len(given) > 0:
		return givenTicks(given, s.kind)
	}
	if ticks := givenTicks(d.values, s.kind); len(ticks) > 0 && s.low <= d.values[0] && d.values[len(d.values)-1] <= s.high && s.fit(ticks, along) {
		return ticks
	}
	most, limit := int(along.length/30), 9
	if along.vertical {
		most = int(along.length / 17)
	}
	if s.isLog() {
		most, limit = 2*most, 16
	}
	for n := min(max(most, 2), limit); ; n-- {
		ticks := scaleTicks[s.kind](s, n)
		if n <= 2 || s.fit(ticks, along) {
			return ticks
		}
	}
}

// ticksInSight drops ticks beyond the ends.
func (s scale) ticksInSight(d Dimension, given []float64, along side) []plot.Tick {
	return slices.DeleteFunc(s.ticks(d, given, along), func(t plot.Tick) bool { return !s.contains(t.Value) })
}

// scaleTicks return about n ticks of each kind of scale.
var scaleTicks = map[string]func(s scale, n int) []plot.Tick{
	"linear": scale.linearTicks, "log2": scale.log2Ticks, "log10": scale.log10Ticks,
}

// fit reports whether labels, side by side or stacked, leave a gap between each other.
func (s scale) fit(ticks []plot.Tick, along side) bool {
	space := 5.0 // points
	if along.vertical {
		space = 3
	}
	end := -math.MaxFloat64
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		half := float64(along.font.width(t.Label, smallSize)) / 2
		if along.vertical {
			half = float64(smallSize) / 2
		}
		if middle := s.norm(t.Value) * float64(along.length); middle-half < end+space {
			return false
		} else {
			end = middle + half
		}
	}
	return true
}

// categoryTicks thins numeric labels evenly if they are too many.
func categoryTicks(names []string, along side) []plot.Tick {
	need := vg.Length(0)
	numbers := true
	for _, n := range names {
		need = max(need, along.font.width(n, smallSize)+labelGap)
		_, err := strconv.ParseFloat(n, 64)
		numbers = numbers && err == nil
	}
	if along.vertical {
		need = smallSize + 1
	}
	every := 1
	for numbers && along.length/vg.Length(len(names))*vg.Length(every) < need && every < len(names) {
		every *= 2
	}
	ticks := make([]plot.Tick, len(names))
	for i, n := range names {
		ticks[i].Value = float64(i)
		if i%every == 0 {
			ticks[i].Label = n
		}
	}
	return ticks
}

func givenTicks(values []float64, scale string) []plot.Tick {
	var ticks []plot.Tick
	for i, l := range labelsFor[scale](values) {
		ticks = append(ticks, plot.Tick{Value: values[i], Label: l})
	}
	return ticks
}

var labelsFor = map[string]func([]float64) []string{"linear": linearLabels, "log2": log2Labels, "log10": log10Labels}

// linearTicks are at 1, 2 or 5 times a power of ten, about n of them.
func (s scale) linearTicks(n int) []plot.Tick {
	step := niceStep((s.high - s.low) / float64(n))
	first := math.Ceil(s.low/step - 1e-9)
	if math.IsInf(first, 0) || math.IsNaN(first) {
		return nil
	}
	var values []float64
	for i := range 2*n + 2 { // never more: a step is at least a half of the range by n
		v := (first+float64(i))*step + 0 // +0: no sign on zero
		if v > s.high+step*1e-9 || i > 0 && v <= values[i-1] {
			break
		}
		values = append(values, v)
	}
	return givenTicks(values, "linear")
}

func niceStep(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if rough <= m*power*1.0001 {
			return m * power
		}
	}
	return 10 * power
}

// suffixes of thousands.
var suffixes = []struct {
	unit float64
	name string
}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}

// linearLabels have one suffix and one count of decimals, so that they can be compared by eye.
func linearLabels(values []float64) []string {
	most := 0.0
	for _, v := range values {
		most = math.Max(most, math.Abs(v))
	}
	unit, name := 1.0, ""
	for _, s := range suffixes {
		if most >= s.unit && most >= 10_000 { // 1000 to 9999 stay as they are
			unit, name = s.unit, s.name
			break
		}
	}
	if most > 0 && most < 1e-3 || most >= 1e15 {
		exponent := math.Floor(math.Log10(most))
		unit, name = math.Pow(10, exponent), fmt.Sprintf("·10^{%s}", minus(strconv.Itoa(int(exponent))))
	}
	labels := make([]string, len(values))
	decimals := decimalsOf(values, unit)
	for i, v := range values {
		labels[i] = minus(strconv.FormatFloat(v/unit, 'f', decimals, 64))
		if v != 0 {
			labels[i] += name
		} else {
			labels[i] = "0"
		}
	}
	return labels
}

func decimalsOf(values []float64, unit float64) int {
	for decimals := range 6 {
		exact := true
		scale := math.Pow(10, float64(decimals))
		for _, v := range values {
			x := v / unit * scale
			exact = exact && math.Abs(x-math.Round(x)) < 1e-6*scale
		}
		if exact {
			return decimals
		}
	}
	return 6
}

// minus sets a sign as wide as a digit.
func minus(s string) string { return strings.Replace(s, "-", "–", 1) }

// powers returns the exponents of the first and last power of the base on a logarithmic scale; last < first: there is
// none.
func (s scale) powers() (first, last int) {
	log := map[string]func(float64) float64{"log2": math.Log2, "log10": math.Log10}[s.kind]
	return int(math.Ceil(log(s.low) - 1e-9)), int(math.Floor(log(s.high) + 1e-9))
}

// octaves and decades return the length of a logarithmic scale.
func (s scale) octaves() float64 { return s.span() / math.Ln2 }
func (s scale) decades() float64 { return s.span() / math.Ln10 }

// log2Ticks are at powers of two, with a stride that leaves about n of them, including the first and the last if the
// count divides evenly; less than two octaves get linear ones, and few octaves the halves between.
func (s scale) log2Ticks(n int) []plot.Tick {
	first, last := s.powers()
	if last-first < 2 && s.octaves() < 2 {
		return positive(s.linearTicks(min(n, 7)))
	}
	if last-first < 4 && n >= 2*(last-first+1) {
		return givenTicks(s.mantissas(2, first-1, last, []float64{1, 1.5}), "log2")
	}
	stride, anchor := evenStride(first, last, n)
	var values []float64
	for e := anchor; e <= last; e += stride {
		values = append(values, math.Ldexp(1, e))
	}
	ticks := givenTicks(values, "log2")
	for e := first; e <= last && stride > 1 && last-first <= 24; e++ {
		if (e-anchor)%stride != 0 {
			ticks = append(ticks, plot.Tick{Value: math.Ldexp(1, e)})
		}
	}
	return ticks
}

// evenStride returns the distance between the labelled ones of many powers, and the first labelled one.
func evenStride(first, last, n int) (stride, anchor int) {
	stride = roundStride((last - first + n) / n)
	for s := stride; s <= stride+1 && stride <= plainStride; s++ {
		if (last-first)%s == 0 {
			return s, first
		}
	}
	return stride, multipleFrom(first, stride)
}

// plainStride is the largest stride that is used without rounding.
const plainStride = 10

// roundStride rounds large strides of exponents to round numbers.
func roundStride(n int) int {
	if n <= plainStride {
		return n
	}
	return int(niceStep(float64(n)))
}

// multipleFrom is the first multiple of n that is not below v.
func multipleFrom(v, n int) int { return v + ((-v%n)+n)%n }

// mantissas are some multiples of powers of a base, where the scale shows them.
func (s scale) mantissas(base float64, first, last int, of []float64) (values []float64) {
	for e := first; e <= last; e++ {
		for _, m := range of {
			if v := m * math.Pow(base, float64(e)); v >= s.low*(1-1e-9) && v <= s.high*(1+1e-9) {
				values = append(values, v)
			}
		}
	}
	return values
}

func positive(ticks []plot.Tick) []plot.Tick {
	return lists.Filter(ticks, func(t plot.Tick) bool { return t.Value > 0 })
}

// log2Labels write large powers with Ki, Mi..., small ones as fractions, and extreme values as powers.
func log2Labels(values []float64) []string {
	labels := make([]string, len(values))
	large := func(v float64) bool { return v > 8192 }
	binary := slices.ContainsFunc(values, large) && !slices.ContainsFunc(values, isLongInUnits)
	for i, v := range values {
		exponent := math.Ilogb(v)
		switch {
		case exponent >= 60 || exponent < -10:
			labels[i] = scientific(math.Ldexp(v, -exponent), 2, exponent)
		case v < 1:
			labels[i] = fraction(v)
		case binary && v >= 1024:
			labels[i] = numberText(inUnits(v)) + []string{"", "Ki", "Mi", "Gi", "Ti", "Pi"}[exponent/10]
		default:
			labels[i] = numberText(v)
		}
	}
	return labels
}

// inUnits is a number from 1 up in the largest of Ki, Mi... that is not above it.
func inUnits(v float64) float64 { return math.Ldexp(v, -math.Ilogb(v)/10*10) }

// isLongInUnits reports whether a value with its binary prefix has too many digits for a label, as 10,000 has: 9.765625
// Ki.
func isLongInUnits(v float64) bool { return v >= 1024 && len(numberText(inUnits(v))) > 5 }

// fraction writes 1/8 and 3/8, and other numbers below 1 in decimals.
func fraction(v float64) string {
	for _, n := range []float64{1, 3} {
		if parts := n / v; parts == math.Trunc(parts) && math.Ldexp(0.5, math.Ilogb(parts)+1) == parts {
			return numberText(n) + "/" + numberText(parts)
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// scientific writes a number as a multiple of a power.
func scientific(mantissa float64, base, exponent int) string {
	power := fmt.Sprintf("%d^{%s}", base, minus(strconv.Itoa(exponent)))
	if math.Abs(mantissa-1) <= 1e-6 {
		return power
	}
	return strconv.FormatFloat(mantissa, 'g', 3, 64) + "·" + power
}

// log10Ticks are at powers of ten with unlabelled ticks between; less than two decades get 1, 2, 5 or linear ones.
func (s scale) log10Ticks(n int) []plot.Tick {
	first, last := s.powers()
	if last-first < 1 {
		if s.decades() < 0.7 {
			return positive(s.linearTicks(n))
		}
		return s.mantissaTicks(n)
	}
	stride := roundStride((last - first + n) / n)
	var values []float64
	for e := multipleFrom(first, stride); e <= last; e += stride {
		values = append(values, math.Pow(10, float64(e)))
	}
	ticks := givenTicks(values, "log10")
	if stride > 1 {
		return ticks
	}
	return append(ticks, s.minorTicks()...)
}

// decadeEnds are the exponents of ten of the decades that the scale touches.
func (s scale) decadeEnds() (first, last int) {
	return int(math.Floor(math.Log10(s.low))), int(math.Floor(math.Log10(s.high)))
}

// minorTicks are at 2 to 9 times each power of ten.
func (s scale) minorTicks() []plot.Tick {
	var ticks []plot.Tick
	first, last := s.decadeEnds()
	for _, v := range s.mantissas(10, first, last, []float64{2, 3, 4, 5, 6, 7, 8, 9}) {
		ticks = append(ticks, plot.Tick{Value: v})
	}
	return ticks
}

// mantissaTicks label 1, 2 and 5 of each decade; 1 and 3 where these are too many.
func (s scale) mantissaTicks(n int) []plot.Tick {
	labelled := []float64{1, 2, 5}
	if n < 4 {
		labelled = []float64{1, 3}
	}
	first, last := s.decadeEnds()
	return append(givenTicks(s.mantissas(10, first, last, labelled), "log10"), s.minorTicks()...)
}

// log10Labels write powers when any label would be long.
func log10Labels(values []float64) []string {
	powers := false
	for _, v := range values {
		powers = powers || v >= 9999.9 || v < 0.00099
	}
	labels := make([]string, len(values))
	for i, v := range values {
		if !powers {
			labels[i] = strconv.FormatFloat(v, 'g', 6, 64)
			continue
		}
		exponent := int(math.Floor(math.Log10(v) + 1e-9))
		labels[i] = scientific(v/math.Pow(10, float64(exponent)), 10, exponent)
	}
	return labels
}
