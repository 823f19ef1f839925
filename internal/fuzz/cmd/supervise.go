package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spvsim/internal/fuzz"
)

// A state is what a worker notes: the seed at hand and how those before it ended.
type state struct {
	Seed     uint64
	Counts   map[string]uint64
	Findings []finding
}

type finding struct {
	Seed uint64
	Text string
}

// chunk is how many seeds a worker is given at most.
const chunk = 20_000

// supervise starts workers one after the other until the seeds, or the time, are used up.
func (f *flags) supervise(t *fuzz.Target) (findings int, err error) {
	begin := time.Now()
	until := begin.Add(time.Duration(f.seconds) * time.Second)
	counts := map[string]uint64{}
	next, end := f.first, f.first+f.count
	for f.count > 0 && next < end || f.count == 0 && time.Now().Before(until) {
		n := uint64(chunk)
		if f.count > 0 {
			n = min(n, end-next)
		}
		s, died, err := f.start(t, next, n, until)
		if err != nil {
			return findings, err
		}
		if died != "" {
			s.Findings = append(s.Findings, finding{s.Seed, died})
			counts["worker died"]++
			s.Seed++
		}
		for name, n := range s.Counts {
			counts[name] += n
		}
		for _, x := range s.Findings {
			findings++
			if err := f.keep(t, x.Seed, x.Text); err != nil {
				return findings, err
			}
		}
		next = s.Seed
	}
	fmt.Printf("%-11s seeds %d to %d, %.0f s: %s; %d findings\n", t.Name, f.first, next-1, time.Since(begin).Seconds(), tally(counts), findings)
	return findings, nil
}

func tally(counts map[string]uint64) string {
	var names, parts []string
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}

// start runs one worker; died says how it ended when it did not end by itself.
func (f *flags) start(t *fuzz.Target, first, count uint64, until time.Time) (s state, died string, err error) {
	dir, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return s, "", err
	}
	defer os.RemoveAll(dir)
	note := filepath.Join(dir, "state")
	seconds := 0
	if f.count == 0 {
		seconds = int(time.Until(until).Seconds()) + 1
	}
	c := exec.Command(os.Args[0], "--worker", note, "--target", t.Name, "--first", strconv.FormatUint(first, 10), "--count", strconv.FormatUint(count, 10),
		"--seconds", strconv.Itoa(seconds), "--hang", f.hang.String(), "--memory", strconv.FormatUint(f.memory, 10))
	c.Env = append(os.Environ(), "GOMAXPROCS=2") // the work, and the watchdog
	var complaint bytes.Buffer
	c.Stderr = &complaint
	ended := c.Run()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return s, "", ended
	}
	if ended != nil {
		died = ended.Error() + "\n" + complaint.String()
	}
	return readState(note, first, died)
}

// readState reads what a worker noted. The seed at hand is in a file of its own, as it is written for each.
func readState(note string, first uint64, died string) (state, string, error) {
	s := state{Seed: first, Counts: map[string]uint64{}}
	text, err := os.ReadFile(note)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if died == "" {
		return s, "", err
	}
	if at, err := os.ReadFile(note + ".seed"); err == nil {
		if n, err := strconv.ParseUint(strings.TrimSpace(string(at)), 10, 64); err == nil {
			s.Seed = n
		}
	}
	return s, died, nil
}
