package experiments

import "spvsim/program/ir"

// The code of a node hashes its input, adds the hash to the node's own words of the buffer, and uses the hash to decide
// its output. Nothing depends on the order in which payloads run, nor on which payloads a coalescing node gets
// together.

const wordsOfNode = 16

// write writes the function of a node.
func (n *randomNode) write(b *moduleText) {
	lane := b.load("%lane")
	place := b.hash(b.load("%me"), b.u(uint32(n.number)))
	switch {
	case n.launch == ir.Coalescing:
		n.coalesce(b, lane, place)
	case n.empty:
		n.work(b, lane, b.hash(place, n.position(b)))
	default:
		path := []string{"%i_" + n.name()}
		h := b.hash(b.hash(place, n.read(b, path)), n.position(b))
		n.work(b, lane, h)
		if n.finishes() {
			n.finish(b, path, lane, h)
		}
	}
	b.function(n.name())
}

// position is the number of the workgroup.
func (n *randomNode) position(b *moduleText) string {
	g := b.op("OpLoad", "%uint3", "%group")
	x, y, z := b.op("OpCompositeExtract", "%uint", g, "0"), b.op("OpCompositeExtract", "%uint", g, "1"), b.op("OpCompositeExtract", "%uint", g, "2")
	return b.add(b.op("OpIMul", "%uint", b.add(b.op("OpIMul", "%uint", z, b.u(8)), y), b.u(8)), x)
}

// read hashes a payload. All of it counts, but for the word that the node's own workgroups write.
func (n *randomNode) read(b *moduleText, path []string) string {
	h := b.load(b.member(path, b.u(seedWord)))
	sum := b.local(h)
	in := n.input()
	b.loop(b.u(0), b.u(in.padding), b.u(1), func(i string) {
		b.do("OpStore", sum, b.hash(b.load(sum), b.load(b.member(path, b.u(padWord), i))))
	})
	h = b.load(sum)
	if n.recursion > 0 || n.shares != nil { // %left: the remaining recursion levels
		h = b.hash(h, b.load("%left"))
	}
	return h
}

// work counts the workgroup's invocations and sends the payloads that the hash selects.
func (n *randomNode) work(b *moduleText, lane, h string) {
	n.record(b, b.hash(h, lane))
	for i := range n.outputs {
		o := &n.outputs[i]
		key := b.hash(h, b.u(uint32(100+i)))
		if o.lane {
			own := b.hash(key, lane)
			n.sendLane(b, i, own, n.count(b, i, own))
			continue
		}
		n.sendGroup(b, i, lane, key, n.count(b, i, key))
	}
}

// record adds a hash to the buffer.
func (n *randomNode) record(b *moduleText, h string) {
	first := b.u(uint32(n.number * wordsOfNode))
	b.sum(b.add(first, b.mod(h, wordsOfNode-1)), h)
	b.sum(b.add(first, b.u(wordsOfNode-1)), b.u(1))
}

// count returns the number of payloads that a hash selects: mostly zero if the limit is large.
func (n *randomNode) count(b *moduleText, i int, h string) string {
	most, spare := n.most(i), n.outputs[i].spare
	c := b.mod(h, (most+1)*spare)
	return b.choose(b.less(c, b.u(most+1)), c, b.u(0))
}

// valid returns the condition that the node of an index can be allocated for; "": always.
func (n *randomNode) valid(b *moduleText, o *randomOutput, index string) string {
	if o.to == n || o.to.sparse() {
		return b.op("OpIsNodePayloadValidAMDX", "%bool", o.id, index)
	}
	return ""
}

// sendLane sends payloads of each invocation, allocated in uniform control flow.
func (n *randomNode) sendLane(b *moduleText, i int, h, count string) {
	o := &n.outputs[i]
	index := b.mod(b.hash(h, b.u(7)), o.to.span())
	if ok := n.valid(b, o, index); ok != "" {
		count = b.choose(ok, count, b.u(0))
	}
	array := b.op("OpAllocateNodePayloadsAMDX", o.id+"_p", b.u(4), count, index)
	b.loop(b.u(0), b.op("OpNodePayloadArrayLengthAMDX", "%uint", array), b.u(1), func(j string) {
		n.fill(b, o, []string{array, j}, b.hash(h, j))
	})
	b.do("OpEnqueueNodePayloadsAMDX", array)
}

// sendGroup sends payloads of the workgroup, which its invocations fill together.
func (n *randomNode) sendGroup(b *moduleText, i int, lane, h, count string) {
	o := &n.outputs[i]
	index := b.mod(b.hash(h, b.u(7)), o.to.span())
	send := func() {
		array := b.op("OpAllocateNodePayloadsAMDX", o.id+"_p", b.u(2), count, index)
		b.loop(lane, count, b.u(n.local), func(j string) { n.fill(b, o, []string{array, j}, b.hash(h, j)) })
		b.do("OpEnqueueNodePayloadsAMDX", array)
	}
	if ok := n.valid(b, o, index); ok != "" {
		b.when(ok, send)
	} else {
		send()
	}
}

// fill writes a payload.
func (n *randomNode) fill(b *moduleText, o *randomOutput, path []string, h string) {
	to := o.to
	if to.empty {
		return
	}
	b.do("OpStore", b.member(path, b.u(seedWord)), h)
	b.do("OpStore", b.member(path, b.u(sumWord)), b.u(0))
	for w := range to.padding {
		b.do("OpStore", b.member(path, b.u(padWord), b.u(w)), b.hash(h, b.u(w+50)))
	}
	for c := range uint32(to.parts) {
		size := b.mod(b.hash(h, b.u(c+30)), to.grid[c]+1)
		at := append(append([]string{}, path...), b.u(sizeWord))
		if to.parts > 1 {
			at = append(at, b.u(c))
		}
		if to.half {
			b.do("OpStore", b.op("OpAccessChain", "%p_half", at...), b.op("OpUConvert", "%ushort", size))
		} else {
			b.do("OpStore", b.op("OpAccessChain", "%p_payload", at...), size)
		}
	}
}

// finishes reports whether the node marks its payload as written. Of the nodes that share a payload, some never do:
// then none is the last.
func (n *randomNode) finishes() bool {
	in := n.input()
	return in.track && in.host == 0 && (n.shares == nil || n.number%3 > 0)
}

// finish adds up in the payload, where the node may write it; the last workgroup of all that can access it records the sum for the node
// that the payload was for, whichever is the last.
func (n *randomNode) finish(b *moduleText, path []string, lane, h string) {
	if n.shares == nil {
		b.op("OpAtomicIAdd", "%uint", b.member(path, b.u(sumWord)), b.u(1), b.u(0), b.hash(h, lane))
		b.do("OpControlBarrier", b.u(2), b.u(2), b.u(264)) // the other waves have added theirs
	}
	last := b.op("OpFinishWritingNodePayloadAMDX", "%bool", path[0])
	b.when(last, func() {
		b.when(b.op("OpIEqual", "%bool", lane, b.u(0)), func() { n.input().record(b, b.load(b.member(path, b.u(sumWord)))) })
	})
}

// coalesce handles each payload by itself, whichever arrived with it. Arrays of the workgroup have an element for each
// payload.
func (n *randomNode) coalesce(b *moduleText, lane, place string) {
	in := "%i_" + n.name()
	length := b.op("OpNodePayloadArrayLengthAMDX", "%uint", in)
	for i := range n.outputs {
		o := &n.outputs[i]
		if o.lane {
			mine := b.less(lane, length)
			from := b.choose(mine, lane, b.u(0))
			h := b.hash(b.hash(place, n.read(b, []string{in, from})), b.u(uint32(100+i)))
			n.sendLane(b, i, h, b.choose(mine, n.count(b, i, h), b.u(0)))
			continue
		}
		n.forward(b, i, lane, place, length)
	}
	b.loop(lane, length, b.u(n.local), func(k string) {
		n.record(b, b.hash(place, n.read(b, []string{in, k})))
	})
}

// forward sends one payload for each received one, all to one node.
func (n *randomNode) forward(b *moduleText, i int, lane, place, length string) {
	o := &n.outputs[i]
	index := b.u(o.to.indexes[len(o.to.indexes)-1] - o.to.indexes[0])
	send := func() {
		array := b.op("OpAllocateNodePayloadsAMDX", o.id+"_p", b.u(2), length, index)
		b.loop(lane, length, b.u(n.local), func(k string) {
			h := n.read(b, []string{"%i_" + n.name(), k})
			n.fill(b, o, []string{array, k}, b.hash(b.hash(place, h), b.u(uint32(100+i))))
		})
		b.do("OpEnqueueNodePayloadsAMDX", array)
	}
	if ok := n.valid(b, o, index); ok != "" {
		b.when(ok, send)
	} else {
		send()
	}
}
