package account

// A Tally is what the steps of a round came to so far.
type Tally struct {
	Steps  []StepCounts
	stepOf map[string]int // numbers of steps, by name
	Whole  *Counts        // of all steps, where they overlap; nil: their sum
	Issued uint64         // instructions over all rounds
	// Watts is the power of what was timed; nil: it is not known.
	Watts   func(*Counts) float64
	Windows *PowerWindows // of the round; nil: they are not tracked
}

// PowerWindows find the window with the highest power, to which launches are added up.
type PowerWindows struct {
	Least uint64                // cycles of a window; 0: each launch is one
	Watts func(*Counts) float64 // nil: it is not known

	hottest Counts
	last    Counts // the last one that is whole
	open    Counts // the launches after it
}

// BeginRound starts a round.
func (t *Tally) BeginRound() {
	t.Steps, t.stepOf, t.Whole = nil, map[string]int{}, nil
	if w := t.Windows; w != nil {
		*w = PowerWindows{Least: w.Least, Watts: w.Watts}
	}
}

// Add adds the counts of a launch to those of its step, whose number it returns.
func (t *Tally) Add(step string, c *Counts) int {
	t.Issued += c.Instructions()
	i := t.Number(step)
	t.Steps[i].Add(c)
	if t.Watts != nil && !c.Untimed() && c.Estimate == nil {
		t.Steps[i].Peak.Raise(Peak{t.Watts(c), c.Cycles})
	}
	t.Windows.add(c)
	return i
}

// add adds a launch to the open window, which it ends if that is long enough.
func (w *PowerWindows) add(c *Counts) {
	if w == nil || w.Watts == nil || c.Untimed() {
		return
	}
	if w.open.Add(c); w.open.Cycles >= w.Least {
		w.hottest, w.last, w.open = *w.hotter(&w.hottest, &w.open), w.open, Counts{}
	}
}

func (w *PowerWindows) hotter(a, b *Counts) *Counts {
	if w.Watts(b) > w.Watts(a) {
		return b
	}
	return a
}

// Hottest is the window of the round with the highest power. The last launches, if they are shorter than a window,
// count with the window before.
func (w *PowerWindows) Hottest() *Counts {
	end := Counts{}
	end.Add(&w.last)
	if end.Add(&w.open); w.open.Cycles == 0 {
		return &w.hottest
	}
	return w.hotter(&w.hottest, &end)
}

// AddConcurrent takes the counts of launches that overlapped, whose steps are counted already.
func (t *Tally) AddConcurrent(c *Counts) {
	t.Issued += c.Instructions()
	t.Whole = c
	t.Windows.add(c)
}

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
