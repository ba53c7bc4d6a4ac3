package operations

import (
	"cmp"
	"slices"

	"venuegate/venues"
)

// ActorsMax bounds the actors in a report, apart from the ancestors of those.
const ActorsMax = 2000

// Actors are the running actors, by path.
type Actors struct {
	At venues.Time `json:"at"`
	// Total is the number of running actors. If there are more than ActorsMax, Items has
	// those with the most waiting messages and failures, and their ancestors.
	Total int     `json:"total"`
	Items []Actor `json:"items"`
}

// Actor is one actor with its counters since it was created.
type Actor struct {
	Path string `json:"path"`
	// Parent is the path of the parent; empty for a top-level actor.
	Parent string `json:"parent"`
	// Kind is the first part of the name.
	Kind string `json:"kind"`
	// Running is false for an actor that has failed and is about to be restarted.
	Running bool `json:"running"`
	// Waiting is the number of messages in the mailbox, WaitingMax that beyond which more are
	// rejected.
	Waiting    int         `json:"waiting"`
	WaitingMax int         `json:"waitingMax"`
	Messages   uint64      `json:"messages"`
	BusyUs     int64       `json:"busyUs"`
	Rejections uint64      `json:"rejections"`
	Failures   uint64      `json:"failures"`
	Restarts   uint64      `json:"restarts"`
	CreatedAt  venues.Time `json:"createdAt"`
	// StartedAt is the start of the present incarnation.
	StartedAt venues.Time `json:"startedAt"`
}

// NewActors returns a report of all actors, of which it keeps the most important if they are
// too many.
func NewActors(at venues.Time, all []Actor) Actors {
	report := Actors{At: at, Total: len(all), Items: all}
	if len(all) > ActorsMax {
		report.Items = mostImportant(all)
	}
	slices.SortFunc(report.Items, func(a, b Actor) int { return cmp.Compare(a.Path, b.Path) })
	return report
}

// mostImportant returns ActorsMax actors and their ancestors.
func mostImportant(all []Actor) []Actor {
	byPath := make(map[string]Actor, len(all))
	for _, a := range all {
		byPath[a.Path] = a
	}
	slices.SortFunc(all, func(a, b Actor) int {
		return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(b.Failures, a.Failures), cmp.Compare(b.BusyUs, a.BusyUs), cmp.Compare(a.Path, b.Path))
	})
	var kept []Actor
	for _, a := range all[:ActorsMax] {
		for known := true; known; a, known = byPath[a.Parent] {
			if _, isNew := byPath[a.Path]; !isNew {
				break
			}
			kept = append(kept, a)
			delete(byPath, a.Path)
		}
	}
	return kept
}

// Incidents are the newest failures and dead letters, the newest first.
type Incidents struct {
	Failures    []Failure    `json:"failures"`
	DeadLetters []DeadLetter `json:"deadLetters"`
}

// Failure is the failure of an actor.
type Failure struct {
	At    venues.Time `json:"at"`
	Actor string      `json:"actor"`
	Cause string      `json:"cause"`
}

// DeadLetter is a message that no actor received.
type DeadLetter struct {
	At    venues.Time `json:"at"`
	Actor string      `json:"actor"`
	// Message is the type of the message. Its content may be secret.
	Message string `json:"message"`
}
