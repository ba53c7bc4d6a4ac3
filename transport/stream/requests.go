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
	"venuegate/transport/auth"
	"venuegate/venues"
)

// handle serves one client message. It returns nil if the connection stays open.
func (s *session) handle(kind int, message []byte) *closeReason {
	s.waitForPacer()
	if kind != websocket.TextMessage {
		return s.rejectMessage("", "binary messages are not part of the protocol", nil)
	}
	r, err := api.DecodeStreamRequest(message)
	if err != nil {
		invalid, _ := errors.AsType[*venues.Error](err)
		return s.rejectMessage(r.ID, invalid.Message, invalid.Details)
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
		s.handleSubscribe(&r)
	default:
		s.handleUnsubscribe(&r)
	}
	return nil
}

// reply sends a reply through the shard.
func (s *session) reply(message []byte) {
	s.shard.inbox.post(func() { s.enqueue(headText, message) })
}

// rejectMessage replies to a message that violates the protocol. The tenth one closes
// the connection.
func (s *session) rejectMessage(id, message string, details map[string]any) *closeReason {
	s.badMessages++
	s.reply(api.AppendStreamError(nil, id, api.StreamBadMessage, message, details))
	if s.badMessages >= api.StreamBadMessagesMax {
		return closeWith(api.StreamBadMessage)
	}
	return nil
}

func (s *session) unauthorized(id, message string) *closeReason {
	s.reply(api.AppendStreamError(nil, id, api.StreamUnauthorized, message, nil))
	return closeWith(api.StreamUnauthorized)
}

func (s *session) authenticate(r *api.StreamRequest) *closeReason {
	if s.identity != nil {
		return s.rejectMessage(r.ID, "already authenticated; use another connection for another key", nil)
	}
	principal, admitted, err := s.authenticateKey(r.Token)
	if err != nil {
		return s.authFailed(r.ID, err)
	}
	if !admitted {
		s.reply(api.AppendStreamError(nil, r.ID, api.StreamLimit, "the key has too many connections",
			map[string]any{"limit": s.hub.options.ConnsPerKeyMax, "have": s.hub.options.ConnsPerKeyMax}))
		return nil
	}
	if !principal.ExpiresAt.IsZero() {
		s.expiry = time.AfterFunc(time.Until(principal.ExpiresAt), func() {
			s.requestClose(api.StreamUnauthorized, revokedReason)
		})
	}
	scopes := make([]string, len(principal.Scopes))
	for i, scope := range principal.Scopes {
		scopes[i] = string(scope)
	}
	s.reply(api.AppendAuthReply(nil, r.ID, scopes))
	return nil
}

// authenticateKey checks a key and counts the session under it. If a key is changed
// meanwhile it is checked again: the session was not yet among those that the change closes.
// It returns false if the key has too many connections.
func (s *session) authenticateKey(token venues.Secret) (principal auth.Principal, admitted bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), authCheckMax)
	defer cancel()
	for {
		changes := s.hub.admission.keyChanges()
		principal, err = s.hub.auth.Authenticate(ctx, token.Reveal(), s.remote)
		if err != nil {
			return principal, false, err
		}
		admitted, current := s.hub.admission.authenticate(s, &identity{Principal: principal, token: token}, changes)
		if current {
			return principal, admitted, nil
		}
	}
}

// authFailed replies to a failed auth and closes the connection: with 4001 for an
// invalid key, else with 4012, after which the client may reconnect.
func (s *session) authFailed(id string, err error) *closeReason {
	failure, ok := errors.AsType[*venues.Error](err)
	if !ok {
		failure = venues.Errorf(venues.CodeInternal, internalReason)
		s.hub.log.Error("stream auth failed", zap.String("conn_id", s.id), zap.Error(err))
	}
	code := api.StreamServerRestart
	if isKeyRejected(failure) {
		code = api.StreamUnauthorized
	}
	details := map[string]any{"reason": string(failure.Code)}
	if failure.RetryAfter > 0 {
		details["retryAfterSec"] = int(api.Seconds(failure.RetryAfter))
	}
	s.reply(api.AppendStreamError(nil, id, code, failure.Message, details))
	return closeWith(code)
}

// handleSubscribe subscribes to all valid topics, or to none if there would be too
// many.
func (s *session) handleSubscribe(r *api.StreamRequest) {
	names := distinct(r.Topics)
	if len(names) > api.StreamTopicsMax {
		s.rejectTooMany(r.ID)
		return
	}
	wanted, accepted, rejected := s.plan(names)
	if len(s.topics)+len(wanted) > api.StreamTopicsMax {
		s.rejectTooMany(r.ID)
		return
	}
	var added []*topic
	for _, w := range wanted {
		t, err := s.shard.acquire(s.identity.Customer, w.topic)
		if err != nil {
			rejected = append(rejected, s.topicRejection(w.name, err))
			accepted = slices.DeleteFunc(accepted, func(name string) bool { return name == w.topic.String() })
			continue
		}
		s.topics[t.key.name] = t
		added = append(added, t)
	}
	reply := api.AppendTopicsReply(nil, api.OpSubscribe, r.ID, accepted, rejected)
	s.shard.inbox.post(func() { s.addTopics(added, reply) })
}

func (s *session) rejectTooMany(id string) {
	s.reply(api.AppendStreamError(nil, id, api.StreamLimit, "too many channels",
		map[string]any{"limit": api.StreamTopicsMax, "have": len(s.topics)}))
}

// topicRequest is a topic to be subscribed, with its name in the spelling of the
// client.
type topicRequest struct {
	name  string
	topic venues.Topic
}

// plan returns the topics to be subscribed and the rejected ones. accepted holds the
// canonical names of the former and of topics that are already subscribed.
func (s *session) plan(names []string) (wanted []topicRequest, accepted []string, rejected []api.StreamRejection) {
	for _, name := range names {
		topic, ok := venues.ParseTopic(name)
		if !ok {
			rejected = append(rejected, unknownTopic(name, "no such channel"))
			continue
		}
		scope := scopeOf(topic.Kind)
		if !s.identity.Has(scope) {
			rejected = append(rejected, api.StreamRejection{
				Topic: name, Code: api.StreamScopeRequired, Message: "the key lacks the scope " + string(scope), Reason: venues.CodeScopeRequired,
			})
			continue
		}
		canonical := topic.String()
		if slices.Contains(accepted, canonical) {
			continue
		}
		accepted = append(accepted, canonical)
		if _, subscribed := s.topics[canonical]; !subscribed {
			wanted = append(wanted, topicRequest{name, topic})
		}
	}
	return wanted, accepted, rejected
}

// scopeOf returns the scope that a topic requires.
func scopeOf(kind venues.TopicKind) persistence.Scope {
	switch kind {
	case venues.TopicTrades, venues.TopicBook, venues.TopicKline, venues.TopicOrders:
		return persistence.ScopeRead
	default:
		return persistence.ScopeAccount
	}
}

// topicRejection returns the rejection for an error of the feed.
func (s *session) topicRejection(name string, err error) api.StreamRejection {
	failure, ok := errors.AsType[*venues.Error](err)
	if !ok {
		failure = venues.Errorf(venues.CodeInternal, internalReason)
		s.hub.log.Error("stream subscribe failed", zap.String("conn_id", s.id), zap.String("channel", name), zap.Error(err))
	}
	var code api.StreamCode
	switch failure.Code {
	case venues.CodeNotFound, venues.CodeSymbolNotTradable, venues.CodeInvalidRequest:
		code = api.StreamUnknownTopic
	case venues.CodeScopeRequired, venues.CodeUnauthorized:
		code = api.StreamScopeRequired
	default: // temporary
		code = api.StreamServerRestart
	}
	return api.StreamRejection{Topic: name, Code: code, Message: failure.Message, Reason: failure.Code}
}

// handleUnsubscribe unsubscribes from all given topics that are subscribed.
func (s *session) handleUnsubscribe(r *api.StreamRequest) {
	names := distinct(r.Topics)
	if len(names) > api.StreamTopicsMax {
		s.rejectTooMany(r.ID)
		return
	}
	var removed []*topic
	accepted, rejected := []string{}, []api.StreamRejection(nil)
	for _, name := range names {
		topic, _ := venues.ParseTopic(name)
		t, subscribed := s.topics[topic.String()]
		if !subscribed {
			rejected = append(rejected, unknownTopic(name, "not subscribed"))
			continue
		}
		delete(s.topics, t.key.name)
		accepted = append(accepted, t.key.name)
		removed = append(removed, t)
	}
	reply := api.AppendTopicsReply(nil, api.OpUnsubscribe, r.ID, accepted, rejected)
	s.shard.inbox.post(func() { s.removeTopics(removed, reply) })
	for _, t := range removed {
		s.shard.release(t)
	}
}

func unknownTopic(name, message string) api.StreamRejection {
	return api.StreamRejection{Topic: name, Code: api.StreamUnknownTopic, Message: message, Reason: venues.CodeNotFound}
}

// distinct returns names without duplicates, in the order of their first occurrence.
func distinct(names []string) []string {
	seen := make(map[string]struct{}, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		_, have := seen[name]
		seen[name] = struct{}{}
		return have
	})
}
