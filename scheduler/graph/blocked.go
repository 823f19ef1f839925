package graph

import "spvsim/cu"

// blockedBatches are batches for which a queue has no free entries: under queue.full stall their waves wait, under
// retry they ask again.
type blockedBatches struct {
	enter *port // port that a retry books
	list  []blockedBatch
}

// A blockedBatch is one of them, with its wave's wait.
type blockedBatch struct {
	*batch
	wait *wait
	next uint64 // cycle of the next retry; under stall, the same as last
	last uint64 // cycle from which it spills to memory after all
}

// admit gives a batch its entries, or blocks it and returns false.
func (o *spillBuffer) admit(now uint64, b *batch, w *wait) bool {
	s := o.spec
	if s.Full == "spill" || len(o.blocked.list) == 0 && o.hasEntries(b) {
		o.takeEntries(now, b, w)
		return true
	}
	w.outstanding++
	h := blockedBatch{batch: b, wait: w, next: now + uint64(s.FullWait), last: now + uint64(s.FullWait)}
	if s.Full == "retry" {
		h.next = o.countRefusal(now, h.last)
	}
	o.blocked.list = append(o.blocked.list, h)
	o.alarm.Set(h.next)
	return false
}

// hasEntries reports whether entries for a batch are free. A batch larger than the queue needs all of them.
func (o *spillBuffer) hasEntries(b *batch) bool {
	return o.entriesUsed+min(len(b.payloads), o.depth) <= o.depth
}

// countRefusal counts a refusal in cycle at, and returns the cycle of the retry.
func (o *spillBuffer) countRefusal(at, last uint64) uint64 {
	o.stats.queue.Refusals++
	return min(at+uint64(o.spec.RetryCycles), max(last, at+1))
}

// admitBlocked admits blocked batches that find entries now, or that have waited full_wait cycles. It returns the
// cycle of the next try.
func (o *spillBuffer) admitBlocked(now uint64) uint64 {
	next, kept := cu.Never, o.blocked.list[:0]
	for _, h := range o.blocked.list {
		if len(kept) > 0 && o.spec.Full == "stall" || !o.admitBlockedBatch(now, &h) {
			next, kept = min(next, h.next), append(kept, h)
		}
	}
	o.blocked.list = kept
	return next
}

// admitBlockedBatch tries to admit one batch. A retry books the port first.
func (o *spillBuffer) admitBlockedBatch(now uint64, h *blockedBatch) bool {
	at := now
	if o.spec.Full == "retry" {
		if h.next > now {
			return false
		}
		at = o.blocked.enter.book(now, len(h.payloads))
	}
	if !o.hasEntries(h.batch) && now < h.last {
		if h.next <= now {
			h.next = o.countRefusal(at, h.last)
		}
		return false
	}
	o.takeEntries(now, h.batch, h.wait)
	h.wait.reply(max(at, o.Engine.NextSecondary()))
	return true
}
