package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists a folder, temporary files included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	changed, err := Write(File{a, []byte("one")}, File{b, []byte("two")})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{a, b}, changed); d != "" {
		t.Error(d)
	}
	if read(t, a) != "one" || read(t, b) != "two" {
		t.Error("the files do not have their content")
	}
	if d := cmp.Diff([]string{"a.go", "b.go"}, names(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestWriteLeavesUnchangedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte("one"), 0o640); err != nil {
		t.Fatal(err)
	}
	past := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	changed, err := Write(File{path, []byte("one")})
	if err != nil || len(changed) != 0 {
		t.Errorf("changed %v, error %v", changed, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime().Equal(past) {
		t.Error("a file that had its content was touched")
	}
	if _, err := Write(File{path, []byte("two")}); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, error %v", info.Mode(), err)
	}
}

// Where one file cannot be written, none is.
func TestWriteAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(File{path, []byte("new")}, File{filepath.Join(dir, "missing", "b.go"), []byte("x")}); err == nil {
		t.Fatal("no error for a folder that does not exist")
	}
	if got := read(t, path); got != "old" {
		t.Errorf("the first file is %q now", got)
	}
	if d := cmp.Diff([]string{"a.go"}, names(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	same, other, absent := filepath.Join(dir, "same.go"), filepath.Join(dir, "other.go"), filepath.Join(dir, "absent.go")
	for _, path := range []string{same, other} {
		if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Diff(File{same, []byte("one\ntwo\n")}, File{other, []byte("one\nthree\n")}, File{absent, []byte("new\n")})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(got), filepath.ToSlash(dir)+"/", "")
	want := `diff other.go other.go
--- other.go
+++ other.go
@@ -1,2 +1,2 @@
 one
-two
+three
diff /dev/null absent.go
--- /dev/null
+++ absent.go
@@ -0,0 +1,1 @@
+new
`
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"other.go", "same.go"}, names(t, dir)); d != "" {
		t.Error("a diff wrote something: " + d)
	}
}
