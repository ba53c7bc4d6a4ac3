package main

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/console"
	"venuegate/transport/console/web"
	"venuegate/transport/rest"
)

// consoles are the console of each listener; nil if it is not enabled.
type consoles struct {
	public    *console.Console
	operators *console.Console
	passwords *console.Passwords
}

// passwordCost is a variable because most tests use a lower cost.
var passwordCost = console.DefaultCost

// openConsoles builds the consoles, and mounts that of the public listener.
func (e *engine) openConsoles() (err error) {
	if !e.config.Console.Enabled {
		return nil
	}
	pages, err := web.Load()
	if err != nil {
		return err
	}
	e.consoles.passwords = console.NewPasswords(passwordCost)
	o := console.Options{
		URL: e.consoleURL(""), Idle: e.config.Console.Idle, Lifetime: e.config.Console.Lifetime, RequireTOTP: e.config.requireTOTP(e.consoleURL("")),
		Build: version + "+" + pages.Build(), Environments: environments(e.config), HeaderPrefix: e.config.HeaderPrefix, Registry: e.registry, Secrets: e.secrets(), Passwords: e.consoles.passwords, Pages: pages,
		Tokens: e.auth, Source: rest.Source, Log: e.log.Named("console"),
	}
	if e.consoles.public, err = console.New(o); err != nil {
		return err
	}
	e.add(e.consoles.public.Close)
	o.Operators, o.URL, o.Source = true, e.public.adminURL, connectionSource
	o.Operations, o.Backup = operationsOf{e}, e.backup
	o.RequireTOTP = e.config.Console.RequireTOTP == totpAlways
	if e.consoles.operators, err = console.New(o); err != nil {
		return err
	}
	e.add(e.consoles.operators.Close)
	e.rest.Mount(http.MethodGet, web.Prefix, e.consoles.public.Handler())
	e.rest.Mount(http.MethodGet, web.Prefix+"/*", e.consoles.public.Handler())
	for _, method := range console.Methods {
		e.rest.Mount(method, console.Prefix+"/*", e.consoles.public.Handler())
	}
	return nil
}

// operatorConsole returns the handler of the administration listener; nil without a console.
func (e *engine) operatorConsole() fiber.Handler {
	if e.consoles.operators == nil {
		return nil
	}
	return e.consoles.operators.Handler()
}

// consoleURL returns the address of the console at which users of a role sign in.
func (e *engine) consoleURL(role persistence.Role) string {
	if role == persistence.RoleOperator {
		return e.public.adminURL
	}
	return cmp.Or(e.config.Console.URL, e.public.baseURL)
}

// streamOrigins are the origins whose pages may open the stream: those of the configuration
// and the console.
func (e *engine) streamOrigins() []string {
	origins := slices.Clone(e.config.Streams.Origins)
	if e.config.Console.Enabled {
		origins = append(origins, originsOf(e.consoleURL(""))...)
	}
	return origins
}

// originsOf returns an address, and that with the other names under which a browser opens it if
// it is on loopback.
func originsOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || !isLoopback(net.JoinHostPort(u.Hostname(), "0")) {
		return []string{address}
	}
	port := u.Port()
	if port != "" {
		port = ":" + port
	}
	return []string{address, u.Scheme + "://localhost" + port, u.Scheme + "://127.0.0.1" + port}
}

// requireTOTP reports whether users of the console at an address need a second step.
func (c *Config) requireTOTP(address string) bool {
	if c.Console.RequireTOTP != totpAuto {
		return c.Console.RequireTOTP == totpAlways
	}
	u, err := url.Parse(address)
	return !c.Demo && (err != nil || !isLoopback(net.JoinHostPort(u.Hostname(), "0")))
}

// connectionSource returns the address of the other end of a connection.
func connectionSource(c *fiber.Ctx) netip.Addr {
	if tcp, ok := c.Context().RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
