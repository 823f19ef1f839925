package plots

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShow(t *testing.T) {
	dir := os.Getenv("PLOTS_SHOW")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, f := range files {
		fig, err := ReadFigure(f)
		if err != nil {
			t.Error(err)
			continue
		}
		tab, err := ReadTable("testdata/" + fig.Rows)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, style := range Styles {
			c, err := Build(fig, tab)
			if err != nil {
				t.Error(err)
				break
			}
			for _, format := range Formats {
				var b bytes.Buffer
				if err := c.Write(&b, format, style); err != nil {
					t.Error(err)
				}
				os.WriteFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(f), ".yaml")+"-"+style+"."+format), b.Bytes(), 0o666)
			}
		}
	}
}
