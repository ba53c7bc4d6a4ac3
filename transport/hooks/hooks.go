package hooks

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/signing"
	"venuegate/venues"
)

// Paths of the two kinds of channel.
const (
	WebhookPath = api.HooksPath + "in/:hookId"
	ChartPath   = api.HooksPath + "chart/:id"
)

// Deps are the dependencies of Hooks. All are required but Observe.
type Deps struct {
	Channels Channels
	Signals  Signals
	Limiter  auth.Limiter
	Failures Failures
	Proofs   *Proofs
	Headers  signing.Headers
	// Source returns the client address of a request.
	Source func(*fiber.Ctx) netip.Addr
	// Observe, if set, is called for every request with the kind of the channel and a
	// result: one of Results. It must not block.
	Observe func(kind persistence.ChannelKind, result string)
}

// Results of a signal besides the codes of errors.
const (
	resultAccepted  = "accepted"
	resultDuplicate = "duplicate"
)

// Results returns every result of a signal: accepted, duplicate, and the codes of errors.
func Results() []string {
	codes := venues.Codes()
	all := append(make([]string, 0, 2+len(codes)), resultAccepted, resultDuplicate)
	for _, code := range codes {
		all = append(all, string(code))
	}
	return all
}

// Hooks has the handlers. The server they are mounted on writes the errors that they
// return.
type Hooks struct{ deps Deps }

// New returns the handlers.
func New(d Deps) *Hooks { return &Hooks{d} }

// Webhook handles POST WebhookPath.
func (h *Hooks) Webhook(c *fiber.Ctx) error { return h.observed(c, signedKind, h.webhook) }

// Chart handles POST ChartPath.
func (h *Hooks) Chart(c *fiber.Ctx) error { return h.observed(c, chartKind, h.chart) }

// observed calls a handler and Deps.Observe.
func (h *Hooks) observed(c *fiber.Ctx, kind persistence.ChannelKind, handle func(*fiber.Ctx) (result string, err error)) error {
	result, err := handle(c)
	if err != nil {
		result = string(venues.CodeOf(err))
	}
	if h.deps.Observe != nil {
		h.deps.Observe(kind, result)
	}
	return err
}

func (h *Hooks) webhook(c *fiber.Ctx) (result string, err error) {
	now := time.Now()
	channel, err := h.deps.Channels.Channel(c.Params("hookId"))
	if err != nil {
		return "", err
	}
	if channel.Kind != signedKind {
		return "", errNoChannel()
	}
	body, err := h.readBody(c, &channel)
	if err != nil {
		return "", err
	}
	signature, timestamp := c.Get(h.deps.Headers.Signature), c.Get(h.deps.Headers.Timestamp)
	if reason := signing.Verify(signature, timestamp, body, now, channel.Keys...); reason != nil {
		h.deps.Proofs.Fail(channel.ID, now)
		return "", h.badSignature(c, reason, now)
	}
	if err := h.checkRate(c, channel.ID, now); err != nil {
		return "", err
	}
	if err := checkMedia(c, mediaJSON); err != nil {
		return "", err
	}
	signal, _, err := api.DecodeSignal(body, api.SignalForm{})
	if err != nil {
		return "", err
	}
	if signal.RequestID == "" {
		signal.Implied, signal.RequestID = true, impliedRequestID(channel.ID, timestamp, signature)
	}
	signal.Source, signal.Auth = venues.SourceWebhook, venues.AuthSignature
	return h.accept(c, &channel, signal, now)
}

func (h *Hooks) chart(c *fiber.Ctx) (result string, err error) {
	now := time.Now()
	address, ok := parseAddress(c.Params("id"))
	if !ok {
		return "", errNoChannel()
	}
	channel, err := h.deps.Channels.Channel(address.channelID)
	if venues.CodeOf(err) == venues.CodeMaintenance {
		return "", err
	}
	if err != nil || channel.Kind != chartKind {
		return "", errNoChannel()
	}
	if !address.matches(&channel) {
		h.deps.Proofs.Fail(channel.ID, now)
		return "", errNoChannel()
	}
	body, err := h.readBody(c, &channel)
	if err != nil {
		return "", err
	}
	signal, token, decodeErr := api.DecodeSignal(body, api.SignalForm{BareNumbers: true, Timed: channel.ReadsTime()})
	if !tokenMatches(token, &channel) {
		h.deps.Proofs.Fail(channel.ID, now)
		return "", h.unauthorized(c, "the body must be a JSON object with the channel's channelToken")
	}
	if err := h.checkRate(c, channel.ID, now); err != nil {
		return "", err
	}
	if err := checkMedia(c, mediaJSON, mediaText); err != nil {
		return "", err
	}
	if decodeErr != nil {
		return "", decodeErr
	}
	signal.Implied = signal.RequestID == ""
	signal.Source, signal.Auth = venues.SourceChart, venues.AuthToken
	return h.accept(c, &channel, signal, now)
}

func errNoChannel() error { return venues.Errorf(venues.CodeNotFound, "no such channel") }

// readBody returns a copy of the body, which the server's buffers do not share,
// after it has checked size and source.
func (h *Hooks) readBody(c *fiber.Ctx, channel *Channel) ([]byte, error) {
	if len(c.Request().Body()) > api.HookBodyBytesMax {
		return nil, api.TooLarge(api.HookBodyBytesMax)
	}
	if !auth.Allows(channel.Allow, h.deps.Source(c)) {
		h.deps.Proofs.Fail(channel.ID, time.Now())
		return nil, h.unauthorized(c, "the channel does not accept signals from this address")
	}
	return bytes.Clone(c.Request().Body()), nil
}

// unauthorized counts a request whose sender is not authenticated and returns its
// error.
func (h *Hooks) unauthorized(c *fiber.Ctx, message string) error {
	e := h.deps.Failures.Fail(c.UserContext(), h.deps.Source(c))
	if e.Code == venues.CodeUnauthorized {
		e.Message = message
	}
	return e
}

// badSignature counts a request with an invalid signature and returns its error. The
// reason does not help a forger: without the secret a well-formed signature is
// always a mismatch.
func (h *Hooks) badSignature(c *fiber.Ctx, reason error, now time.Time) error {
	if e := h.deps.Failures.Fail(c.UserContext(), h.deps.Source(c)); e.Code != venues.CodeUnauthorized {
		return e
	}
	e := venues.Errorf(venues.CodeBadSignature, "the signature is missing, wrong or out of date").With("reason", reason.Error())
	if errors.Is(reason, signing.Stale) {
		e = e.With("serverTime", venues.At(now)).With("toleranceSec", int(signing.Tolerance/time.Second))
	}
	return e
}

// checkRate counts a request against the rate limit of the channel.
func (h *Hooks) checkRate(c *fiber.Ctx, channelID string, now time.Time) error {
	d, err := h.deps.Limiter.Take(c.UserContext(), channelID, auth.Signals, now)
	if err != nil {
		return err
	}
	c.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	c.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
	c.Set("RateLimit-Reset", strconv.FormatInt(api.Seconds(d.Reset), 10))
	if d.Allowed {
		return nil
	}
	e := venues.Errorf(venues.CodeRateLimited, "more than %d signals in %d s on this channel", d.Limit, api.Seconds(api.RateWindow)).
		With("limit", d.Limit).With("scope", venues.LimitOfChannel)
	e.RetryAfter = d.Reset
	return e
}

// Media types of a body. Charting platforms may send JSON as text.
const (
	mediaJSON = api.MediaJSON
	mediaText = "text/plain"
)

func checkMedia(c *fiber.Ctx, allowed ...string) error {
	return api.CheckMedia(c.Get(fiber.HeaderContentType), c.Get(fiber.HeaderContentEncoding), allowed...)
}

func (h *Hooks) accept(c *fiber.Ctx, channel *Channel, s venues.Signal, now time.Time) (result string, err error) {
	s.Customer, s.ChannelID, s.ReceivedAt = channel.Customer, channel.ID, venues.At(now)
	s.Origin, s.Hops = venues.OriginOf(c.UserContext()), venues.NewHops(now)
	s.Hops.End(venues.HopAuthenticated, time.Now())
	ctx, cancel := context.WithDeadline(c.UserContext(), now.Add(api.HookAnswerWait))
	defer cancel()
	answer, err := h.deps.Signals.Accept(ctx, s)
	if err != nil {
		return "", err
	}
	status, result := http.StatusAccepted, resultAccepted
	if answer.Duplicate {
		status, result = http.StatusOK, resultDuplicate
	}
	c.Set(fiber.HeaderContentType, mediaJSON)
	return result, c.Status(status).Send(api.AppendSignalAnswer(nil, &answer))
}
