package program

// A heap yields its least element first.
type heap[T any] struct {
	list []T
	less func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.list = append(h.list, x)
	for i := len(h.list) - 1; i > 0 && h.less(h.list[i], h.list[(i-1)/2]); i = (i - 1) / 2 {
		h.list[i], h.list[(i-1)/2] = h.list[(i-1)/2], h.list[i]
	}
}

func (h *heap[T]) pop() T {
	top, last := h.list[0], len(h.list)-1
	h.list[0] = h.list[last]
	h.list = h.list[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h.less(h.list[c], h.list[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		h.list[i], h.list[least] = h.list[least], h.list[i]
		i = least
	}
}
