package check

// A page has the last accesses to granules in a row: of each kind, the last one and the last one of another workgroup. As long as
// each access to the granules of a block was of whole lanes, one behind the other, the block alone has records: those of its first
// granule. Otherwise its granules have. Kinds that no access was of are nil. Granules are words until an access is of less. From then on
// the page has no records, and its parts have, whose granules are the smallest ones of the launch.
//
// What each access to granules needs is in the first 64 bytes, a cache line of this computer.
type page struct {
	launch      uint32 // the last one that accessed it
	ofBlocks    uint16 // blocks whose granules have no records
	recorded    uint16 // blocks of ofBlocks with a record in blockWrites or blockReads
	writes      *[pageGranules]bufferRecord
	reads       *[pageGranules][2]bufferRecord
	atomics     *[pageGranules][2]bufferRecord
	published   *[pageGranules]uint32 // by word, of parts too: when the last atomic write behind a memory barrier was
	subpages    []page
	blockWrites [pageBlocks]bufferRecord
	blockReads  [pageBlocks][2]bufferRecord
}

const (
	pageShift    = 8
	pageGranules = 1 << pageShift
	pageBytes    = 256 // of the page itself
	wordShift    = 2

	blockShift    = 4
	blockGranules = 1 << blockShift
	pageBlocks    = pageGranules / blockGranules

	chunkShift = 12
	chunkPages = 1 << chunkShift
	chunkBytes = 8 * chunkPages

	publishedBytes = 4 * pageGranules

	recentChunks = 64
)

// A pageTable has the pages of a launch by number, in chunks of consecutive ones.
type pageTable struct {
	chunks map[uint64]*chunk
	recent [recentChunks]recentChunk // found last, by the lower bits of their number
	launch uint32                    // number of the current launch, from 1
}

type recentChunk struct {
	*chunk
	number uint64 // plus 1
}

type chunk [chunkPages]*page

// pageOf returns a page, without records where nothing has accessed it; nil: the table is full.
func (l *LaunchCheck) pageOf(number uint64) *page {
	if l.full {
		return nil
	}
	t := &l.pages
	n := number >> chunkShift
	recent := &t.recent[n%recentChunks]
	if recent.number != n+1 {
		c := t.chunks[n]
		if c == nil {
			if !l.takeTable(chunkBytes) {
				l.stop(tableIsFull)
				return nil
			}
			c = &chunk{}
			t.chunks[n] = c
		}
		*recent = recentChunk{c, n + 1}
	}
	at := &recent.chunk[number%chunkPages]
	switch p := *at; {
	case p == nil:
		if !l.takeTable(pageBytes) {
			l.stop(tableIsFull)
			return nil
		}
		*at = &page{launch: t.launch, ofBlocks: 1<<pageBlocks - 1}
	case p.launch != t.launch:
		l.renew(p)
	}
	return *at
}

// renew forgets what a launch before recorded in a page.
func (l *LaunchCheck) renew(p *page) {
	if p.subpages != nil {
		l.freeParts(p)
	}
	*p = page{launch: l.pages.launch, ofBlocks: 1<<pageBlocks - 1, writes: p.writes, reads: p.reads, atomics: p.atomics, published: p.published}
	if p.published != nil {
		clear(p.published[:])
	}
	if p.writes != nil {
		clear(p.writes[:])
	}
	if p.reads != nil {
		clear(p.reads[:])
	}
	if p.atomics != nil {
		clear(p.atomics[:])
	}
}

// freeParts gives back all memory of a page but itself, and what is published.
func (l *LaunchCheck) freeParts(p *page) {
	bytes := p.bytes() - pageBytes
	if p.published != nil {
		bytes -= publishedBytes
	}
	l.freeTable(bytes)
}

// bytes returns the memory of a page.
func (p *page) bytes() uint64 {
	n := uint64(pageBytes)
	if p.published != nil {
		n += publishedBytes
	}
	for i := range p.subpages {
		n += p.subpages[i].bytes()
	}
	for _, k := range []kind{read, write, atomicWrite} {
		if p.has(k) {
			n += kindBytes(k)
		}
	}
	return n
}

// kindBytes returns the memory that records of a kind take in a page.
func kindBytes(k kind) uint64 {
	if k == write {
		return pageGranules * 4
	}
	return pageGranules * 8
}

// A place is a granule of a page: its number, if all memory were of granules of its size, and the log2 of their bytes.
type place struct {
	*page
	at    uint64
	shift uint
}

// block returns the number of its block in the page.
func (p *place) block() uint64 { return p.at % pageGranules / blockGranules }

// hasWholeLanes reports that a block is within a number of bytes that lanes access one behind the other, of which some are before it, and that
// each lane accesses it wholly or not at all.
func (p *place) hasWholeLanes(width uint8, before, bytes uint64) bool {
	return bytes >= blockGranules<<p.shift && uint(width) >= p.shift && uint(width) <= p.shift+blockShift && before%(1<<width) == 0
}

// times returns the number of the launch's smallest granules in it.
func (p *place) times(l *LaunchCheck) uint64 { return 1 << (p.shift - l.shift) }

// isWhole reports that an address and a number of bytes, bits of both together, are of whole words, or that the launch has no smaller granules.
func (l *LaunchCheck) isWhole(places uint64) bool {
	return l.shift == wordShift || places%(1<<wordShift) == 0
}

// placeOf returns the granule at an address, for an access of whole words or of less. No page: the table is full.
func (l *LaunchCheck) placeOf(addr uint64, whole bool) place {
	p := l.pageOf(addr >> (wordShift + pageShift))
	switch {
	case p == nil, p.subpages == nil && !whole && !l.divide(p):
		return place{}
	case p.subpages == nil:
		return place{p, addr >> wordShift, wordShift}
	}
	at := addr >> l.shift
	return place{&p.subpages[at>>pageShift%uint64(len(p.subpages))], at, l.shift}
}

// divide gives a page parts; false: the table is full.
func (l *LaunchCheck) divide(p *page) bool {
	shift := wordShift - l.shift
	parts := make([]page, 1<<shift)
	if !l.takeTable(pageBytes << shift) {
		l.stop(tableIsFull)
		return false
	}
	for b := range uint64(pageBlocks) {
		if p.recorded>>b&1 != 0 && !l.expand(&place{p, b * blockGranules, wordShift}) {
			return false
		}
	}
	for n := range parts {
		part := &parts[n]
		for _, k := range []kind{read, write, atomicWrite} {
			if p.has(k) && !l.addKind(part, k) {
				return false
			}
		}
		for i := range pageGranules {
			word := (n<<pageShift + i) >> shift
			part.ofBlocks |= p.ofBlocks >> (word / blockGranules) & 1 << (i / blockGranules)
			if p.writes != nil {
				part.writes[i] = p.writes[word]
			}
			if p.reads != nil {
				part.reads[i] = p.reads[word]
			}
			if p.atomics != nil {
				part.atomics[i] = p.atomics[word]
			}
		}
	}
	l.freeParts(p)
	*p = page{launch: p.launch, subpages: parts, published: p.published}
	return true
}

func (p *page) has(k kind) bool {
	switch k {
	case write:
		return p.writes != nil
	case atomicWrite:
		return p.atomics != nil
	}
	return p.reads != nil
}

// addKind makes the records of a kind for granules, unless that is beyond the bound.
func (l *LaunchCheck) addKind(p *page, k kind) bool {
	if !l.takeTable(kindBytes(k)) {
		l.stop(tableIsFull)
		return false
	}
	switch k {
	case write:
		p.writes = &[pageGranules]bufferRecord{}
	case atomicWrite:
		p.atomics = &[pageGranules][2]bufferRecord{}
	default:
		p.reads = &[pageGranules][2]bufferRecord{}
	}
	return true
}

// touchBlocks checks and records an access of consecutive lanes to all granules of so many blocks from a place on; now is that to the
// first one. It returns the number of blocks, up to the end of the page, in front of one whose granules have to be told apart.
func (l *LaunchCheck) touchBlocks(a *bufferAccess, now bufferRecord, p *place, blocks uint64) (done uint64) {
	if p.atomics != nil {
		return 0
	}
	lanes := bufferRecord(blockGranules << p.shift >> a.width)
	for b := p.block(); done < blocks && b < pageBlocks; b++ {
		w, r := p.blockWrites[b], &p.blockReads[b]
		if p.ofBlocks>>b&1 == 0 || a.fromPayload && w == 0 {
			break
		}
		if !a.isOwnOrNone(w) {
			l.againstBlock(a, w, now, p)
		}
		if a.kind == read {
			l.addRecord(a, r, now)
		} else {
			for _, before := range r {
				if !a.isOwnOrNone(before) {
					l.againstBlock(a, before, now, p)
				}
			}
			p.blockWrites[b] = now
		}
		p.recorded |= 1 << b
		done, now, p.at = done+1, now+lanes, p.at+blockGranules
	}
	return done
}

// againstBlock checks an access to all granules of a block against the earlier access that a record names.
func (l *LaunchCheck) againstBlock(a *bufferAccess, before, first bufferRecord, p *place) {
	if r := &a.g.repeated; r.is(uint64(before.row()), uint64(a.row)) {
		r.times += blockGranules * p.times(l)
	} else if !l.isOwn(a, before) {
		l.against(a.g, before, first, p, blockGranules*p.times(l))
	}
}

// expand gives the granules of a block records of their own; false: the table is full.
func (l *LaunchCheck) expand(p *place) bool {
	b := p.block()
	p.ofBlocks &^= 1 << b
	if p.recorded>>b&1 == 0 {
		return true
	}
	p.recorded &^= 1 << b
	w, r := p.blockWrites[b], p.blockReads[b]
	if w != 0 && p.writes == nil && !l.addKind(p.page, write) || r[0] != 0 && p.reads == nil && !l.addKind(p.page, read) {
		return false
	}
	for i := range uint64(blockGranules) {
		if w != 0 {
			p.writes[b*blockGranules+i] = l.granuleOf(w, i<<p.shift)
		}
		if r[0] != 0 {
			p.reads[b*blockGranules+i] = [2]bufferRecord{l.granuleOf(r[0], i<<p.shift), l.granuleOf(r[1], i<<p.shift)}
		}
	}
	return true
}

// granuleOf returns the record of a granule of a block whose first one has a record, and begins so many bytes before it.
func (l *LaunchCheck) granuleOf(first bufferRecord, bytes uint64) bufferRecord {
	if first == 0 {
		return 0
	}
	return first + bufferRecord(bytes>>l.row(first.row()).width)
}
