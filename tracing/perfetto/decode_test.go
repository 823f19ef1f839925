package perfetto_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
)

// The decoder follows Perfetto's .proto files by itself: it shares nothing with the writer.

// A message is the fields of a protobuf message by number, each in the order of the bytes.
type message map[int][]field

// A field's value is a number (wire types 0 and 1) or bytes (wire type 2).
type field struct {
	number uint64
	bytes  []byte
}

var errWire = errors.New("not protobuf")

func parse(b []byte) (message, error) {
	m := message{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("%w: tag", errWire)
		}
		b = b[n:]
		var f field
		switch tag & 7 {
		case 0:
			if f.number, n = binary.Uvarint(b); n <= 0 {
				return nil, fmt.Errorf("%w: number of field %d", errWire, tag>>3)
			}
		case 1:
			if n = 8; len(b) < n {
				return nil, fmt.Errorf("%w: fixed field %d", errWire, tag>>3)
			}
			f.number = binary.LittleEndian.Uint64(b)
		case 2:
			size, k := binary.Uvarint(b)
			if k <= 0 || size > uint64(len(b)-k) {
				return nil, fmt.Errorf("%w: length of field %d", errWire, tag>>3)
			}
			n = k + int(size)
			f.bytes = b[k:n]
		default:
			return nil, fmt.Errorf("%w: wire type %d", errWire, tag&7)
		}
		b = b[n:]
		m[int(tag>>3)] = append(m[int(tag>>3)], f)
	}
	return m, nil
}

func (m message) number(n int) uint64 {
	if f := m[n]; len(f) > 0 {
		return f[len(f)-1].number
	}
	return 0
}

func (m message) text(n int) string {
	if f := m[n]; len(f) > 0 {
		return string(f[len(f)-1].bytes)
	}
	return ""
}

func (m message) sub(n int) (message, error) {
	if f := m[n]; len(f) > 0 {
		return parse(f[len(f)-1].bytes)
	}
	return nil, nil
}

// A trackInfo is a track's descriptor.
type trackInfo struct {
	name    string
	parent  uint64
	counter bool
}

// An event is a track event with its names looked up.
type event struct {
	at          uint64
	kind, track uint64
	name        string
	categories  []string
	notes       map[string]any
	value       float64
	flows, ends []uint64
}

type decoded struct {
	process string
	tracks  map[uint64]trackInfo
	events  []event // in the order of the file
}

// interned holds the interned names of the sequence so far, by field of InternedData and by iid.
type interned map[int]map[uint64]string

func decode(b []byte) (*decoded, error) {
	outer, err := parse(b)
	if err != nil {
		return nil, err
	}
	d := &decoded{tracks: map[uint64]trackInfo{}}
	sequences := map[uint64]interned{}
	for i, p := range outer[1] {
		if err := d.packet(p.bytes, sequences); err != nil {
			return nil, fmt.Errorf("packet %d: %w", i, err)
		}
	}
	return d, nil
}

func (d *decoded) packet(b []byte, sequences map[uint64]interned) error {
	p, err := parse(b)
	if err != nil {
		return err
	}
	if p.number(10) == 0 {
		return errors.New("no sequence id: interned names need one")
	}
	names, known := sequences[p.number(10)]
	if cleared := p.number(13)&1 != 0; cleared == known {
		return fmt.Errorf("incremental state cleared: %v", cleared)
	}
	if !known {
		names = interned{1: {}, 2: {}, 3: {}}
		sequences[p.number(10)] = names
	}
	if p.number(13)&2 == 0 {
		return errors.New("uses interned names without saying so")
	}
	if err := names.add(p); err != nil {
		return err
	}
	if t, err := p.sub(60); err != nil || t != nil {
		return errors.Join(err, d.descriptor(t))
	}
	e, err := p.sub(11)
	if err != nil || e == nil {
		return errors.Join(err, errors.New("neither a descriptor nor an event"))
	}
	return d.event(p.number(8), e, names)
}

func (names interned) add(p message) error {
	data, err := p.sub(12)
	if err != nil {
		return err
	}
	for kind, list := range names {
		for _, f := range data[kind] {
			entry, err := parse(f.bytes)
			if err != nil {
				return err
			}
			if _, ok := list[entry.number(1)]; ok {
				return fmt.Errorf("iid %d defined again", entry.number(1))
			}
			list[entry.number(1)] = entry.text(2)
		}
	}
	return nil
}

func (d *decoded) descriptor(t message) error {
	id := t.number(1)
	if _, ok := d.tracks[id]; ok || id == 0 {
		return fmt.Errorf("track %d described again", id)
	}
	process, err := t.sub(3)
	if err != nil {
		return err
	}
	if process != nil {
		d.process = process.text(6)
	}
	if _, ok := d.tracks[t.number(5)]; !ok && process == nil {
		return fmt.Errorf("track %d is under %d, which is not described yet", id, t.number(5))
	}
	d.tracks[id] = trackInfo{t.text(2), t.number(5), t[8] != nil}
	return nil
}

func (d *decoded) event(at uint64, m message, names interned) error {
	e := event{at: at, kind: m.number(9), track: m.number(11), notes: map[string]any{}}
	if _, ok := d.tracks[e.track]; !ok {
		return fmt.Errorf("an event of track %d, which is not described", e.track)
	}
	if m[10] != nil {
		name, ok := names[2][m.number(10)]
		if !ok {
			return fmt.Errorf("no event name %d", m.number(10))
		}
		e.name = name
	}
	for _, f := range m[3] {
		e.categories = append(e.categories, names[1][f.number])
	}
	for _, f := range m[4] {
		note, err := parse(f.bytes)
		if err != nil {
			return err
		}
		name, ok := names[3][note.number(1)]
		if !ok {
			return fmt.Errorf("no annotation name %d", note.number(1))
		}
		if note[6] != nil {
			e.notes[name] = note.text(6)
		} else {
			e.notes[name] = note.number(3)
		}
	}
	e.value = float64(m.number(30))
	if m[44] != nil {
		e.value = math.Float64frombits(m.number(44))
	}
	for _, f := range m[47] {
		e.flows = append(e.flows, f.number)
	}
	for _, f := range m[48] {
		e.ends = append(e.ends, f.number)
	}
	d.events = append(d.events, e)
	return nil
}

// A slice is a begin with its end.
type slice struct {
	event
	end   uint64
	depth int
}

// slices pairs begins with ends, as trace_processor does: events are sorted by time, those at the same time in the
// order of the file.
func (d *decoded) slices() ([]slice, error) {
	order := make([]int, len(d.events))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return d.events[order[a]].at < d.events[order[b]].at })
	var list []slice
	open := map[uint64][]int{}
	for _, i := range order {
		e := d.events[i]
		stack := open[e.track]
		switch e.kind {
		case 1:
			open[e.track] = append(stack, len(list))
			list = append(list, slice{e, 0, len(stack)})
		case 2:
			if len(stack) == 0 {
				return nil, fmt.Errorf("track %s, cycle %d: an end without a begin", d.path(e.track), e.at)
			}
			list[stack[len(stack)-1]].end = e.at
			open[e.track] = stack[:len(stack)-1]
		}
	}
	for track, stack := range open {
		if len(stack) > 0 {
			return nil, fmt.Errorf("track %s: %d slices without an end", d.path(track), len(stack))
		}
	}
	return list, nil
}

// path returns a track's name, prefixed by those of its parents.
func (d *decoded) path(track uint64) string {
	t := d.tracks[track]
	if t.parent == 0 {
		return ""
	}
	return d.path(t.parent) + "/" + t.name
}

// overlaps finds slices of a track that neither follow nor hold each other.
func overlaps(d *decoded, list []slice) error {
	last := map[[2]uint64]uint64{} // end of the last slice, by track and depth
	parent := map[uint64][]slice{}
	for _, s := range list {
		key := [2]uint64{s.track, uint64(s.depth)}
		if s.at < last[key] || s.end < s.at {
			return fmt.Errorf("track %s: slice %s from %d to %d begins before %d", d.path(s.track), s.name, s.at, s.end, last[key])
		}
		last[key] = s.end
		stack := append(parent[s.track][:min(s.depth, len(parent[s.track]))], s)
		if parent[s.track] = stack; s.depth > 0 {
			if p := stack[s.depth-1]; s.at < p.at || s.end > p.end {
				return fmt.Errorf("track %s: slice %s from %d to %d leaves %s from %d to %d", d.path(s.track), s.name, s.at, s.end, p.name, p.at, p.end)
			}
		}
	}
	return nil
}
