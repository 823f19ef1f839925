// Package dram is one channel of a DRAM, with the timing of its standard: banks
// with one open row each, and constraints on how soon one command may follow
// another at a bank, at a bank group or on the whole channel. Its controller
// reorders requests within a queue, collects writes and refreshes banks.
//
// The package books: each access gets its time in the order in which it comes. It
// does not know caches, and counts time in units of its user's clock.
package dram

import (
	"fmt"
	"math"
	"slices"
)

// A Command is one of those that a controller sends to a channel.
type Command uint8

// Commands of a channel with open pages.
const (
	Activate Command = iota
	Precharge
	Read
	Write
	Refresh // of one bank
	numCommands
)

// A Level is the part of a channel in which a constraint holds.
type Level uint8

// Levels of a channel, outermost first.
const (
	Channel Level = iota
	Bank
)

// Timings are those of a standard: what the data bus does in its clocks, the rest in nanoseconds.
type Timings struct {
	BL, CCDS, CCDL int // clocks of a burst, and from one column command to the next in another and in the same bank group

	CL, CWL      float64 // from a read or write to its data
	RCDRD, RCDWR float64 // from an activation to a read or write
	RP, RAS, RC  float64 // precharge, least time of an open row, from one activation of a bank to the next
	RRDS, RRDL   float64 // from an activation to one of another bank, in another and in the same bank group
	FAW          float64 // window of four activations
	WTRL, WR     float64 // from the end of write data to a read, and to a precharge
	RTP          float64 // from a read to a precharge
	RTW          float64 // gap of the data bus between read and write data
	RFC          float64 // refresh of one bank
	REFI         float64 // in which all banks are refreshed once
}

// A Standard is a kind of DRAM.
type Standard struct {
	Name           string
	PseudoChannels int // of a channel, each with a part of its data bus and banks of its own
	Groups, Banks  int // bank groups of a pseudo-channel, banks of a group, of all stack IDs
	RowBytes       int // of a pseudo-channel
	BurstBytes     int
	AddressMap     string // which bits of an address within a channel are what (addressmap.go), unless a machine says otherwise
	Timings        Timings
	Source         string
}

// Standards are those that a machine can have. Timings are of the speed that the source names; the clock of the
// data bus follows from the machine's bandwidth.
var Standards = []Standard{
	{
		Name: "HBM", PseudoChannels: 1, Groups: 4, Banks: 4, RowBytes: 2048, BurstBytes: 32, AddressMap: "col3-bg2-ba2-col3-row14",
		Timings: Timings{BL: 1, CCDS: 1, CCDL: 2, CL: 14, CWL: 8, RCDRD: 14, RCDWR: 12, RP: 14, RAS: 34, RC: 48,
			RRDS: 4, RRDL: 6, FAW: 30, WTRL: 8, WR: 16, RTP: 8, RTW: 4, RFC: 160, REFI: 3900},
		Source: "JESD235 at 1 Gb/s, as tabled by Ramulator 2 (hbm1, HBM1_1Gbps) and DRAMSim3 (HBM_4Gb_x128: rows, banks, tRRD, tFAW)",
	},
	{
		Name: "HBM2e", PseudoChannels: 2, Groups: 4, Banks: 8, RowBytes: 1024, BurstBytes: 32, AddressMap: "col2-pc1-bg2-ba2-col3-row15-sid1",
		Timings: Timings{BL: 2, CCDS: 2, CCDL: 5, CL: 14, CWL: 4, RCDRD: 14, RCDWR: 14, RP: 15, RAS: 33, RC: 48,
			RRDS: 4, RRDL: 6, FAW: 16, WTRL: 8, WR: 16, RTP: 5, RTW: 4.2, RFC: 200, REFI: 3900},
		Source: "V: AMD Versal, PG313: stacks of eight dies with channels of 16 Gb have 32 banks a pseudo-channel, 16 of each of two stack IDs; " +
			"JESD235D at 3.2 Gb/s, as quoted by PIMID (isaacyhe/PIMID, HBM2.cpp): CCDL 2.8 ns, RP, RAS and RC (Table 58), RFC 200 ns of one bank in dies of 16 Gb, " +
			"RTW what 17 clocks between the commands at 2.4 Gb/s leave of the bus with CL 20 and CWL 10 (Table 68, note 23); " +
			"the rest as tabled by DRAMSim3 (HBM2_8Gb_x128), but for FAW, 16 ns of a pseudo-channel",
	},
	{
		Name: "HBM3", PseudoChannels: 2, Groups: 4, Banks: 8, RowBytes: 1024, BurstBytes: 32, AddressMap: "col2-pc1-col2-bg2-ba2-col1-row14-sid1",
		Timings: Timings{BL: 2, CCDS: 2, CCDL: 4, CL: 12.5, CWL: 6.25, RCDRD: 19.4, RCDWR: 9.4, RP: 16.25, RAS: 28.1, RC: 45,
			RRDS: 2.5, RRDL: 3.1, FAW: 15, WTRL: 6.25, WR: 20.6, RTP: 5.6, RTW: 5, RFC: 200, REFI: 3900},
		Source: "JESD238 at 6.4 Gb/s, as tabled by Ramulator 2 (hbm3, HBM3_6400Mbps)",
	},
	{
		Name: "GDDR6", PseudoChannels: 1, Groups: 4, Banks: 4, RowBytes: 2048, BurstBytes: 32, AddressMap: "col3-bg2-ba2-col3-row14",
		Timings: Timings{BL: 2, CCDS: 2, CCDL: 4, CL: 13.7, CWL: 3.4, RCDRD: 15.4, RCDWR: 9.1, RP: 15.4, RAS: 30.2, RC: 45,
			RRDS: 4.6, RRDL: 4.6, FAW: 16.5, WTRL: 6.3, WR: 15.4, RTP: 2.3, RTW: 0.6, RFC: 60.4, REFI: 1900},
		Source: "JESD250 at 14 Gb/s, as tabled by Ramulator 2 (gddr6, GDDR6_14000_1350mV_double) from a Samsung data sheet",
	},
	{
		Name: "LPDDR5X", PseudoChannels: 1, Groups: 4, Banks: 4, RowBytes: 2048, BurstBytes: 32, AddressMap: "col3-bg2-ba2-col3-row16",
		Timings: Timings{BL: 2, CCDS: 2, CCDL: 4, CL: 21.25, CWL: 11.25, RCDRD: 18, RCDWR: 18, RP: 18, RAS: 42, RC: 60,
			RRDS: 5, RRDL: 5, FAW: 20, WTRL: 12, WR: 34, RTP: 5, RTW: 1.25, RFC: 140, REFI: 3900},
		Source: "JESD209-5 in bank group mode at 6.4 Gb/s, as tabled by gem5 (LPDDR5_6400_1x16_BG_BL16); CWL 9 clocks of 1.25 ns (set A), RFC 140 ns of one bank in dies of 16 Gb",
	},
}

// Names are those of the standards.
func Names() (names []string) {
	for i := range Standards {
		names = append(names, Standards[i].Name)
	}
	return names
}

// Find is the standard of a name.
func Find(name string) (*Standard, error) {
	if i := slices.IndexFunc(Standards, func(s Standard) bool { return s.Name == name }); i >= 0 {
		return &Standards[i], nil
	}
	return nil, fmt.Errorf("dram: no standard %q: want one of %v", name, Names())
}

// A Constraint keeps a command from following another at the same bank, or at the whole channel where the data bus turns, for
// a time: in nanoseconds of the standard's timings and clocks of its data bus. How close column commands and activations
// of different banks may come to each other is in calendars beside these rows (calendar.go).
type Constraint struct {
	At   Level
	From Command
	To   Command
	Time func(t *Timings, clock float64) float64
}

func ns(f func(t *Timings) float64) func(*Timings, float64) float64 {
	return func(t *Timings, _ float64) float64 { return f(t) }
}

// burst is the time of a burst on the data bus.
func (t *Timings) burst(clock float64) float64 { return float64(t.BL) * clock }

// activations is the least time between activations of a channel: with it four fit the window, in whatever bank groups.
func (t *Timings) activations() float64 { return max(t.RRDS, t.FAW/4) }

// Constraints are those of all standards here, which differ in their timings alone.
var Constraints = []Constraint{
	{Channel, Read, Write, func(t *Timings, c float64) float64 { return max(t.CL+t.burst(c)+t.RTW-t.CWL, t.burst(c)) }},
	{Channel, Write, Read, func(t *Timings, c float64) float64 { return t.CWL + t.burst(c) + t.WTRL }},

	{Bank, Activate, Activate, ns(func(t *Timings) float64 { return t.RC })},
	{Bank, Activate, Read, ns(func(t *Timings) float64 { return t.RCDRD })},
	{Bank, Activate, Write, ns(func(t *Timings) float64 { return t.RCDWR })},
	{Bank, Activate, Precharge, ns(func(t *Timings) float64 { return t.RAS })},
	{Bank, Precharge, Activate, ns(func(t *Timings) float64 { return t.RP })},
	{Bank, Read, Precharge, ns(func(t *Timings) float64 { return t.RTP })},
	{Bank, Write, Precharge, func(t *Timings, c float64) float64 { return t.CWL + t.burst(c) + t.WR }},
	{Bank, Refresh, Activate, ns(func(t *Timings) float64 { return t.RFC })},
}

// units turns nanoseconds into units of time, rounded up: a constraint is never short.
func units(ns, perNs float64) uint64 { return uint64(math.Ceil(ns * perNs)) }
