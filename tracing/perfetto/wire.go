package perfetto

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of Perfetto's public API, from protos/perfetto/trace of
// github.com/google/perfetto: trace_packet.proto, track_event/track_event.proto,
// track_event/track_descriptor.proto, track_event/process_descriptor.proto,
// track_event/counter_descriptor.proto, track_event/debug_annotation.proto,
// interned_data/interned_data.proto.
const (
	tracePacket protowire.Number = 1

	packetTimestamp  protowire.Number = 8 // ns
	packetSequence   protowire.Number = 10
	packetEvent      protowire.Number = 11
	packetInterned   protowire.Number = 12
	packetFlags      protowire.Number = 13
	packetDescriptor protowire.Number = 60

	descriptorUUID    protowire.Number = 1
	descriptorName    protowire.Number = 2
	descriptorProcess protowire.Number = 3
	descriptorParent  protowire.Number = 5
	descriptorCounter protowire.Number = 8

	processID   protowire.Number = 1
	processName protowire.Number = 6

	counterUnit protowire.Number = 3

	eventCategories  protowire.Number = 3
	eventAnnotations protowire.Number = 4
	eventType        protowire.Number = 9
	eventName        protowire.Number = 10
	eventTrack       protowire.Number = 11
	eventCounter     protowire.Number = 30
	eventDouble      protowire.Number = 44
	eventFlows       protowire.Number = 47
	eventLastFlows   protowire.Number = 48

	annotationName   protowire.Number = 1
	annotationUint   protowire.Number = 3
	annotationString protowire.Number = 6

	internedCategories  protowire.Number = 1
	internedNames       protowire.Number = 2
	internedAnnotations protowire.Number = 3

	entryID   protowire.Number = 1
	entryName protowire.Number = 2
)

// Values of packetFlags, eventType and counterUnit.
const (
	flagCleared = 1 // the sequence starts without interned names
	flagNeeds   = 2 // the packet may use names interned before

	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	unitCount = 2
	unitBytes = 3
)

func appendUint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendFixed(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), v)
}

func appendDouble(b []byte, n protowire.Number, v float64) []byte {
	return appendFixed(b, n, math.Float64bits(v))
}

func appendString(b []byte, n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
}

func appendMessage(b []byte, n protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), m)
}

// A table numbers names from 1.
type table struct {
	field   protowire.Number // of InternedData
	numbers map[string]uint64
}

func newTable(field protowire.Number) table { return table{field, map[string]uint64{}} }

// number is the name's number; a new name is appended to fresh, as part of InternedData.
func (t *table) number(name string, fresh []byte) (uint64, []byte) {
	if n, ok := t.numbers[name]; ok {
		return n, fresh
	}
	n := uint64(len(t.numbers) + 1)
	t.numbers[name] = n
	entry := appendString(appendUint(nil, entryID, n), entryName, name)
	return n, appendMessage(fresh, t.field, entry)
}
