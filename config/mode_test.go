package config

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParseTime(t *testing.T) {
	for text, want := range map[string]*Time{
		"steps=a+2":                        {Steps: []string{"a", "2"}},
		"launches=red*,first=3":            {Launches: "red*", First: 3},
		"workgroups=4..9":                  {Workgroups: []int{4, 9}},
		"steps=x,workgroups=0..0,first=99": {Steps: []string{"x"}, Workgroups: []int{0, 0}, First: 99},
	} {
		if got, err := ParseTime(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"steps":           `found "steps": want steps=NAME`,
		"":                `found "": want steps=NAME`,
		"first=0":         `first: found "0": want an integer of 1 to 1048576`,
		"first=x":         `first: found "x"`,
		"workgroups=4":    `workgroups: found "4": want FIRST..LAST`,
		"workgroups=9..4": `workgroups: found 9 to 4: want the last not before the first`,
		"launches=[":      `launches: found "[": want a pattern`,
		"when=now":        `when: found "when": want steps, launches, first or workgroups`,
	} {
		if _, err := ParseTime(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

func TestTimeOfAJob(t *testing.T) {
	j := job(t, "shader: s\ntime: {steps: [b], launches: 's*', first: 2}\nmode: functional\nsteps:\n- {name: a, dispatch: [1], mode: timed}\n- {name: b, dispatch: [1]}\n- {steps: [{name: c, dispatch: [1]}]}", nil)
	list, err := j.Launches()
	if err != nil || len(list) != 3 || list[0].Mode != "timed" || list[1].Mode != "" || j.Mode != "functional" {
		t.Fatalf("%v, %+v", err, list)
	}
	for _, c := range []struct {
		time Time
		want string
	}{
		{Time{}, "abc"}, {Time{Steps: []string{"b"}}, "b"}, {Time{Steps: []string{"1", "c"}}, "ac"}, {Time{Steps: []string{"3"}}, "c"},
		{Time{Launches: "[ab]"}, "ab"}, {Time{Launches: "s"}, "abc"}, {Time{Launches: "s", Steps: []string{"a"}}, "a"}, {Time{Launches: "x"}, ""},
	} {
		got := ""
		for i := range list {
			if c.time.Chooses(&list[i]) {
				got += list[i].Step
			}
		}
		if got != c.want {
			t.Errorf("%+v chooses %q, want %q", c.time, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"time: {workgroups: [5, 2]}": "time.workgroups: found 5 to 2: want the last not before the first",
		"time: {launches: '['}":      `time.launches: found "[": want a pattern`,
		"mode: fast":                 "mode: ",
	} {
		_, err := ParseJob(nil, "j.yaml", []byte("shader: s\ndispatch: [1]\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "j.yaml:3: ") {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// A job without sampling settings has the defaults, one with some has the defaults of the rest, and invalid ones are
// refused.
func TestSampling(t *testing.T) {
	const job = "shader: a.spv\ndispatch: [1]\n"
	for text, want := range map[string]func(*Sampling){
		"":                                     func(*Sampling) {},
		"sampling: {pieces: 16, budget: 0.2}":  func(s *Sampling) { s.Pieces, s.Budget = 16, 0.2 },
		"sampling: {generations: 12, bias: 0}": func(s *Sampling) { s.Generations, s.Bias = 12, 0 },
	} {
		j, err := ParseJob(fstest.MapFS{}, "job.yaml", []byte(job+text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s := DefaultSampling()
		if want(s); *j.Sample() != *s {
			t.Errorf("%s: %+v, want %+v", text, *j.Sample(), *s)
		}
	}
	for text, want := range map[string]string{
		"sampling: {pieces: 4}":     "job.yaml:3: sampling.pieces: found 4",
		"sampling: {mix: 0}":        "sampling.mix: found 0",
		"sampling: {genrations: 2}": "nearest: sampling.generations",
		"sampling: {budget: 2}":     "sampling.budget: found 2",
	} {
		if _, err := ParseJob(fstest.MapFS{}, "job.yaml", []byte(job+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
