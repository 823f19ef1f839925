// Package config reads YAML and returns checked values: machines with their timing tables, jobs, experiments and
// cluster profiles. It holds the machine presets.
//
// A machine file holds the fields of Machine, any of which may be left to the machine named by `base:`. A number may be
// written with its source, `banks: {value: 32, source: "V: ..."}`, and a `source:` key in a mapping represents all numbers in
// it that have none of their own. Sources begin with their kind: M measured on hardware, V vendor's document or code, C
// compiler's cost model, S another simulator's parameter, D derived by counting; a `knob:` was chosen, and says what to sweep.
//
// Later layers win: base, file, overlay files, the job's `set:`, then settings of the command line (lds.banks=64).
//
// It does not know how a machine is simulated, what a shader contains or which operations exist beyond their names: a
// field's doc tag says what the number means, and the packages that build the machine give it that meaning.
package config

// Expr is a number or an arithmetic expression as written in a file; empty when left out.
type Expr string
