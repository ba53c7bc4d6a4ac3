package registry

import (
	"crypto/rand"

	"venuegate/persistence"
	"venuegate/venues"
)

// Store is what the resources read and write.
type Store interface {
	CustomerStore
	KeyStore
	AccountStore
	HookStore
	EndpointStore
	DeliveryStore
	AlertStore
	JournalStore
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
	// Sessions end when their API key is changed or revoked.
	Sessions Sessions
	Vault    Vault
	Secrets  Secrets
	Examiner Examiner
	// HookURL returns the address that signals of a channel are sent to. The
	// secret is part of the address of a chart channel.
	HookURL func(channel persistence.Channel, address venues.Secret) string
	// Targets are the kinds of endpoint that are served.
	Targets map[persistence.EndpointKind]Target
	Files   FileStore
	// Environments has the environment of each configured venue.
	Environments map[venues.Venue]string
}

// Registry manages the records of the installation. It is safe for concurrent use.
type Registry struct {
	// View manages the records of all customers.
	View
	Customers *Customers

	options Options
	audit   *auditLog
}

// View manages the records of one customer, or of all customers in a Registry. It is
// safe for concurrent use.
type View struct {
	Keys       *Keys
	Accounts   *Accounts
	Hooks      *Hooks
	Endpoints  *Endpoints
	Deliveries *Deliveries
	Files      *Files
	Alerts     *Alerts
	Journal    *Journal
}

// New returns the registry over a store and a running service.
func New(o Options) *Registry {
	r := &Registry{options: o, audit: &auditLog{store: o.Store, entropy: rand.Reader}}
	r.Customers = &Customers{audit: r.audit, store: o.Store, keys: o.Store, service: o.Service, sessions: o.Sessions}
	r.View = r.view(scope{all: true, customers: o.Store})
	return r
}

// For returns the view of one customer. Ids of other customers are not found in
// it. A new record need not name its customer, and must not name another.
func (r *Registry) For(customer string) *View {
	v := r.view(scope{customer: customer, customers: r.options.Store})
	return &v
}

func (r *Registry) view(s scope) View {
	o := r.options
	instruments := instruments{o.Service, o.Environments}
	v := View{
		Keys:     &Keys{scope: s, audit: r.audit, store: o.Store, sessions: o.Sessions},
		Accounts: &Accounts{scope: s, audit: r.audit, store: o.Store, service: o.Service, vault: o.Vault, examiner: o.Examiner, environments: o.Environments},
		Hooks:    &Hooks{scope: s, audit: r.audit, store: o.Store, service: o.Service, secrets: o.Secrets, instruments: instruments, url: o.HookURL},
		Alerts:   &Alerts{scope: s, audit: r.audit, store: o.Store, service: o.Service, instruments: instruments},
		Journal:  &Journal{scope: s, store: o.Store},
	}
	v.Endpoints = &Endpoints{scope: s, audit: r.audit, store: o.Store, service: o.Service, secrets: o.Secrets, targets: o.Targets, hooks: v.Hooks}
	v.Deliveries = &Deliveries{endpoints: v.Endpoints, store: o.Store}
	v.Files = &Files{endpoints: v.Endpoints, store: o.Files}
	return v
}
