package graph

// A wait gathers the replies of accesses to memory, and goes on when the last one
// is known, with the cycle in which it is there. Some memories tell that cycle at
// once, others when it has come.
type wait struct {
	outstanding int
	at          uint64
	then        func(at uint64)
}

// gather makes a wait that ends no earlier than cycle from. It is open for
// accesses until its own leg ends.
func gather(from uint64, then func(at uint64)) *wait { return &wait{1, from, then} }

// reply ends one of the legs, in cycle at.
func (w *wait) reply(at uint64) {
	w.at = max(w.at, at)
	if w.outstanding--; w.outstanding == 0 && w.then != nil {
		w.then(w.at)
	}
}

// close ends the wait's own leg.
func (w *wait) close() { w.reply(w.at) }

// Completed fulfils hierarchy.Receiver.
func (w *wait) Completed(_, now uint64) { w.reply(now) }
