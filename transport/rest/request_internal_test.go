package rest

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/transport/reusetest"
)

// noDeps implements every dependency with nil interfaces; calls would panic.
type noDeps struct {
	Trader
	Accounts
	InstrumentSource
	Market
	Records
	Authenticator
	auth.Limiter
	Health
}

// A call is copied out of the request: values that a handler retains, for example in
// a goroutine, do not change with the next request.
func TestRetainedCallDoesNotChange(t *testing.T) {
	s, err := New(Deps{
		Hosts:  listen.Hosts{Any: true},
		Trader: noDeps{}, Accounts: noDeps{}, Instruments: noDeps{}, Market: noDeps{}, Records: noDeps{}, Auth: noDeps{}, Limiter: noDeps{}, Ready: noDeps{},
		CursorSecret: bytes.Repeat([]byte{7}, api.CursorSecretBytesMin), OpenAPI: []byte("openapi: 3.1.0\n"), AsyncAPI: []byte("asyncapi: 3.0.0\n"), Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var retained reusetest.Retained
	err = s.register(Route{Method: http.MethodPatch, Path: "/kept/:id", Public: true, Query: []string{"q"}, handle: func(_ *Server, in *call) (response, error) {
		value, _ := in.query.Text("q")
		retained.Retain("id", in.id)
		retained.Retain("query", value)
		retained.Retain("raw query", in.rawQuery)
		retained.Retain("body", in.body)
		return response{}, errors.New("seen")
	}})
	if err != nil {
		t.Fatal(err)
	}
	for mark := range reusetest.Marks() {
		resp, err := s.App().Test(httptest.NewRequest(http.MethodPatch, "/kept/"+mark+"?q="+mark, strings.NewReader(mark)), -1)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	retained.Check(t, "id", "query", "raw query", "body")
}
