package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/console/web"
	"venuegate/transport/listen"
	"venuegate/transport/operations"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Prefix begins the paths of the calls.
const Prefix = "/console/api"

// Methods are those of the calls.
var Methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete}

// Tokens issues the tokens that pages trade with.
type Tokens interface {
	Issue(s auth.Session) (venues.Secret, error)
}

// Options configure a Console. All are required but Environments, and Operations and Backup
// for a console of operators only.
type Options struct {
	// Operators selects the console of the administration listener, where operators sign in.
	Operators bool
	// URL is the address of the console: scheme and host.
	URL string
	// Idle is how long a session lives without a call, Lifetime how long at all.
	Idle     time.Duration
	Lifetime time.Duration
	// RequireTOTP demands that users set up a second step before any other call.
	RequireTOTP bool
	// Build identifies the program.
	Build string
	// Environments has the environment of each configured venue.
	Environments map[venues.Venue]string
	// HeaderPrefix begins the names of the headers of signals and events.
	HeaderPrefix string

	// Pages are the files of the console.
	Pages *web.Pages

	Registry  *registry.Registry
	Secrets   registry.Secrets
	Passwords *Passwords
	Tokens    Tokens
	// Operations reports the state of the installation, Backup writes all durable data.
	Operations operations.Source
	Backup     func(context.Context, io.Writer) error
	// Source returns the address of the client of a request.
	Source func(*fiber.Ctx) netip.Addr
	Log    *zap.Logger
}

// Console serves the calls of one listener.
type Console struct {
	Options
	app      *fiber.App
	calls    recordapi.Server
	end      context.CancelFunc
	hosts    listen.Hosts
	address  *url.URL
	policy   string
	attempts attempts
	tickets  *tickets
	permits  permits
	// now is the clock of the second step.
	now func() time.Time
}

// New returns a console. Close ends its calls.
func New(o Options) (*Console, error) {
	address, err := url.Parse(o.URL)
	if err != nil || address.Hostname() == "" {
		return nil, fmt.Errorf("console: %q is no address", o.URL)
	}
	s := &Console{
		Options: o, hosts: listen.Hosts{Names: []string{address.Hostname()}}, address: address, policy: contentPolicy(address, ""),
		attempts: newAttempts(), tickets: newTickets(), now: time.Now,
	}
	s.calls.Log = o.Log
	s.calls.Context, s.end = context.WithCancel(context.Background())
	s.app = fiber.New(fiber.Config{
		Immutable: true, StrictRouting: true, CaseSensitive: true, DisableStartupMessage: true,
		ErrorHandler: s.answerError,
	})
	s.app.Use(s.protect)
	for _, r := range s.routes() {
		s.app.Add(r.Method, Prefix+r.Path, s.serve(r))
	}
	s.app.Get(web.Prefix, s.servePage)
	s.app.Get(web.Prefix+"/*", s.servePage)
	return s, nil
}

// Handler serves web.Prefix and the paths below it. The listener in front of it has read the request
// with its limits.
func (s *Console) Handler() fiber.Handler {
	handle := s.app.Handler()
	return func(c *fiber.Ctx) error {
		handle(c.Context())
		return nil
	}
}

// Close cancels the calls that run.
func (s *Console) Close() error {
	s.end()
	return nil
}

// listener names the listener in sessions.
func (s *Console) listener() string {
	if s.Operators {
		return "administration"
	}
	return "public"
}

// author returns who makes a change.
func (s *Console) author(c *fiber.Ctx, login string) registry.Author {
	via := "console"
	if s.Operators {
		via = "console as operator"
	}
	return registry.Author{By: login, Via: via, From: s.Source(c).String()}
}

// admits reports whether a user may sign in at this listener.
func (s *Console) admits(ctx context.Context, u *persistence.User) (bool, error) {
	if u.Login == "" || u.Disabled || (u.Role == persistence.RoleOperator) != s.Operators {
		return false, nil
	}
	if s.Operators {
		return true, nil
	}
	customer, err := s.Registry.Customers.Get(ctx, u.Customer)
	if err != nil {
		return false, err
	}
	return !customer.Disabled, nil
}

func (s *Console) answerError(c *fiber.Ctx, err error) error {
	if venues.CodeOf(err) == venues.CodeUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Cookie")
	}
	return s.calls.AnswerError(c, err)
}

// protect sets the headers of every answer, and rejects requests that are for another host
// or do not come from a page of the console.
func (s *Console) protect(c *fiber.Ctx) (err error) {
	s.setHeaders(c)
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("console call panicked", zap.String("panic", fmt.Sprint(r)), zap.String("path", c.Path()), zap.Stack("stack"))
			err = errors.New("panic")
		}
	}()
	if err := listen.CheckRequest(c.Context(), s.hosts); err != nil {
		return errMisdirected
	}
	if c.Method() != http.MethodGet && c.Method() != http.MethodHead {
		if err := checkPage(c); err != nil {
			return err
		}
	}
	return c.Next()
}
