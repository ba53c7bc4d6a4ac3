package overlay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// module writes a small module and returns its root.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":      "module example\n\ngo 1.26\n",
		"main.go":     "package main\n\nfunc main() {\n\tprintln(answer())\n}\n",
		"a/a.go":      "package a\n",
		"answer.go":   "package main\n\nfunc answer() string { return \"shipped\" }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(\"shipped\") }\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func run(t *testing.T, binary string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestBuild changes a line and adds a file, and checks that the source is unchanged.
func TestBuild(t *testing.T) {
	root, binary := module(t), filepath.Join(t.TempDir(), "program")
	edit := overlay.Variant{Edits: []overlay.Edit{{Name: "call", File: "answer.go", Old: `"shipped"`, New: `planted()`}}}
	addition := overlay.Variant{Added: map[string]string{"planted.go": "package main\n\nfunc planted() string { return \"planted\" }\n"}}
	if err := overlay.Join(edit, addition).Build(t.Context(), root, binary, "."); err != nil {
		t.Fatal(err)
	}
	if said := run(t, binary); said != "planted\n" {
		t.Errorf("the variant says %q", said)
	}
	if err := (overlay.Variant{}).Build(t.Context(), root, binary, "."); err != nil {
		t.Fatal(err)
	}
	if said := run(t, binary); said != "shipped\n" {
		t.Errorf("the source says %q", said)
	}
}

func TestBuildTest(t *testing.T) {
	root, binary := module(t), filepath.Join(t.TempDir(), "a.test")
	v := overlay.Variant{Edits: []overlay.Edit{{Name: "log", File: "a/a_test.go", Old: "shipped", New: "planted"}}}
	if err := v.BuildTest(t.Context(), root, binary, "./a"); err != nil {
		t.Fatal(err)
	}
	if said := run(t, binary, "-test.v"); !strings.Contains(said, "planted") {
		t.Errorf("the variant says %s", said)
	}
}

// TestMisfits checks that the error names every edit whose text does not occur exactly
// once.
func TestMisfits(t *testing.T) {
	v := overlay.Variant{
		Edits: []overlay.Edit{
			{Name: "nowhere", File: "main.go", Old: "absent", New: "x"},
			{Name: "twice", File: "main.go", Old: "main", New: "x"},
			{Name: "no-file", File: "gone.go", Old: "x", New: "y"},
			{Name: "fits", File: "main.go", Old: "println", New: "print"},
			{Name: "changed-before", File: "main.go", Old: "println", New: "print"},
		},
		Added: map[string]string{"answer.go": "package main\n"},
	}
	_, err := v.Write(module(t), t.TempDir())
	if err == nil {
		t.Fatal("no error")
	}
	for _, text := range []string{"nowhere: main.go has the text 0 times", "twice: main.go has the text 2 times", "no-file", "changed-before", "answer.go exists"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %q: %v", text, err)
		}
	}
	if strings.Contains(err.Error(), "edit fits") {
		t.Errorf("an edit that fits is reported: %v", err)
	}
}

func TestRoot(t *testing.T) {
	root, err := overlay.Root()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(root, "go.mod")); err != nil || !strings.HasPrefix(string(content), "module venuegate\n") {
		t.Errorf("%s is not this module: %v", root, err)
	}
	t.Chdir("/")
	if found, err := overlay.Root(); err == nil {
		t.Errorf("found %s above /", found)
	}
}
