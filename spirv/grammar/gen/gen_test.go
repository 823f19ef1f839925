package main

import (
	"bytes"
	"encoding/json"
	"go/format"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

const tiny = `{"instructions": [
 {"opname": "OpB", "class": "Memory", "opcode": 7, "version": "1.3", "capabilities": ["Old"], "aliases": ["OpBEXT"],
  "operands": [{"kind": "IdResultType"}, {"kind": "IdResult"}, {"kind": "Mask", "quantifier": "?", "name": "M"}]},
 {"opname": "OpA", "class": "Debug", "opcode": 3, "version": "None"}],
"operand_kinds": [
 {"category": "Id", "kind": "IdResultType"}, {"category": "Id", "kind": "IdResult"},
 {"category": "BitEnum", "kind": "Mask", "enumerants": [{"enumerant": "Bit", "value": "0x0004", "parameters": [{"kind": "IdResult"}]}, {"enumerant": "None", "value": "0x0000"}]},
 {"category": "ValueEnum", "kind": "Capability", "enumerants": [{"enumerant": "New", "aliases": ["Old"], "value": 12}]}]}`

func tinySource(t *testing.T, text string) (*source, error) {
	t.Helper()
	s := &source{core: new(jsonGrammar), caps: map[string]uint32{}}
	suite.OK(t, json.Unmarshal([]byte(text), s.core))
	return s, s.arrange()
}

func TestGenerate(t *testing.T) {
	s := suite.Must(tinySource(t, tiny))(t)
	for _, tt := range []struct {
		write func(*bytes.Buffer, *source) error
		want  []string
	}{
		{writeTables, []string{
			"const maxOpcode = 7",
			`{Name: "OpA", Code: 3, Class: "Debug"},`,
			`{Name: "OpB", Code: 7, HasType: true, HasResult: true, Class: "Memory", Operands: []Operand{{KindMask, Optional, "M"}}, Capabilities: []uint32{12}, Version: 0x0103, Aliases: []string{"OpBEXT"}},`,
			`{Name: "Bit", Value: 4, Parameters: []Operand{{KindIdResult, One, ""}}},`,
		}},
		{writeEnums, []string{"OpB    Op = 7", "OpBEXT    = OpB", "MaskBit  Mask = 4", "CapabilityOld            = CapabilityNew", "maskString(grammar.KindMask, uint32(v))"}},
	} {
		var b bytes.Buffer
		suite.OK(t, tt.write(&b, s))
		out := suite.Must(format.Source(b.Bytes()))(t)
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("want %s in\n%s", want, out)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"two of one opcode": {`"opcode": 7`, `"opcode": 3`},
		"two of one value":  {`"0x0004"`, `"0x0000"`},
	} {
		if _, err := tinySource(t, strings.Replace(tiny, change[0], change[1], 1)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, change := range map[string][2]string{
		"unknown capability": {`["Old"]`, `["Older"]`},
		"unknown quantifier": {`"?"`, `"+"`},
	} {
		s := suite.Must(tinySource(t, strings.Replace(tiny, change[0], change[1], 1)))(t)
		if err := writeTables(new(bytes.Buffer), s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
