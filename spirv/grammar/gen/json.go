package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The shapes of SPIRV-Headers' *.grammar.json.

type jsonGrammar struct {
	Copyright    []string   `json:"copyright"`
	Instructions []jsonInst `json:"instructions"`
	Kinds        []jsonKind `json:"operand_kinds"`
}

type jsonInst struct {
	Name string `json:"opname"`
	Code uint32 `json:"opcode"`
	jsonCommon
	Class    string        `json:"class"`
	Operands []jsonOperand `json:"operands"`
}

// jsonCommon holds the fields that instructions and enumerants share.
type jsonCommon struct {
	Capabilities []string `json:"capabilities"`
	Extensions   []string `json:"extensions"`
	Aliases      []string `json:"aliases"`
	Version      string   `json:"version"`
	LastVersion  string   `json:"lastVersion"`
	Provisional  bool     `json:"provisional"`
}

type jsonOperand struct {
	Kind       string `json:"kind"`
	Quantifier string `json:"quantifier"`
	Name       string `json:"name"`
}

type jsonKind struct {
	Category   string          `json:"category"`
	Kind       string          `json:"kind"`
	Bases      []string        `json:"bases"`
	Enumerants []jsonEnumerant `json:"enumerants"`
}

type jsonEnumerant struct {
	Name  string    `json:"enumerant"`
	Value jsonValue `json:"value"`
	jsonCommon
	Parameters []jsonOperand `json:"parameters"`
}

// jsonValue is a number, or a string as "0x0001" in masks.
type jsonValue uint32

func (v *jsonValue) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(b), `"`), 0, 32)
	*v = jsonValue(n)
	return err
}

func load(dir, file string) (*jsonGrammar, error) {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	g := new(jsonGrammar)
	if err := json.Unmarshal(b, g); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return g, nil
}

// version turns "1.3" into 0x0103, and "None" or nothing into 0.
func version(s string) (string, error) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return "0", nil
	}
	a, err := strconv.ParseUint(major, 10, 8)
	if err != nil {
		return "", err
	}
	b, err := strconv.ParseUint(minor, 10, 8)
	return fmt.Sprintf("0x%04x", a<<8|b), err
}
