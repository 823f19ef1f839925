package config

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"spvsim/internal/files"
)

//go:embed machines/*.yaml
var presetFiles embed.FS

const presetDir = "machines/"

// shared marks an embedded file that presets build on and that is not a machine by itself.
func shared(name string) bool {
	return strings.HasPrefix(name, "timing-") || strings.HasPrefix(name, "energy-") || strings.HasPrefix(name, "work-")
}

// maxBases bounds a chain of `base:` keys, and so ends a loop of them.
const maxBases = 16

// DefaultMachine is simulated when neither a job nor the command line names one.
const DefaultMachine = "rdna3-rx7900xtx"

// Presets lists the embedded machines by name.
func Presets() []string {
	entries, err := presetFiles.ReadDir(strings.TrimSuffix(presetDir, "/"))
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, e := range entries {
		if !shared(e.Name()) {
			names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
		}
	}
	sort.Strings(names)
	return names
}

// Request selects a machine: a preset or file, overlaid by files, then the job's `set:`, then Set.
type Request struct {
	Machine string   // preset name or file; empty: the job's, else DefaultMachine
	Files   []string // overlay files in order; a file with `base:` brings its base along
	Job     *Job     // its machine (when Machine is empty) and its set
	Set     []string // path=value, the value in YAML
	FS      fs.FS    // where Machine and Files are looked up; nil: that of package files
	// Verified: an earlier load of the same files found nothing wrong with the machine, so that its values are not checked.
	Verified bool
}

// Preset loads an embedded machine without changes.
func Preset(name string) (*Machine, error) { return LoadMachine(Request{Machine: name}) }

// LoadMachine builds the effective machine and checks it. All faults of the files, or else all of the resulting values, are
// reported together.
func LoadMachine(q Request) (*Machine, error) {
	l := newLoader(q)
	l.base(q)
	for _, f := range q.Files {
		l.file(l.fsys, f, position{}, 0)
	}
	if q.Job != nil {
		l.overrides(q.Job.Set)
	}
	for _, s := range q.Set {
		l.setting(s)
	}
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return l.finish(q.Verified)
}

// loader merges layers in viper and remembers where each value was last set and why.
type loader struct {
	fsys      fs.FS
	v         *viper.Viper
	sources   map[string]string
	positions map[string]position
	set       map[string]string // by path, the origin of values that no preset sets
	errs      []error
}

// presetFields is about the number of values of a preset: a size for maps, no limit.
const presetFields = 1000

// keyDelimiter is a character that no key can hold, so that viper does not split keys at dots.
const keyDelimiter = "\x1f"

func newLoader(q Request) *loader {
	l := &loader{fsys: q.FS, v: viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter)), sources: make(map[string]string, presetFields), positions: make(map[string]position, 2*presetFields)}
	if l.fsys == nil {
		l.fsys = files.OS()
	}
	return l
}

func (l *loader) base(q Request) {
	switch {
	case q.Machine != "":
		l.named(l.fsys, q.Machine, "", position{}, 0)
	case q.Job != nil && q.Job.Machine != "":
		l.named(q.Job.fsys, q.Job.Machine, path.Dir(q.Job.file), q.Job.positions["machine"], 0)
	default:
		l.named(presetFiles, DefaultMachine, "", position{}, 0)
	}
}

// named loads a preset, or a file relative to dir.
func (l *loader) named(fsys fs.FS, name, dir string, at position, depth int) {
	switch {
	case depth > maxBases:
		l.errs = append(l.errs, &Error{File: at.file, Line: at.line, Path: "base", Msg: fmt.Sprintf("found more than %d bases in a chain: want fewer (a file that is its own base?)", maxBases), Kind: ErrLimit})
	case isEmbedded(name):
		l.file(presetFiles, presetDir+name+".yaml", at, depth)
	case strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"):
		l.file(fsys, relative(dir, name), at, depth)
	default:
		msg := fmt.Sprintf("found %q: want a .yaml file or one of %s%s", name, strings.Join(Presets(), ", "), Hint(name, Presets()))
		l.errs = append(l.errs, &Error{File: at.file, Line: at.line, Path: at.key(depth), Msg: msg, Kind: ErrReference})
	}
}

func isEmbedded(name string) bool {
	if strings.ContainsAny(name, "/\\") {
		return false
	}
	f, err := presetFiles.Open(presetDir + name + ".yaml")
	return err == nil && f.Close() == nil
}

func relative(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

// file reads a layer; at is the place of its name in another file, if one names it.
func (l *loader) file(fsys fs.FS, name string, at position, depth int) {
	n, shown, source, err := l.parsed(fsys, name, at, depth)
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	if base := takeKey(n, "base"); base != nil {
		l.named(fsys, base.Value, path.Dir(name), position{shown, base.Line}, depth+1)
	}
	l.layer(n, shown, source)
}

// parsed reads and parses a layer; shown is its name in errors, and source the source of its values.
func (l *loader) parsed(fsys fs.FS, name string, at position, depth int) (n *yaml.Node, shown, source string, err error) {
	if preset, ok := strings.CutPrefix(name, presetDir); ok && fsys == fs.FS(presetFiles) {
		n, err = parsedPreset(preset)
		return n, preset, "", err
	}
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return nil, "", "", &Error{File: at.file, Line: at.line, Path: at.key(depth), Msg: withoutPrefix(err), Kind: ErrReference}
	}
	n, err = parseFile("machine", name, data)
	return n, name, name, err
}

// presetTrees are the parsed embedded files: a sweep or a program's many devices load the same machine repeatedly, and
// parsing is two thirds of that. A tree in it is shared and never changed.
var presetTrees sync.Map

// parsedPreset is an embedded file as a tree whose root the caller may change.
func parsedPreset(name string) (*yaml.Node, error) {
	kept, ok := presetTrees.Load(name)
	if !ok {
		data, err := presetFiles.ReadFile(presetDir + name)
		if err != nil {
			return nil, err
		}
		n, err := parseYAML(name, data)
		if err != nil {
			return nil, err
		}
		kept, _ = presetTrees.LoadOrStore(name, n)
	}
	root := *kept.(*yaml.Node)
	return &root, nil
}

// key returns the key by which a file names another: the first is the machine of a job, further ones are bases.
func (position) key(depth int) string {
	if depth == 0 {
		return "machine"
	}
	return "base"
}

// takeKey removes a key from a mapping and returns its value.
func takeKey(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			v := deref(n.Content[i+1])
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return v
		}
	}
	return nil
}

// presetLayers are the values of embedded files: a *reader and its tree, which are shared and never changed.
var presetLayers sync.Map

// presetLayer is an embedded file that was read.
type presetLayer struct {
	*reader
	tree map[string]any
}

func (l *loader) layer(n *yaml.Node, file, source string) {
	kept, ok := presetLayers.Load(file)
	if !ok || source != "" {
		r := newReader(file, source, reflect.TypeFor[Machine]())
		tree, ok := r.value(n, r.root, "", source).(map[string]any)
		if err := r.err(); err != nil || !ok {
			l.errs = append(l.errs, err)
			return
		}
		kept = presetLayer{r, tree}
		if source == "" {
			presetLayers.Store(file, kept)
		} else {
			l.recordOrigins(tree, "", source)
		}
	}
	read := kept.(presetLayer)
	maps.Copy(l.sources, read.sources)
	maps.Copy(l.positions, read.positions)
	if err := l.v.MergeConfigMap(encodeKeys(read.tree)); err != nil {
		l.errs = append(l.errs, &Error{File: file, Msg: err.Error(), Kind: ErrType})
	}
}

// recordOrigins records the origin of a layer's values; later layers win.
func (l *loader) recordOrigins(tree map[string]any, at, source string) {
	for key, v := range tree {
		p := joinPath(at, key)
		if sub, ok := v.(map[string]any); ok {
			l.recordOrigins(sub, p, source)
			continue
		}
		if l.set == nil {
			l.set = map[string]string{}
		}
		l.set[p] = source
	}
}

// Overrides is a job's `set:`: machine fields by path or nested.
type Overrides struct {
	node *yaml.Node
	file string
}

func (l *loader) overrides(o Overrides) {
	if o.node == nil {
		return
	}
	n, err := expandPaths(o.node)
	if err != nil {
		l.errs = append(l.errs, &Error{File: o.file, Line: o.node.Line, Path: "set", Msg: err.Error(), Kind: ErrUnknownKey})
		return
	}
	l.applyValues(n, o.file, "set by the job "+o.file)
}

// expandPaths turns {lds.banks: 64} into {lds: {banks: 64}}, at the outermost level only.
func expandPaths(n *yaml.Node) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys, err := splitPath(n.Content[i].Value)
		if err != nil {
			return nil, err
		}
		addPath(out, keys, n.Content[i+1], n.Content[i].Line)
	}
	return out, nil
}

// addPath adds a value under a path, joining mappings that are there already.
func addPath(n *yaml.Node, keys []string, value *yaml.Node, line int) {
	at := mappingAt(n, keys[0])
	switch {
	case len(keys) > 1:
		if at == nil {
			at = &yaml.Node{Kind: yaml.MappingNode, Line: line}
			addKey(n, keys[0], at, line)
		}
		addPath(at, keys[1:], value, line)
	case at != nil && value.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(value.Content); i += 2 {
			addPath(at, []string{value.Content[i].Value}, value.Content[i+1], value.Content[i].Line)
		}
	default:
		addKey(n, keys[0], copyMappings(value, 0), line)
	}
}

func addKey(n *yaml.Node, key string, value *yaml.Node, line int) {
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: line}, value)
}

func mappingAt(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Kind == yaml.MappingNode {
			return n.Content[i+1]
		}
	}
	return nil
}

// copyMappings lets addPath add keys without changing the job's own nodes, which a second load reads again.
func copyMappings(n *yaml.Node, depth int) *yaml.Node {
	if n.Kind != yaml.MappingNode || depth > maxDepth {
		return n
	}
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = copyMappings(c, depth+1)
	}
	return &out
}

// setting overlays one path=value of the command line.
func (l *loader) setting(s string) {
	where := "--set " + s
	p, value, err := parseSetting(s)
	if err != nil {
		l.errs = append(l.errs, err)
		return
	}
	keys, err := splitPath(strings.TrimPrefix(p, machinePrefix))
	if err != nil {
		l.errs = append(l.errs, &Error{File: where, Msg: err.Error(), Kind: ErrSyntax})
		return
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	addPath(root, keys, value, 0)
	l.applyValues(root, where, "set on the command line")
}

// applyValues applies a few values on top of the files. A value that all layers lack remains an error of the last file.
func (l *loader) applyValues(n *yaml.Node, shown, source string) {
	file, ok := l.positions[""]
	l.layer(n, shown, source)
	if ok {
		l.positions[""] = file
	}
}

// cutSetting cuts at the first = outside quotes.
func cutSetting(s string) (p, value string, ok bool) {
	inQuote := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			inQuote = !inQuote
		case s[i] == '=' && !inQuote:
			return s[:i], s[i+1:], i > 0
		}
	}
	return "", "", false
}

// clearLines removes line numbers, which mean nothing on a command line.
func clearLines(n *yaml.Node, depth int) {
	n.Line = 0
	if depth < maxDepth {
		for _, c := range n.Content {
			clearLines(c, depth+1)
		}
	}
}

// finish builds the machine, and checks it unless that was done before.
func (l *loader) finish(verified bool) (*Machine, error) {
	m := &Machine{Sources: l.sources, set: l.set}
	tree := map[string]any{}
	for _, f := range fieldsOf(reflect.TypeFor[Machine]()) {
		if v := l.v.Get(f.Name); v != nil {
			tree[f.Name] = decodeKeys(v)
		}
	}
	if !verified {
		if missing := absentFields(tree, reflect.TypeFor[Machine](), ""); missing != nil {
			return nil, withPositions(missing, l.positions)
		}
	}
	assign(reflect.ValueOf(m).Elem(), tree)
	m.fillSources()
	if verified {
		return m, nil
	}
	if ps := machineProblems(m); ps != nil {
		return nil, withPositions(ps, l.positions)
	}
	return m, nil
}

// absentFields reports the fields that no layer gave.
func absentFields(tree map[string]any, t reflect.Type, at string) []problem {
	var ps []problem
	for _, f := range fieldsOf(t) {
		v, ok := tree[f.Name]
		p := joinPath(at, f.Name)
		sub, isMap := v.(map[string]any)
		switch {
		case !ok && !f.HasDefault:
			ps = append(ps, problem{p, "missing: want " + f.Accepted(), ErrMissing})
		case isMap && f.Type.Kind() == reflect.Struct:
			ps = append(ps, absentFields(sub, f.Type, p)...)
		case isMap && f.Type.Kind() == reflect.Map:
			for _, k := range sortedKeys(reflect.ValueOf(sub)) {
				inner, _ := sub[k].(map[string]any)
				ps = append(ps, absentFields(inner, f.Type.Elem(), joinPath(p, k))...)
			}
		}
	}
	return ps
}

// fillSources sets the source of each row of the timing table.
func (m *Machine) fillSources() {
	for k, c := range m.Timing.Classes {
		p := joinPath("timing.classes", k)
		c.Source = m.joinedSource(p+".latency", p+".busy", p+".issue")
		m.Timing.Classes[k] = c
	}
	for k, o := range m.Timing.Operations {
		p := joinPath("timing.operations", k)
		o.Source = m.joinedSource(p+".use", p+".use_lds")
		m.Timing.Operations[k] = o
	}
}

func (m *Machine) joinedSource(paths ...string) string {
	var parts []string
	for _, p := range paths {
		s := m.Sources[p]
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

// encodeKeys writes capital letters so that viper, which lower-cases keys, does not lose them.
func encodeKeys(tree map[string]any) map[string]any {
	out := make(map[string]any, len(tree))
	for k, v := range tree {
		out[encodeKey(k)] = encodedValue(v)
	}
	return out
}

// encodedValue copies lists as well: viper writes to those that it merges, and presets share theirs.
func encodedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return encodeKeys(v)
	case []any:
		return copied(v)
	}
	return v
}

// copied copies what is in a list, whose keys stay as they are.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = copied(item)
		}
		return out
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = copied(v[i])
		}
		return list
	}
	return v
}

func decodeKeys(v any) any {
	tree, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(tree))
	for k, item := range tree {
		out[decodeKey(k)] = decodeKeys(item)
	}
	return out
}

func encodeKey(k string) string {
	if strings.ToLower(k) == k && !strings.Contains(k, "^") {
		return k
	}
	var b strings.Builder
	for _, c := range k {
		if low := strings.ToLower(string(c)); low != string(c) || c == '^' {
			fmt.Fprintf(&b, "^%x^", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func decodeKey(k string) string {
	parts := strings.Split(k, "^")
	for i := 1; i < len(parts); i += 2 {
		var c rune
		if _, err := fmt.Sscanf(parts[i], "%x", &c); err == nil {
			parts[i] = string(c)
		}
	}
	return strings.Join(parts, "")
}
