package rest

import (
	"errors"

	"venuegate/transport/api"
	"venuegate/venues"
)

const mediaYAML = "application/yaml"

func getTime(_ *Server, in *call) (answer, error) {
	body := append([]byte(`{"serverTime":`), api.AppendTime(nil, in.now)...)
	return ok(append(body, '}')), nil
}

func getHealth(*Server, *call) (answer, error) { return ok([]byte(`{"status":"ok"}`)), nil }

func getReadiness(s *Server, in *call) (answer, error) {
	err := s.deps.Ready.Ready()
	if err == nil {
		return ok([]byte(`{"status":"ready"}`)), nil
	}
	e, shown := errors.AsType[*venues.Error](err)
	if !shown || e.Code != venues.CodeMaintenance {
		e = venues.Errorf(venues.CodeMaintenance, "the service is not ready").Because(err)
	}
	return answer{}, e
}

func getOpenAPI(*Server, *call) (answer, error) {
	return answer{status: 200, body: api.OpenAPI(), mediaType: mediaYAML}, nil
}

func getAsyncAPI(s *Server, _ *call) (answer, error) {
	return answer{status: 200, body: s.deps.AsyncAPI, mediaType: mediaYAML}, nil
}

func getDocs(s *Server, _ *call) (answer, error) {
	return answer{status: 200, body: s.docs.html, mediaType: "text/html; charset=utf-8", policy: s.docs.policy}, nil
}
