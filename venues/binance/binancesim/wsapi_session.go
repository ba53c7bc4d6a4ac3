package binancesim

import "net/http"

// apiSessionBody is what the venue tells of a connection. Nobody is logged on to
// it: that takes an Ed25519 key.
type apiSessionBody struct {
	APIKey           *string `json:"apiKey"`
	AuthorizedSince  *int64  `json:"authorizedSince"`
	ConnectedSince   int64   `json:"connectedSince"`
	ReturnRateLimits bool    `json:"returnRateLimits"`
	ServerTime       int64   `json:"serverTime"`
}

// apiSessionWeight is the weight of a session request.
const apiSessionWeight = 2

// apiSessionMethods are the requests about the connection itself, with what
// refuses them.
var apiSessionMethods = map[string]*apiError{
	"session.logon":  errKeyType,
	"session.status": nil,
	"session.logout": nil,
}

func (s *Sim) apiSession(cl *apiClient, in apiRequest, failed *apiError) {
	c := &call{method: http.MethodGet, path: apiPath, ip: cl.ip, now: s.Clock.Now()}
	if limited := s.weigh(c, endpoint{weight: apiSessionWeight}); limited != nil {
		failed = limited
	}
	body := apiSessionBody{
		ConnectedSince: cl.since.UnixMilli(), ReturnRateLimits: cl.showsLimits, ServerTime: s.Clock.Now().UnixMilli(),
	}
	cl.send(in.Method, s.apiAnswer(cl, in, c, body, failed))
}
