package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The tree of each preset is what parsing its file gives, but for comments and columns, which nothing reads. With -update
// (go generate ./config) the trees are written.
func TestTreesOfPresets(t *testing.T) {
	entries, err := presetFiles.ReadDir("machines")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := presetFiles.ReadFile(presetDir + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		want, err := parseYAML(e.Name(), data)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			text, err := treeText(data, want)
			if err == nil {
				err = os.WriteFile(treeDir+strings.TrimSuffix(e.Name(), ".yaml")+".tree", []byte(text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		bare(want)
		if got := presetTree(e.Name(), data); got == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the tree of %s is not that of its file: run go generate ./config", e.Name())
		}
		if presetTree(e.Name(), append(data, '#')) != nil {
			t.Errorf("the tree of %s is used for another version of it", e.Name())
		}
	}
	if presetTree("none.yaml", nil) != nil {
		t.Error("a tree of no file")
	}
}

func bare(n *yaml.Node) {
	n.Column, n.HeadComment, n.LineComment, n.FootComment = 0, "", "", ""
	for _, c := range n.Content {
		bare(c)
	}
}

// A tree holds values of several lines, and refuses what it can't hold.
func TestTreeText(t *testing.T) {
	data := []byte("a: |\n  one\n  two\nb: [1, \"x y\", {c: ''}]\n")
	want, err := parseYAML("", data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := treeText(data, want)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, "\n")
	r := treeReader{text: rest, nodes: make([]yaml.Node, 10), lists: make([]*yaml.Node, 10)}
	if bare(want); !reflect.DeepEqual(r.node(), want) || r.text != "" || len(r.nodes) != 0 {
		t.Errorf("%q is read otherwise", text)
	}
	for _, bad := range []string{"a: &x 1", "a: &x 1\nb: *x"} {
		n, err := parseYAML("", []byte(bad))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := treeText(nil, n); err == nil {
			t.Errorf("%q is written", bad)
		}
	}
}
