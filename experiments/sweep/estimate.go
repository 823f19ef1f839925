package sweep

import (
	"fmt"
	"time"
)

// assumedRate is the number of workgroups per second assumed before an experiment's first record: ready jobs reach 500
// to 50000 on one core of a small machine.
const assumedRate = 5000.0

// startSeconds is the cost of a point besides its simulation: it is sent to a worker, made ready there, and its record
// stored. Measured in a task of 100 points: 3.5 ms of processor time.
const startSeconds = 0.004

// An Estimate is the time that some points will take.
type Estimate struct {
	Points      int // estimated
	FromSimilar int // of them, from the time of a point like it
	Total       time.Duration
	Bytes       int64 // of the records
}

// assumedBytes is the size of a record before an experiment's first one: records of ready jobs have 5000 to 9000 bytes.
const assumedBytes = 7_000

// bytes is the size of a record's file, to a percent or two.
func (r *Record) bytes() int64 { return int64(len(r.Stats)) + 500 }

// cost estimates the seconds of a point on one core, by the record that is most similar; nil: by the assumed rate.
func (s *Spec) cost(known []Record) (seconds float64, from *Record) {
	if r := mostSimilar(s, known); r != nil {
		return r.HostSeconds*float64(max(s.Workgroups, 1))/float64(max(r.Workgroups, 1)) + startSeconds, r
	}
	return float64(s.Workgroups)/assumedRate + startSeconds, nil
}

// Estimate adds up the time of points on one core: for each, the host time of the most similar record, scaled by the
// launched workgroups, or else the assumed rate.
func (p *Plan) Estimate(s *Store, points []int) Estimate {
	known := s.All()
	e := Estimate{Points: len(points)}
	seconds := 0.0
	for _, i := range points {
		cost, r := p.Specs[i].cost(known)
		seconds += cost
		if r != nil {
			e.FromSimilar++
			e.Bytes += r.bytes()
		} else {
			e.Bytes += assumedBytes
		}
	}
	e.Total = time.Duration(seconds * float64(time.Second))
	return e
}

// mostSimilar returns the finished record of the same job with the most equal cells, and among those the nearest in
// workgroups.
func mostSimilar(s *Spec, known []Record) *Record {
	var best *Record
	bestEqual, bestApart := -1, 0.0
	for i := range known {
		r := &known[i]
		if r.Status != Done || r.Job != s.Job {
			continue
		}
		equal, apart := equalCells(s.Cells, r.Cells), ratio(s.Workgroups, r.Workgroups)
		if equal > bestEqual || equal == bestEqual && apart < bestApart {
			best, bestEqual, bestApart = r, equal, apart
		}
	}
	return best
}

func ratio(a, b uint64) float64 {
	return float64(max(a, b, 1)) / float64(max(min(a, b), 1))
}

// equalCells compares by text, as numbers lose their type in records.
func equalCells(a, b []Cell) (count int) {
	for _, x := range a {
		for _, y := range b {
			if x.Name == y.Name && fmt.Sprint(x.Value) == fmt.Sprint(y.Value) {
				count++
			}
		}
	}
	return count
}
