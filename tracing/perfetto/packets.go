package perfetto

import (
	"bufio"
	"io"
)

// packets writes trace packets of a sequence. begin, annotations and flows build an event, end writes it.
type packets struct {
	w        *bufio.Writer
	sequence uint32
	err      error
	written  int64
	flags    uint64

	categories, names, annotations table

	event, interned, note, packet []byte // reused from event to event
	at                            uint64
}

// newPackets writes the sequence of a number, from 1 on.
func newPackets(w io.Writer, sequence uint32) packets {
	return packets{sequence: sequence, w: bufio.NewWriterSize(w, 1<<16), flags: flagCleared | flagNeeds,
		categories: newTable(internedCategories), names: newTable(internedNames), annotations: newTable(internedAnnotations)}
}

// beginEvent starts an event on a track.
func (p *packets) beginEvent(at uint64, kind, track uint64) {
	p.at, p.interned = at, p.interned[:0]
	p.event = appendUint(appendUint(p.event[:0], eventType, kind), eventTrack, track)
}

func (p *packets) name(s string) {
	var n uint64
	n, p.interned = p.names.number(s, p.interned)
	p.event = appendUint(p.event, eventName, n)
}

func (p *packets) category(s string) {
	var n uint64
	n, p.interned = p.categories.number(s, p.interned)
	p.event = appendUint(p.event, eventCategories, n)
}

// number annotates the event with a number.
func (p *packets) number(name string, v uint64) {
	p.annotate(name)
	p.note = appendUint(p.note, annotationUint, v)
	p.event = appendMessage(p.event, eventAnnotations, p.note)
}

// text annotates the event with a text.
func (p *packets) text(name, v string) {
	p.annotate(name)
	p.note = appendString(p.note, annotationString, v)
	p.event = appendMessage(p.event, eventAnnotations, p.note)
}

func (p *packets) annotate(name string) {
	var n uint64
	n, p.interned = p.annotations.number(name, p.interned)
	p.note = appendUint(p.note[:0], annotationName, n)
}

func (p *packets) flow(id uint64)     { p.event = appendFixed(p.event, eventFlows, id) }
func (p *packets) lastFlow(id uint64) { p.event = appendFixed(p.event, eventLastFlows, id) }

// end writes the event.
func (p *packets) end() {
	b := appendUint(p.packet[:0], packetTimestamp, p.at)
	b = appendMessage(b, packetEvent, p.event)
	if len(p.interned) > 0 {
		b = appendMessage(b, packetInterned, p.interned)
	}
	p.write(b)
}

// descriptor writes a track's description.
func (p *packets) descriptor(d []byte) { p.write(appendMessage(p.packet[:0], packetDescriptor, d)) }

func (p *packets) write(b []byte) {
	b = appendUint(appendUint(b, packetSequence, uint64(p.sequence)), packetFlags, p.flags)
	p.flags = flagNeeds
	p.packet = b
	p.event = appendMessage(p.event[:0], tracePacket, b)
	p.written += int64(len(p.event))
	if _, err := p.w.Write(p.event); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *packets) close() error {
	if err := p.w.Flush(); err != nil && p.err == nil {
		p.err = err
	}
	return p.err
}
