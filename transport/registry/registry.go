package registry

import (
	"crypto/rand"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// Store is what the resources read and write.
type Store interface {
	CustomerStore
	KeyStore
	UserStore
	AccountStore
	HookStore
	EndpointStore
	DeliveryStore
	AlertStore
	JournalStore
	SignalStore
	AuditStore
}

// Service is the running service. Its calls store a change and return once the service
// has applied it. After an error the record may be stored nevertheless; then the next
// start applies it.
type Service interface {
	CustomerService
	AccountService
	HookService
	EndpointService
	AlertService
	InstrumentService
	OverviewService
}

// Vault seals venue credentials for one customer and exchange.
type Vault interface {
	Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error)
	Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error)
}

// Secrets seals secrets that belong to a record.
type Secrets interface {
	Seal(secret venues.Secret, of persistence.Key) ([]byte, error)
	Open(sealed []byte, of persistence.Key) (venues.Secret, error)
	// Rotate creates a new key, which seals from then on.
	Rotate() error
}

// Options configure a Registry. All are required.
type Options struct {
	Store   Store
	Service Service
	// Sessions end when their API key is changed or revoked, or when a user is signed out.
	Sessions Sessions
	Vault    Vault
	Secrets  Secrets
	Examiner Examiner
	// HookURL returns the address that signals of a channel are sent to. The
	// secret is part of the address of a chart channel.
	HookURL func(channel persistence.Channel, address venues.Secret) string
	// ConsoleURL returns the address of the console at which users of a role sign in.
	ConsoleURL func(role persistence.Role) string
	// Targets are the kinds of endpoint that are served.
	Targets map[persistence.EndpointKind]Target
	// Bots are those of endpoints of kind telegram.
	Bots   Bots
	Files  FileStore
	Trades TradeReader
	// Latency has the newest orders.
	Latency LatencyReader
	// Environments has the environment of each configured venue.
	Environments map[venues.Venue]string
	// FailedProofs returns the number of requests to a channel whose sender was not authenticated,
	// and since when they are counted: at most for a day.
	FailedProofs func(channel string) (int, time.Time)
	// Venues returns the state of each venue; Connected is not set.
	Venues func() []api.VenueState
}

// Registry manages the records of the installation. It is safe for concurrent use.
type Registry struct {
	// View manages the records of all customers.
	View
	*Installation

	options Options
	audit   audit
	// last are the figures of accounts for overviews.
	last lastFigures
}

// View manages the records of one customer, or of all customers in a Registry. It is
// safe for concurrent use.
type View struct {
	Keys       *Keys
	Users      *Users
	Accounts   *Accounts
	Hooks      *Hooks
	Endpoints  *Endpoints
	Deliveries *Deliveries
	Files      *Files
	Alerts     *Alerts
	Journal    *Journal
	Signals    *Signals
	Trades     *Trades
	Overviews  *Overviews
	Latencies  *Latencies

	installation *Installation
}

// New returns the registry over a store and a running service.
func New(o Options) *Registry {
	r := &Registry{options: o, audit: audit{auditLog: &auditLog{store: o.Store, entropy: rand.Reader, service: o.Service}}}
	r.View = *r.As(Author{})
	r.Installation = r.installation
	return r
}

// As returns the view of all customers in which an author makes changes.
func (r *Registry) As(author Author) *View {
	o, audit := r.options, audit{r.audit.auditLog, author}
	v := r.view(scope{all: true, customers: o.Store}, author)
	v.installation = &Installation{
		Customers: &Customers{audit: audit, store: o.Store, keys: o.Store, users: o.Store, service: o.Service, sessions: o.Sessions},
		options:   o, audit: audit,
	}
	return &v
}

// For returns the view of one customer in which an author makes changes. Ids of other
// customers are not found in it. A new record need not name its customer, and must not name
// another.
func (r *Registry) For(customer string, author Author) *View {
	v := r.view(scope{customer: customer, customers: r.options.Store}, author)
	return &v
}

// SignIns returns the sign-ins of all users, in which an author makes changes.
func (r *Registry) SignIns(author Author) *SignIns {
	return &SignIns{audit: audit{r.audit.auditLog, author}, store: r.options.Store, sessions: r.options.Sessions}
}

func (r *Registry) view(s scope, author Author) View {
	o, audit := r.options, audit{r.audit.auditLog, author}
	instruments := instruments{o.Service, o.Environments}
	v := View{
		Keys:     &Keys{scope: s, audit: audit, store: o.Store, sessions: o.Sessions},
		Users:    &Users{scope: s, audit: audit, store: o.Store, signIns: r.SignIns(author), consoleURL: o.ConsoleURL},
		Accounts: &Accounts{scope: s, audit: audit, store: o.Store, service: o.Service, vault: o.Vault, examiner: o.Examiner, environments: o.Environments},
		Hooks:    &Hooks{scope: s, audit: audit, store: o.Store, service: o.Service, secrets: o.Secrets, instruments: instruments, url: o.HookURL, failedProofs: o.FailedProofs},
		Alerts:   &Alerts{scope: s, audit: audit, store: o.Store, service: o.Service, instruments: instruments},
		Journal:  &Journal{scope: s, store: o.Store},
		Signals:  &Signals{scope: s, store: o.Store, service: o.Service, newID: audit.newID},
		Trades:   &Trades{scope: s, reader: o.Trades, instruments: instruments},

		Latencies: &Latencies{scope: s, reader: o.Latency},
	}
	v.Endpoints = &Endpoints{scope: s, audit: audit, store: o.Store, service: o.Service, secrets: o.Secrets, targets: o.Targets, bots: o.Bots, hooks: v.Hooks}
	v.Deliveries = &Deliveries{endpoints: v.Endpoints, store: o.Store}
	v.Files = &Files{endpoints: v.Endpoints, store: o.Files}
	v.Overviews = &Overviews{scope: s, store: o.Store, accounts: v.Accounts, service: o.Service, last: &r.last, venues: o.Venues}
	return v
}
