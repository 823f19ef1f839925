package sweep

// costs estimates the seconds of specs on one core.
func costs(known []Record, specs []Spec) []float64 {
	list := make([]float64, len(specs))
	for i := range specs {
		list[i], _ = specs[i].cost(known)
	}
	return list
}

// share divides points with costs among tasks: consecutive points each, of about the same cost, at least one. It
// returns the first point of each task, and the number of points.
func share(costs []float64, tasks int) []int {
	tasks = min(max(tasks, 1), len(costs))
	total := 0.0
	for _, c := range costs {
		total += c
	}
	first, sum := []int{0}, 0.0
	for i, c := range costs {
		begun := len(first)
		mustBegin := len(costs)-i <= tasks-begun // each task that is left takes one
		mayBegin := begun < tasks && i > first[begun-1]
		// A point belongs to the task that has its middle.
		if mayBegin && (mustBegin || sum+c/2 > total*float64(begun)/float64(tasks)) {
			first = append(first, i)
		}
		sum += c
	}
	return append(first, len(costs))
}
