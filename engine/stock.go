package engine

// A Stock keeps messages and events that have been handled, to be used again.
type Stock[T any] struct{ idle []*T }

// Take returns an idle value, with its old content, or a new one.
func (s *Stock[T]) Take() *T {
	n := len(s.idle)
	if n == 0 {
		return new(T)
	}
	t := s.idle[n-1]
	s.idle = s.idle[:n-1]
	return t
}

// Give returns a value to the pool.
func (s *Stock[T]) Give(t *T) { s.idle = append(s.idle, t) }
