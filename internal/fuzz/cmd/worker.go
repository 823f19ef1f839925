package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"spvsim/internal/fuzz"
)

// work feeds a range of seeds, noting each before it is fed, so that whoever started the worker knows which one it died of.
func (f *flags) work() int {
	t, err := fuzz.Find(f.target)
	if err != nil {
		return complain(err)
	}
	fuzzer, err := fuzz.New(t, ".")
	if err != nil {
		return complain(err)
	}
	at, err := os.Create(f.worker + ".seed")
	if err != nil {
		return complain(err)
	}
	defer at.Close()
	var begun atomic.Int64
	begun.Store(time.Now().UnixNano())
	go f.watch(&begun)
	until := time.Now().Add(time.Duration(f.seconds) * time.Second)
	s := state{Seed: f.first, Counts: map[string]uint64{}}
	noted := time.Now()
	for ; s.Seed < f.first+f.count && (f.seconds == 0 || time.Now().Before(until)); s.Seed++ {
		if _, err := at.WriteAt(fmt.Appendf(nil, "%20d", s.Seed), 0); err != nil {
			return complain(err)
		}
		begun.Store(time.Now().UnixNano())
		outcome, err := fuzzer.Feed(fuzzer.Make(s.Seed))
		s.Counts[outcome]++
		if err != nil {
			s.Findings = append(s.Findings, finding{s.Seed, err.Error()})
		}
		if err != nil || time.Since(noted) > time.Second {
			noted = time.Now()
			if err := s.write(f.worker); err != nil {
				return complain(err)
			}
		}
	}
	if err := s.write(f.worker); err != nil {
		return complain(err)
	}
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "fuzz:", err)
	return 2
}

func (s *state) write(file string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// lookEvery is how often the watchdog looks.
const lookEvery = 50 * time.Millisecond

// watch ends the process when a file takes too long, or what the process holds is too much.
func (f *flags) watch(begun *atomic.Int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(lookEvery) {
		metrics.Read(sample)
		if held := sample[0].Value.Uint64() - sample[1].Value.Uint64(); held > f.memory {
			f.end("%d bytes of memory", held)
		}
		if took := time.Since(time.Unix(0, begun.Load())); took > f.hang {
			f.end("a hang of %s", took)
		}
	}
}

// end says what is wrong and where all goroutines are.
func (f *flags) end(format string, args ...any) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	fmt.Fprintf(os.Stderr, format+"\n%s\n", append(args, stacks)...)
	os.Exit(3)
}
