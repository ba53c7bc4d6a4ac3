package load

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// resultOf returns a result of requests whose latencies are given in ms by round and number.
func resultOf(t *testing.T, latency func(round, n int) float64) *Result {
	t.Helper()
	r := newRecorder(Rounds * time.Second)
	start := time.Unix(1767225600, 0)
	r.begin(start, time.Second)
	r.record("place", start, start.Add(time.Hour)) // of the warm-up
	for round := range Rounds {
		for n := range 1000 {
			due := start.Add(time.Second + time.Duration(round)*time.Second + time.Duration(n)*time.Millisecond)
			r.record("place", due, due.Add(time.Duration(latency(round, n)*float64(time.Millisecond))))
		}
	}
	r.fail("place", start.Add(2*time.Second), "429 rate_limited")
	latencies, err := r.latencies()
	if err != nil {
		t.Fatal(err)
	}
	return &Result{Scenario: "orders", Started: start, Latencies: latencies, Seconds: r.seconds, WarmupSec: 1, DurationSec: Rounds}
}

// uniform is 1 to 2 ms, with rounds that differ a little.
func uniform(round, n int) float64 { return 1 + float64(n)/1000 + float64(round%3)/100 }

func TestPercentilesAreThoseOfTheMeasuredRequests(t *testing.T) {
	l := resultOf(t, uniform).Latencies[0]
	if l.Kind != "place" || l.Count != Rounds*1000 || len(l.Rounds) != Rounds || l.Errors["429 rate_limited"] != 1 {
		t.Fatalf("kind %s, %d requests, %d rounds, errors %v; want place, %d, %d, one rate_limited", l.Kind, l.Count, len(l.Rounds), l.Errors, Rounds*1000, Rounds)
	}
	for _, c := range []struct {
		name      string
		got, want int64
	}{{"p50", l.P50Us, 1510}, {"p90", l.P90Us, 1910}, {"p99", l.P99Us, 2000}, {"max", l.MaxUs, 2020}} {
		if c.got < c.want-15 || c.got > c.want+15 {
			t.Errorf("%s = %d µs, want about %d", c.name, c.got, c.want)
		}
	}
}

func TestCompareFindsWhatIsSlower(t *testing.T) {
	before := resultOf(t, uniform)
	for _, c := range []struct {
		name     string
		after    *Result
		failOver float64
		failed   bool
		mark     string
	}{
		{"the same", resultOf(t, uniform), 0, false, ""},
		{"20 % slower", resultOf(t, func(round, n int) float64 { return 1.2 * uniform(round, n) }), 10, true, "FAILED"},
		{"20 % slower, allowed", resultOf(t, func(round, n int) float64 { return 1.2 * uniform(round, n) }), 30, false, "worse"},
		{"20 % faster", resultOf(t, func(round, n int) float64 { return 0.8 * uniform(round, n) }), 0, false, "better"},
		{"slower in one round", resultOf(t, func(round, n int) float64 {
			if round == 4 {
				return 5 * uniform(round, n)
			}
			return uniform(round, n)
		}), 0, false, ""},
	} {
		changes, err := Compare(before, c.after)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		failed, err := WriteChanges(&out, changes, c.failOver)
		if err != nil || failed != c.failed {
			t.Errorf("%s: failed %t, %v, want %t:\n%s", c.name, failed, err, c.failed, &out)
		}
		first := strings.Split(out.String(), "\n")[1]
		if c.mark != "" && !strings.Contains(first, c.mark) || c.mark == "" && strings.ContainsAny(first, "bdFE") {
			t.Errorf("%s: %q, want the mark %q", c.name, first, c.mark)
		}
	}
	other := resultOf(t, uniform)
	other.Scenario = "reads"
	if _, err := Compare(before, other); err == nil {
		t.Error("results of different scenarios are compared, want an error")
	}
}

// A result survives its file, and the report has every kind and figure of it as text.
func TestResultIsReadAndReported(t *testing.T) {
	written := resultOf(t, uniform)
	written.Figures = []Figure{{"memory <of> the service", 12.5, "MiB"}}
	written.Faults = []string{"a break of a sequence"}
	name := filepath.Join(t.TempDir(), "r.json")
	text, err := json.Marshal(written)
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadResult(name)
	if err != nil {
		t.Fatal(err)
	}
	var page, summary, hdr bytes.Buffer
	if err := WriteReport(&page, []*Result{read, written}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"place", "memory &lt;of&gt; the service", "12.5", "a break of a sequence", "Latency by percentile", "<polyline", "99.9"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page.String(), "NaN") || strings.Contains(page.String(), "ZgotmplZ") {
		t.Error("the report has a value that is not a number or was not allowed")
	}
	if err := read.WriteSummary(&summary); err != nil || !strings.Contains(summary.String(), "place failed 1 times: 429 rate_limited") {
		t.Errorf("summary = %s, %v, want the errors of place", &summary, err)
	}
	if err := read.WriteHDR(&hdr); err != nil || !strings.Contains(hdr.String(), "# place") || !strings.Contains(hdr.String(), "#[Mean") {
		t.Errorf("distribution = %.80s, %v, want the percentiles of place", &hdr, err)
	}
}

func TestReadResultRejectsOtherFiles(t *testing.T) {
	for _, text := range []string{"", "{}", "[1]", "no JSON"} {
		name := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadResult(name); err == nil {
			t.Errorf("a file with %q is read, want an error", text)
		}
	}
}
