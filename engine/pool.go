package engine

// A Pool keeps messages and events that have been handled, to be used again.
type Pool[T any] struct{ idle []*T }

// Acquire returns an idle value, with its old content, or a new one.
func (s *Pool[T]) Acquire() *T {
	n := len(s.idle)
	if n == 0 {
		return new(T)
	}
	t := s.idle[n-1]
	s.idle = s.idle[:n-1]
	return t
}

func (s *Pool[T]) Release(t *T) { s.idle = append(s.idle, t) }
