package rest

import (
	"net/http"
	"slices"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const mediaYAML = "application/yaml"

func getTime(_ *Server, in *call) (response, error) {
	body := append([]byte(`{"serverTime":`), venues.AppendTime(nil, in.now)...)
	return ok(append(body, '}')), nil
}

func getHealth(*Server, *call) (response, error) { return ok([]byte(`{"status":"ok"}`)), nil }

func getReadiness(s *Server, _ *call) (response, error) {
	r := s.deps.Ready.Readiness()
	out := ok(api.AppendReadiness(newBuffer(1), &r))
	if !r.Ready {
		out.status = http.StatusServiceUnavailable
	}
	return out, nil
}

func getVenues(s *Server, in *call) (response, error) {
	accounts, err := s.deps.Records.VenueAccounts(in.ctx, in.principal.Customer)
	if err != nil {
		return response{}, err
	}
	states := s.deps.Ready.Venues()
	for i := range states {
		states[i].Connected = slices.ContainsFunc(accounts, func(a persistence.VenueAccount) bool { return a.Exchange == states[i].Exchange && a.RemovedAt.IsZero() })
	}
	return ok(api.AppendList(newBuffer(1), states, api.AppendVenueState)), nil
}

func getOpenAPI(s *Server, _ *call) (response, error) {
	return response{status: http.StatusOK, body: s.deps.OpenAPI, mediaType: mediaYAML}, nil
}

func getAsyncAPI(s *Server, _ *call) (response, error) {
	return response{status: http.StatusOK, body: s.deps.AsyncAPI, mediaType: mediaYAML}, nil
}
