package venuetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// coverage is what the cases of a venue have spoilt, and what they have seen of
// the venue: the table of bad input.
type coverage struct {
	mu     sync.Mutex
	spoilt map[string]map[string]int // messages, by row and way
	asked  map[Route]bool
	told   map[string]bool // messages that are of no kind in the table
}

func newCoverage() *coverage {
	return &coverage{spoilt: map[string]map[string]int{}, asked: map[Route]bool{}, told: map[string]bool{}}
}

// spoils records that a message of a row was corrupted in a way.
func (c *coverage) spoils(row string, w way) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spoilt[row] == nil {
		c.spoilt[row] = map[string]int{}
	}
	c.spoilt[row][w.name]++
}

// answers notes an answer of the venue.
func (c *coverage) answers(route Route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[route] = true
}

// tells notes a message of a stream.
func (c *coverage) tells(message string, w *Wire) {
	for n := range w.Events {
		if strings.Contains(message, w.Events[n].Mark) {
			return
		}
	}
	if w.isControl(message) || strings.HasPrefix(message, "<html>") { // of a fault that a case asked for
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[message] = true
}

var (
	// answerWays are the columns that every answer fills, eventWays those of events:
	// a stream tells no error codes, and an object that says nothing is none of its
	// events.
	answerWays  = []string{"HTML", "cut", "empty", "foreign", "refused", "mistyped", "unknown", "missing", "falls back", "novel"}
	eventWays   = []string{"HTML", "cut", "mistyped", "unknown", "missing", "falls back", "novel"}
	controlWays = []string{"HTML", "cut", "novel"}
)

// strangersMax is how many messages of no row are shown.
const strangersMax = 5

// controlRow is what streams say about themselves.
const controlRow = "streams: confirmations"

// isWhole says whether a way fills its column in each row, whatever its members.
func isWhole(name string) bool {
	return name != "mistyped" && name != "unknown" && name != "missing" && name != "falls back"
}

// complaints are what the venue has said that is in no row, and the rows that were
// not spoilt in each way that they can be.
func (c *coverage) complaints(answers []Answer, events []Event) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for n := range answers {
		delete(c.asked, answers[n].Route)
		all = append(all, c.missed(answers[n].row(), answerWays, answers[n].Members)...)
	}
	for n := range events {
		all = append(all, c.missed(events[n].row(), eventWays, events[n].Members)...)
	}
	if answers == nil { // the cases are of a connection, which asks nothing
		clear(c.asked)
	} else {
		all = append(all, c.missed(controlRow, controlWays, Members{Skipped: "they confirm"})...)
	}
	for route := range c.asked {
		all = append(all, route.Method+" "+route.Path+" is asked, and no case spoils what it answers")
	}
	shown := 0
	for message := range c.told {
		if shown++; shown <= strangersMax {
			all = append(all, fmt.Sprintf("no case spoils such messages: %.300s", message))
		}
	}
	return all
}

// missed is what is wrong with a row.
func (c *coverage) missed(row string, ways []string, m Members) []string {
	var all []string
	for _, column := range ways {
		if isWhole(column) && c.spoilt[row][column] == 0 {
			all = append(all, row+": no message was spoilt: "+column)
		}
	}
	decides := len(m.Enums)+len(m.Required)+len(m.Numbers)+len(m.Optional) > 0
	if decides == (m.Skipped != "") {
		all = append(all, row+": members that decide, or the reason why none does")
	}
	if decides && c.spoilt[row]["mistyped"] == 0 {
		all = append(all, row+": no member was spoilt")
	}
	return all
}

// table says how many messages of each row were spoilt in each way.
func (c *coverage) table(answers []Answer, events []Event) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nbad input, messages spoilt:\n%-64s  %s", "", strings.Join(answerWays, "  "))
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
		if count := c.spoilt[row][column]; count > 0 {
			cell = strconv.Itoa(count)
		}
		fmt.Fprintf(text, " %*s", len(column)+1, cell)
	}
}

// report logs the table and fails the test for each complaint.
func (c *coverage) report(t *testing.T, answers []Answer, events []Event) {
	t.Helper()
	t.Log(c.table(answers, events))
	for _, complaint := range c.complaints(answers, events) {
		t.Error(complaint)
	}
}
