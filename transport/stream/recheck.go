package stream

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// recheck asks again about the keys of open connections.
func (h *Hub) recheck() {
	defer close(h.rechecked)
	ticker := time.NewTicker(recheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-h.stopping:
			return
		case <-ticker.C:
			h.recheckAll()
		}
	}
}

// recheckAll closes the connections whose key no longer holds or no longer says
// the same. Connections of one key from one address are one question.
func (h *Hub) recheckAll() {
	ctx, cancel := context.WithTimeout(context.Background(), recheckInterval/2)
	defer cancel()
	type question struct {
		token  venues.Secret
		remote string
	}
	answers := make(map[question]bool)
	for s, identity := range h.door.identified() {
		q := question{identity.token, s.remote.String()}
		holds, asked := answers[q]
		if !asked {
			holds = h.holds(ctx, s, identity)
			answers[q] = holds
		}
		if !holds {
			s.dismiss(api.StreamUnauthorized, revokedReason)
		}
	}
}

func (h *Hub) holds(ctx context.Context, s *session, identity *identity) bool {
	now, err := h.auth.Authenticate(ctx, identity.token.Reveal(), s.remote)
	switch {
	case err == nil:
		return samePermissions(&identity.Principal, &now)
	case wrongKey(err):
		return false
	default:
		h.log.Warn("stream key not rechecked", zap.String("key_id", identity.KeyID), zap.Error(err))
		return true
	}
}

// wrongKey says whether an error of the Authenticator means that the key is not
// right. An address with too many failures is told no more than that it is
// limited, but a right key passes even then.
func wrongKey(err error) bool {
	code := venues.CodeOf(err)
	return code == venues.CodeUnauthorized || code == venues.CodeRateLimited
}

func samePermissions(a, b *auth.Principal) bool {
	if a.Customer != b.Customer || a.KeyID != b.KeyID || len(a.Scopes) != len(b.Scopes) {
		return false
	}
	for _, scope := range a.Scopes {
		if !b.Has(scope) {
			return false
		}
	}
	return true
}
