// Package config reads YAML and hands out checked values: machines with their timing tables, and jobs. It holds the
// machine presets.
//
// It does not know how a machine is simulated, what a shader contains or which operations exist beyond their names: a
// field's doc tag says what the number means, and the packages that build the machine give it that meaning.
package config

// Expr is a number or an arithmetic expression as written in a file; empty when left out.
type Expr string
