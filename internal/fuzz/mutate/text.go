package mutate

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// words replace values.
var words = []string{"0", "1", "-1", "2", "3", "64", "4294967295", "9223372036854775807", "-9223372036854775808", "1e308", "-0.0", ".inf", ".nan", "true", "null", "''",
	"[]", "{}", "n", "n*n*n", "1/0", "1<<63", "%d%s", "../../x", "/dev/zero", "\"\\u0007\\u001b[2J\"", "log", "x", "0..1000000000", "[1, [2, [3]]]", "{a: {a: {a: 1}}}"}

// YAML returns a changed copy of a YAML document, with other values, keys and places of nodes. Text that is not YAML is changed by
// Bytes.
func YAML(data []byte, rng *rand.Rand, edits int) []byte {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 || rng.IntN(20) == 0 {
		return Bytes(data, rng, edits)
	}
	for range edits {
		var nodes []*yaml.Node
		collect(&doc, &nodes)
		editNode(nodes, rng)
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return Bytes(data, rng, edits)
	}
	return out
}

func collect(n *yaml.Node, list *[]*yaml.Node) {
	*list = append(*list, n)
	for _, c := range n.Content {
		collect(c, list)
	}
}

func editNode(nodes []*yaml.Node, rng *rand.Rand) {
	n, other := nodes[rng.IntN(len(nodes))], nodes[rng.IntN(len(nodes))]
	switch k := rng.IntN(8); {
	case n.Kind == yaml.ScalarNode && k < 4:
		n.Value, n.Tag, n.Style = words[rng.IntN(len(words))], "", 0
	case n.Kind == yaml.ScalarNode && k < 6:
		if v, err := strconv.Atoi(n.Value); err == nil {
			n.Value = strconv.Itoa(v + []int{-1, 1, v, -2 * v}[rng.IntN(4)])
		} else {
			n.Value += words[rng.IntN(len(words))]
		}
	case n.Kind == yaml.ScalarNode:
		if other.Kind == yaml.ScalarNode {
			n.Value, n.Tag, n.Style = other.Value, other.Tag, other.Style
		}
	case len(n.Content) > 1 && k < 3: // a pair, or two items, left out
		at := rng.IntN(len(n.Content)/2) * 2
		n.Content = append(n.Content[:at:at], n.Content[at+2:]...)
	case len(n.Content) > 1 && k < 6: // or twice
		at := rng.IntN(len(n.Content)/2) * 2
		n.Content = append(n.Content, n.Content[at], n.Content[at+1])
	case len(n.Content) > 0 && len(other.Content) > 0 && !containsNode(other, n):
		n.Content[len(n.Content)-1] = other
	}
}

// containsNode reports whether inner is n or a node within it: inserting n into inner would make a cycle.
func containsNode(n, inner *yaml.Node) bool {
	if n == inner {
		return true
	}
	return slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return containsNode(c, inner) })
}

// Bytes returns a copy of some bytes with random edits.
func Bytes(data []byte, rng *rand.Rand, edits int) []byte {
	out := bytes.Clone(data)
	for range edits {
		if len(out) == 0 {
			return []byte{byte(rng.Uint32())}
		}
		i := rng.IntN(len(out))
		j := min(i+rng.IntN(16), len(out))
		switch rng.IntN(6) {
		case 0:
			out[i] ^= 1 << rng.IntN(8)
		case 1:
			out[i] = byte(rng.Uint32())
		case 2:
			out = append(out[:i:i], out[j:]...)
		case 3:
			out = append(out[:i:i], append(bytes.Clone(out[i:j]), out[i:]...)...)
		case 4:
			out = append(out[:i:i], append([]byte(words[rng.IntN(len(words))]), out[i:]...)...)
		default:
			out = out[:i]
		}
	}
	return out
}
