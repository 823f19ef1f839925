package ledger

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/spec"
)

// A key that is added to the list changes few draws, and no value of the keys that are drawn beside it.
func TestAddedKeyChangesFewDraws(t *testing.T) {
	list := numbers()
	added := drawnKey{"l2.something_new", spec.Field{HasRange: true, Low: 1, High: 64, Type: reflect.TypeFor[int]()}}
	longer := slices.Insert(slices.Clone(list), len(list)/2, added)
	p := &preset{"none", map[string]string{}}
	const draws, each = 400, 4
	changed := 0
	for seed := range uint64(draws) {
		before, after := p.change(seed, list, each), p.change(seed, longer, each)
		if slices.Equal(before, after) {
			continue
		}
		changed++
		kept := 0
		for _, key := range after {
			if slices.Contains(before, key) {
				kept++
			}
		}
		if kept != each-1 {
			t.Errorf("seed %d: %q, then %q: want one key that is not the same", seed, before, after)
		}
	}
	// Each draw takes the new key with a chance of 4 in len(list)+1.
	if expected := draws * each / (len(list) + 1); changed > 4*expected+4 {
		t.Errorf("%d of %d draws changed: want about %d", changed, draws, expected)
	}
}

// Keys are drawn evenly: none of them in more than a few of many draws.
func TestDrawnKeys(t *testing.T) {
	list, r := numbers(), rand.New(rand.NewPCG(1, 1))
	counts := map[string]int{}
	p := &preset{"none", map[string]string{}}
	for range 2000 {
		for _, key := range p.change(r.Uint64(), list, 5) {
			name, _, _ := strings.Cut(key, "=")
			counts[name]++
		}
	}
	if len(counts) < len(list)*9/10 {
		t.Errorf("%d of %d keys drawn: want nearly all", len(counts), len(list))
	}
	for name, n := range counts {
		if n > 60 {
			t.Errorf("%s drawn %d times", name, n)
		}
	}
}
