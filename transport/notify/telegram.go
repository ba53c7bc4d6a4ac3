package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"venuegate/persistence"
)

// TelegramURL is where the Bot API is.
const TelegramURL = "https://api.telegram.org"

// TelegramOptions of a Telegram.
type TelegramOptions struct {
	// URL is the base of the Bot API; empty is TelegramURL.
	URL string
	// Unseal opens bots' tokens.
	Unseal Unseal
	// UserAgent names the service and its version.
	UserAgent string
	// Timeout bounds one attempt; zero is TimeoutDefault.
	Timeout time.Duration
}

// Telegram sends messages to chats. It is safe for concurrent use.
type Telegram struct {
	options TelegramOptions
	client  *http.Client
}

// NewTelegram makes a Telegram; an error says that the URL is none. Close it
// when nothing is sent any more.
func NewTelegram(o TelegramOptions) (*Telegram, error) {
	base, err := baseURL(o.URL, TelegramURL)
	if err != nil {
		return nil, err
	}
	o.URL = base
	if o.Timeout <= 0 {
		o.Timeout = TimeoutDefault
	}
	return &Telegram{options: o, client: newClient(o.UserAgent)}, nil
}

// baseURL is a URL of the configuration, without a slash at its end.
func baseURL(text, otherwise string) (string, error) {
	if text == "" {
		text = otherwise
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the base address of an API", text)
	}
	return strings.TrimRight(text, "/"), nil
}

// Close closes the connections that no attempt uses.
func (t *Telegram) Close() { t.client.CloseIdleConnections() }

// tokenForm keeps out what could not be part of an address.
var tokenForm = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$`)

// errBadToken: the secret of the endpoint cannot be a bot's token.
var errBadToken = errors.New("the secret is not the token of a bot")

// talk is a bot on behalf of an endpoint.
type talk struct {
	*bot.Bot
	secrets []string
}

func (t *Telegram) talk(to persistence.Endpoint, at time.Time) (talk, error) {
	token, err := t.options.Unseal.of(to, at)
	if err != nil {
		return talk{}, err
	}
	text := token.Reveal()
	if !tokenForm.MatchString(text) {
		return talk{}, errBadToken
	}
	b, err := bot.New(text,
		bot.WithServerURL(t.options.URL), bot.WithHTTPClient(0, t.client), bot.WithSkipGetMe(),
		bot.WithUpdatesChannelCap(0),
		bot.WithErrorsHandler(func(error) {})) // those that matter are returned too
	if err != nil {
		return talk{}, errBadToken
	}
	_, key, _ := strings.Cut(text, ":")
	return talk{Bot: b, secrets: []string{text, key}}, nil
}

// Send sends the text of an event to the endpoint's chat, once. at is now.
func (t *Telegram) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	if err := CheckTarget(persistence.EndpointTelegram, to.Target); err != nil {
		return persistence.Attempt{Err: err}
	}
	b, err := t.talk(to, at)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	ctx, seen := withExchange(ctx)
	err = b.say(ctx, to.Target, message(e))
	if moved, ok := errors.AsType[*bot.MigrateError](err); ok {
		err = b.say(ctx, fmt.Sprint(moved.MigrateToChatID), message(e))
	}
	return b.outcome(ctx, seen, err)
}

func (b talk) say(ctx context.Context, chat, text string) error {
	_, err := b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: chat, Text: text, LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: bot.True()},
	})
	return err
}

func (b talk) outcome(ctx context.Context, seen *exchange, err error) persistence.Attempt {
	out := seen.attempt(b.secrets...)
	if err == nil {
		return out
	}
	out.Err = b.explain(ctx, seen, err)
	switch {
	case isTokenRefused(err), errors.Is(err, bot.ErrorForbidden):
		out.Gone = out.Err.Error()
	default:
		if slow, ok := errors.AsType[*bot.TooManyRequestsError](err); ok {
			out.Throttled, out.RetryAfterSec = true, min(max(slow.RetryAfter, 0), retryAfterSecMax)
		}
	}
	return out
}

// isTokenRefused: the Bot API answers 401 to a token that was revoked, and 404
// to one that never was.
func isTokenRefused(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}

// explain tells an error of the library without what it says of addresses and
// whole answers.
func (b talk) explain(ctx context.Context, seen *exchange, err error) error {
	if isTokenRefused(err) {
		return errors.New("the token of the bot is not valid any more")
	}
	if slow, ok := errors.AsType[*bot.TooManyRequestsError](err); ok {
		return fmt.Errorf("too many messages: wait %d s", slow.RetryAfter)
	}
	if moved, ok := errors.AsType[*bot.MigrateError](err); ok {
		return fmt.Errorf("the group has become a supergroup with the id %d", moved.MigrateToChatID)
	}
	for _, kind := range []error{bot.ErrorForbidden, bot.ErrorBadRequest, bot.ErrorConflict} {
		if errors.Is(err, kind) {
			said := strings.TrimPrefix(err.Error(), kind.Error()+", ")
			return errors.New("the Bot API refuses: " + short(without(said, b.secrets...)))
		}
	}
	failed := seen.failure(ctx, err)
	if text := without(failed.Error(), b.secrets...); text != failed.Error() {
		return errors.New(text)
	}
	return failed
}
