package stream

import (
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"venuegate/transport/api"
)

// The limits that are this package's own, in the document of the stream.
func TestLimitsAreDocumented(t *testing.T) {
	var document struct {
		Limits map[string]int `yaml:"x-limits"`
	}
	if err := yaml.Unmarshal(api.AsyncAPI(), &document); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"messagesPerSecond": opsPerSecond,
		"stallSecMax":       int(writeStallMax / time.Second),
		"keyRecheckSec":     int(recheckInterval / time.Second),
	} {
		if got := document.Limits[name]; got != want {
			t.Errorf("%s: documented %d, want %d", name, got, want)
		}
	}
}
