package hierarchy

// Warm brings the lines of a request into the caches as an access would, without
// time: no bandwidth is taken, nothing is counted, and what comes is there at once.
func (f *Analytic) Warm(r *Request) {
	f.walks.warm(r)
	c := f.front(r)
	past := r.Coherent || r.Kind == Atomic
	f.warmed.Requests++
	if r.Kind == Atomic {
		f.warmed.updates(r.Lines)
	}
	var crossed *frames
	for ; past && c != nil && !c.shared; c = c.next {
		if c.frames != nil {
			crossed = c.frames
		}
	}
	for i := range r.Lines {
		if c == nil {
			return // memory alone
		}
		l := &r.Lines[i]
		from, bytes := l.Addr, l.Bytes
		if r.Kind == Read {
			from, bytes = c.asked(l)
			c.moved += uint64(l.Bytes) - uint64(bytes) // those of each lane, as a read counts them
		}
		c.warm(r.Kind != Read, crossed.place(from), min(bytes, uint32(c.LineBytes)), c.storedBy(l))
	}
}

// warm brings a line in, from the next level if need be; a store makes it dirty
// where the cache keeps stores, and goes on where it does not.
func (c *cache) warm(store bool, addr uint64, bytes uint32, w written) {
	c.looks++
	c.moved += uint64(bytes)
	p := c.locate(addr)
	if c.undo != nil {
		c.undo.keep(p)
	}
	way := p.find()
	if way < 0 && store && !c.WriteAllocate {
		c.warmNext(store, addr, bytes, w)
		return
	}
	if way < 0 {
		way = c.evict(p)
		c.came++
		if !store {
			c.warmFill(p, way, addr, bytes)
		}
	} else {
		p.used.touch(int(p.set), way)
		if !store && c.sector > 0 && !p.line(way).full() && !c.has(p.slice, p.first+way, addr, bytes) {
			c.warmFill(p, way, addr, bytes)
		}
	}
	if !store {
		return
	}
	whole := c.stored(p.slice, p.first+way, w.whole<<c.within(addr))
	if !c.keeps {
		c.warmNext(store, addr, bytes, w)
		return
	}
	p.makeDirty(way, c.pieces(w.some<<c.within(addr)))
	if c.eager && whole {
		c.warmEarly(p, p.early(way, c.DirtyWays))
	}
}

// warmEarly sends a line on before it is evicted, where there is one.
func (c *cache) warmEarly(p place, way int) {
	if way < 0 {
		return
	}
	p.warmSend(c, c.address(p, *p.label(way)), p.line(way).pieces(), c.whole)
	*p.line(way) &^= dirtyLine
}

// warmFill makes what a read of bytes fetches valid.
func (c *cache) warmFill(p place, way int, addr uint64, bytes uint32) {
	from, size := c.sectors(addr, bytes)
	c.warmNext(false, from, size, written{})
	c.fill(p.slice, p.first+way, 0, from, size)
}

// evict makes space for p's line.
func (c *cache) evict(p place) int {
	way := p.renew(c.random)
	if p.line(way).dirty() {
		p.warmSend(c, c.address(p, *p.label(way)), p.line(way).pieces(), c.valid(p.slice, p.first+way))
	}
	c.empty(p, way)
	return way
}

// warmSend is send without time.
func (s *slice) warmSend(c *cache, addr uint64, pieces line, words uint64) {
	c.eachPiece(pieces, func(from uint64, bytes uint32) {
		c.warmNext(true, addr+from, bytes, c.sent(words, from, bytes))
	})
}

// warmNext goes on to the next level, line by line of it.
func (c *cache) warmNext(store bool, addr uint64, bytes uint32, w written) {
	c.passed += uint64(bytes)
	if c.next == nil {
		return
	}
	addr = c.frames.place(addr)
	step := min(bytes, uint32(c.next.LineBytes))
	for done := uint32(0); done < bytes; done += step {
		c.next.warm(store, addr+uint64(done), step, w.down(uint64(done>>c.word)))
	}
}

// warmCounts are what a level counts of accesses without time.
type warmCounts struct {
	looks  uint64 // at lines
	moved  uint64 // bytes that these ask for
	passed uint64 // bytes that went to and from the next level
	came   uint64 // lines that were not there
}

// Warmed is what accesses without time came to.
type Warmed struct {
	Requests uint64
	Looks    []uint64 // at lines, by level, nearest first
	Moved    []uint64 // bytes that were asked for, by level
	Passed   []uint64 // bytes, by level, to and from what is behind it
	Came     []uint64 // lines that were not there, by level
	Hottest  uint64   // updates of the line that atomics updated most

	hot [hotLines]struct{ addr, updates uint64 }
}

// hotLines bounds the lines whose updates are counted; of two at one place the one with more is kept. Knob.
const hotLines = 256

const hotShift = 6 // log2 of the bytes of the shortest line among them

// updates counts those of lines of atomics.
func (w *Warmed) updates(lines []Line) {
	for i := range lines {
		l := &lines[i]
		h, n := &w.hot[l.Addr>>hotShift*0x9e3779b97f4a7c15>>56], uint64(l.Serial)+1
		switch {
		case h.addr == l.Addr:
			h.updates += n
			w.Hottest = max(w.Hottest, h.updates)
		case h.updates <= n:
			h.addr, h.updates = l.Addr, n
			w.Hottest = max(w.Hottest, n)
		default:
			h.updates -= n
		}
	}
}

// BeginWarm begins to count anew what accesses without time come to.
func (f *Analytic) BeginWarm() {
	f.warmed = Warmed{}
	for _, l := range f.levels {
		l.warmCounts = warmCounts{}
	}
}

// Warmed is what accesses without time came to since BeginWarm.
func (f *Analytic) Warmed() *Warmed {
	w := f.warmed
	for _, l := range f.levels {
		w.Looks, w.Moved = append(w.Looks, l.looks), append(w.Moved, l.moved)
		w.Passed, w.Came = append(w.Passed, l.passed), append(w.Came, l.came)
	}
	return &w
}
