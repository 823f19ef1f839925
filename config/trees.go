package config

import (
	"embed"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:generate go test -run ^TestTreesOfPresets$ -args -update

// presetTreeFiles are the embedded files as parsed: parsing a machine takes the host longer than many a small job. One that is older
// than its file is not used.
//
//go:embed trees/*.tree
var presetTreeFiles embed.FS

const treeDir = "trees/"

// Kinds of nodes in a tree's text, beside quoted ones, whose value is written as Go would.
const (
	mappingLetter  = 'm'
	sequenceLetter = 's'
	scalarLetter   = 'v'
	quotedLetter   = 'q'
)

// treeText is the text of a tree: a line with the check sum of the file and the number of nodes, then a line for each node
// before those in it. It has the node's kind, style, line, number of nodes in it, tag and value.
func treeText(data []byte, root *yaml.Node) (string, error) {
	var b strings.Builder
	count := 0
	if err := writeNode(&b, root, &count); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d\n", crc32.ChecksumIEEE(data), count) + b.String(), nil
}

func writeNode(b *strings.Builder, n *yaml.Node, count *int) error {
	*count++
	letter, value := scalarLetter, n.Value
	switch {
	case n.Kind == yaml.MappingNode:
		letter = mappingLetter
	case n.Kind == yaml.SequenceNode:
		letter = sequenceLetter
	case n.Kind != yaml.ScalarNode || n.Anchor != "":
		return fmt.Errorf("config: line %d: presets have no anchors", n.Line)
	case strings.Contains(n.Value, "\n"):
		letter, value = quotedLetter, strconv.Quote(n.Value)
	}
	fmt.Fprintf(b, "%c %d %d %d %s %s\n", letter, n.Style, n.Line, len(n.Content), n.Tag, value)
	for _, c := range n.Content {
		if err := writeNode(b, c, count); err != nil {
			return err
		}
	}
	return nil
}

// presetTree is the tree of an embedded file; nil if there is none, or one of another version of it.
func presetTree(name string, data []byte) *yaml.Node {
	text, err := presetTreeFiles.ReadFile(treeDir + strings.TrimSuffix(name, ".yaml") + ".tree")
	if err != nil {
		return nil
	}
	r := treeReader{text: string(text)}
	if r.number(' ') != int(crc32.ChecksumIEEE(data)) {
		return nil
	}
	n := r.number('\n')
	r.nodes, r.lists = make([]yaml.Node, n), make([]*yaml.Node, n)
	return r.node()
}

// A treeReader reads the text of a tree, which is as treeText writes it.
type treeReader struct {
	text  string
	nodes []yaml.Node  // that are left of those of the tree
	lists []*yaml.Node // that are left of the lists of nodes in nodes
}

func (r *treeReader) until(end byte) string {
	s, rest, _ := strings.Cut(r.text, string(end))
	r.text = rest
	return s
}

func (r *treeReader) number(end byte) (n int) {
	for i := range len(r.text) {
		c := r.text[i]
		if c == end {
			r.text = r.text[i+1:]
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func (r *treeReader) node() *yaml.Node {
	n := &r.nodes[0]
	r.nodes = r.nodes[1:]
	letter := r.text[0]
	r.text = r.text[2:]
	n.Style, n.Line = yaml.Style(r.number(' ')), r.number(' ')
	count := r.number(' ')
	n.Tag, n.Value = r.until(' '), r.until('\n')
	switch letter {
	case mappingLetter:
		n.Kind = yaml.MappingNode
	case sequenceLetter:
		n.Kind = yaml.SequenceNode
	case quotedLetter:
		n.Value, _ = strconv.Unquote(n.Value)
		fallthrough
	default:
		n.Kind = yaml.ScalarNode
	}
	if count > 0 {
		n.Content = r.lists[:count:count]
		r.lists = r.lists[count:]
	}
	for i := range n.Content {
		n.Content[i] = r.node()
	}
	return n
}
