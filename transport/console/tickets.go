package console

import (
	"crypto/rand"
	"sync"
	"time"

	"venuegate/transport/auth"
)

const (
	// ticketLife is how long a password that was checked waits for the code.
	ticketLife = 5 * time.Minute
	// ticketsMax bounds the tickets.
	ticketsMax = 1024
)

// ticket is a sign-in whose password was right and whose code is missing.
type ticket struct {
	login string
	// password is the hash that was verified.
	password string
	until    time.Time
}

// tickets are in memory only.
type tickets struct {
	mu   sync.Mutex
	open map[string]ticket
}

func newTickets() *tickets { return &tickets{open: map[string]ticket{}} }

// issue returns the text of a new ticket. The error is auth.ErrLimiterFull.
func (t *tickets) issue(login, password string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for text, issued := range t.open {
		if !now.Before(issued.until) {
			delete(t.open, text)
		}
	}
	if len(t.open) >= ticketsMax {
		return "", auth.ErrLimiterFull
	}
	text := rand.Text()
	t.open[text] = ticket{login, password, now.Add(ticketLife)}
	return text, nil
}

func (t *tickets) find(text string) (ticket, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, known := t.open[text]
	return found, known && time.Now().Before(found.until)
}

func (t *tickets) use(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, text)
}
