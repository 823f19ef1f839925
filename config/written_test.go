package config

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/suite"
)

var update = flag.Bool("update", false, "write testdata/written-*.txt")

// Lines of each file of testdata: texts of users with a fault or two that are drawn from the line's number.
const (
	writtenJobs        = 600
	writtenExperiments = 200
	writtenMachines    = 240
)

// written are replacement values.
var written = suite.Words{Separator: ":", Values: []string{"", "0", "-1", "1", "3", "64", "1.5", "1e20", "4294967296", "18446744073709551616", "x", "\"\"", "[1, 2]", "[]", "{a: 1}", "{}", "null", "true", "n", "2 * n", "1 / 0", ".nan"}}

// The results of the readers are recorded, a line each: for a text with one or two changes the error, word for word, or
// a digest of the value. Other tests check which error is right; this one shows every change of an error. With -update
// the files are rewritten.
func TestWrittenJobs(t *testing.T) {
	texts := suite.ReadTexts(t, "../experiments/library", ".yaml", written)
	suite.Lines(t, "written-jobs.txt", *update, writtenJobs, func(i int) string {
		name, text := texts.Changed(i)
		j, err := ParseJob(os.DirFS(texts.Dir), name, []byte(text))
		if err != nil {
			return name + ": " + err.Error()
		}
		return name + ": " + readJob(j)
	})
}

func TestWrittenExperiments(t *testing.T) {
	texts := suite.ReadTexts(t, "../experiments/figures", ".yaml", written)
	suite.Lines(t, "written-experiments.txt", *update, writtenExperiments, func(i int) string {
		name, text := texts.Changed(i)
		e, err := LoadExperiment(overFS{os.DirFS(texts.Dir), name, text}, name)
		if err != nil {
			return name + ": " + err.Error()
		}
		points, err := e.Points(i%2 == 0)
		return fmt.Sprintf("%s: %d points %s %v", name, len(points), digestOf(points), err)
	})
}

func TestWrittenMachines(t *testing.T) {
	texts := suite.ReadTexts(t, "machines", ".yaml", written)
	suite.Lines(t, "written-machines.txt", *update, writtenMachines, func(i int) string {
		name, text := texts.Changed(i)
		// The changed text overlays a file: presets have no base key.
		text = "base: " + Presets()[i%len(Presets())] + "\n" + regexp.MustCompile(`(?m)^base:.*$`).ReplaceAllString(text, "")
		m, err := LoadMachine(Request{Machine: "m.yaml", FS: mapFS(map[string]string{"m.yaml": text})})
		if err != nil {
			return name + ": " + err.Error()
		}
		if i%3 > 0 {
			return fmt.Sprintf("%s: %s, idle %v", name, suite.Digest(fmt.Append(nil, m.AllLeaves())), m.Idle())
		}
		given := m.Overrides()
		return fmt.Sprintf("%s: %d given %s", name, len(given), suite.Digest(fmt.Append(nil, given)))
	})
}

// readJob summarizes a job.
func readJob(j *Job) string {
	launches, err := j.Launches()
	out := fmt.Sprintf("%d launches %s", len(launches), digestOf(launches))
	if err != nil {
		out += " " + err.Error()
	}
	for i := range j.Buffers {
		c, err := j.Buffers[i].ContentWithin(1<<14, "the test's bound")
		out += ", " + suite.Digest(append(c.Bytes, fmt.Sprint(c.Addresses)...))
		if err != nil {
			out += " " + err.Error()
		}
	}
	queues, err1 := j.QueueCalls()
	graphs, err2 := j.GraphWork()
	rounds, err3 := j.Rounds()
	return fmt.Sprintf("%s; queues %s %v, graphs %s %v, %d rounds %v, parameters %s", out, digestOf(queues), err1, digestOf(graphs), err2, rounds, err3, digestOf(j.ParameterLeaves()))
}

// digestOf is a short name of a value with all that it points to.
func digestOf(v any) string {
	data, err := yaml.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return suite.Digest(data)
}

// An overFS replaces the text of one file.
type overFS struct {
	fs.FS
	name, text string
}

func (o overFS) Open(name string) (fs.File, error) {
	if name == o.name {
		return mapFS(map[string]string{name: o.text}).Open(name)
	}
	return o.FS.Open(name)
}
