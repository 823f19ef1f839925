package engine

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/sarchlab/akita/v3/sim"
)

// The benchmark models the machine's main load on an engine: units that each have one next turn, some cycles ahead. It
// compares Akita's serial engine, this engine, and a bare wheel of bit sets that calls the units itself, as the compute
// units of this project did before they had events of their own.

const benchUnits = 96

// gaps are the cycles from a turn to the next, of units in turn.
var gaps = [...]uint64{1, 4, 1, 20, 4, 1, 4, 300, 1, 8}

type benchUnit struct {
	Base
	alarm *Alarm
	turns int
}

func (u *benchUnit) Handle(sim.Event) error {
	u.turns++
	u.alarm.Set(u.Engine.Now() + gaps[u.turns%len(gaps)])
	return nil
}

// report reports the cost of a turn.
func report(b *testing.B, turns int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(turns, 1)), "ns/turn")
}

func BenchmarkThisEngine(b *testing.B) {
	e := New(1 * sim.GHz)
	var units []*benchUnit
	for i := range benchUnits {
		u := &benchUnit{Base: NewBase(e, fmt.Sprintf("CU[%d]", i)), turns: i}
		u.alarm = NewAlarm(&u.Base, u, true)
		u.alarm.Set(0)
		units = append(units, u)
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Clear()
		e.Limit(e.Now()+10000, func(uint64) error { return nil })
		e.Run()
	}
	report(b, int(sum(units))-benchUnits*(benchUnits-1)/2)
}

func sum(units []*benchUnit) (n uint64) {
	for _, u := range units {
		n += uint64(u.turns)
	}
	return n
}

type akitaTurn struct {
	time  sim.VTimeInSec
	cycle uint64
	unit  *akitaUnit
}

func (t *akitaTurn) Time() sim.VTimeInSec { return t.time }
func (t *akitaTurn) Handler() sim.Handler { return t.unit }
func (t *akitaTurn) IsSecondary() bool    { return true }

type akitaUnit struct {
	engine sim.Engine
	event  akitaTurn // used again
	turns  int
	until  *uint64
}

func (u *akitaUnit) Handle(sim.Event) error {
	u.turns++
	u.event.cycle += gaps[u.turns%len(gaps)]
	if u.event.cycle < *u.until {
		u.event.time = sim.VTimeInSec(float64(u.event.cycle) / 1e9)
		u.engine.Schedule(&u.event)
	}
	return nil
}

func BenchmarkAkitaSerialEngine(b *testing.B) {
	e := sim.NewSerialEngine()
	until := uint64(0)
	var units []*akitaUnit
	for i := range benchUnits {
		u := &akitaUnit{engine: e, turns: i, until: &until}
		u.event.unit = u
		units = append(units, u)
	}
	b.ReportAllocs()
	for b.Loop() {
		from := until
		until += 10000
		for _, u := range units {
			if u.event.cycle >= from {
				u.event.time = sim.VTimeInSec(float64(u.event.cycle) / 1e9)
				e.Schedule(&u.event)
			}
		}
		e.Run()
	}
	n := 0
	for _, u := range units {
		n += u.turns
	}
	report(b, n-benchUnits*(benchUnits-1)/2)
}

func BenchmarkBareWheel(b *testing.B) {
	const words = (benchUnits + 63) / 64
	var wheel [horizon][words]uint64
	turns, booked := [benchUnits]int{}, [benchUnits]uint64{}
	now, until := uint64(0), uint64(0)
	for i := range benchUnits {
		turns[i] = i
		wheel[0][i>>6] |= 1 << (i & 63)
	}
	b.ReportAllocs()
	for b.Loop() {
		for until += 10000; now < until; now++ {
			set := &wheel[now%horizon]
			for w := range set {
				word := set[w]
				set[w] = 0
				for ; word != 0; word &= word - 1 {
					i := w<<6 + bits.TrailingZeros64(word)
					turns[i]++
					booked[i] = now + gaps[turns[i]%len(gaps)]
					wheel[booked[i]%horizon][i>>6] |= 1 << (i & 63)
				}
			}
		}
	}
	n := 0
	for i := range turns {
		n += turns[i]
	}
	report(b, n-benchUnits*(benchUnits-1)/2)
}
