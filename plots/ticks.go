package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// ticksFor chooses the ticks of an axis of some length, as many as their labels leave room for.
func ticksFor(d Dimension, given []float64, low, high float64, length vg.Length, vertical bool) []plot.Tick {
	switch {
	case d.Scale == "category":
		return categoryTicks(d.Categories, length, vertical)
	case len(given) > 0:
		return givenTicks(given, d.Scale)
	}
	log := isLog(d.Scale)
	if ticks := givenTicks(d.values, d.Scale); len(ticks) > 0 && low <= d.values[0] && d.values[len(d.values)-1] <= high && fit(ticks, low, high, log, length, vertical) {
		return ticks
	}
	most, limit := int(length/30), 9
	if vertical {
		most = int(length / 17)
	}
	if log {
		most, limit = 2*most, 16
	}
	for n := min(max(most, 2), limit); ; n-- {
		ticks := scaleTicks[d.Scale](low, high, n)
		if n <= 2 || fit(ticks, low, high, log, length, vertical) {
			return ticks
		}
	}
}

var scaleTicks = map[string]func(low, high float64, n int) []plot.Tick{
	"linear": linearTicks, "log2": log2Ticks, "log10": log10Ticks,
}

// fit says whether labels, side by side or over one another, leave a gap between them.
func fit(ticks []plot.Tick, low, high float64, log bool, length vg.Length, vertical bool) bool {
	room := 5.0 // points
	if vertical {
		room = 3
	}
	end := -math.MaxFloat64
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		at := (t.Value - low) / (high - low)
		if log {
			at = math.Log(t.Value/low) / math.Log(high/low)
		}
		half := float64(textWidth(t.Label, smallSize)) / 2
		if vertical {
			half = float64(smallSize) / 2
		}
		if middle := at * float64(length); middle-half < end+room {
			return false
		} else {
			end = middle + half
		}
	}
	return true
}

// categoryTicks leave labels out, evenly, when they are numbers and too many.
func categoryTicks(names []string, length vg.Length, vertical bool) []plot.Tick {
	need := vg.Length(0)
	numbers := true
	for _, n := range names {
		need = max(need, textWidth(n, smallSize)+labelGap)
		_, err := strconv.ParseFloat(n, 64)
		numbers = numbers && err == nil
	}
	if vertical {
		need = smallSize + 1
	}
	every := 1
	for numbers && length/vg.Length(len(names))*vg.Length(every) < need && every < len(names) {
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
func linearTicks(low, high float64, n int) []plot.Tick {
	step := niceStep((high - low) / float64(n))
	first := math.Ceil(low/step - 1e-9)
	if math.IsInf(first, 0) || math.IsNaN(first) {
		return nil
	}
	var values []float64
	for i := range 2*n + 2 { // never more: a step is at least a half of the range by n
		v := (first+float64(i))*step + 0 // +0: no sign on zero
		if v > high+step*1e-9 || i > 0 && v <= values[i-1] {
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

// log2Ticks are at powers of two, at every so many that about n remain, the first and the last among them where the count
// divides so; less than two octaves get linear ones, and few octaves the halves between.
func log2Ticks(low, high float64, n int) []plot.Tick {
	first, last := math.Ceil(math.Log2(low)-1e-9), math.Floor(math.Log2(high)+1e-9)
	if last-first < 2 && high < 4*low {
		return positive(linearTicks(low, high, min(n, 7)))
	}
	if last-first < 4 && n >= 2*int(last-first+1) {
		return halfOctaves(low, high, first, last)
	}
	stride := math.Ceil((last - first + 1) / float64(n))
	anchor := math.Ceil(first/stride) * stride
	for s := stride; s <= stride+1; s++ {
		if math.Mod(last-first, s) == 0 {
			stride, anchor = s, first
			break
		}
	}
	var values []float64
	for e := anchor; e <= last; e += stride {
		values = append(values, math.Exp2(e))
	}
	ticks := givenTicks(values, "log2")
	if stride > 1 && last-first <= 24 {
		for e := first; e <= last; e++ {
			if math.Mod(e-anchor, stride) != 0 {
				ticks = append(ticks, plot.Tick{Value: math.Exp2(e)})
			}
		}
	}
	return ticks
}

// halfOctaves are at 1, 1.5, 2, 3, 4, 6...
func halfOctaves(low, high, first, last float64) []plot.Tick {
	var values []float64
	for e := first - 1; e <= last; e++ {
		for _, m := range []float64{1, 1.5} {
			if v := m * math.Exp2(e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				values = append(values, v)
			}
		}
	}
	return givenTicks(values, "log2")
}

func positive(ticks []plot.Tick) []plot.Tick {
	var out []plot.Tick
	for _, t := range ticks {
		if t.Value > 0 {
			out = append(out, t)
		}
	}
	return out
}

// log2Labels write large powers with Ki, Mi..., and small ones as fractions.
func log2Labels(values []float64) []string {
	labels := make([]string, len(values))
	large := false
	for _, v := range values {
		large = large || v > 8192
	}
	for i, v := range values {
		labels[i] = numberText(v)
		exponent := math.Log2(v)
		switch {
		case v < 1 && exponent == math.Trunc(exponent) && exponent >= -10:
			labels[i] = "1/" + numberText(1/v)
		case v < 1 || exponent >= 60:
			labels[i] = "2^{" + minus(strconv.FormatFloat(exponent, 'g', 4, 64)) + "}"
		case large && v >= 1024:
			unit := math.Floor(exponent / 10)
			labels[i] = numberText(v/math.Exp2(10*unit)) + []string{"", "Ki", "Mi", "Gi", "Ti", "Pi"}[int(unit)]
		}
	}
	return labels
}

// log10Ticks are at powers of ten with unlabelled ticks between; less than two decades get 1, 2, 5 or linear ones.
func log10Ticks(low, high float64, n int) []plot.Tick {
	first, last := math.Ceil(math.Log10(low)-1e-9), math.Floor(math.Log10(high)+1e-9)
	if last-first < 1 {
		if math.Log10(high/low) < 0.7 {
			return positive(linearTicks(low, high, n))
		}
		return mantissaTicks(low, high, n)
	}
	stride := math.Ceil((last - first + 1) / float64(n))
	var values []float64
	for e := math.Ceil(first/stride) * stride; e <= last; e += stride {
		values = append(values, math.Pow(10, e))
	}
	ticks := givenTicks(values, "log10")
	if stride > 1 {
		return ticks
	}
	return append(ticks, minorTicks(low, high)...)
}

func minorTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for m := 2.0; m <= 9; m++ {
			if v := m * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v})
			}
		}
	}
	return ticks
}

// mantissaTicks label 1, 2 and 5 of each decade; 1 and 3 where these are too many.
func mantissaTicks(low, high float64, n int) []plot.Tick {
	labelled := []float64{1, 2, 5}
	if n < 4 {
		labelled = []float64{1, 3}
	}
	var values []float64
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, m := range labelled {
			if v := m * math.Pow(10, e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				values = append(values, v)
			}
		}
	}
	return append(givenTicks(values, "log10"), minorTicks(low, high)...)
}

// log10Labels write powers when any label would be long.
func log10Labels(values []float64) []string {
	powers := false
	for _, v := range values {
		powers = powers || v >= 9999.9 || v < 0.00099
	}
	labels := make([]string, len(values))
	for i, v := range values {
		exponent := math.Floor(math.Log10(v) + 1e-9)
		mantissa := v / math.Pow(10, exponent)
		labels[i] = strconv.FormatFloat(v, 'f', max(0, int(-exponent)), 64)
		if !powers {
			labels[i] = strconv.FormatFloat(v, 'g', 6, 64)
			continue
		}
		labels[i] = "10^{" + minus(strconv.Itoa(int(exponent))) + "}"
		if math.Abs(mantissa-1) > 1e-6 {
			labels[i] = strconv.FormatFloat(mantissa, 'g', 3, 64) + "·" + labels[i]
		}
	}
	return labels
}
