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
	"venuegate/venues"
)

// TelegramURL is the URL of the Bot API.
const TelegramURL = "https://api.telegram.org"

// TelegramOptions configure a Telegram.
type TelegramOptions struct {
	// URL is that of the Bot API; empty is TelegramURL.
	URL string
	// Unseal opens the tokens of bots.
	Unseal Unseal
	// UserAgent is the name and version of the service.
	UserAgent string
	// Timeout bounds one attempt; zero is TimeoutDefault.
	Timeout time.Duration
}

// Telegram sends messages to chats. It is safe for concurrent use.
type Telegram struct {
	options TelegramOptions
	client  *http.Client
}

// NewTelegram returns a Telegram, which must be closed after the last Send, or the
// error of an invalid URL.
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

// baseURL validates a URL of the configuration and removes slashes at its end.
func baseURL(text, fallback string) (string, error) {
	if text == "" {
		text = fallback
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the base URL of an API", text)
	}
	return strings.TrimRight(text, "/"), nil
}

// Close closes idle connections.
func (t *Telegram) Close() { t.client.CloseIdleConnections() }

// tokenForm is that of a token, which is part of URLs.
var tokenForm = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$`)

// errBadToken is returned for a secret of another form.
var errBadToken = errors.New("the secret is not the token of a bot")

// botCall is an attempt with the bot of an endpoint.
type botCall struct {
	*bot.Bot
	secrets []string
}

// open returns a call with the bot of an endpoint.
func (t *Telegram) open(to persistence.Endpoint, at time.Time) (botCall, error) {
	token, err := t.options.Unseal.of(to, at)
	if err != nil {
		return botCall{}, err
	}
	return t.bot(token)
}

// bot returns a call with the bot of a token.
func (t *Telegram) bot(token venues.Secret) (botCall, error) {
	text := token.Reveal()
	if !tokenForm.MatchString(text) {
		return botCall{}, errBadToken
	}
	b, err := bot.New(text,
		bot.WithServerURL(t.options.URL), bot.WithHTTPClient(0, t.client), bot.WithSkipGetMe(),
		bot.WithUpdatesChannelCap(0),
		bot.WithErrorsHandler(func(error) {})) // errors of requests are also returned
	if err != nil {
		return botCall{}, errBadToken
	}
	_, key, _ := strings.Cut(text, ":")
	return botCall{Bot: b, secrets: []string{text, key}}, nil
}

// Send sends the text of an event to the endpoint's chat, once. at is the current time.
func (t *Telegram) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	if err := CheckTarget(persistence.EndpointTelegram, to.Target); err != nil {
		return persistence.Attempt{Err: err}
	}
	b, err := t.open(to, at)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	ctx, recorded := withRecorder(ctx)
	err = b.send(ctx, to.Target, message(e))
	if moved, ok := errors.AsType[*bot.MigrateError](err); ok {
		err = b.send(ctx, fmt.Sprint(moved.MigrateToChatID), message(e))
	}
	return b.result(ctx, recorded, err)
}

func (b botCall) send(ctx context.Context, chat, text string) error {
	_, err := b.SendMessage(ctx, &bot.SendMessageParams{
		ChatID: chat, Text: text, LinkPreviewOptions: &models.LinkPreviewOptions{IsDisabled: bot.True()},
	})
	return err
}

// result returns the attempt that a request completes.
func (b botCall) result(ctx context.Context, recorded *recorder, err error) persistence.Attempt {
	out := recorded.attempt(b.secrets...)
	if err == nil {
		return out
	}
	out.Err = b.publicError(ctx, recorded, err)
	switch {
	case isTokenRejected(err), errors.Is(err, bot.ErrorForbidden):
		out.Gone = out.Err.Error()
	default:
		if slow, ok := errors.AsType[*bot.TooManyRequestsError](err); ok {
			out.Throttled, out.RetryAfterSec = true, min(max(slow.RetryAfter, 0), retryAfterSecMax)
		}
	}
	return out
}

// isTokenRejected reports whether the Bot API rejected the token: with 401 if it was
// revoked, with 404 if it never existed.
func isTokenRejected(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}

// publicError returns an error of the library for the customer, without URLs and whole
// responses.
func (b botCall) publicError(ctx context.Context, recorded *recorder, err error) error {
	if isTokenRejected(err) {
		return errors.New("the token of the bot is no longer valid")
	}
	if slow, ok := errors.AsType[*bot.TooManyRequestsError](err); ok {
		return fmt.Errorf("too many messages: wait %d s", slow.RetryAfter)
	}
	if moved, ok := errors.AsType[*bot.MigrateError](err); ok {
		return fmt.Errorf("the group has become a supergroup with the id %d", moved.MigrateToChatID)
	}
	for _, kind := range []error{bot.ErrorForbidden, bot.ErrorBadRequest, bot.ErrorConflict} {
		if errors.Is(err, kind) {
			message := strings.TrimPrefix(err.Error(), kind.Error()+", ")
			return errors.New("rejected by the Bot API: " + short(without(message, b.secrets...)))
		}
	}
	failed := recorded.failure(ctx, err)
	if text := without(failed.Error(), b.secrets...); text != failed.Error() {
		return errors.New(text)
	}
	return failed
}
