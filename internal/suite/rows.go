package suite

import (
	"encoding/csv"
	"os"
	"testing"
)

// Rows reads a CSV file: the names of its columns, and its other lines.
func Rows(t testing.TB, name string) (columns []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("%s: found nothing, want the names of columns", name)
	}
	return all[0], all[1:]
}
