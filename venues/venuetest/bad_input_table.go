package venuetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// coverage records what the cases of a venue have corrupted, and which requests and
// messages they have seen: the table of bad input.
type coverage struct {
	mu        sync.Mutex
	corrupted map[string]map[string]int // corrupted messages, by row and way
	requested map[Route]bool
	unlisted  map[string]bool // messages of no kind in the table
}

func newCoverage() *coverage {
	return &coverage{corrupted: map[string]map[string]int{}, requested: map[Route]bool{}, unlisted: map[string]bool{}}
}

// recordCorrupted records that a message of a row was corrupted in a way.
func (c *coverage) recordCorrupted(row string, w way) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.corrupted[row] == nil {
		c.corrupted[row] = map[string]int{}
	}
	c.corrupted[row][w.name]++
}

// recordAnswer records an answer of the venue.
func (c *coverage) recordAnswer(route Route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requested[route] = true
}

// recordMessage records a message of a stream.
func (c *coverage) recordMessage(message string, w *Wire) {
	for n := range w.Events {
		if strings.Contains(message, w.Events[n].Mark) {
			return
		}
	}
	if w.isControl(message) || strings.HasPrefix(message, "<html>") { // of an injected fault
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlisted[message] = true
}

var (
	// answerWays are the columns of every answer, eventWays those of events: a stream
	// sends no error codes, and an empty object is none of its events.
	answerWays  = []string{"HTML", "cut", "empty", "foreign", "error code", "mistyped", "unknown", "missing", "falls back", "novel"}
	eventWays   = []string{"HTML", "cut", "mistyped", "unknown", "missing", "falls back", "novel"}
	controlWays = []string{"HTML", "cut", "novel"}
)

// unlistedShownMax bounds the messages without a row that are printed.
const unlistedShownMax = 5

// controlRow is the row of the confirmations of streams.
const controlRow = "streams: confirmations"

// corruptsAll reports whether a way corrupts messages as a whole, whatever their
// members.
func corruptsAll(name string) bool {
	return name != "mistyped" && name != "unknown" && name != "missing" && name != "falls back"
}

// problems returns the requests and messages without a row, and the rows that were not
// corrupted in each way that applies.
func (c *coverage) problems(answers []Answer, events []Event) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for n := range answers {
		delete(c.requested, answers[n].Route)
		all = append(all, c.problemsOf(answers[n].row(), answerWays, answers[n].Members)...)
	}
	for n := range events {
		all = append(all, c.problemsOf(events[n].row(), eventWays, events[n].Members)...)
	}
	if answers == nil { // an order entry connection makes no requests
		clear(c.requested)
	} else {
		all = append(all, c.problemsOf(controlRow, controlWays, Members{Skipped: "confirmations"})...)
	}
	for route := range c.requested {
		all = append(all, route.Method+" "+route.Path+" is requested, and no case corrupts its answer")
	}
	shown := 0
	for message := range c.unlisted {
		if shown++; shown <= unlistedShownMax {
			all = append(all, fmt.Sprintf("no case corrupts such messages: %.300s", message))
		}
	}
	return all
}

// problemsOf returns the problems of a row.
func (c *coverage) problemsOf(row string, ways []string, m Members) []string {
	var all []string
	for _, column := range ways {
		if corruptsAll(column) && c.corrupted[row][column] == 0 {
			all = append(all, row+": no message was corrupted: "+column)
		}
	}
	decides := len(m.Enums)+len(m.Required)+len(m.Numbers)+len(m.Optional) > 0
	if decides == (m.Skipped != "") {
		all = append(all, row+": want members that decisions depend on, or the reason why there are none")
	}
	if decides && c.corrupted[row]["mistyped"] == 0 {
		all = append(all, row+": no member was corrupted")
	}
	return all
}

// table returns how many messages of each row were corrupted in each way.
func (c *coverage) table(answers []Answer, events []Event) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nbad input, messages corrupted:\n%-64s  %s", "", strings.Join(answerWays, "  "))
	for n := range answers {
		c.print(&text, answers[n].row())
	}
	for n := range events {
		c.print(&text, events[n].row())
	}
	if answers != nil {
		c.print(&text, controlRow)
	}
	fmt.Fprintf(&text, "\n%d answers, %d kinds of event", len(answers), len(events))
	return text.String()
}

func (c *coverage) print(text *strings.Builder, row string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(text, "\n%-64s", row)
	for _, column := range answerWays {
		cell := "-"
		if count := c.corrupted[row][column]; count > 0 {
			cell = strconv.Itoa(count)
		}
		fmt.Fprintf(text, " %*s", len(column)+1, cell)
	}
}

// report logs the table and fails the test for each problem.
func (c *coverage) report(t *testing.T, answers []Answer, events []Event) {
	t.Helper()
	t.Log(c.table(answers, events))
	for _, problem := range c.problems(answers, events) {
		t.Error(problem)
	}
}
