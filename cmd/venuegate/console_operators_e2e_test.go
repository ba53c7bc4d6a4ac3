package main

import (
	"net/http"
	"testing"
)

// The console of operators is at the administration listener alone: the public one has
// none of its calls, and admits no operator.
func TestOperatorsSignInAtTheAdministrationListener(t *testing.T) {
	s := startService(t, t.TempDir())
	printed := s.consoleCommand("login", "--operator")
	const password = "correct horse battery"
	olga := &page{service: s, url: s.demo.AdminURL}
	olga.enter(http.StatusOK, printed, password)
	if session := olga.call(http.StatusOK, http.MethodGet, "/session", nil); session.text("role") != "operator" {
		t.Errorf("session = %v, want that of an operator", session)
	}
	paths := []string{"/actors", "/incidents", "/venues", "/books", "/streams", "/store", "/config", "/customers", "/journal/verify"}
	for _, path := range paths {
		olga.call(http.StatusOK, http.MethodGet, path, nil)
	}
	ann := &page{service: s, url: s.demo.BaseURL}
	ann.call(http.StatusOK, http.MethodPost, "/session", map[string]string{"login": s.demo.Console.User, "password": s.demo.Console.Password})
	for _, path := range paths {
		ann.call(http.StatusNotFound, http.MethodGet, path, nil)
	}
	ann.call(http.StatusNotFound, http.MethodGet, "/backup", nil)
	ann.call(http.StatusNotFound, http.MethodPost, "/backup", map[string]any{})
	ann.call(http.StatusNotFound, http.MethodPost, "/rotate-key", map[string]any{})
	ann.call(http.StatusUnauthorized, http.MethodPost, "/session", map[string]string{"login": operatorLogin, "password": password})
}
