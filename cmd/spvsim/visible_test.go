package main

import (
	"bytes"
	"testing"
)

func TestControlCharactersAreShown(t *testing.T) {
	var b bytes.Buffer
	text := "a\x1b[31mb\tc\r\n\x00\x7fé"
	if n, err := (visible{&b}).Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("%d of %d bytes, %v", n, len(text), err)
	}
	if want := "a\\x1b[31mb\tc\r\n\\x00\\x7fé"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if asIs(visible{&b}) != &b || asIs(&b) != &b {
		t.Error("a file for standard output is not written as it is")
	}
}
