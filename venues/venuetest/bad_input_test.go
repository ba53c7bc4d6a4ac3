package venuetest

import (
	"slices"
	"strings"
	"testing"
)

func TestSpoilings(t *testing.T) {
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
		if got := c.by.spoil(message); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	const told = `{"a":[{"b":1},{}],"c":["x"],"d":"{\"e\":1}"}`
	const member = `"noveltyOf2031":{"deep":[1,"two",null]}`
	if got, want := withNovelty(told), `{`+member+`,"a":[{`+member+`,"b":1},{`+member+`}],"c":["x","2031"],"d":"{\"e\":1}"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The table fails on what is not in it, and on what was not spoilt.
func TestCoverageComplains(t *testing.T) {
	read := Answer{Operation: "clock", Route: Route{"GET", "/time"}, Members: Members{Numbers: []string{"now"}}}
	order := Event{Kind: "orders", Mark: `"topic":"order"`, Members: Members{Skipped: "nothing decides"}}
	w := &Wire{Answers: []Answer{read}, Events: []Event{order}, Control: []string{`"op":`}}
	spoilt := func() *coverage {
		c := newCoverage()
		for _, name := range answerWays {
			c.spoils(read.row(), way{name: name})
			c.spoils(order.row(), way{name: name})
			c.spoils(controlRow, way{name: name})
		}
		c.answers(read.Route)
		c.tells(`{"topic":"order"}`, w)
		c.tells(`{"op":"pong"}`, w)
		return c
	}
	if complaints := spoilt().complaints(w.Answers, w.Events); len(complaints) > 0 {
		t.Errorf("%q", complaints)
	}
	for want, change := range map[string]func(*coverage){
		"POST /order is asked":             func(c *coverage) { c.answers(Route{"POST", "/order"}) },
		`such messages: {"topic":"wallet"`: func(c *coverage) { c.tells(`{"topic":"wallet"}`, w) },
		"no message was spoilt: HTML":      func(c *coverage) { delete(c.spoilt[order.row()], "HTML") },
		"no message was spoilt: foreign":   func(c *coverage) { delete(c.spoilt[read.row()], "foreign") },
		"no member was spoilt":             func(c *coverage) { delete(c.spoilt[read.row()], "mistyped") },
	} {
		c := spoilt()
		change(c)
		if complaints := c.complaints(w.Answers, w.Events); len(complaints) != 1 || !strings.Contains(complaints[0], want) {
			t.Errorf("%q, want %s", complaints, want)
		}
	}
	careless := slices.Clone(w.Events)
	careless[0].Skipped = ""
	if complaints := spoilt().complaints(w.Answers, careless); len(complaints) != 1 || !strings.Contains(complaints[0], "or the reason why none does") {
		t.Errorf("%q", complaints)
	}
	if text := spoilt().table(w.Answers, w.Events); strings.Count(text, "\n") != 6 || !strings.Contains(text, "clock: GET /time") {
		t.Error(text)
	}
}
