// Package hierarchy computes the time of memory requests: caches with tags, links, address translation and the channels of
// device memory.
//
// A request is booked as a whole when its instruction issues, level by level, without an event for each hop. The same caches
// take requests without time: functional warming in warming.go, and snapshots that undo it in snapshot.go.
package hierarchy
