package stream

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// handle serves one client message. Nil means that the connection goes on.
func (s *session) handle(kind int, message []byte) *farewell {
	s.pace()
	if kind != websocket.TextMessage {
		return s.bad("", "binary messages are not part of the protocol", nil)
	}
	r, err := api.DecodeStreamRequest(message)
	if err != nil {
		fault, _ := errors.AsType[*venues.Error](err)
		return s.bad(r.ID, fault.Message, fault.Details)
	}
	switch {
	case r.Op == api.OpPing:
		s.reply(api.AppendPong(nil, r.ID, time.Now()))
		return nil
	case r.Op == api.OpAuth:
		return s.authenticate(&r)
	case s.identity == nil:
		return s.unauthorized(r.ID, "send auth first")
	case r.Op == api.OpSubscribe:
		s.subscribe(&r)
	default:
		s.unsubscribeFrom(&r)
	}
	return nil
}

// reply has the shard send an answer.
func (s *session) reply(answer []byte) {
	s.shard.inbox.do(func() { s.answer(headText, answer) })
}

// bad answers a message that breaks the protocol; the tenth ends the
// connection.
func (s *session) bad(id, message string, details map[string]any) *farewell {
	s.badMessages++
	s.reply(api.AppendStreamError(nil, id, api.StreamBadMessage, message, details))
	if s.badMessages >= api.StreamBadMessagesMax {
		return goodbye(api.StreamBadMessage)
	}
	return nil
}

func (s *session) unauthorized(id, message string) *farewell {
	s.reply(api.AppendStreamError(nil, id, api.StreamUnauthorized, message, nil))
	return goodbye(api.StreamUnauthorized)
}

func (s *session) authenticate(r *api.StreamRequest) *farewell {
	if s.identity != nil {
		return s.bad(r.ID, "already authenticated; use another connection for another key", nil)
	}
	ctx, cancel := context.WithTimeout(context.Background(), authCheckMax)
	defer cancel()
	principal, err := s.hub.auth.Authenticate(ctx, r.Token.Reveal(), s.remote)
	if err != nil {
		return s.authFailed(r.ID, err)
	}
	if !s.hub.door.identify(s, &identity{Principal: principal, token: r.Token}) {
		s.reply(api.AppendStreamError(nil, r.ID, api.StreamLimit, "the key has too many connections",
			map[string]any{"limit": s.hub.options.ConnsPerKeyMax, "have": s.hub.options.ConnsPerKeyMax}))
		return nil
	}
	scopes := make([]string, len(principal.Scopes))
	for i, scope := range principal.Scopes {
		scopes[i] = string(scope)
	}
	s.reply(api.AppendAuthAnswer(nil, r.ID, scopes))
	return nil
}

// authFailed answers a failed auth: a bad key ends the connection, and so does
// anything else, but then the client may well come again.
func (s *session) authFailed(id string, err error) *farewell {
	failure, ok := errors.AsType[*venues.Error](err)
	if !ok {
		failure = venues.Errorf(venues.CodeInternal, internalReason)
		s.hub.log.Error("stream auth failed", zap.String("conn_id", s.id), zap.Error(err))
	}
	code := api.StreamServerRestart
	if wrongKey(failure) {
		code = api.StreamUnauthorized
	}
	details := map[string]any{"reason": string(failure.Code)}
	if failure.RetryAfter > 0 {
		details["retryAfterSec"] = int(api.Seconds(failure.RetryAfter))
	}
	s.reply(api.AppendStreamError(nil, id, code, failure.Message, details))
	return goodbye(code)
}

// subscribe takes all channels that can be taken, or none at all if that would
// be too many.
func (s *session) subscribe(r *api.StreamRequest) {
	names := distinct(r.Channels)
	if len(names) > api.StreamChannelsMax {
		s.tooMany(r.ID)
		return
	}
	wanted, accepted, rejected := s.plan(names)
	if len(s.leases)+len(wanted) > api.StreamChannelsMax {
		s.tooMany(r.ID)
		return
	}
	var joined []*topic
	for _, w := range wanted {
		t, err := s.shard.acquire(s.identity.Customer, w.topic)
		if err != nil {
			rejected = append(rejected, s.refusal(w.name, err))
			accepted = slices.DeleteFunc(accepted, func(channel string) bool { return channel == w.topic.String() })
			continue
		}
		s.leases[t.key.name] = t
		joined = append(joined, t)
	}
	answer := api.AppendChannelsAnswer(nil, api.OpSubscribe, r.ID, accepted, rejected)
	s.shard.inbox.do(func() { s.join(joined, answer) })
}

func (s *session) tooMany(id string) {
	s.reply(api.AppendStreamError(nil, id, api.StreamLimit, "too many channels",
		map[string]any{"limit": api.StreamChannelsMax, "have": len(s.leases)}))
}

// want is a channel that has to be subscribed, by the client's name for it.
type want struct {
	name  string
	topic venues.Topic
}

// plan sorts names into those that are to be subscribed, and those that cannot
// be. accepted holds the canonical names of the former and of those that are
// subscribed already.
func (s *session) plan(names []string) (wanted []want, accepted []string, rejected []api.StreamRejection) {
	for _, name := range names {
		topic, ok := venues.ParseTopic(name)
		if !ok {
			rejected = append(rejected, unknownChannel(name, "no such channel"))
			continue
		}
		scope := scopeOf(topic.Kind)
		if !s.identity.Has(scope) {
			rejected = append(rejected, api.StreamRejection{
				Channel: name, Code: api.StreamScopeRequired, Message: "the key lacks the scope " + string(scope), Reason: venues.CodeScopeRequired,
			})
			continue
		}
		channel := topic.String()
		if slices.Contains(accepted, channel) {
			continue
		}
		accepted = append(accepted, channel)
		if _, have := s.leases[channel]; !have {
			wanted = append(wanted, want{name, topic})
		}
	}
	return wanted, accepted, rejected
}

// scopeOf is the permission that a channel needs.
func scopeOf(kind venues.TopicKind) persistence.Scope {
	switch kind {
	case venues.TopicTrades, venues.TopicBook, venues.TopicKline, venues.TopicOrders:
		return persistence.ScopeRead
	default:
		return persistence.ScopeAccount
	}
}

// refusal tells why the feed did not give a channel.
func (s *session) refusal(name string, err error) api.StreamRejection {
	failure, ok := errors.AsType[*venues.Error](err)
	if !ok {
		failure = venues.Errorf(venues.CodeInternal, internalReason)
		s.hub.log.Error("stream subscribe failed", zap.String("conn_id", s.id), zap.String("channel", name), zap.Error(err))
	}
	var code api.StreamCode
	switch failure.Code {
	case venues.CodeNotFound, venues.CodeSymbolNotTradable, venues.CodeInvalidRequest:
		code = api.StreamUnknownChannel
	case venues.CodeScopeRequired, venues.CodeUnauthorized:
		code = api.StreamScopeRequired
	default: // may pass
		code = api.StreamServerRestart
	}
	return api.StreamRejection{Channel: name, Code: code, Message: failure.Message, Reason: failure.Code}
}

func (s *session) unsubscribeFrom(r *api.StreamRequest) {
	names := distinct(r.Channels)
	if len(names) > api.StreamChannelsMax {
		s.tooMany(r.ID)
		return
	}
	var parted []*topic
	accepted, rejected := []string{}, []api.StreamRejection(nil)
	for _, name := range names {
		topic, _ := venues.ParseTopic(name)
		t, have := s.leases[topic.String()]
		if !have {
			rejected = append(rejected, unknownChannel(name, "not subscribed"))
			continue
		}
		delete(s.leases, t.key.name)
		accepted = append(accepted, t.key.name)
		parted = append(parted, t)
	}
	answer := api.AppendChannelsAnswer(nil, api.OpUnsubscribe, r.ID, accepted, rejected)
	s.shard.inbox.do(func() { s.part(parted, answer) })
	for _, t := range parted {
		s.shard.release(t)
	}
}

func unknownChannel(name, message string) api.StreamRejection {
	return api.StreamRejection{Channel: name, Code: api.StreamUnknownChannel, Message: message, Reason: venues.CodeNotFound}
}

// distinct keeps the first of equal names.
func distinct(names []string) []string {
	seen := make(map[string]struct{}, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		_, have := seen[name]
		seen[name] = struct{}{}
		return have
	})
}
