package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// ErrSetting means that a setting of an experiment can't be applied.
var ErrSetting = errors.New("bad setting")

// Files locates the files that an experiment names: machines and settings relative to it, jobs by name.
type Files struct {
	FS fs.FS // of the experiment; nil: that of package files
	// CommandLine is where the files that a command line names are; nil: that of package files.
	CommandLine fs.FS
	// Verified: the files are known to be those of an earlier Load, so that machines are not checked and Run.Inputs is left out.
	Verified bool
	Dir      string                                               // of the experiment in it
	Job      func(name string) (fsys fs.FS, file string, e error) // finds a ready job

	machines map[string]*Machine // loaded machines, by all of their inputs
}

// Run is a loaded point: the machine and the job to simulate, and the digest of all inputs.
type Run struct {
	Machine *Machine
	Job     *Job
	JobName string // as the experiment names it
	Inputs  string // SHA-256 of the machine, the job and the files that it names, in hexadecimal
}

// PositionOf returns the place of a setting in the experiment file, for errors.
func (e *Experiment) PositionOf(s *Setting) (file string, line int) {
	at := lookupPosition(e.positions, s.keyPath)
	if at.file != e.file {
		return at.file, 0 // of the command line
	}
	if s.Value.node != nil && s.Value.node.Line > 0 {
		at.line = s.Value.node.Line
	}
	return e.file, at.line
}

// Load loads a point.
func (f *Files) Load(job string, settings []Setting) (*Run, error) {
	plan := split(job, settings)
	j, tree, err := f.loadJob(plan.job, plan.fields)
	if err != nil {
		return nil, err
	}
	q := plan.request(j)
	q.FS, q.Verified = f.FS, f.Verified
	switch {
	case f.Dir == "" && path.IsAbs(q.Machine):
		q.FS = f.CommandLine // embedded files have no absolute names
	case strings.HasSuffix(q.Machine, ".yaml") || strings.HasSuffix(q.Machine, ".yml"):
		q.Machine = relative(f.Dir, q.Machine)
	}
	m, err := f.loadMachine(q)
	if err != nil {
		return nil, err
	}
	run := &Run{Machine: m, Job: j, JobName: plan.job}
	if !f.Verified {
		run.Inputs, err = digest(m, j, tree)
	}
	return run, err
}

// loadMachine keeps machines, as the points of an experiment often share one.
func (f *Files) loadMachine(q Request) (*Machine, error) {
	j := q.Job
	key := fmt.Sprintf("%q %q %q %q", q.Machine, j.Machine, Value{j.Set.node}.String(), q.Set)
	if j.Machine != "" {
		key += fmt.Sprintf(" %q", j.file) // which its machine file is relative to
	}
	if m := f.machines[key]; m != nil {
		return m, nil
	}
	m, err := LoadMachine(q)
	if err != nil {
		return nil, err
	}
	if f.machines == nil {
		f.machines = map[string]*Machine{}
	}
	f.machines[key] = m
	return m, nil
}

const machinePrefix = "machine."

// plan sorts settings by their target.
type plan struct {
	job, machine          string
	fields, machineFields []Setting
}

// request is for the machine that a job runs on.
func (p *plan) request(j *Job) Request {
	q := Request{Machine: p.machine, Job: j}
	for _, s := range p.machineFields {
		q.Set = append(q.Set, strings.TrimPrefix(s.Path, machinePrefix)+"="+s.Value.String())
	}
	return q
}

func split(job string, settings []Setting) plan {
	p := plan{job: job}
	for _, s := range settings {
		switch {
		case s.Path == "job":
			p.job = s.Value.node.Value
		case s.Path == "machine":
			p.machine = s.Value.node.Value
		case strings.HasPrefix(s.Path, machinePrefix):
			p.machineFields = append(p.machineFields, s)
		default:
			p.fields = append(p.fields, s)
		}
	}
	return p
}

func (f *Files) loadJob(name string, settings []Setting) (*Job, *yaml.Node, error) {
	fsys, file := f.FS, relative(f.Dir, name)
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		var err error
		if fsys, file, err = f.Job(name); err != nil {
			return nil, nil, &Error{Path: "job", Msg: err.Error(), Kind: ErrReference}
		}
	}
	if fsys == nil {
		fsys = files.OS()
	}
	data, err := readLimited(fsys, file, maxFileBytes)
	if err != nil {
		return nil, nil, &Error{Path: "job", Msg: withoutPrefix(err), Kind: ErrReference}
	}
	n, err := parseFile("job", file, data)
	if err != nil {
		return nil, nil, err
	}
	n = cloneNode(n, new(int))
	if err := applySettings(n, file, settings); err != nil {
		return nil, nil, err
	}
	j, err := parseJobNode(fsys, file, n)
	return j, n, err
}

// applySettings overrides fields of a job with settings.
func applySettings(n *yaml.Node, file string, settings []Setting) error {
	for _, s := range settings {
		if isParameter(n, s.Path) {
			return &Error{File: file, Path: s.Path, Msg: fmt.Sprintf("unknown key (the job has a parameter of this name: want parameters.%s, as {path: parameters.%s, values: ...} to keep the short name)", s.Path, s.Path), Kind: ErrUnknownKey}
		}
		if err := s.apply(n); err != nil {
			return &Error{File: file, Path: s.Path, Msg: err.Error(), Kind: ErrReference}
		}
	}
	return nil
}

// isParameter reports whether a path is a parameter of this job and not a key of jobs.
func isParameter(job *yaml.Node, path string) bool {
	if _, ok := fieldNamed(fieldsOf(reflect.TypeFor[Job]()), path); ok || job.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(job.Content); i += 2 {
		list := job.Content[i+1]
		if job.Content[i].Value != "parameters" || list.Kind != yaml.MappingNode {
			continue
		}
		for k := 0; k < len(list.Content); k += 2 {
			if list.Content[k].Value == path {
				return true
			}
		}
	}
	return false
}

// cloneNode copies a tree with its aliases expanded, so that a setting changes one place only. It stops beyond
// maxNodes, which the reader then refuses by its own count.
func cloneNode(n *yaml.Node, count *int) *yaml.Node {
	n = deref(n)
	out := *n
	out.Anchor = ""
	out.Content = nil
	for _, c := range n.Content {
		if *count++; *count <= maxNodes+1 {
			out.Content = append(out.Content, cloneNode(c, count))
		}
	}
	return &out
}

// pathStep is one key or index of a path into a job.
type pathStep struct {
	key   string
	index int // when key is empty
}

// parseFieldPath reads steps[1].dispatch and specialization."some.name".
func parseFieldPath(text string) ([]pathStep, error) {
	var steps []pathStep
	for rest := text; rest != ""; {
		key, after, err := firstKey(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", text, err)
		}
		quoted := strings.HasPrefix(rest, `"`)
		if !quoted {
			if i := strings.IndexByte(key, '['); i >= 0 {
				key, after = key[:i], rest[i:]
			}
		}
		if key != "" || quoted {
			steps = append(steps, pathStep{key: key})
		}
		if after, err = parseIndices(after, &steps); err != nil {
			return nil, fmt.Errorf("path %q: %w", text, err)
		}
		if after != "" && after[0] != '.' || after == "." {
			return nil, fmt.Errorf("path %q: found no key after a dot: want one", text)
		}
		rest = strings.TrimPrefix(after, ".")
	}
	if len(steps) == 0 || steps[0].key == "" {
		return nil, fmt.Errorf("path %q: found no key at the beginning: want one", text)
	}
	return steps, nil
}

// parseIndices splits off leading indices: [1][2].
func parseIndices(text string, steps *[]pathStep) (rest string, err error) {
	for strings.HasPrefix(text, "[") {
		number, after, ok := strings.Cut(text[1:], "]")
		i, err := strconv.Atoi(number)
		if !ok || err != nil || i < 0 {
			return "", fmt.Errorf("found %q: want an index in brackets, from 0 on", text)
		}
		*steps = append(*steps, pathStep{index: i})
		text = after
	}
	return text, nil
}

// apply sets the setting's value at its path in a job.
func (s *Setting) apply(root *yaml.Node) error {
	steps, err := parseFieldPath(s.Path)
	if err != nil {
		return err
	}
	at := root
	for i, st := range steps {
		last := i == len(steps)-1
		switch {
		case st.key == "":
			at, err = itemAt(at, st.index)
		default:
			at, err = valueAt(at, st.key, last || steps[i+1].key != "", i == 1 && steps[0].key == "parameters")
		}
		if err != nil {
			return err
		}
	}
	*at = *cloneNode(s.Value.node, new(int))
	return nil
}

func itemAt(n *yaml.Node, i int) (*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode || i >= len(n.Content) {
		return nil, fmt.Errorf("found index %d: want an item of a list that the job has", i)
	}
	return n.Content[i], nil
}

// valueAt finds the value of a key, which is added where it may be: a parameter that nothing uses would change nothing.
func valueAt(n *yaml.Node, key string, add, mustExist bool) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("found %q: want a key of a mapping, which the job does not have there", key)
	}
	var known []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1], nil
		}
		known = append(known, n.Content[i].Value)
	}
	if !add || mustExist {
		return nil, fmt.Errorf("found %q: want a key that the job has%s", key, Hint(key, known))
	}
	name := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(key), name); err != nil || len(name.Content) != 1 || name.Content[0].Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("found %q: want a plain key", key)
	}
	value := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	n.Content = append(n.Content, name.Content[0], value)
	return value, nil
}

// digest covers the machine's values, the job without the keys that do not affect the run, and the files that the job
// names.
func digest(m *Machine, j *Job, tree *yaml.Node) (string, error) {
	h := sha256.New()
	text, err := json.Marshal(plainValue(reflect.ValueOf(m).Elem()))
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "machine %s\n", text)
	d := &digester{w: h, job: j}
	d.node(tree, "")
	return hex.EncodeToString(h.Sum(nil)), d.err
}

// plainValue turns a value into maps and lists by its field table; encoding/json sorts the keys of maps.
func plainValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for _, f := range fieldsOf(v.Type()) {
			if f.Name != "description" {
				out[f.Name] = plainValue(v.FieldByIndex(f.Index))
			}
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range sortedKeys(v) {
			out[k] = plainValue(v.MapIndex(reflect.ValueOf(k)))
		}
		return out
	}
	return v.Interface()
}

type digester struct {
	w   io.Writer
	job *Job
	err error
}

// unhashed are the job's fields that are for people, part of the machine, or without effect on results.
var unhashed = []string{"description", "machine", "set", "limits"}

// node writes a tree so that different trees give different text.
func (d *digester) node(n *yaml.Node, at string) {
	switch n.Kind {
	case yaml.MappingNode:
		fmt.Fprint(d.w, "{")
		for i := 0; i+1 < len(n.Content); i += 2 {
			d.pair(n.Content[i].Value, n.Content[i+1], at)
		}
		fmt.Fprint(d.w, "}")
	case yaml.SequenceNode:
		fmt.Fprint(d.w, "[")
		for _, c := range n.Content {
			d.node(c, at+"[]")
		}
		fmt.Fprint(d.w, "]")
	default:
		fmt.Fprintf(d.w, "%q;", n.Value)
	}
}

func (d *digester) pair(key string, value *yaml.Node, at string) {
	if at == "" && slices.Contains(unhashed, key) {
		return
	}
	fmt.Fprintf(d.w, "%q:", key)
	d.node(value, joinPath(at, key))
	if (key == "shader" || key == "file") && value.Kind == yaml.ScalarNode {
		d.file(value.Value)
	}
}

// maxInputBytes bounds the bytes read of a file that a job names.
const maxInputBytes = 1 << 32

func (d *digester) file(name string) {
	data, err := d.job.ReadFile(name, maxInputBytes)
	if err != nil {
		d.err = errors.Join(d.err, err)
		return
	}
	fmt.Fprintf(d.w, "sha256 %x;", sha256.Sum256(data))
	if strings.EqualFold(path.Ext(name), ".cl") {
		list, err := d.job.Included(name, data)
		d.err = errors.Join(d.err, err)
		for _, f := range list {
			fmt.Fprintf(d.w, "%q: sha256 %x;", f.Name, sha256.Sum256(f.Text))
		}
	}
}

// Explain rewrites errors that settings caused: they get the setting's place in the experiment file.
func (e *Experiment) Explain(err error, settings []Setting) error {
	return explain(err, func(fault *Error) error {
		for i := range settings {
			s := &settings[i]
			if !isAbout(s, fault) {
				continue
			}
			file, line := e.PositionOf(s)
			msg := fault.Msg
			if file != e.file { // of the command line: keep the path as the machine or the job has it
				return &Error{File: file, Path: fault.Path, Msg: msg, Kind: fault.Kind}
			}
			if fault.Path != s.Path {
				msg = fault.Path + ": " + msg
			}
			return &Error{File: file, Line: line, Path: s.Path, Msg: msg, Kind: fault.Kind}
		}
		if fault.File == "" {
			at := lookupPosition(e.positions, fault.Path)
			return &Error{File: at.file, Line: at.line, Path: fault.Path, Msg: fault.Msg, Kind: fault.Kind}
		}
		return fault
	})
}

func isAbout(s *Setting, fault *Error) bool {
	set := strings.TrimPrefix(s.Path, machinePrefix)
	under := fault.Path == set || strings.HasPrefix(fault.Path, set+".") || strings.HasPrefix(fault.Path, set+"[")
	return under || fault.Kind == ErrUnknownKey && strings.HasPrefix(set, fault.Path+".")
}

// explain rewrites every Error of a joined error.
func explain(err error, rewrite func(*Error) error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		out := lists.Map(list.Unwrap(), func(e error) error { return explain(e, rewrite) })
		return errors.Join(out...)
	}
	if fault, ok := err.(*Error); ok {
		return rewrite(fault)
	}
	return err
}

// Dir is the folder of the experiment's file.
func (e *Experiment) Dir() string { return path.Dir(e.file) }
