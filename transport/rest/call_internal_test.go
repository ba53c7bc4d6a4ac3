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
	"venuegate/transport/reusetest"
)

// nobody is every dependency, and does nothing.
type nobody struct {
	Trader
	Accounts
	Catalogue
	Records
	Authenticator
	auth.Limiter
	Readiness
}

// A call is copied out of the request: what a handler leaves behind of it, for a
// goroutine to finish with, stays what it is.
func TestKeptMemoryOfACall(t *testing.T) {
	s, err := New(Deps{
		Trader: nobody{}, Accounts: nobody{}, Catalogue: nobody{}, Records: nobody{}, Auth: nobody{}, Limiter: nobody{}, Ready: nobody{},
		CursorSecret: bytes.Repeat([]byte{7}, api.CursorSecretBytesMin), AsyncAPI: []byte("asyncapi: 3.0.0\n"), Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var kept reusetest.Kept
	err = s.register(Route{Method: http.MethodPatch, Path: "/kept/:id", Public: true, Query: []string{"q"}, handle: func(_ *Server, in *call) (answer, error) {
		value, _ := in.query.Text("q")
		kept.Keep("id", in.id)
		kept.Keep("query", value)
		kept.Keep("raw query", in.rawQuery)
		kept.Keep("body", in.body)
		return answer{}, errors.New("seen")
	}})
	if err != nil {
		t.Fatal(err)
	}
	for mark := range reusetest.Marks() {
		answered, err := s.App().Test(httptest.NewRequest(http.MethodPatch, "/kept/"+mark+"?q="+mark, strings.NewReader(mark)), -1)
		if err != nil {
			t.Fatal(err)
		}
		_ = answered.Body.Close()
	}
	kept.Check(t, "id", "query", "raw query", "body")
}
