// Package experiments holds the library of ready jobs and experiments, with their shaders, compiled in. Each shader is
// a module (.spv) next to the GLSL from which it was compiled; each job is a YAML file that names its shader.
//
// It knows neither the format of jobs and modules nor how they run: it returns files by name.
package experiments

//go:generate go test -run ^TestCommittedFi(les|gures)$ -args -update

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
)

//go:embed library/*.yaml library/*.spv library/*.spvasm library/*.bin
var library embed.FS

// No job or experiment has the name.
var (
	ErrUnknown    = errors.New("no such experiment")
	ErrUnknownJob = errors.New("no such job")
)

// Names lists the ready jobs in alphabetical order.
func Names() []string {
	files, _ := fs.Glob(library, "library/*.yaml") // the pattern is a constant, and well formed
	names := lists.Map(files, func(f string) string { return strings.TrimSuffix(path.Base(f), ".yaml") })
	slices.Sort(names) // files are in the order of their whole names
	return names
}

// Lookup returns the ready job of that name: a file system with its job file and everything the job refers to, the job
// file's name there, and a one-line description. It does not parse the job.
func Lookup(name string) (files fs.FS, jobFile, description string, err error) {
	jobFile = name + ".yaml"
	text, err := fs.ReadFile(library, path.Join("library", jobFile))
	if err != nil {
		return nil, "", "", fmt.Errorf("%w: %q%s", ErrUnknownJob, name, nearestOf(name, Names()))
	}
	files, err = fs.Sub(library, "library")
	return files, jobFile, descriptionOf(text), err
}

// descriptionOf returns the job's description, which is the first line of the library's jobs.
func descriptionOf(job []byte) string {
	line, _, _ := bytes.Cut(job, []byte("\n"))
	text, _ := bytes.CutPrefix(line, []byte("description: "))
	return string(text)
}

// nearestOf names the candidate nearest to a wrong name, when one is near enough to be a slip.
func nearestOf(name string, candidates []string) string {
	nearest := config.Nearest(name, candidates)
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", nearest)
}
