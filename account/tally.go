package account

// A Tally is what the steps of a round came to so far.
type Tally struct {
	Steps  []StepCounts
	stepOf map[string]int // numbers of steps, by name
	Whole  *Counts        // of all steps, where they overlap; nil: their sum
	Issued uint64         // instructions over all rounds
	// Watts is the power of what was timed; nil: it is not known.
	Watts func(*Counts) float64
	// Window is the least number of cycles of a window of power, which launches are added up to; 0: each launch is one.
	Window  uint64
	hottest Counts // the window with the highest power
	last    Counts // the last one that is whole
	open    Counts // the launches after it
}

// BeginRound starts a round.
func (t *Tally) BeginRound() {
	t.Steps, t.stepOf, t.Whole, t.hottest, t.last, t.open = nil, map[string]int{}, nil, Counts{}, Counts{}, Counts{}
}

// Add adds the counts of a launch to those of its step, whose number it returns.
func (t *Tally) Add(step string, c *Counts) int {
	t.Issued += c.Instructions()
	i := t.Number(step)
	t.Steps[i].Add(c)
	if t.Watts != nil && !c.Untimed() && c.Estimate == nil {
		t.Steps[i].Peak.Raise(Peak{t.Watts(c), c.Cycles})
	}
	t.addToWindow(c)
	return i
}

// addToWindow adds a launch to the window of power, which it ends if that is long enough.
func (t *Tally) addToWindow(c *Counts) {
	if t.Watts == nil || c.Untimed() {
		return
	}
	if t.open.Add(c); t.open.Cycles >= t.Window {
		t.hottest, t.last, t.open = *t.hotter(&t.hottest, &t.open), t.open, Counts{}
	}
}

func (t *Tally) hotter(a, b *Counts) *Counts {
	if t.Watts(b) > t.Watts(a) {
		return b
	}
	return a
}

// Hottest is the window of the round with the highest power. The last launches, if they are shorter than a window,
// count with the window before.
func (t *Tally) Hottest() *Counts {
	end := Counts{}
	end.Add(&t.last)
	if end.Add(&t.open); t.open.Cycles == 0 {
		return &t.hottest
	}
	return t.hotter(&t.hottest, &end)
}

// AddConcurrent takes the counts of launches that overlapped, whose steps are counted already.
func (t *Tally) AddConcurrent(c *Counts) {
	t.Issued += c.Instructions()
	t.Whole = c
	t.addToWindow(c)
}

// Step is the counts of a step.
func (t *Tally) Step(step string) *Counts { return &t.Steps[t.Number(step)].Counts }

// Number is the number of a step, which begins to be counted if it was not.
func (t *Tally) Number(step string) int {
	i, ok := t.stepOf[step]
	if !ok {
		i = len(t.Steps)
		t.stepOf[step] = i
		t.Steps = append(t.Steps, StepCounts{Name: step})
	}
	return i
}

// Find is the counts of a step; nil: nothing of it was counted.
func (t *Tally) Find(step string) *Counts {
	if i, ok := t.stepOf[step]; ok {
		return &t.Steps[i].Counts
	}
	return nil
}
