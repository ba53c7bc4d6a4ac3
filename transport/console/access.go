package console

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// access is who may make a call.
type access struct {
	// roles is empty for calls without a session.
	roles []persistence.Role
	// stepUp demands password and code within the last minutes.
	stepUp bool
	// beforeSecondStep permits the call to users who must set up a second step first.
	beforeSecondStep bool
	// safer, if not nil, reports whether a call makes the account safer. Every role but viewer
	// may make such a call, without a step-up.
	safer func(ctx context.Context, in *caller, v *registry.View, id string, body []byte) bool
}

var (
	everyone = []persistence.Role{persistence.RoleViewer, persistence.RoleTrader, persistence.RoleOwner, persistence.RoleOperator}
	members  = []persistence.Role{persistence.RoleViewer, persistence.RoleTrader, persistence.RoleOwner}
	traders  = []persistence.Role{persistence.RoleTrader, persistence.RoleOwner}
	managers = []persistence.Role{persistence.RoleOwner, persistence.RoleOperator}
	halters  = []persistence.Role{persistence.RoleTrader, persistence.RoleOwner, persistence.RoleOperator}

	open   = access{beforeSecondStep: true}
	signed = access{roles: everyone, beforeSecondStep: true}
	read   = access{roles: everyone}
	trade  = access{roles: traders}
	halt   = access{roles: halters}
	manage = access{roles: managers, stepUp: true}
)

// route is a call with who may make it.
type route struct {
	Method string
	Path   string
	access
	// handle serves a call of the console itself, record one on the records of a customer.
	handle func(s *Console, c *fiber.Ctx, in *caller) error
	record recordapi.Handler
}

// ownRoutes are the calls of the console itself.
var ownRoutes = []route{
	{Method: http.MethodPost, Path: "/session", access: open, handle: (*Console).signIn},
	{Method: http.MethodPost, Path: "/session/totp", access: open, handle: (*Console).completeSignIn},
	{Method: http.MethodPost, Path: "/session/enter", access: open, handle: (*Console).enter},
	{Method: http.MethodPost, Path: "/session/step-up", access: signed, handle: (*Console).stepUp},
	{Method: http.MethodPost, Path: "/session/token", access: access{roles: members}, handle: (*Console).issueToken},
	{Method: http.MethodGet, Path: "/session", access: signed, handle: (*Console).getSession},
	{Method: http.MethodDelete, Path: "/session", access: signed, handle: (*Console).signOut},

	{Method: http.MethodGet, Path: "/sessions", access: read, handle: (*Console).listSessions},
	{Method: http.MethodDelete, Path: "/sessions/:id", access: read, handle: (*Console).endSession},
	{Method: http.MethodPost, Path: "/password", access: access{roles: everyone, stepUp: true}, handle: (*Console).changePassword},
	{Method: http.MethodPost, Path: "/totp", access: access{roles: everyone, stepUp: true, beforeSecondStep: true}, handle: (*Console).newSecondStep},
	{Method: http.MethodPost, Path: "/totp/confirm", access: access{roles: everyone, stepUp: true, beforeSecondStep: true}, handle: (*Console).confirmSecondStep},
	{Method: http.MethodPost, Path: "/recovery-codes", access: access{roles: everyone, stepUp: true}, handle: (*Console).renewRecoveryCodes},
	{Method: http.MethodGet, Path: "/preferences", access: read, handle: (*Console).getPreferences},
	{Method: http.MethodPatch, Path: "/preferences", access: read, handle: (*Console).changePreferences},
	{Method: http.MethodGet, Path: "/outgoing", access: read, handle: (*Console).getOutgoing},
}

// recordAccess is who may make the calls on records, apart from managers, who may make all
// others, with a step-up.
var recordAccess = map[string]access{
	"GET /overview": read,
	"GET /keys":     read, "GET /keys/:id": read,
	"GET /users": read, "GET /users/:id": read,
	"GET /accounts": read, "GET /accounts/:id": read, "GET /accounts/:id/risk": read,
	"GET /hooks": read, "GET /hooks/:id": read, "GET /hooks/:id/stats": read,
	"GET /endpoints": read, "GET /endpoints/:id": read, "GET /endpoints/:id/deliveries": read,
	"GET /endpoints/:id/deliveries/:event": read, "GET /endpoints/:id/deliveries/:event/attempts": read,
	"GET /endpoints/:id/stats": read, "GET /deliveries": read,
	"GET /endpoints/:id/files": read, "GET /endpoints/:id/files/:name": read,
	"GET /alerts": read, "GET /alerts/:id": read,
	"GET /signals": read, "GET /signals/:id": read,
	"GET /journal": read, "GET /journal/export": read,
	"GET /latency": read, "GET /latency/:id": read,
	"GET /trades": read, "GET /trades/export": read,

	"POST /alerts": trade, "PATCH /alerts/:id": trade, "DELETE /alerts/:id": trade,
	"POST /endpoints/examine": {roles: managers}, "POST /telegram/chats": {roles: managers},
	"POST /endpoints/:id/test": trade, "POST /endpoints/:id/resend": trade,
	"POST /hooks/:id/test":    trade,
	"POST /hooks/:id/fire":    trade,
	"POST /signals/:id/test":  trade,
	"POST /accounts/:id/halt": halt, "POST /halt": halt,

	"POST /accounts/:id/check": {roles: managers},
	"PATCH /accounts/:id":      {roles: managers, stepUp: true, safer: lowersLimits},
	"PATCH /hooks/:id":         {roles: managers, stepUp: true, safer: pauses("testMode", "paused")},
	"PATCH /endpoints/:id":     {roles: managers, stepUp: true, safer: pauses("paused")},
}

// routes returns every call.
func (s *Console) routes() []route {
	all := slices.Clone(ownRoutes)
	for _, r := range recordapi.Records() {
		who, special := recordAccess[r.Method+" "+r.Path]
		if !special {
			who = manage
		}
		all = append(all, route{Method: r.Method, Path: r.Path, access: who, record: r.Handle})
	}
	if s.Operators {
		all = append(all, s.operatorRoutes()...)
	}
	return all
}

// serve returns the handler of a route.
func (s *Console) serve(r route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if len(r.roles) == 0 {
			return r.handle(s, c, nil)
		}
		ctx, cancel := context.WithTimeout(s.calls.Context, recordapi.Timeout)
		defer cancel()
		in, err := s.identify(ctx, c)
		if err != nil {
			return err
		}
		v := s.view(c, in)
		if err := s.check(ctx, &r, c, in, v); err != nil {
			return err
		}
		if r.record != nil {
			return r.record(&s.calls, v, c)
		}
		return r.handle(s, c, in)
	}
}

// view returns the records that a user may see.
func (s *Console) view(c *fiber.Ctx, in *caller) *registry.View {
	author := s.author(c, in.user.Login)
	if s.Operators {
		return s.Registry.As(author)
	}
	return s.Registry.For(in.user.Customer, author)
}

// check returns the error of a user who may not make a call.
func (s *Console) check(ctx context.Context, r *route, c *fiber.Ctx, in *caller, v *registry.View) error {
	if s.secondStepMissing(&in.user) && !r.beforeSecondStep {
		return venues.Errorf(venues.CodeScopeRequired, "set up a second step first").With("required", "second_step")
	}
	if r.safer != nil && slices.Contains(halters, in.user.Role) && r.safer(ctx, in, v, recordapi.Param(c, "id"), c.Body()) {
		return nil
	}
	if !slices.Contains(r.roles, in.user.Role) {
		names := make([]string, len(r.roles))
		for i, role := range r.roles {
			names[i] = string(role)
		}
		return venues.Errorf(venues.CodeScopeRequired, "the role %s may not do this", in.user.Role).With("required", names).With("granted", string(in.user.Role))
	}
	if r.stepUp {
		return in.checkStepUp()
	}
	return nil
}

// pauses returns whether a change sets only the given switches, and all of them on.
func pauses(switches ...string) func(context.Context, *caller, *registry.View, string, []byte) bool {
	return func(_ context.Context, _ *caller, _ *registry.View, _ string, body []byte) bool {
		var change map[string]any
		if json.Unmarshal(body, &change) != nil || len(change) == 0 {
			return false
		}
		for name, value := range change {
			if value != true || !slices.Contains(switches, name) {
				return false
			}
		}
		return true
	}
}

// lowersLimits reports whether a manager changes nothing but limits, and makes each as low as
// it is or lower.
func lowersLimits(ctx context.Context, in *caller, v *registry.View, id string, body []byte) bool {
	var change map[string]registry.Limits
	if json.Unmarshal(body, &change) != nil || len(change) != 1 || !slices.Contains(managers, in.user.Role) {
		return false
	}
	limits, found := change["limits"]
	account, err := v.Accounts.Get(ctx, id)
	if !found || err != nil {
		return false
	}
	open, limit := account.Limits.MaxOpenOrders, limits.MaxOpenOrders
	return isLower(limits.DailyLoss, account.Limits.DailyLoss) && isLower(limits.MaxOrderNotional, account.Limits.MaxOrderNotional) &&
		(open == nil || limit != nil && *limit <= *open)
}

// isLower reports whether a limit is as low as the present one or lower. Nil is no limit.
func isLower(limit, present *string) bool {
	if present == nil {
		return true
	}
	if limit == nil {
		return false
	}
	amount, err := venues.ParseDecimal(*limit)
	was, presentErr := venues.ParseDecimal(*present)
	return err == nil && presentErr == nil && amount.LessThanOrEqual(was)
}
