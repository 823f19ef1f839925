package graph

// A wait gathers replies to memory accesses, and calls then with the cycle of the last one. Some memories reply at
// once with a later cycle, others when that cycle has come.
type wait struct {
	outstanding int
	at          uint64
	then        func(at uint64)
}

// gather returns a wait that ends in cycle from or later. It accepts accesses until close.
func gather(from uint64, then func(at uint64)) *wait { return &wait{1, from, then} }

// reply takes one reply, for cycle at.
func (w *wait) reply(at uint64) {
	w.at = max(w.at, at)
	if w.outstanding--; w.outstanding == 0 && w.then != nil {
		w.then(w.at)
	}
}

// close ends the time in which accesses may be added.
func (w *wait) close() { w.reply(w.at) }

// Completed implements hierarchy.Receiver.
func (w *wait) Completed(_, now uint64) { w.reply(now) }
