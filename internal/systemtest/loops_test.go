package systemtest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

func number(n uint32) *expr { return &expr{op: constant, n: n} }

// low are the lowest bits of the thread's number.
func low(mask uint32) *expr { return &expr{op: both, a: &expr{op: thread}, b: number(mask)} }

func when(c *cond, body ...stmt) stmt { return stmt{kind: branch, c: c, body: body} }

// write stores the ballot of the lanes that are there.
func write(n int) stmt {
	return stmt{kind: record, n: n, e: &expr{op: ballotWords, c: &cond{}}}
}

var (
	many   = &cond{op: less, a: number(2), b: low(7)}
	elects = stmt{kind: election, body: []stmt{write(3)}}
)

// Loops that lanes leave one after the other, until there is none in the blocks
// after the one that they leave from.
var loops = map[string][]function{
	"a turn for each, then a branch": {{vars: 5, body: []stmt{
		{kind: turns, count: 4, e: low(7), body: []stmt{write(0)}, other: []stmt{when(many, write(1))}}, write(2)}}},
	"an election, then a switch": {{vars: 5, body: []stmt{
		{kind: election, body: []stmt{write(0)}, other: []stmt{
			{kind: choose, e: low(3), cases: []switchCase{{values: []uint32{1}, body: []stmt{write(1)}}, {values: []uint32{2}}}}}}, write(2)}}},
	"a waterfall, then a test in two steps": {{vars: 5, body: []stmt{
		{kind: waterfall, e: low(3), body: []stmt{write(0)}, other: []stmt{when(&cond{op: andAlso, l: many, r: many}, write(1))}}, write(2)}}},
	"early exits by return": {{vars: 5, body: []stmt{
		{kind: election, body: []stmt{write(0), {kind: giveBack, e: number(0)}}, other: []stmt{when(many, write(1))}}}}},
	"a loop in front of a value that leaves the loop around": {{vars: 5, body: []stmt{
		{kind: election, body: []stmt{elects, {kind: assign, n: 1, e: &expr{op: ballotWords, c: &cond{}}}}},
		{kind: record, n: 0, e: &expr{op: variable, n: 1}}}}},
	"a function that returns from its loop only": {
		{vars: 5, body: []stmt{{kind: invoke, n: 1, count: 1, args: []*expr{number(3), number(4)}}, write(2)}},
		{params: 2, vars: 5, body: []stmt{{kind: election, body: []stmt{elects, {kind: giveBack, e: number(7)}}}, {kind: giveBack, e: number(1)}}}},
}

func TestLoopsThatLanesLeaveOneByOne(t *testing.T) {
	b := newBench(t)
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		for _, size := range []int{32, 64} {
			for _, optimised := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/wave%d/optimised=%v", name, size, optimised), func(t *testing.T) {
					p := &program{size: 100, funcs: loops[name]}
					if err := b.fault(t, p, size, optimised); err != nil {
						t.Errorf("%v\n%s", err, source(p))
					}
				})
			}
		}
	}
}
