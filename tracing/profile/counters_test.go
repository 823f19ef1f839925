package profile_test

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/plots"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// counted runs a ready job and reads the counters of its parts: by kind, part and counter, of the run and as sums over time.
func counted(t *testing.T, name string, parameters []string, settings ...string) (run, over map[[3]string]float64, s *tracing.Stats) {
	t.Helper()
	fsys, file, _, err := experiments.Lookup(name)
	suite.OK(t, err)
	job := suite.Must(config.LoadJobWith(fsys, file, parameters))(t)
	job.Expect = nil
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: settings}))(t)
	c := profile.NewCollector()
	result := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c}))(t)
	p := suite.Must(profile.New(job, c, m, result.Stats, result.Listings))(t)
	var out bytes.Buffer
	suite.OK(t, p.WriteCounters(&out))
	table := suite.Must(plots.ReadParquet("counters", out.Bytes()))(t)
	columns := map[string]*plots.Column{}
	for i := range table.Columns {
		columns[table.Columns[i].Name] = &table.Columns[i]
	}
	run, over = map[[3]string]float64{}, map[[3]string]float64{}
	for i := range table.Rows {
		key := [3]string{columns["kind"].Texts[i], columns["part"].Texts[i], columns["counter"].Texts[i]}
		if from := columns["cycle"].Numbers[i]; math.IsNaN(from) {
			run[key] = columns["value"].Numbers[i]
		} else {
			if from < 0 || from+columns["cycles"].Numbers[i] > float64(p.Cycles) {
				t.Fatalf("%v: %g cycles from %g on, of %d", key, columns["cycles"].Numbers[i], from, p.Cycles)
			}
			over[key] += columns["value"].Numbers[i]
		}
	}
	return run, over, result.Stats
}

func total(counts map[[3]string]float64, kind, counter string) (sum float64) {
	for key, n := range counts {
		if key[0] == kind && key[2] == counter {
			sum += n
		}
	}
	return sum
}

// Counts of parts add up to those of the statistics, and those over time to those of the run.
func TestCountersOfPartsAddUp(t *testing.T) {
	for _, name := range []string{"reduce", "bfs", "transpose-plain", "cl-bfs"} {
		run, over, s := counted(t, name, nil)
		for _, of := range []struct {
			kind, counter string
			want          uint64
		}{
			{"unit", "waves", s.Waves}, {"simd", "waves", s.Waves}, {"unit", "instructions", s.Instructions()}, {"simd", "instructions", s.Instructions()},
			{"unit", "lds_passes", s.LDS.Passes}, {"unit", "conflict_passes", s.LDS.ConflictPasses},
		} {
			if got := total(run, of.kind, of.counter); got != float64(of.want) {
				t.Errorf("%s: %s of each %s add up to %g, the run has %d", name, of.counter, of.kind, got, of.want)
			}
		}
		for _, l := range s.Memory {
			if l.Name == "translation" || l.Name == "payloads" {
				continue
			}
			if got := total(run, l.Name, "accesses"); got != float64(l.Accesses) {
				t.Errorf("%s: accesses of each part of %s add up to %g, the run has %d", name, l.Name, got, l.Accesses)
			}
			if got := total(run, l.Name, "bytes"); got != float64(l.Bytes) {
				t.Errorf("%s: bytes of each part of %s add up to %g, the run has %d", name, l.Name, got, l.Bytes)
			}
		}
		for key, sum := range over {
			if sum != run[key] {
				t.Errorf("%s: %v: %g over time, %g in the run", name, key, sum, run[key])
			}
		}
		if got, want := total(run, "unit", "slot_cycles"), float64(s.Slots.Total()-s.Slots[len(s.Slots)-1]); got <= 0 || got > want {
			t.Errorf("%s: %g slot-cycles taken, of %g", name, got, want)
		}
	}
}

// Reads of consecutive addresses use all channels alike.
func TestChannelBalance(t *testing.T) {
	channels := func(run map[[3]string]float64) (list []float64) {
		for key, n := range run {
			if key[0] == "memory" && key[2] == "bytes" && strings.HasPrefix(key[1], "memory[") {
				list = append(list, n)
			}
		}
		return list
	}
	run, _, _ := counted(t, "saxpy", []string{"n=1048576"}, "memory.channels=8", "memory.interleave_bytes=256")
	list := channels(run)
	if len(list) != 8 {
		t.Fatalf("%d channels", len(list))
	}
	for _, n := range list {
		if n < list[0]*0.9 || n > list[0]*1.1 {
			t.Errorf("bytes by channel: %v", list)
		}
	}
}

// No instruction of a ready job has more live registers than its program has, and lines of instructions add up to those of the vector and
// the scalar cache. Workgroups of each program have a lifetime each.
func TestInstructionsOfProfiles(t *testing.T) {
	for _, name := range []string{"reduce", "matmul", "mandelbrot", "cl-lu", "bfs", "gemm"} {
		fsys, file, _, err := experiments.Lookup(name)
		suite.OK(t, err)
		job := suite.Must(config.LoadJob(fsys, file))(t)
		job.Expect = nil
		m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
		c := profile.NewCollector()
		r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c}))(t)
		p := suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t)
		var lines, groups uint64
		for i := range p.Listings {
			most := 0
			x := r.Listings[i].Program
			for k := range p.Listings[i].Lines {
				l := &p.Listings[i].Lines[k]
				lines += l.CacheLines
				most = max(most, l.LiveVector)
				if l.LiveScalar > x.ScalarWords {
					t.Errorf("%s, pc %d: %d live scalar registers of %d", name, k, l.LiveScalar, x.ScalarWords)
				}
			}
			if most > x.VectorRows || most == 0 {
				t.Errorf("%s: at most %d live vector registers, the program has %d", name, most, x.VectorRows)
			}
		}
		for _, l := range r.Stats.Memory {
			if l.Name == "vector_l1" || l.Name == "scalar_l1" {
				lines -= l.Accesses
			}
		}
		// Atomics and coherent accesses pass the first levels.
		if coherent := name == "bfs" || name == "reduce"; int64(lines) < 0 || lines != 0 && !coherent {
			t.Errorf("%s: lines of instructions are %d more than the first levels count", name, int64(lines))
		}
		for i := range p.Lifetimes {
			groups += p.Lifetimes[i].Accesses
		}
		if groups != r.Stats.Workgroups {
			t.Errorf("%s: %d lifetimes of %d workgroups", name, groups, r.Stats.Workgroups)
		}
	}
}
