package graph

import (
	"spvsim/program"
)

// A bin holds the payloads of one stage that wait in one queue.
type bin struct {
	*stage
	queue  int
	fifo   []entry
	head   int
	scan   int  // none before is in memory
	away   int  // in memory, not being read back yet
	low    bool // few are at hand: the queue reads ahead
	hosts  []hostPayloads
	nHosts uint64
	opens  []*nodeLaunch // with workgroups to place
	quota  uint64        // payloads that multipass may open in this pass
	held   bool          // its launches wait for a later pass
	// halvings of the window that it waits for more payloads
	halvings uint8
}

// An entry is a payload that waits.
type entry struct {
	payload int32
	since   uint64 // cycle in which it could first be picked
}

// hostPayloads are payloads of a dispatch that have not been made yet.
type hostPayloads struct {
	data   []byte
	stride int
	next   uint64
	count  uint64
	step   uint64 // every step-th of them, from next on, is of this bin
	since  uint64
}

func (b *bin) push(payload int32, since uint64) {
	b.fifo = append(b.fifo, entry{payload, since})
}

// pending is how many payloads wait in the bin.
func (b *bin) pending() uint64 { return uint64(len(b.fifo)-b.head) + b.nHosts }

// next are the entries of the next launch, those of the host's payloads left out.
func (b *bin) next() []entry {
	n := min(b.batchSize(), uint64(len(b.fifo)-b.head))
	return b.fifo[b.head:][:n]
}

// batchSize is how many payloads start together.
func (b *bin) batchSize() uint64 {
	if b.Program.Packed {
		return uint64(b.Program.WaveSize)
	}
	if b.meta.Launch != program.Coalescing || b.meta.Input == nil {
		return 1
	}
	return uint64(max(b.meta.Input.MaxPayloads, 1))
}

func (b *bin) id() int { return b.Node.id }
