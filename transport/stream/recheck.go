package stream

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// recheck checks the keys of open connections at intervals.
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

// recheckAll closes the connections whose key is no longer valid or has other
// permissions or another expiry now. Connections with the same key and address share one check.
func (h *Hub) recheckAll() {
	ctx, cancel := context.WithTimeout(context.Background(), recheckInterval/2)
	defer cancel()
	type keyUse struct {
		token  venues.Secret
		remote string
	}
	checked := make(map[keyUse]bool)
	for s, identity := range h.admission.authenticated() {
		use := keyUse{identity.token, s.remote.String()}
		valid, known := checked[use]
		if !known {
			valid = h.keyValid(ctx, s, identity)
			checked[use] = valid
		}
		if !valid {
			s.requestClose(api.StreamUnauthorized, revokedReason)
		}
	}
}

// keyValid reports whether a key is still valid with the same permissions and expiry. A key that
// cannot be checked counts as valid.
func (h *Hub) keyValid(ctx context.Context, s *session, identity *identity) bool {
	now, err := h.auth.Authenticate(ctx, identity.token.Reveal(), s.remote)
	switch {
	case err == nil:
		return samePermissions(&identity.Principal, &now)
	case isKeyRejected(err):
		return false
	default:
		h.log.Warn("stream key not rechecked", zap.String("key_id", identity.KeyID), zap.Error(err))
		return true
	}
}

// isKeyRejected reports whether an error of the Authenticator means that the key is
// invalid. For an address with too many failures the error is only rate_limited, but a
// valid key is accepted even then.
func isKeyRejected(err error) bool {
	code := venues.CodeOf(err)
	return code == venues.CodeUnauthorized || code == venues.CodeRateLimited
}

func samePermissions(a, b *auth.Principal) bool {
	if a.Customer != b.Customer || a.KeyID != b.KeyID || !a.ExpiresAt.Equal(b.ExpiresAt) || len(a.Scopes) != len(b.Scopes) {
		return false
	}
	for _, scope := range a.Scopes {
		if !b.Has(scope) {
			return false
		}
	}
	return true
}
