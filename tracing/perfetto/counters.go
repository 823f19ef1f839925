package perfetto

import "spvsim/tracing/probe"

// counters are the tracks of sampled values.
type counters struct {
	waves, resident, queue counter
	payloads               counter             // bytes
	nodes                  map[string]*counter // payloads that wait, by node
	levels                 []levelCounter      // by level of the memory hierarchy
	sampled                uint64              // cycle of the last sample
}

// A counter writes its value when it differs from the one before.
type counter struct {
	id       uint64
	value    int
	declared bool
}

// A levelCounter shows bytes a cycle.
type levelCounter struct {
	id    uint64
	bytes uint64 // total so far
	rate  float64
}

func (w *Writer) declareCounters() {
	w.waves.id = w.declareCounter("resident waves", unitCount)
	w.resident.id = w.declareCounter("resident workgroups", unitCount)
	w.queue.id = w.declareCounter("payloads that wait", unitCount)
	w.payloads.id = w.declareCounter("bytes of payloads", unitBytes)
	w.nodes = map[string]*counter{}
	for _, name := range w.geometry.Levels {
		w.levels = append(w.levels, levelCounter{id: w.declareCounter(name+", bytes a cycle", unitBytes), rate: -1})
	}
}

// Sample implements probe.Tracer. Rates hold from the sample before on, counts from this one on.
func (w *Writer) Sample(s *probe.Sample) (next uint64) {
	w.now = max(w.now, s.At)
	before := w.sampled
	w.sampled = s.At
	_, _, ok := w.cut(s.At, s.At+1)
	w.count(&w.waves, s.At, s.Waves, ok)
	w.count(&w.resident, s.At, s.Workgroups, ok)
	w.count(&w.queue, s.At, s.Queue, ok)
	for _, q := range s.Queues {
		w.count(&w.hardwareQueue(q.Queue).waves, s.At, q.Waves, ok)
	}
	w.count(&w.payloads, s.At, int(s.Payloads), ok)
	for i := range s.Nodes {
		w.count(w.node(s.Nodes[i].Name), s.At, s.Nodes[i].Waiting, ok)
	}
	for i := range s.Levels {
		w.rate(&w.levels[i], before, s.At, s.Levels[i].Bytes)
	}
	w.bounded()
	return s.At + sampleCycles
}

// node returns the counter of the payloads that wait for a node, and describes it on first use.
func (w *Writer) node(name string) *counter {
	c := w.nodes[name]
	if c == nil {
		c = &counter{id: w.declareCounter("payloads that wait for "+name, unitCount)}
		w.nodes[name] = c
	}
	return c
}

func (w *Writer) count(c *counter, at uint64, value int, shown bool) {
	if !shown || c.declared && c.value == value {
		return
	}
	c.value, c.declared = value, true
	w.out.beginEvent(at, typeCounter, c.id)
	w.out.event = appendUint(w.out.event, eventCounter, uint64(value))
	w.out.end()
}

// Power shows a power over time, of all or of a named part, in bins of the given length from the first on. It is only known after the run,
// and so comes last.
func (w *Writer) Power(part string, begin, bin uint64, watts []float64) {
	if len(watts) == 0 {
		return
	}
	name := "power, watts"
	if part != "" {
		name = "power of " + part + ", watts"
	}
	id := w.declareCounter(name, unitCount)
	for i, value := range watts {
		from, _, ok := w.cut(begin+uint64(i)*bin, begin+uint64(i+1)*bin)
		if ok && (i == 0 || value != watts[i-1] || from == w.options.From) {
			w.out.beginEvent(from, typeCounter, id)
			w.out.event = appendDouble(w.out.event, eventDouble, value)
			w.out.end()
		}
		w.bounded()
	}
}

// rate shows the bytes a cycle between two samples. A launch starts with a
// sample at which nothing has passed since the one before.
func (w *Writer) rate(c *levelCounter, from, to, bytes uint64) {
	if to <= from {
		c.bytes = bytes
		return
	}
	rate := float64(bytes-c.bytes) / float64(to-from)
	c.bytes = bytes
	if from, _, ok := w.cut(from, to); ok && rate != c.rate {
		c.rate = rate
		w.out.beginEvent(from, typeCounter, c.id)
		w.out.event = appendDouble(w.out.event, eventDouble, rate)
		w.out.end()
	}
}
