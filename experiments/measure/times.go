package measure

import "slices"

// A Sample is a time that was measured several times, in microseconds.
type Sample []float64

// Quantile is the value below which a share of the sample lies, interpolated between neighbours (Hyndman and Fan 1996, type 7).
func (s Sample) Quantile(share float64) float64 {
	list := slices.Sorted(slices.Values(s))
	at := share * float64(len(list)-1)
	i := int(at)
	if i+1 >= len(list) {
		return list[len(list)-1]
	}
	return list[i] + (at-float64(i))*(list[i+1]-list[i])
}

// Median is the value in the middle.
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Mean is the arithmetic mean.
func (s Sample) Mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

// Spread is the interquartile range over the median: half of all values lie within it.
func (s Sample) Spread() float64 {
	if s.Median() == 0 {
		return 0
	}
	return (s.Quantile(0.75) - s.Quantile(0.25)) / s.Median()
}

// A StepTime is the time of a step's launches in one round.
type StepTime struct {
	Name     string
	Launches int
	Times    Sample // over the repetitions
}
