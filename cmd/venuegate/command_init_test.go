package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestInitWritesTheDefaults checks that the file of init loads, equals the defaults, has a
// comment on each section and each setting outside of one, and is not overwritten.
func TestInitWritesTheDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, out, errText := run(t.Context(), "init"); status != exitOK || !strings.Contains(out, "serve --config venuegate.yaml") {
		t.Fatalf("init: status %d, want %d: %s%s", status, exitOK, out, errText)
	}
	config, err := LoadConfig(Sources{File: configName})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := printed(t, config), printed(t, DefaultConfig()); got != want {
		t.Errorf("configuration of init\n%s\nwant the defaults\n%s", got, want)
	}
	text, err := os.ReadFile(configName)
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^# .*\n(\w+):`).FindAllStringSubmatch(string(text), -1)
	all := regexp.MustCompile(`(?m)^(\w+):`).FindAllStringSubmatch(string(text), -1)
	if len(commented) != len(all) || len(all) == 0 {
		t.Errorf("%d of %d sections and settings have a comment, want all:\n%s", len(commented), len(all), text)
	}
	for key := range configComments {
		if !strings.Contains(string(text), configComments[key]) {
			t.Errorf("comment of %s is not in the file:\n%s", key, text)
		}
	}
	if status, _, errText := run(t.Context(), "init"); status != exitFailed || !strings.Contains(errText, "exists already") {
		t.Errorf("second init: status %d, %s, want %d and the file left", status, errText, exitFailed)
	}
	if again, err := os.ReadFile(configName); err != nil || string(again) != string(text) {
		t.Errorf("file after the second init = %s, error %v, want it unchanged", again, err)
	}
}
