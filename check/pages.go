package check

// A page has the last accesses to granules in a row: of each kind, the last one and the last one of another workgroup. As long as
// each access to the granules of a block was of whole lanes, one behind the other, the block alone has records: those of its first
// granule. Otherwise its granules have. Kinds that no access was of are nil.
type page struct {
	ofBlocks    uint16 // blocks that have records, and their granules none
	blockWrites [pageBlocks]bufferRecord
	blockReads  [pageBlocks][2]bufferRecord
	writes      *[pageGranules]bufferRecord
	reads       *[pageGranules][2]bufferRecord
	atomics     *[pageGranules][2]bufferRecord
}

const (
	pageShift    = 8
	pageGranules = 1 << pageShift
	pageBytes    = 256 // of the page itself

	blockShift    = 4
	blockGranules = 1 << blockShift
	pageBlocks    = pageGranules / blockGranules

	chunkShift = 8
	chunkPages = 1 << chunkShift
	chunkBytes = 8 * chunkPages
)

// A pageTable has the pages of a launch by number, in chunks of consecutive ones.
type pageTable struct {
	chunks map[uint64]*chunk
	chunk  *chunk // found last
	number uint64 // its number, plus 1
}

type chunk [chunkPages]*page

// pageOf returns a page, without records where nothing has accessed it; nil: the table is full.
func (l *LaunchCheck) pageOf(number uint64) *page {
	if l.full {
		return nil
	}
	t := &l.pages
	if n := number >> chunkShift; t.number != n+1 {
		c := t.chunks[n]
		if c == nil {
			if !l.takeTable(chunkBytes) {
				l.stop(tableIsFull)
				return nil
			}
			c = &chunk{}
			t.chunks[n] = c
		}
		t.chunk, t.number = c, n+1
	}
	p := &t.chunk[number%chunkPages]
	if *p == nil {
		if !l.takeTable(pageBytes) {
			l.stop(tableIsFull)
			return nil
		}
		*p = &page{ofBlocks: 1<<pageBlocks - 1}
	}
	return *p
}

// pageFor returns a page that has records of a kind for granules; nil: the table is full.
func (l *LaunchCheck) pageFor(number uint64, k kind) *page {
	p := l.pageOf(number)
	if p == nil || !p.has(k) && !l.addKind(p, k) {
		return nil
	}
	return p
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
	bytes := uint64(pageGranules * 8)
	if k == write {
		bytes /= 2
	}
	if !l.takeTable(bytes) {
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

// touchBlock checks and records an access of consecutive lanes to all granules of a block; first is that to its first granule. It does
// nothing and returns false if granules have to be told apart.
func (l *LaunchCheck) touchBlock(a *bufferAccess, first bufferRecord, at uint64) bool {
	p := l.pageOf(at >> pageShift)
	if p == nil {
		return false
	}
	b := at % pageGranules / blockGranules
	w, r := p.blockWrites[b], &p.blockReads[b]
	switch {
	case p.ofBlocks>>b&1 == 0 || p.atomics != nil || !l.isBefore(a, w) || a.fromPayload && w == 0:
		return false
	case a.kind == read:
		l.addRecord(r, first)
	case !l.isBefore(a, r[0]) || !l.isBefore(a, r[1]):
		return false
	default:
		p.blockWrites[b] = first
	}
	return true
}

// isBefore reports that there is no earlier access, or one that has an order with an access now.
func (l *LaunchCheck) isBefore(a *bufferAccess, earlier bufferRecord) bool {
	row := earlier.row()
	if row == 0 || row == a.row {
		return true
	}
	before := l.row(row)
	return before.group == a.g.serial || l.ordered(a.g, before)
}

// expand gives the granules of a block records of their own; false: the table is full.
func (l *LaunchCheck) expand(p *page, at uint64) bool {
	b := at % pageGranules / blockGranules
	w, r := p.blockWrites[b], p.blockReads[b]
	if w != 0 && p.writes == nil && !l.addKind(p, write) || r[0] != 0 && p.reads == nil && !l.addKind(p, read) {
		return false
	}
	p.ofBlocks &^= 1 << b
	for i := range uint64(blockGranules) {
		if w != 0 {
			p.writes[b*blockGranules+i] = l.granuleOf(w, i)
		}
		if r[0] != 0 {
			p.reads[b*blockGranules+i] = [2]bufferRecord{l.granuleOf(r[0], i), l.granuleOf(r[1], i)}
		}
	}
	return true
}

// granuleOf returns the record of a granule of a block whose first one has a record.
func (l *LaunchCheck) granuleOf(first bufferRecord, i uint64) bufferRecord {
	if first == 0 {
		return 0
	}
	return first + bufferRecord(i>>l.row(first.row()).width)
}
