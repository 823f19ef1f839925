package sampled

import "math"

// A line says what a launch takes: so many cycles, and so many for each of its instructions.
type line struct {
	launch, instruction float64
	n                   float64 // samples
	middle, spread      float64 // mean of their instructions, and the sum of the squares of what they differ from it
	off                 float64 // standard deviation of the samples from the line
}

// lineThrough is the line of least squares through at least so many samples. It is none where a launch or an
// instruction would take less than nothing: then what launches took does not follow their instructions.
func lineThrough(list []sample, least int) (l line, ok bool) {
	if len(list) < least {
		return l, false
	}
	l.n = float64(len(list))
	cycles, both, squares := 0.0, 0.0, 0.0
	for _, s := range list {
		l.middle, cycles = l.middle+s.instructions/l.n, cycles+s.cycles/l.n
	}
	for _, s := range list {
		d := s.instructions - l.middle
		l.spread, both = l.spread+d*d, both+d*(s.cycles-cycles)
	}
	l.instruction = both / l.spread
	l.launch = cycles - l.instruction*l.middle
	for _, s := range list {
		d := s.cycles - l.launch - l.instruction*s.instructions
		squares += d * d
	}
	l.off = math.Sqrt(squares / (l.n - 2))
	return l, l.launch >= 0 && l.instruction >= 0 // a line through launches of one size is no number
}

// cost is what n launches of so many instructions in all take, and half the
// width of the interval of that (the prediction of a sum by simple regression).
func (l *line) cost(n, instructions float64) (cycles, half float64) {
	away := instructions - n*l.middle
	return n*l.launch + instructions*l.instruction, quantile(int(l.n)-2) * l.off * math.Sqrt(n*n/l.n+n+away*away/l.spread)
}

// offRate is the standard deviation of samples from what they would take at a rate.
func offRate(list []sample, rate float64) float64 {
	squares := 0.0
	for _, s := range list {
		d := s.cycles - rate*s.instructions
		squares += d * d
	}
	return math.Sqrt(squares / float64(max(len(list)-1, 1)))
}
