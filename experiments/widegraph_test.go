package experiments

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A wideNode is a level of a graph that fans out: each of its workgroups sends payloads to the next level.
type wideNode struct {
	local   uint32 // invocations of a workgroup
	groups  uint32 // workgroups of a payload; 0: one for up to most payloads
	most    uint32
	copies  uint32 // nodes of the level, at indexes from 0 on
	words   uint32 // of a received payload
	filled  uint32 // of them, the written ones
	fan     uint32 // payloads that a workgroup sends; 0: the last level
	uneven  bool   // a workgroup sends up to as many
	work    uint32 // rounds of a loop
	spread  uint32 // words of the buffer that its workgroups store to
	updates bool   // and update atomically
}

// wideBytes is the size of the buffer of a wide graph.
const wideBytes = 1 << 16

// mostWide bounds the workgroups of a wide graph.
const mostWide = 1200

// newWideGraph draws a graph of two to four levels with a fan-out of up to 256 payloads of 4 to 512 bytes.
func newWideGraph(seed uint64) *randomGraph {
	r := rand.New(rand.NewPCG(seed, 29))
	producers := pick(r, uint32(1), 4, 16, 24, 64)
	nodes, groups := make([]*wideNode, 2+r.IntN(3)), producers
	for i := range nodes {
		n := &wideNode{local: pick(r, uint32(1), 32, 32, 64), groups: pick(r, uint32(1), 1, 1, 2), copies: pick(r, uint32(1), 1, 1, 2, 5), words: pick(r, uint32(1), 1, 2, 4, 16, 64, 128),
			work: pick(r, uint32(0), 0, 0, 1, 8), spread: pick(r, uint32(1), 64, 1024, wideBytes/4), uneven: r.IntN(3) == 0, updates: r.IntN(6) == 0}
		if i > 0 {
			n.words = min(n.words, 8192/nodes[i-1].fan) // 32 KB for one workgroup
		}
		n.filled = min(n.words, pick(r, uint32(1), 1, 4, 32))
		if i == 0 {
			n.copies, n.groups = 1, 1
		} else if r.IntN(4) == 0 {
			n.groups, n.most = 0, pick(r, uint32(2), 8, 32, 64)
		}
		groups *= max(n.groups, 1)
		if i+1 < len(nodes) {
			n.fan = min(pick(r, uint32(1), 2, 3, 8, 16, 32, 64, 64, 128, 256), max(mostWide/groups, 1))
			groups *= n.fan
		}
		nodes[i] = n
	}
	b := newModuleText()
	for i := range nodes {
		declareWide(b, nodes, i)
	}
	for i := range nodes {
		writeWide(b, nodes, i)
	}
	g := &randomGraph{text: b.String()}
	var job strings.Builder
	fmt.Fprintf(&job, "shader: graph.spvasm\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: %d}}]\nnodes:\n", wideBytes)
	for i, n := range nodes {
		for index := range n.copies {
			fmt.Fprintf(&job, "  - {entry: n%d, index: %d}\n", i, index)
		}
	}
	fmt.Fprintf(&job, "graph: [{node: n0, count: %d}]\n", producers)
	g.job = job.String()
	return g
}

func declareWide(b *moduleText, nodes []*wideNode, i int) {
	n, input := nodes[i], ""
	if i > 0 {
		typ := fmt.Sprintf("s_%d", i)
		fmt.Fprintf(&b.decorations, "OpMemberDecorate %%s_%d 0 Offset 0\nOpDecorate %%words_%d ArrayStride 4\n", i, i)
		fmt.Fprintf(&b.types, "%%words_%d = OpTypeArray %%uint %s\n%%s_%d = OpTypeStruct %%words_%d\n", i, b.u(n.words), i, i)
		if n.groups == 0 {
			typ = fmt.Sprintf("in_%d", i)
			fmt.Fprintf(&b.decorations, "OpDecorateId %%in_%d NodeMaxPayloadsAMDX %s\n", i, b.u(n.most))
			fmt.Fprintf(&b.types, "%%in_%d = OpTypeNodePayloadArrayAMDX %%s_%d\n", i, i)
		}
		input = fmt.Sprintf("%%i_%d", i)
		fmt.Fprintf(&b.types, "%%p_i_%d = OpTypePointer NodePayloadAMDX %%%s\n%s = OpVariable %%p_i_%d NodePayloadAMDX\n", i, typ, input, i)
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%n%d IsApiEntryAMDX %%false\n", i)
		fmt.Fprintf(&b.decorations, "OpDecorateId %%o_%d NodeMaxPayloadsAMDX %s\nOpDecorateId %%o_%d PayloadNodeNameAMDX %%name_%d\nOpDecorateId %%o_%d PayloadNodeArraySizeAMDX %s\n",
			i, b.u(nodes[i-1].fan), i, i, i, b.u(n.copies))
		fmt.Fprintf(&b.types, "%%name_%d = OpConstantStringAMDX \"n%d\"\n%%o_%d = OpTypeNodePayloadArrayAMDX %%s_%d\n%%p_o_%d = OpTypePointer NodePayloadAMDX %%o_%d\n", i, i, i, i, i, i)
	}
	fmt.Fprintf(&b.entries, "OpEntryPoint GLCompute %%n%d \"n%d\" %%lane %%me %%left %%group %s %%out\n", i, i, input)
	fmt.Fprintf(&b.modes, "OpExecutionMode %%n%d LocalSize %d 1 1\n", i, n.local)
	if n.groups == 0 {
		fmt.Fprintf(&b.modes, "OpExecutionMode %%n%d CoalescingAMDX\n", i)
	} else {
		fmt.Fprintf(&b.modes, "OpExecutionModeId %%n%d StaticNumWorkgroupsAMDX %s %s %s\n", i, b.u(n.groups), b.u(1), b.u(1))
	}
}

// writeWide writes the function of a level: it reads its payload, works, stores, and sends payloads to the next level.
func writeWide(b *moduleText, nodes []*wideNode, i int) {
	n, lane := nodes[i], b.load("%lane")
	v, key := lane, b.u(uint32(i))
	switch {
	case i > 0 && n.groups == 0:
		length := b.op("OpNodePayloadArrayLengthAMDX", "%uint", fmt.Sprintf("%%i_%d", i))
		from := b.choose(b.less(lane, length), lane, b.u(0))
		v, key = readWide(b, n, []string{fmt.Sprintf("%%i_%d", i), from}), length
	case i > 0:
		v = readWide(b, n, []string{fmt.Sprintf("%%i_%d", i)})
		key = v
	}
	sum := b.local(v)
	b.loop(b.u(0), b.u(n.work), b.u(1), func(k string) { b.do("OpStore", sum, b.hash(b.load(sum), k)) })
	at := b.mod(b.hash(b.load(sum), b.u(3)), n.spread)
	if n.updates {
		b.sum(at, b.u(1))
	} else {
		b.do("OpStore", b.op("OpAccessChain", "%p_number", "%out", b.u(0), at), b.u(1))
	}
	if n.fan > 0 {
		sendWide(b, n, nodes[i+1], i+1, lane, key)
	}
	b.function(fmt.Sprintf("n%d", i))
}

// readWide adds up the words of a payload that are written.
func readWide(b *moduleText, n *wideNode, path []string) string {
	sum := b.local(b.u(0))
	b.loop(b.u(0), b.u(n.filled), b.u(1), func(k string) {
		b.do("OpStore", sum, b.add(b.load(sum), b.load(b.member(path, b.u(0), k))))
	})
	return b.load(sum)
}

func sendWide(b *moduleText, n, next *wideNode, to int, lane, key string) {
	count := b.u(n.fan)
	if n.uneven {
		count = b.add(b.mod(b.hash(key, b.u(11)), n.fan), b.u(1))
	}
	array := b.op("OpAllocateNodePayloadsAMDX", fmt.Sprintf("%%p_o_%d", to), b.u(2), count, b.mod(b.hash(key, b.u(7)), next.copies))
	b.loop(lane, count, b.u(n.local), func(j string) {
		b.loop(b.u(0), b.u(next.filled), b.u(1), func(k string) {
			b.do("OpStore", b.member([]string{array, j}, b.u(0), k), b.hash(b.add(key, j), k))
		})
	})
	b.do("OpEnqueueNodePayloadsAMDX", array)
}
