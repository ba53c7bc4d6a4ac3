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

// Deps is what the edge needs; all are required.
type Deps struct {
	Channels Channels
	Signals  Signals
	Limiter  auth.Limiter
	Failures Failures
	Headers  signing.Headers
	// Source is the address that a request comes from.
	Source func(*fiber.Ctx) netip.Addr
}

// Hooks are the handlers. Errors that they return become the error body of the
// server on which they are mounted.
type Hooks struct{ deps Deps }

// New makes the handlers.
func New(d Deps) *Hooks { return &Hooks{d} }

// Webhook handles POST WebhookPath.
func (h *Hooks) Webhook(c *fiber.Ctx) error {
	now := time.Now()
	channel, known := h.deps.Channels.Channel(c.Params("hookId"))
	if !known || channel.Kind != signedKind {
		return errNoChannel()
	}
	body, err := h.arrive(c, &channel)
	if err != nil {
		return err
	}
	signature, timestamp := c.Get(h.deps.Headers.Signature), c.Get(h.deps.Headers.Timestamp)
	if reason := signing.Verify(signature, timestamp, body, now, channel.Keys...); reason != nil {
		return h.badSignature(c, reason, now)
	}
	if err := h.count(c, channel.ID, now); err != nil {
		return err
	}
	if err := checkMedia(c, mediaJSON); err != nil {
		return err
	}
	signal, _, err := api.DecodeSignal(body, false)
	if err != nil {
		return err
	}
	if signal.RequestID == "" {
		signal.Implied, signal.RequestID = true, impliedRequestID(channel.ID, timestamp, signature)
	}
	signal.Source, signal.Proof = venues.SourceWebhook, venues.ProofSignature
	return h.accept(c, &channel, signal, now)
}

// Chart handles POST ChartPath.
func (h *Hooks) Chart(c *fiber.Ctx) error {
	now := time.Now()
	address, ok := parseAddress(c.Params("id"))
	if !ok {
		return errNoChannel()
	}
	channel, known := h.deps.Channels.Channel(address.channelID)
	if !address.matches(&channel) || !known || channel.Kind != chartKind {
		return errNoChannel()
	}
	body, err := h.arrive(c, &channel)
	if err != nil {
		return err
	}
	signal, token, fault := api.DecodeSignal(body, true)
	if !tokenMatches(token, &channel) {
		return h.refuse(c, "the body must be a JSON object that holds the channel's channelToken")
	}
	if err := h.count(c, channel.ID, now); err != nil {
		return err
	}
	if err := checkMedia(c, mediaJSON, mediaText); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	signal.Implied = signal.RequestID == ""
	signal.Source, signal.Proof = venues.SourceChart, venues.ProofToken
	return h.accept(c, &channel, signal, now)
}

func errNoChannel() error { return venues.Errorf(venues.CodeNotFound, "no such channel") }

// arrive takes the body out of the server's buffers, after size and source were
// looked at.
func (h *Hooks) arrive(c *fiber.Ctx, channel *Channel) ([]byte, error) {
	if len(c.Request().Body()) > api.HookBodyBytesMax {
		return nil, api.TooLarge(api.HookBodyBytesMax)
	}
	if !auth.Allows(channel.Allow, h.deps.Source(c)) {
		return nil, h.refuse(c, "the channel does not take signals from this address")
	}
	return bytes.Clone(c.Request().Body()), nil
}

// refuse counts a request whose sender is not proven and answers it.
func (h *Hooks) refuse(c *fiber.Ctx, message string) error {
	e := h.deps.Failures.Fail(c.UserContext(), h.deps.Source(c))
	if e.Code == venues.CodeUnauthorized {
		e.Message = message
	}
	return e
}

// badSignature tells why. The exact reason helps only those who know the secret:
// of the others all but the form is a mismatch.
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

// count takes one request of the channel's allowance.
func (h *Hooks) count(c *fiber.Ctx, channelID string, now time.Time) error {
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
	e := venues.Errorf(venues.CodeRateLimited, "more than %d signals in %d s on this channel", d.Limit, api.Seconds(api.RateWindow))
	e.RetryAfter = d.Reset
	return e
}

// Media types of a body. A chart sends what it does not know to be JSON as text.
const (
	mediaJSON = api.MediaJSON
	mediaText = "text/plain"
)

func checkMedia(c *fiber.Ctx, allowed ...string) error {
	return api.CheckMedia(c.Get(fiber.HeaderContentType), c.Get(fiber.HeaderContentEncoding), allowed...)
}

func (h *Hooks) accept(c *fiber.Ctx, channel *Channel, s venues.Signal, now time.Time) error {
	s.Customer, s.ChannelID, s.ReceivedAt = channel.Customer, channel.ID, venues.At(now)
	ctx, cancel := context.WithDeadline(c.UserContext(), now.Add(api.HookAnswerWait))
	defer cancel()
	answer, err := h.deps.Signals.Accept(ctx, s)
	if err != nil {
		return err
	}
	status := http.StatusAccepted
	if answer.Duplicate {
		status = http.StatusOK
	}
	c.Set(fiber.HeaderContentType, mediaJSON)
	return c.Status(status).Send(api.AppendSignalAnswer(nil, &answer))
}
