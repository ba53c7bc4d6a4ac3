package console

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/operations"
	"venuegate/transport/recordapi"
	"venuegate/venues"
)

var (
	operators = []persistence.Role{persistence.RoleOperator}

	operatorRead = access{roles: operators}
	operatorAct  = access{roles: operators, stepUp: true}
)

// operatorRoutes returns the calls that only the console of operators has.
func (s *Console) operatorRoutes() []route {
	records := operations.Routes(s.Operations)
	all := make([]route, 0, 2+len(records))
	all = append(all,
		route{Method: http.MethodPost, Path: "/backup", access: operatorAct, handle: (*Console).permitBackup},
		route{Method: http.MethodGet, Path: "/backup", access: operatorRead, handle: (*Console).sendBackup})
	for _, r := range records {
		who := operatorAct
		if r.Method == http.MethodGet {
			who = operatorRead
		}
		all = append(all, route{Method: r.Method, Path: r.Path, access: who, record: r.Handle})
	}
	return all
}

// permitLife is how long a backup may be fetched after it was permitted.
const permitLife = time.Minute

// permits are the sessions that may fetch a backup, once each. A browser downloads with GET,
// to which a step-up cannot be asked for in place.
type permits struct {
	mu    sync.Mutex
	until map[string]time.Time // by id of the session
}

// grant permits one backup to a session.
func (p *permits) grant(session string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, until := range p.until {
		if now.After(until) {
			delete(p.until, id)
		}
	}
	if p.until == nil {
		p.until = map[string]time.Time{}
	}
	p.until[session] = now.Add(permitLife)
}

// use ends the permit of a session and reports whether it had one.
func (p *permits) use(session string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	until, had := p.until[session]
	delete(p.until, session)
	return had && now.Before(until)
}

// permitBackup permits the session to fetch one backup, which leaves a row.
func (s *Console) permitBackup(c *fiber.Ctx, in *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (struct{}, error) {
		err := s.view(c, in).Installation().BeginBackup(ctx)
		if err == nil {
			s.permits.grant(in.session.ID, time.Now())
		}
		return struct{}{}, err
	})
}

// sendBackup sends the backup that was permitted.
func (s *Console) sendBackup(c *fiber.Ctx, in *caller) error {
	now := time.Now()
	if !s.permits.use(in.session.ID, now) {
		return venues.Errorf(venues.CodeScopeRequired, "start the backup again: it must be fetched at once").With("required", requiredStepUp)
	}
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", "venuegate-"+now.UTC().Format("20060102-150405")+".backup"))
	s.calls.Stream(c, fiber.MIMEOctetStream, func(w io.Writer) error { return s.Backup(s.calls.Context, w) })
	return nil
}
