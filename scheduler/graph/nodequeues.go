package graph

import (
	"cmp"
	"slices"

	"spvsim/program"
)

// A nodeQueue holds the payloads of one stage that wait in one queue.
type nodeQueue struct {
	*stage
	queue           int
	fifo            []queuedPayload
	head            int
	scanned         int  // none before is in memory
	spilled         int  // in memory, not being read back yet
	readsAhead      bool // few are at hand: the queue reads ahead
	hostPayloads    []hostPayloads
	numHostPayloads uint64
	launches        []*nodeLaunch // with workgroups to place
	passQuota       uint64        // payloads that multipass may open in this pass
	deferred        bool          // its launches wait for a later pass
	// halvings of the window that it waits for more payloads
	halvings uint8
}

// An queuedPayload is a payload that waits.
type queuedPayload struct {
	payload   int32
	visibleAt uint64 // cycle in which it could first be picked
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

func (b *nodeQueue) push(payload int32, since uint64) {
	b.fifo = append(b.fifo, queuedPayload{payload, since})
}

// pending is how many payloads wait in the bin.
func (b *nodeQueue) pending() uint64 { return uint64(len(b.fifo)-b.head) + b.numHostPayloads }

// nextEntries are the entries of the next launch, those of the host's payloads left out.
func (b *nodeQueue) nextEntries() []queuedPayload {
	n := min(b.batchSize(), uint64(len(b.fifo)-b.head))
	return b.fifo[b.head:][:n]
}

// batchSize is how many payloads start together.
func (b *nodeQueue) batchSize() uint64 {
	if b.Program.Packed {
		return uint64(b.Program.WaveSize)
	}
	if b.meta.Launch != program.Coalescing || b.meta.Input == nil {
		return 1
	}
	return uint64(max(b.meta.Input.MaxPayloads, 1))
}

func (b *nodeQueue) id() int { return b.Node.id }

// nodeQueues are those of all queues, in the order of arbitration.
type nodeQueues struct {
	list  []*nodeQueue // of each queue, one for each stage
	order []int        // stages in the order of arbitration
	// rotates: which of them comes first changes with each launch, to the one after turns.
	rotates      bool
	firstInOrder int
}

func newNodeQueues(g *Graph, queues int, policy string, rotates bool) *nodeQueues {
	b := &nodeQueues{order: stageOrder(g, policy), rotates: rotates}
	for q := range queues {
		for _, s := range g.stages {
			b.list = append(b.list, &nodeQueue{stage: s, queue: q})
		}
	}
	return b
}

// of is where payloads of a stage wait in a queue.
func (b *nodeQueues) of(s *stage, queue int) *nodeQueue { return b.list[queue*len(b.order)+s.id] }

// ofQueue are the bins of a queue.
func (b *nodeQueues) ofQueue(q int) []*nodeQueue {
	n := len(b.order)
	return b.list[q*n : (q+1)*n]
}

// inOrder is the bin of a queue that comes k-th in the order of arbitration.
func (b *nodeQueues) inOrder(q, k int) *nodeQueue {
	if b.rotates {
		k = (b.firstInOrder + k) % len(b.order)
	}
	return b.list[q*len(b.order)+b.order[k]]
}

// ofList returns the queue of a list of the dispatcher, and its place in the order of arbitration.
func (b *nodeQueues) ofList(list int) (q, k int) { return list / len(b.order), list % len(b.order) }

// rotate: a workgroup of the k-th bin has been placed.
func (b *nodeQueues) rotate(k int) {
	if b.rotates {
		b.firstInOrder = (b.firstInOrder + k + 1) % len(b.order)
	}
}

// stageOrder lists the stages in the order in which arbitration serves them.
func stageOrder(g *Graph, policy string) []int {
	compare := arbitration[policy]
	order := make([]int, len(g.stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(g.stages[a], g.stages[b]) })
	return order
}

// arbitration policies by name: which of two stages comes first. Round-robin
// keeps the order and starts elsewhere each time.
var arbitration = map[string]func(a, b *stage) int{
	"depth-first":   func(a, b *stage) int { return b.level - a.level },
	"breadth-first": func(a, b *stage) int { return a.level - b.level },
	"round-robin":   func(a, b *stage) int { return a.id - b.id },
	"priority":      func(a, b *stage) int { return cmp.Or(b.Priority-a.Priority, b.level-a.level) },
}
