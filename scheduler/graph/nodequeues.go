package graph

import (
	"cmp"
	"slices"

	"spvsim/program"
)

// A nodeQueue holds the payloads of one stage that wait in one queue, and their open launches.
type nodeQueue struct {
	*stage
	queue           int
	fifo            []queuedPayload
	head            int
	scanned         int  // no entry before this index is spilled
	spilled         int  // spilled entries that are not being read back yet
	readsAhead      bool // few entries are on chip: the queue reads ahead
	hostPayloads    []hostPayloads
	numHostPayloads uint64
	launches        []*nodeLaunch // open launches, with workgroups to place
	passQuota       uint64        // payloads that multipass may still launch in this pass
	deferred        bool          // launches wait for a later pass
	// halvings of the window for more payloads (see adaptWindow)
	halvings uint8
	// hostFirst: the host's payloads are launched before those of shaders.
	hostFirst bool
	// Of lists: the batch that appended last, and its record.
	appendedBy uint64
	appendedAt int
}

// A queuedPayload is an entry of a node queue.
type queuedPayload struct {
	payload   int32
	visibleAt uint64 // cycle from which it may be launched
}

// hostPayloads are payloads that the host dispatched and that have not been made yet.
type hostPayloads struct {
	data   []byte
	stride int
	next   uint64
	count  uint64
	step   uint64 // every step-th payload, from next on, belongs to this node queue
	since  uint64
}

func (b *nodeQueue) push(payload int32, since uint64) {
	b.fifo = append(b.fifo, queuedPayload{payload, since})
}

// pending returns the number of waiting payloads.
func (b *nodeQueue) pending() uint64 { return uint64(len(b.fifo)-b.head) + b.numHostPayloads }

// nextEntries returns the entries of the next launch, without the host's payloads.
func (b *nodeQueue) nextEntries() []queuedPayload {
	n := min(b.batchSize(), uint64(len(b.fifo)-b.head))
	return b.fifo[b.head:][:n]
}

// batchSize returns the number of payloads that start together in a full launch.
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

// nodeQueues are the node queues of all queues, and the order in which arbitration serves them.
type nodeQueues struct {
	list  []*nodeQueue // by queue, then by stage
	order []int        // stage ids in the order of arbitration
	// rotates: the order starts after the node queue that was served last, at firstInOrder (round-robin).
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

func (b *nodeQueues) of(s *stage, queue int) *nodeQueue { return b.list[queue*len(b.order)+s.id] }

func (b *nodeQueues) ofQueue(q int) []*nodeQueue {
	n := len(b.order)
	return b.list[q*n : (q+1)*n]
}

// inOrder returns the node queue that arbitration serves k-th in a queue.
func (b *nodeQueues) inOrder(q, k int) *nodeQueue {
	if b.rotates {
		k = (b.firstInOrder + k) % len(b.order)
	}
	return b.list[q*len(b.order)+b.order[k]]
}

// ofList returns the queue of a list of the dispatcher, and its position in the order of arbitration.
func (b *nodeQueues) ofList(list int) (q, k int) { return list / len(b.order), list % len(b.order) }

// rotate starts the order after the k-th node queue, of which a workgroup has been placed.
func (b *nodeQueues) rotate(k int) {
	if b.rotates {
		b.firstInOrder = (b.firstInOrder + k + 1) % len(b.order)
	}
}

// stageOrder returns the stage ids in the order of arbitration.
func stageOrder(g *Graph, policy string) []int {
	compare := arbitration[policy]
	order := make([]int, len(g.stages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(g.stages[a], g.stages[b]) })
	return order
}

// arbitration policies by name: each compares two stages. Round-robin keeps the order of stages, and nodeQueues
// rotates it.
var arbitration = map[string]func(a, b *stage) int{
	"depth-first":   func(a, b *stage) int { return b.level - a.level },
	"breadth-first": func(a, b *stage) int { return a.level - b.level },
	"round-robin":   func(a, b *stage) int { return a.id - b.id },
	"priority":      func(a, b *stage) int { return cmp.Or(b.Priority-a.Priority, b.level-a.level) },
}
