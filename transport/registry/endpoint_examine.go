package registry

import (
	"context"
	"errors"
	"strings"

	"venuegate/transport/api"
	"venuegate/venues"
)

// Bots reads about messaging bots.
type Bots interface {
	// Chats returns the bot of a token. An error is invalid_request for the secret, or
	// has no code.
	Chats(ctx context.Context, token venues.Secret) (Bot, error)
}

// Bot is a messaging bot with the chats from which it has received something lately.
type Bot struct {
	Name     string `json:"name"`
	Username string `json:"username"`
	Items    []Chat `json:"items"`
	// NotListed is the reason why no chat can be listed; empty if they are.
	NotListed string `json:"notListed"`
}

// ChatKind is the kind of a chat.
type ChatKind string

// Kinds of chat.
const (
	ChatPrivate ChatKind = "private"
	ChatGroup   ChatKind = "group"
	ChatChannel ChatKind = "channel"
)

// Chat is a chat that a bot may send messages to.
type Chat struct {
	// Target is that of an endpoint.
	Target string   `json:"target"`
	Kind   ChatKind `json:"kind"`
	Title  string   `json:"title"`
	// Missing is what the bot lacks to send messages: in a group and in a channel it must
	// be an administrator. Empty is nothing.
	Missing string `json:"missing"`
}

// ChatQuery is the request for the chats of a bot. Secret is its token, which is not kept.
type ChatQuery struct {
	Customer string        `json:"customer"`
	Secret   venues.Secret `json:"secret"`
}

// Chats returns the bot of a token with its chats.
func (e *Endpoints) Chats(ctx context.Context, q ChatQuery) (Bot, error) {
	if _, err := e.resolve(q.Customer); err != nil {
		return Bot{}, err
	}
	if q.Secret == "" {
		return Bot{}, api.FieldError("secret", api.RuleMissing, "", "the token of the bot")
	}
	found, err := e.bots.Chats(ctx, q.Secret)
	return found, receiverError(err)
}

// Names of the checks of an endpoint, after the member that each is about.
const (
	checkSecret = "secret"
	checkTarget = "target"
)

// Examine checks whether events would arrive at an endpoint, which it does not make. An
// empty spreadsheet gets its headings. An error is that of a request that Create rejects
// before it calls the receiver, or maintenance if the receiver does not answer.
func (e *Endpoints) Examine(ctx context.Context, n NewEndpoint) ([]CheckResult, error) {
	record, _, err := e.draft(ctx, n)
	if err != nil {
		return nil, err
	}
	results := []CheckResult{{Check: checkTarget, Status: CheckOK, Text: "events arrive"}}
	if n.Secret != "" {
		results = append([]CheckResult{{Check: checkSecret, Status: CheckOK, Text: "the receiver accepts it"}}, results...)
	}
	err = e.reach(ctx, record)
	message, field := missingOf(err)
	for i := range results {
		if results[i].Check == field {
			results[i].Status, results[i].Text = CheckFailed, message
			return results[:i+1], nil
		}
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

// missingOf returns the message of an error of one member of an endpoint that does not
// work, and the member. It is "" for other errors.
func missingOf(err error) (message, field string) {
	rejected, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return "", ""
	}
	fields, _ := rejected.Details["fields"].([]venues.FieldError)
	if len(fields) != 1 {
		return "", ""
	}
	return strings.TrimPrefix(rejected.Message, fields[0].Field+": "), fields[0].Field
}
