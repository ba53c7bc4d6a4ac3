package registry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

// failedMember is the error of a receiver about a member of an endpoint.
func failedMember(field, message string) error {
	err := venues.InvalidFields(venues.FieldError{Field: field, Rule: api.RuleUnusable})
	err.Message = field + ": " + message
	return err
}

// An examination names what an endpoint lacks, and makes none.
func TestExamineNamesWhatAnEndpointLacks(t *testing.T) {
	for name, c := range map[string]struct {
		reach error
		kind  persistence.EndpointKind
		want  string
		code  venues.Code
	}{
		"all there":      {nil, persistence.EndpointTelegram, "[{secret ok the receiver accepts it} {target ok events arrive}]", ""},
		"without secret": {nil, persistence.EndpointFile, "[{target ok events arrive}]", ""},
		"bad token":      {failedMember("secret", "not valid"), persistence.EndpointTelegram, "[{secret failed not valid}]", ""},
		"a member only":  {failedMember("target", "a member"), persistence.EndpointTelegram, "[{secret ok the receiver accepts it} {target failed a member}]", ""},
		"other content":  {failedMember("target", "in use"), persistence.EndpointFile, "[{target failed in use}]", ""},
		"unreachable":    {errors.New("no answer"), persistence.EndpointTelegram, "[]", venues.CodeMaintenance},
		"another code":   {venues.Errorf(venues.CodeRateLimited, "wait"), persistence.EndpointTelegram, "[]", venues.CodeRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			store := storetest.NewMemory()
			t.Cleanup(func() { _ = store.Close() })
			options := registrytest.Options(store, &registrytest.Service{Store: store})
			target := options.Targets[c.kind]
			target.Reach = func(context.Context, persistence.Endpoint) error { return c.reach }
			options.Targets[c.kind] = target
			r := registry.New(options)
			customer := made(r.Customers.Create(t.Context(), registry.NewCustomer{Name: "Desk"})).ID
			n := registry.NewEndpoint{Customer: customer, Kind: c.kind, Target: "42"}
			if c.kind == persistence.EndpointTelegram {
				n.Secret = "1:a"
			}
			results, err := r.Endpoints.Examine(t.Context(), n)
			got := []string{}
			for _, result := range results {
				got = append(got, fmt.Sprintf("{%s %s %s}", result.Check, result.Status, result.Text))
			}
			if fmt.Sprint(got) != c.want || (err == nil) != (c.code == "") || err != nil && venues.CodeOf(err) != c.code {
				t.Errorf("examination = %v, %v, want %s and code %q", got, err, c.want, c.code)
			}
			if left := made(r.Endpoints.List(t.Context(), customer)); len(left) != 0 {
				t.Errorf("endpoints = %+v, want none", left)
			}
		})
	}
}

// A request that Create rejects is rejected in the same way.
func TestExamineRejectsWhatCreateRejects(t *testing.T) {
	in := newInstallation(t)
	for name, n := range map[string]registry.NewEndpoint{
		"no secret":    {Customer: in.alice, Kind: persistence.EndpointTelegram, Target: "42"},
		"unknown kind": {Customer: in.alice, Kind: "pigeon", Target: "42"},
		"unknown type": {Customer: in.alice, URL: newURL, Types: []persistence.EventType{"x"}},
		"bad address":  {Customer: in.alice, URL: "http://r.example"},
	} {
		if results, err := in.Endpoints.Examine(t.Context(), n); len(results) != 0 || venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: %+v, %v, want none and invalid_request", name, results, err)
		}
	}
	if _, err := in.Endpoints.Chats(t.Context(), registry.ChatQuery{Customer: in.alice}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("chats without a token: error %v, want invalid_request", err)
	}
}
