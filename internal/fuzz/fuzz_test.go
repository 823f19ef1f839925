package fuzz

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/bounds"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

var fuzzTarget = flag.String("target", "lower", "what FuzzSeeds feeds: the name of one of Targets")

// seeds are those whose files each target is fed: few by default, others where the variable says so as FIRST+COUNT.
func seeds(t *testing.T) (first, count uint64) {
	text := os.Getenv("SPVSIM_FUZZ_SEEDS")
	if text == "" {
		if testing.Short() {
			return 0, 20
		}
		return 0, 60
	}
	if n, err := fmt.Sscanf(text, "%d+%d", &first, &count); n != 2 {
		t.Fatalf("SPVSIM_FUZZ_SEEDS=%s: want FIRST+COUNT: %v", text, err)
	}
	return first, count
}

// Every target is fed the files of a range of seeds.
func TestTargets(t *testing.T) {
	for i := range Targets {
		t.Run(Targets[i].Name, func(t *testing.T) {
			if testing.Short() && Targets[i].Name == "command" {
				t.Skip("builds the command")
			}
			f := suite.Must(New(&Targets[i], "../.."))(t)
			counts := map[string]int{}
			first, count := seeds(t)
			for seed := first; seed < first+count; seed++ {
				outcome := feed(t, f, strconv.FormatUint(seed, 10), f.Make(seed))
				counts[outcome]++
			}
			t.Logf("%d files from seed %d: %v", count, first, counts)
		})
	}
}

// FuzzSeeds feeds a target (-target) the files of seeds that Go's fuzzing draws: go test ./internal/fuzz -fuzz FuzzSeeds -fuzztime 1h.
// Its worker processes outlive a hang or a lack of memory, and it keeps the seed.
func FuzzSeeds(f *testing.F) {
	target := suite.Must(Find(*fuzzTarget))(f)
	fuzzer := suite.Must(New(target, "../.."))(f)
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) {
		feed(t, fuzzer, strconv.FormatUint(seed, 10), fuzzer.Make(seed))
	})
}

func feed(t *testing.T, f *Fuzzer, name string, in Input) string {
	t.Helper()
	stop := bounds.WatchLimits(f.Name+" "+name, func(err error) { panic(err) }) // which ends the process: nothing else ends a hang
	defer stop()
	outcome, err := f.Feed(in)
	if err != nil {
		t.Errorf("%s, %s of %s: %v", f.Name, name, in.Base, err)
	}
	return outcome
}

// What was found stays: each file of the corpus is in a folder named by its target, with the file that it was made of in its name, and
// @ for each slash.
func TestCorpus(t *testing.T) {
	for i := range Targets {
		f := &Fuzzer{Target: &Targets[i], root: "../..", machines: map[string]*config.Machine{}}
		names := suite.Must(filepath.Glob(filepath.Join("testdata", "corpus", f.Name, "*")))(t)
		for _, name := range names {
			data := suite.Must(os.ReadFile(name))(t)
			_, base, _ := strings.Cut(filepath.Base(name), "_")
			feed(t, f, name, Input{strings.ReplaceAll(base, "@", "/"), data})
		}
	}
}

// A seed names a file: it is the same every time.
func TestSeedsNameFiles(t *testing.T) {
	for i := range Targets {
		if Targets[i].Name == "profile" || Targets[i].Name == "command" {
			continue // their files are made by runs, which say how long they took
		}
		a, err1 := New(&Targets[i], "../..")
		b, err2 := New(&Targets[i], "../..")
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		differ := false
		for seed := range uint64(50) {
			x, y := a.Make(seed), b.Make(seed)
			if x.Base != y.Base || string(x.Data) != string(y.Data) {
				t.Errorf("%s: seed %d gives two files", Targets[i].Name, seed)
			}
			differ = differ || string(x.Data) != string(a.Make(seed+1).Data)
		}
		if !differ {
			t.Errorf("%s: all seeds give one file", Targets[i].Name)
		}
	}
}

// The mutator keeps the form of most modules, and a panic on the way is told.
func TestMutantsKeepTheirForm(t *testing.T) {
	f := suite.Must(New(&Targets[0], "../.."))(t)
	formed := 0
	for seed := range uint64(300) {
		if _, err := spirv.Decode(f.Make(seed).Data); err == nil {
			formed++
		}
	}
	if formed < 150 {
		t.Errorf("%d of 300 mutants decode", formed)
	}
	broken := &Fuzzer{Target: &Target{Name: "broken", feed: func(*Fuzzer, Input) string { panic("as wanted") }}}
	if outcome, err := broken.Feed(Input{}); outcome != "panic" || err == nil || !strings.Contains(err.Error(), "as wanted") {
		t.Errorf("%s, %v", outcome, err)
	}
}
