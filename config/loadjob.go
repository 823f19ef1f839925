package config

import (
	"io/fs"
	"path"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/files"
)

// MaxPushBytes bounds the push constants of a launch.
const MaxPushBytes = 1024

// Limits of a job, so that a small file can't request unbounded work before it runs.
const (
	maxLaunches   = 1 << 17
	maxLoopRounds = 4 * maxLaunches
	maxRounds     = 1 << 20
)

// LoadJob reads a job file and checks all of it that can be checked without its shader and its data. Files that it names are
// relative to it, in fsys (nil: that of package files).
func LoadJob(fsys fs.FS, name string) (*Job, error) { return LoadJobWith(fsys, name, nil) }

// LoadJobWith is LoadJob with other values (name=value, the value as in a file) of parameters that the job has.
func LoadJobWith(fsys fs.FS, name string, parameters []string) (*Job, error) {
	return loadWith(fsys, name, parameters, nil)
}

func loadWith(fsys fs.FS, name string, parameters []string, settings []Setting) (*Job, error) {
	if fsys == nil {
		fsys = files.OS()
	}
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return nil, err
	}
	n, err := parseFile("job", name, data)
	if err != nil {
		return nil, err
	}
	if err := setParameters(n, name, parameters); err != nil {
		return nil, err
	}
	if len(settings) > 0 {
		n = cloneNode(n, new(int))
	}
	if err := applySettings(n, name, settings); err != nil {
		return nil, err
	}
	return parseJobNode(fsys, name, n)
}

// ParseJob is LoadJob for text in memory.
func ParseJob(fsys fs.FS, name string, data []byte) (*Job, error) {
	n, err := parseFile("job", name, data)
	if err != nil {
		return nil, err
	}
	return parseJobNode(fsys, name, n)
}

func parseJobNode(fsys fs.FS, name string, n *yaml.Node) (*Job, error) {
	r := newReader(name, noSources, reflect.TypeFor[Job]())
	tree := r.value(n, r.root, "", noSources)
	if err := r.err(); err != nil {
		return nil, err
	}
	j := &Job{fsys: fsys, file: name, positions: r.positions}
	assign(reflect.ValueOf(j).Elem(), tree)
	j.Name = strings.TrimSuffix(path.Base(name), path.Ext(name))
	j.link()
	j.unbindBuffers()
	if err := j.check(); err != nil {
		return nil, err
	}
	return j, nil
}

func (j *Job) link() {
	for i := range j.Buffers {
		j.Buffers[i].job, j.Buffers[i].index = j, i
	}
	for i := range j.Expect {
		j.Expect[i].job, j.Expect[i].index = j, i
	}
}

func (j *Job) check() error {
	ps := checkStruct(reflect.ValueOf(j).Elem(), "")
	ps = append(ps, j.defineParameters()...)
	for _, rule := range jobRules {
		ps = append(ps, rule(j)...)
	}
	if ps == nil {
		ps = j.numberProblems()
	}
	if ps == nil {
		ps = j.launchProblems()
	}
	return withPositions(ps, j.positions)
}

// jobRules are the rules between fields.
var jobRules = []func(*Job) []problem{ruleWork, ruleQueues, ruleGraph, ruleBuffers, ruleNames, ruleExpect, rulePush, ruleTime}

// defineParameters works the parameters out in order.
func (j *Job) defineParameters() []problem {
	var ps []problem
	j.scope = scope{}
	for _, v := range j.Parameters {
		n, err := v.Value.eval(j.scope, Number{})
		if err != nil {
			ps = append(ps, problem{joinPath("parameters", v.Name), err.Error(), ErrExpr})
		}
		j.scope[v.Name] = n
	}
	return ps
}

func sub(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// Fault wraps an error about a key of the launch (shader, entry) with the key's place in the job file: in the step or
// node, else in the job.
func (j *Job) Fault(l *Launch, key string, err error) error {
	p := sub(l.Path, key)
	if _, there := j.positions[p]; !there {
		p = key
	}
	if _, there := j.positions[p]; !there {
		p = l.Path
	}
	at := lookupPosition(j.positions, p)
	return &Error{File: at.file, Line: at.line, Path: p, Msg: withoutPrefix(err), Kind: ErrReference}
}

// withoutPrefix is the text of an error of this package without the words that every one begins with.
func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "config: ") }
