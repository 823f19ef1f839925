package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileUses say of each kind of file what it is and which command takes it, for an error where it is given to another.
var fileUses = map[string]struct{ what, use string }{
	"job":        {"a job", "spvsim run %s runs it, and spvsim sweep JOB --axis PATH=VALUES varies it"},
	"experiment": {"an experiment", "spvsim sweep %s runs it"},
	"machine":    {"a machine", "spvsim run JOB --machine %s runs a job on it"},
	"cluster":    {"a cluster's profile", "spvsim sweep EXPERIMENT --profile %s with --launcher slurm or command uses it"},
}

// checkKind refuses a file of another kind than the one that is wanted, by its members: most are of one kind alone.
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

// likeliestKind is the kind that most members of a file are of; the wanted one in doubt.
func likeliestKind(n *yaml.Node, wanted string) string {
	best, most := wanted, knownMembers(n, wanted)
	for _, kind := range SchemaKinds() {
		if count := knownMembers(n, kind); count > most {
			best, most = kind, count
		}
	}
	return best
}

// shellWord is a name as it is on a command line.
func shellWord(name string) string {
	if strings.ContainsAny(name, " '\"$&;()<>|*?\\`") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// knownMembers counts the members of a file that a kind of file has.
func knownMembers(n *yaml.Node, kind string) int {
	if n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return 0
	}
	names := map[string]bool{}
	for _, f := range fieldsOf(schemaKinds[kind]) {
		names[f.Name] = true
	}
	count := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		if names[n.Content[i].Value] {
			count++
		}
	}
	return count
}
