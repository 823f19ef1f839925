package account

import "slices"

// QueueCounts holds the counts of the enqueue queue and the payload memory.
type QueueCounts struct {
	PeakDepth   uint64 `json:"peak_depth" sum:"max" unit:"payloads" doc:"most payloads of a graph that waited at the same time, over all its queues: enqueued by shaders, and not launched yet"`
	Spills      uint64 `json:"spills" unit:"payloads" doc:"payloads that found no entry in the queue and went to memory"`
	Refills     uint64 `json:"refills" unit:"payloads" doc:"spilled payloads that were read back"`
	SpillBytes  uint64 `json:"spill_bytes" unit:"bytes" doc:"bytes that a hardware queue wrote to memory, in whole lines of entries"`
	RefillBytes uint64 `json:"refill_bytes" unit:"bytes" doc:"bytes that a hardware queue read back"`
	Allocated   uint64 `json:"allocated" unit:"payloads" doc:"payloads that workgroups allocated"`
	Enqueued    uint64 `json:"enqueued" unit:"payloads" doc:"payloads that workgroups enqueued"`
	Stolen      uint64 `json:"stolen" unit:"payloads" doc:"payloads that the queue of a shader engine or compute unit took from another queue"`
	ScratchUsed uint64 `json:"scratch_used" unit:"payloads" doc:"payloads that were in scratch memory"`
	PeakBytes   uint64 `json:"peak_bytes" sum:"max" unit:"bytes" doc:"most payload memory in use at the same time, without payloads of the host"`
	StallCycles uint64 `json:"stall_cycles" unit:"cycles" doc:"cycles for which waves waited at the queue, beyond the time of an idle queue; the sum of stall_port, stall_lines, stall_full and stall_memory"`
	StallPort   uint64 `json:"stall_port" unit:"cycles" doc:"cycles of waits for a port of a hardware queue"`
	StallLines  uint64 `json:"stall_lines" unit:"cycles" doc:"cycles of waits for a line buffer, when all were on their way to memory"`
	StallFull   uint64 `json:"stall_full" unit:"cycles" doc:"cycles of waits for an entry, where a full queue stalls or refuses waves"`
	StallMemory uint64 `json:"stall_memory" unit:"cycles" doc:"cycles of waits for the atomic operation on a queue in memory"`
	Refusals    uint64 `json:"refusals" unit:"refusals" doc:"enqueues that a full queue refused; each refusal counts"`
	Polls       uint64 `json:"polls" unit:"polls" doc:"reads of a queue in memory by persistent workers"`
	Passes      uint64 `json:"passes" unit:"passes" doc:"passes over a level of the graph (multipass)"`

	Lists          uint64 `json:"lists" unit:"lists" doc:"lists that the front end took up (lists, generated)"`
	Records        uint64 `json:"records" unit:"records" doc:"records that were launched (lists, generated)"`
	ProgramChanges uint64 `json:"program_changes" unit:"records" doc:"records whose program is another than that of the record before (lists, generated)"`
	ProgramMisses  uint64 `json:"program_misses" unit:"records" doc:"records whose program was read from the program table (lists)"`
}

// NodeCounts holds the counts of a node of an execution graph.
type NodeCounts struct {
	Name       string
	Payloads   uint64
	Workgroups uint64
	Unused     uint64   // payloads that its workgroups allocated and did not enqueue
	Waits      []uint32 // cycles of each payload, from its enqueue until its launch could start
	Starts     []uint32 // cycles of each payload, from its enqueue until a workgroup of its launch issued its first instruction
	Path       PathCounts
}

// PathCounts is a node's part of the critical path: the chain of launches, each started by a payload of the one before,
// that ends with the last work.
type PathCounts struct {
	Launches uint64 `json:"launches" unit:"launches" doc:"launches of the node on the path from the dispatch to the work that was done last; each launch of the path was started by a payload of the one before"`
	Wait     uint64 `json:"wait_cycles" unit:"cycles" doc:"on the path: cycles from the enqueue of a launch's payload (the last one, if it has several) until the launch could start"`
	Start    uint64 `json:"start_cycles" unit:"cycles" doc:"on the path: cycles from the time that a launch could start until it issued its first instruction"`
	Run      uint64 `json:"run_cycles" unit:"cycles" doc:"on the path: cycles from the first instruction of a launch until it enqueued the payload of the next one, or until all of its work was done"`
}

// Add adds a later dispatch's.
func (p *PathCounts) Add(o *PathCounts) { addTagged(p, o) }

// Cycles is the node's part of the path.
func (p *PathCounts) Cycles() uint64 { return p.Wait + p.Start + p.Run }

// GraphCounts holds the counts of an execution graph.
type GraphCounts struct {
	Nodes  []NodeCounts // in the order of the job
	Queue  QueueCounts
	Unused uint64 // payloads that were allocated and not enqueued
}

// Wait sums the waits of all payloads up.
func (g *GraphCounts) Wait() WaitSummary {
	return g.summary(func(n *NodeCounts) []uint32 { return n.Waits })
}

// Start sums up how long all payloads took to issue.
func (g *GraphCounts) Start() WaitSummary {
	return g.summary(func(n *NodeCounts) []uint32 { return n.Starts })
}

func (g *GraphCounts) summary(of func(*NodeCounts) []uint32) WaitSummary {
	var all []uint32
	for i := range g.Nodes {
		all = append(all, of(&g.Nodes[i])...)
	}
	return summarize(all)
}

// A WaitSummary summarizes the waits of payloads, in cycles.
type WaitSummary struct {
	Mean float64 `json:"mean" unit:"cycles" doc:"mean over all payloads of the time from the enqueue until the launch could start (wait_cycles), or until its first instruction issued (start_cycles)"`
	P50  uint32  `json:"p50" unit:"cycles" doc:"median of that time: 50 of 100 payloads do not exceed it"`
	P95  uint32  `json:"p95" unit:"cycles" doc:"95th percentile of that time: 95 of 100 payloads do not exceed it"`
	Max  uint32  `json:"max" unit:"cycles" doc:"longest of the times of all payloads"`
}

// Wait sums the waits of a node's payloads up.
func (n *NodeCounts) Wait() WaitSummary { return summarize(slices.Clone(n.Waits)) }

// Start sums up how long a node's payloads took to issue.
func (n *NodeCounts) Start() WaitSummary { return summarize(slices.Clone(n.Starts)) }

// summarize sorts a list.
func summarize(list []uint32) WaitSummary {
	if len(list) == 0 {
		return WaitSummary{}
	}
	slices.Sort(list)
	sum := 0.0
	for _, w := range list {
		sum += float64(w)
	}
	// The smallest time that at least so many of 100 payloads do not exceed.
	exceeded := func(percent int) uint32 { return list[(len(list)*percent+99)/100-1] }
	return WaitSummary{sum / float64(len(list)), exceeded(50), exceeded(95), list[len(list)-1]}
}

// node returns the counts of a node by its name; at is its index in counts of the same graph.
func (g *GraphCounts) node(name string, at int) *NodeCounts {
	if at < len(g.Nodes) && g.Nodes[at].Name == name {
		return &g.Nodes[at]
	}
	i := slices.IndexFunc(g.Nodes, func(n NodeCounts) bool { return n.Name == name })
	if i < 0 {
		i = len(g.Nodes)
		g.Nodes = append(g.Nodes, NodeCounts{Name: name})
	}
	return &g.Nodes[i]
}

// Add adds the counts of another dispatch, of the same graph or of a concurrent one.
func (g *GraphCounts) Add(o *GraphCounts) {
	for i := range o.Nodes {
		m := &o.Nodes[i]
		n := g.node(m.Name, i)
		n.Payloads += m.Payloads
		n.Workgroups += m.Workgroups
		n.Unused += m.Unused
		n.Waits = append(n.Waits, m.Waits...)
		n.Starts = append(n.Starts, m.Starts...)
		n.Path.Add(&m.Path)
	}
	addTagged(&g.Queue, &o.Queue)
	g.Unused += o.Unused
}
