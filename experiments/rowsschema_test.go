package experiments_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/internal/suite"
)

// rowObjects are the rows of a CSV, a member for each column.
func rowObjects(t *testing.T, text []byte) []map[string]any {
	lines := suite.Must(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	var list []map[string]any
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, cell := range line {
			number, err := strconv.ParseFloat(cell, 64)
			switch name := lines[0][i]; {
			case cell == "":
				row[name] = nil
			case err != nil || name == "inputs" || name == "version":
				row[name] = cell
			default:
				row[name] = number
			}
		}
		list = append(list, row)
	}
	return list
}

// The committed rows of each experiment obey the schema of rows.
func TestRowsObeyTheirSchema(t *testing.T) {
	schema := suite.Schema(t, sweep.RowsSchema)
	for _, name := range experiments.FigureNames() {
		rows := rowObjects(t, suite.Must(os.ReadFile(filepath.Join("figures", name+".csv")))(t))
		if len(rows) == 0 {
			t.Errorf("%s has no rows", name)
		}
		suite.Obeys(t, name, schema, suite.Must(json.Marshal(rows))(t))
	}
}

// So do the notes on columns of all kinds.
func TestColumnsObeyTheirSchema(t *testing.T) {
	table := &sweep.Table{}
	for typ := range sweep.Text + 1 {
		for _, role := range []sweep.Role{sweep.Bookkeeping, sweep.Parameter, sweep.Result, sweep.Published, sweep.Computed} {
			table.Columns = append(table.Columns, sweep.TableColumn{Name: "a", Type: typ, Role: role, Unit: "s", Source: "cycles"}, sweep.TableColumn{Name: "b", Type: typ, Role: role})
		}
	}
	suite.Obeys(t, "columns", suite.Schema(t, sweep.ColumnsSchema), suite.Must(json.Marshal(table.Notes()))(t))
}
