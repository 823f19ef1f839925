package plots

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

// parquetForms are the files of testdata/parquet, which parquet-go v0.32.0 wrote: the same rows in each compression, encoding and
// version of pages.
var parquetForms = []string{
	"first-none", "first-snappy", "first-gzip", "first-zstd", "first-lz4", "second-none", "second-zstd",
	"first-dictionary", "second-dictionary", "first-delta", "second-delta", "first-split",
}

func parquetFile(t testing.TB, form string) []byte {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join("testdata", "parquet", form+".parquet")))(t)
	return data
}

// parquetText are the rows of all forms.
func parquetText() string {
	var b strings.Builder
	b.WriteString("name,cycles,rate,single,ok,lds.banks,lds.small\n")
	for i := range 300 {
		rate := ""
		if i%3 != 0 {
			rate = fmt.Sprint(float64(i) / 4)
		}
		fmt.Fprintf(&b, "n%d,%d,%s,%v,%t,%d,%d\n", i%7, i*i-200, rate, float32(i)/2, i%5 == 0, uint32(4_000_000_000)+uint32(i), -i)
	}
	return b.String()
}

func checkParquet(t *testing.T, form string, data []byte) {
	t.Helper()
	got, err := ReadParquet(form, data)
	if err != nil {
		t.Errorf("%s: %v", form, err)
		return
	}
	want := suite.Must(ReadCSV(form, strings.NewReader(parquetText())))(t)
	for _, c := range want.Columns {
		g := got.Column(c.Name)
		if g == nil || !cmp.Equal(*g, c, cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })) {
			t.Errorf("%s, column %s: got %+v, want %+v", form, c.Name, g, c)
		}
	}
}

func TestParquetReadsWhatCSVDoes(t *testing.T) {
	for _, form := range parquetForms {
		checkParquet(t, form, parquetFile(t, form))
	}
	if _, err := ReadParquet("r", []byte("PAR1 no")); !errors.Is(err, ErrSyntax) {
		t.Errorf("a broken file: %v", err)
	}
}

// What is not read is refused by name.
func TestParquetRefuses(t *testing.T) {
	for form, want := range map[string]string{"brotli": "compressed with BROTLI: want snappy, gzip", "list": "one number, text or boolean a row", "date": "logical type DATE"} {
		if _, err := ReadParquet(form, parquetFile(t, form)); !errors.Is(err, ErrType) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", form, err, want)
		}
	}
}
