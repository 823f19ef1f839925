// Package lists derives lists from lists, as package slices does not.
package lists

import "slices"

// Map returns the values of f for the elements of a list, nil for none.
func Map[S ~[]E, E, R any](list S, f func(E) R) (values []R) {
	values = slices.Grow(values, len(list))
	for _, x := range list {
		values = append(values, f(x))
	}
	return values
}

// Filter returns the elements for which keep holds, nil for none.
func Filter[S ~[]E, E any](list S, keep func(E) bool) (kept []E) {
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Find returns the first element for which is holds, nil for none.
func Find[S ~[]E, E any](list S, is func(*E) bool) *E {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Sum returns the sum of the values of f for the elements of a list, in its order.
func Sum[S ~[]E, E any, N int | uint64 | float64](list S, f func(E) N) (sum N) {
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// MapRefs is Map with pointers to the elements.
func MapRefs[S ~[]E, E, R any](list S, f func(*E) R) (values []R) {
	values = slices.Grow(values, len(list))
	for i := range list {
		values = append(values, f(&list[i]))
	}
	return values
}

// Count returns the number of elements for which is holds.
func Count[S ~[]E, E any](list S, is func(E) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// AppendNew appends a value, if the list does not have it.
func AppendNew[S ~[]E, E comparable](list S, x E) S {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
