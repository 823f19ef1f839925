package systemtest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/spec"
	"spvsim/scheduler"
	"spvsim/tracing"
)

// kindRows are rows for schedulers under which a key acts on another job, or beside other keys, than in the table of all keys. What they
// do is not checked here, but that they do something.
var kindRows = []keyRow{
	{key: "queue.arbitration", job: "fan-wide", on: multipass, from: "depth-first", to: "priority"},
	{key: "queue.arbitration", job: "fan-wide", on: multipass + "scheduler.passes=overlapped scheduler.pass_launch_cycles=0", from: "depth-first", to: "round-robin"},
	{key: "queue.arbitration", job: "fan-wide", on: multipass + "scheduler.passes=overlapped scheduler.pass_launch_cycles=0", from: "breadth-first", to: "priority"},
	{key: "queue.arbitration", job: "fan-wide", on: firmware, from: "depth-first", to: "round-robin"},
	{key: "queue.arbitration", job: "fan-wide", on: workLists, from: "depth-first", to: "round-robin"},
	{key: "queue.arbitration", job: "fan-wide", on: persistent, from: "depth-first", to: "priority"},
	{key: "queue.steal", job: "fan-long", on: firmware + apart + twoPlaces + "queue.placement=engine scheduler.firmware_launches=1", from: "0", to: "64"},
}

// ofSchedulers are the keys that a scheduler of execution graphs may look at, with the schedulers that their tags name; none: all.
func ofSchedulers() map[string][]string {
	acts := map[string][]string{}
	for name, t := range map[string]reflect.Type{"scheduler.": reflect.TypeFor[scheduler.SchedulerSpec](), "queue.": reflect.TypeFor[scheduler.QueueSpec]()} {
		for _, f := range spec.Fields(t) {
			acts[name+f.Name] = f.SchedulerKinds
		}
	}
	delete(acts, "scheduler.kind")
	return acts
}

// A key of the queue or of a scheduler acts under the schedulers that its tag names, or all, and under no other: there, a run is the same to
// the last statistic, and the run names the key as one that does nothing.
func TestKeysActUnderTheirSchedulers(t *testing.T) {
	b := newKeyBench(t)
	rows := map[string][]keyRow{}
	for _, r := range slices.Concat(keyRows(), kindRows) {
		rows[r.key] = append(rows[r.key], r)
	}
	for key, acts := range ofSchedulers() {
		for _, kind := range []string{hardware, firmware, multipass, workLists, generated, persistent} {
			name := strings.TrimSpace(strings.TrimPrefix(kind, "scheduler.kind="))
			wants, changed := len(acts) == 0 || slices.Contains(acts, name), ""
			for _, r := range rows[key] {
				if on := withKind(r.on, kind); b.changes(key, r, on) {
					changed = r.job + " on " + on
				}
			}
			switch {
			case wants && changed == "":
				t.Errorf("%s does nothing under %s, and its tag does not say so", key, name)
			case !wants && changed != "":
				t.Errorf("%s acts under %s, and its tag says that it does not: job %s", key, name, changed)
			}
			if named := b.named(key, rows[key], kind); named == wants {
				t.Errorf("%s under %s acts: %t, and runs name it: %t", key, name, wants, named)
			}
		}
	}
}

// withKind is settings with another scheduler.
func withKind(on, kind string) string {
	for _, k := range []string{hardware, firmware, multipass, workLists, generated, persistent} {
		on = strings.Replace(on, k, "", 1)
	}
	return kind + on
}

// changes says whether a row's values of a key make a difference to its job.
func (b *keyBench) changes(key string, r keyRow, on string) bool {
	b.t.Helper()
	from := on
	if r.from != "" {
		from += " " + key + "=" + r.from
	}
	return !bytes.Equal(b.outcome(r.job, from), b.outcome(r.job, on+" "+key+"="+r.to))
}

// outcome is all of a run that is the same each time, as text.
func (b *keyBench) outcome(job, settings string) []byte {
	b.t.Helper()
	run := b.run(job, settings)
	if run.err != nil {
		return []byte(run.err.Error())
	}
	stats := *run.Stats
	stats.Host = tracing.Host{}
	text, err := json.Marshal(struct {
		Stats any
		Sum   uint32
	}{&stats, run.sum})
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

// named says whether a machine names a key, set as in the key's first row, among those that do nothing.
func (b *keyBench) named(key string, rows []keyRow, kind string) bool {
	b.t.Helper()
	if len(rows) == 0 {
		b.t.Fatalf("key %s has no row", key)
	}
	m, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Set: []string{strings.TrimSpace(kind), key + "=" + rows[0].to}})
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.ContainsFunc(m.Idle(), func(text string) bool { return strings.HasPrefix(text, key+" ") })
}
