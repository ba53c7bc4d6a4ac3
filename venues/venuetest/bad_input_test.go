package venuetest

import (
	"slices"
	"strings"
	"testing"
)

func TestCorruptions(t *testing.T) {
	const message = `{"a":{"state":"live","px":"1"},"rows":[["1","2"],["3"]],"kinds":["x"],"text":"{\"a\":1}"}`
	for name, c := range map[string]struct {
		by   corruption
		want string
	}{
		"a member": {
			with(wrongTyped)("state"), `{"a":{"state":[7],"stateOf2031":"live","px":"1"},"rows":[["1","2"],["3"]],"kinds":["x"],"text":"{\"a\":1}"}`,
		},
		"an object": {
			with(emptyWord)("a"), `{"a":"","aOf2031":{"state":"live","px":"1"},"rows":[["1","2"],["3"]],"kinds":["x"],"text":"{\"a\":1}"}`,
		},
		"a member that is not there": {
			absent("px"), `{"a":{"state":"live","pxOf2031":"1"},"rows":[["1","2"],["3"]],"kinds":["x"],"text":"{\"a\":1}"}`,
		},
		"a cell": {
			with(unknownWord)("[1]"), `{"a":{"state":"live","px":"1"},"rows":[["1","novel"],["3"]],"kinds":["x"],"text":"{\"a\":1}"}`,
		},
		"a cell that is not there": {
			absent("[0]"), `{"a":{"state":"live","px":"1"},"rows":[[null,"2"],[null]],"kinds":[null],"text":"{\"a\":1}"}`,
		},
	} {
		if got := c.by.apply(message); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	const reported = `{"a":[{"b":1},{}],"c":["x"],"d":"{\"e\":1}"}`
	const member = `"noveltyOf2031":{"deep":[1,"two",null]}`
	if got, want := withNovelty(reported), `{`+member+`,"a":[{`+member+`,"b":1},{`+member+`}],"c":["x","2031"],"d":"{\"e\":1}"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The table reports requests without a row, and rows that were not corrupted.
func TestCoverageReportsProblems(t *testing.T) {
	read := Answer{Operation: "clock", Route: Route{"GET", "/time"}, Members: Members{Numbers: []string{"now"}}}
	order := Event{Kind: "orders", Mark: `"topic":"order"`, Members: Members{Skipped: "no decisions"}}
	w := &Wire{Answers: []Answer{read}, Events: []Event{order}, Control: []string{`"op":`}}
	corrupted := func() *coverage {
		c := newCoverage()
		for _, name := range answerWays {
			c.recordCorrupted(read.row(), way{name: name})
			c.recordCorrupted(order.row(), way{name: name})
			c.recordCorrupted(controlRow, way{name: name})
		}
		c.recordAnswer(read.Route)
		c.recordMessage(`{"topic":"order"}`, w)
		c.recordMessage(`{"op":"pong"}`, w)
		return c
	}
	if problems := corrupted().problems(w.Answers, w.Events); len(problems) > 0 {
		t.Errorf("problems = %q, want none", problems)
	}
	for want, change := range map[string]func(*coverage){
		"POST /order is requested":          func(c *coverage) { c.recordAnswer(Route{"POST", "/order"}) },
		`such messages: {"topic":"wallet"`:  func(c *coverage) { c.recordMessage(`{"topic":"wallet"}`, w) },
		"no message was corrupted: HTML":    func(c *coverage) { delete(c.corrupted[order.row()], "HTML") },
		"no message was corrupted: foreign": func(c *coverage) { delete(c.corrupted[read.row()], "foreign") },
		"no member was corrupted":           func(c *coverage) { delete(c.corrupted[read.row()], "mistyped") },
	} {
		c := corrupted()
		change(c)
		if problems := c.problems(w.Answers, w.Events); len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%q, want %s", problems, want)
		}
	}
	careless := slices.Clone(w.Events)
	careless[0].Skipped = ""
	if problems := corrupted().problems(w.Answers, careless); len(problems) != 1 || !strings.Contains(problems[0], "or the reason why there are none") {
		t.Errorf("problems = %q, want one about the reason", problems)
	}
	if text := corrupted().table(w.Answers, w.Events); strings.Count(text, "\n") != 6 || !strings.Contains(text, "clock: GET /time") {
		t.Errorf("table = %s, want 6 lines with clock: GET /time", text)
	}
}
