package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileUses holds the name and the command of each kind of file, for errors of other commands.
var fileUses = map[string]struct{ what, use string }{
	"job":        {"a job", "spvsim run %s runs it, and spvsim sweep JOB --axis PATH=VALUES varies it"},
	"experiment": {"an experiment", "spvsim sweep %s runs it"},
	"machine":    {"a machine", "spvsim run JOB --machine %s runs a job on it"},
	"figure":     {"a figure", "spvsim plot ROWS %s draws it"},
	"cluster":    {"a cluster profile", "spvsim sweep EXPERIMENT --profile %s with --launcher slurm or command uses it"},
}

// parseFile returns the root node of a file of a kind. It refuses a module, a file without keys, and a file of another kind.
func parseFile(kind, file string, data []byte) (*yaml.Node, error) {
	what := fileUses[kind].what
	if isModule(data) {
		msg := "found a SPIR-V module: want " + what
		if kind == "job" {
			msg += ": spvsim init " + shellWord(file) + " -o job.yaml writes one for it"
		}
		return nil, &Error{File: file, Msg: msg, Kind: ErrType}
	}
	n, err := parseYAML(file, data)
	switch {
	case err != nil:
		return nil, err
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return nil, &Error{File: file, Msg: fmt.Sprintf("found no keys: want %s (spvsim schema %s lists the keys)", what, kind), Kind: ErrMissing}
	}
	return n, checkKind(n, file, kind)
}

// isModule distinguishes a module by its first word, 0x07230203 in either order of its bytes (SPIR-V, 2.3).
func isModule(data []byte) bool {
	return bytes.HasPrefix(data, []byte{3, 2, 0x23, 7}) || bytes.HasPrefix(data, []byte{7, 0x23, 2, 3})
}

// CheckFigure refuses a file of another kind than a figure. Package plots checks the rest.
func CheckFigure(fsys fs.FS, file string) error {
	data, err := readLimited(fsys, file, maxFileBytes)
	if err != nil {
		return nil
	}
	n, err := parseYAML(file, data)
	if err != nil {
		return nil
	}
	return checkKind(n, file, "figure")
}

// checkKind refuses a file of another kind than wanted, judged by its members: most of them occur in one kind alone.
func checkKind(n *yaml.Node, file, wanted string) error {
	best := likeliestKind(n, wanted)
	if best == wanted {
		return nil
	}
	line := 0
	if n != nil {
		line = n.Line
	}
	other := fileUses[best]
	return &Error{File: file, Line: line, Kind: ErrType,
		Msg: fmt.Sprintf("this is %s, not %s: %s", other.what, fileUses[wanted].what, fmt.Sprintf(other.use, shellWord(file)))}
}

// likeliestKind returns the kind of most members of a file; the wanted one in case of a tie.
func likeliestKind(n *yaml.Node, wanted string) string {
	best, most := wanted, knownMembers(n, wanted)
	for _, kind := range slices.Sorted(maps.Keys(fileUses)) {
		if count := knownMembers(n, kind); count > most {
			best, most = kind, count
		}
	}
	return best
}

// shellWord quotes a name for a shell.
func shellWord(name string) string {
	if strings.ContainsAny(name, " '\"$&;()<>|*?\\`") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// ofFigures are members of figure files (package plots) that no other kind of file has.
var ofFigures = []string{"kind", "x", "y", "series", "style", "facets", "rows", "annotations", "title"}

// membersOf are the members that a kind of file may have.
func membersOf(kind string) map[string]bool {
	names := map[string]bool{}
	if kind == "figure" {
		for _, name := range ofFigures {
			names[name] = true
		}
		return names
	}
	for _, f := range fieldsOf(schemaKinds[kind]) {
		names[f.Name] = true
	}
	names["base"] = names["base"] || kind == "machine" // read before the fields
	return names
}

// knownMembers counts the members of a file that a kind of file has.
func knownMembers(n *yaml.Node, kind string) int {
	if n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return 0
	}
	names := membersOf(kind)
	count := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		if names[n.Content[i].Value] {
			count++
		}
	}
	return count
}
