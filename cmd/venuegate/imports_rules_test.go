package main_test

// The dependency rules of the project, as data. The checker in imports_test.go
// applies them to every Go file and reports a violation with the reason given here.
//
// Patterns are package paths below the module: `*` is one path element or a part of
// one, a trailing `/...` is the path itself and everything below it.

// packageRule lists which packages of the module a package may import.
type packageRule struct {
	// packages is the pattern of the packages; the first matching rule applies.
	packages string
	// may lists the allowed imports, tests additional ones of test files.
	may   []string
	tests []string
	why   string
}

var packageRules = []packageRule{
	{"venues", nil, nil, "the trading types are independent of the service, so that every package can use them"},
	{"venues/internal/...", []string{"venues", "venues/internal/*"}, nil, "the connectors' shared code depends only on venues"},
	{"venues/simcore/interop", nil, []string{"venues", "venues/*"}, "a third-party client trades on the simulators; its market data is compared with the connectors'"},
	{"venues/simcore/...", []string{"venues", "venues/simcore/..."}, nil, "the simulated market depends on the trading types and on nothing that it tests"},
	{"venues/fixturetest", []string{"venues"}, nil, "every test reads recordings the same way"},
	{"venues/venuetest", []string{"venues", "venues/simcore/..."}, nil, "the conformance suite uses a connector through the interfaces of venues, as the service does"},
	{"venues/*/*sim", []string{"venues", "venues/simcore/..."}, nil, "a simulator has its own wire structs: sharing the connector's would hide a wrong field name"},
	{"venues/*", []string{"venues", "venues/internal/*"}, []string{"venues/simcore/..."}, "connectors depend on the interfaces of venues, never on the service or each other"},

	{"persistence", []string{"venues"}, nil, "records are independent of the store and of their users"},
	{"persistence/...", []string{"persistence", "persistence/internal/*", "venues"}, nil, "a store depends on the records, not on their users"},

	{"actors", nil, nil, "the kit is generic: it depends on no actor and no record"},
	{"actors/actortest", []string{"actors"}, nil, "the kit's test helpers depend only on the kit"},
	{"actors/step", []string{"actors", "persistence"}, nil, "effects after a commit are the same for every actor; the package depends on none of them"},
	{"actors/root", []string{"actors", "actors/*", "venues", "persistence"}, []string{"venues/*", "venues/*/*sim", "venues/simcore/..."}, "the tree is built in one place"},
	{"actors/simulation", nil, []string{"actors", "actors/*", "venues", "venues/simcore", "persistence"}, "only tests: the whole tree over simulated venues and a store that crashes"},
	{"actors/account", []string{"actors", "actors/account/*", "actors/step", "venues", "persistence"}, []string{"actors/journal", "actors/signalqueue"}, "the account decides with its own pure packages; it imports no other actor and no edge"},
	{"actors/account/deadline", nil, nil, "every part of the account compares due times the same way"},
	{"actors/account/*", []string{"actors/account/deadline", "actors/account/position", "persistence", "venues"}, nil, "a part of the account is pure; it depends on positions, and neither on the account nor on its store"},
	{"actors/*", []string{"actors", "actors/step", "venues", "persistence"}, []string{"actors/journal", "actors/signalqueue"}, "actors reach each other through interfaces that root connects; they import no other actor and no edge"},

	{"transport/api", []string{"venues"}, nil, "the public wire format is types and limits, independent of any server"},
	{"transport/signing", nil, nil, "a signature is bytes in, bytes out"},
	{"transport/auth", []string{"transport/api", "transport/listen", "persistence", "venues"}, nil, "keys are checked against records, the same way for every edge; failures are counted per client address of listen"},
	{"transport/listen", nil, nil, "a listener is the same for every server"},
	{"transport/registry", []string{"transport/api", "transport/auth", "persistence", "venues"}, nil, "the registry changes records for every edge; it depends on no listener and no actor"},
	{"transport/recordapi", []string{"transport/api", "transport/listen", "transport/registry", "persistence", "venues"}, nil, "the calls on records are the same at every edge that serves them"},
	{"transport/operations", []string{"transport/recordapi", "transport/registry", "venues"}, nil, "the calls about the installation are the same at every edge that serves them"},
	{"transport/clients/go", nil, []string{"transport/api"}, "a program of a user imports the client alone; its tests compare it with the document"},
	{"transport/docs", []string{"transport/api", "transport/clients/*", "venues"}, nil, "the documentation shows the documents of the interface and the samples of the clients"},
	{"transport/console", []string{"transport/api", "transport/auth", "transport/console/web", "transport/operations", "transport/recordapi", "transport/listen", "transport/registry", "persistence", "venues"}, nil, "the console serves its pages; like every edge it imports no actor and no other edge"},
	{"transport/...", []string{"transport/api", "transport/auth", "transport/operations", "transport/recordapi", "transport/listen", "transport/registry", "transport/signing", "persistence", "venues"}, nil, "an edge declares the interfaces that it needs; it never imports an actor or another edge"},

	{"cmd/...", []string{"..."}, nil, "the binary connects everything"},
	{"bench/...", []string{"..."}, nil, "load tools may use any package"},
}

// closedPackages may be imported only by the listed packages.
var closedPackages = []packageRule{
	{"cmd/...", []string{"cmd/..."}, nil, "no package imports the binary"},
	{"bench/...", []string{"bench/...", "cmd/..."}, nil, "only the binary imports the load tools"},
}

// A test file may import what its package may, and also: any test kit (a package whose
// name ends in "test"), its own package, the packages below its own (a connector's tests
// start its simulator), and the tests of its rule.

// technology lists which packages may import a foreign module.
type technology struct {
	module string
	// owners may import it; an empty list bans it.
	owners []string
	// testers may import it in test files.
	testers []string
	why     string
}

var edges = []string{"transport/...", "venues/*/*sim", "venues/simcore/*", "cmd/...", "bench/..."}

// technologies are matched by the longest module path. A module without a row may be
// imported by every package except the contracts.
var technologies = []technology{
	{"github.com/asynkron/protoactor-go", []string{"actors/...", "cmd/...", "bench/..."}, nil, "actors live behind their clients"},
	{"github.com/asynkron/protoactor-go/cluster", nil, nil, "races, and ran accounts twice under a partition"},
	{"github.com/asynkron/protoactor-go/persistence", nil, nil, "acknowledges before the write is durable"},
	{"github.com/asynkron/protoactor-go/remote", nil, nil, "races, and opens a port"},
	{"github.com/asynkron/protoactor-go/router", nil, nil, "routes around strict order per account"},
	{"github.com/asynkron/protoactor-go/scheduler", nil, nil, "its timers outlive the actor that set them"},

	{"github.com/dgraph-io/badger", []string{"persistence/badgerstore"}, nil, "one package depends on the store's library"},
	{"github.com/dgraph-io/badger/v4", []string{"persistence/badgerstore", "bench"}, nil, "one package depends on the store's library; the benchmark compares it with the plain library"},
	{"github.com/tink-crypto/tink-go", []string{"persistence/vault"}, nil, "one package opens sealed secrets"},
	{"github.com/tink-crypto/tink-go/v2", []string{"persistence/vault"}, nil, "one package opens sealed secrets"},

	{"github.com/gofiber/fiber/v2", edges, nil, "HTTP stays at the edge"},
	{"github.com/gofiber/contrib", nil, nil, "its pooled sockets can reach another customer"},
	{"github.com/valyala/fasthttp", append([]string{"venues/internal/exchange"}, edges...), nil, "HTTP stays at the edge, apart from the codec of the exchange with a venue"},
	{"github.com/fasthttp/websocket", append([]string{"venues/internal/wsclient", "venues/internal/connectortest"}, edges...), []string{"venues/*", "venues/internal/feed", "venues/internal/session", "venues/internal/wscall"}, "sockets have one owner on each side"},

	{"github.com/go-telegram/bot", []string{"transport/notify"}, nil, "one package sends notifications"},
	{"github.com/xuri/excelize/v2", []string{"transport/notify", "cmd/venuegate"}, nil, "one package keeps workbooks of events, one command exports them"},
	{"golang.org/x/oauth2", []string{"transport/notify"}, nil, "one package sends notifications"},
	{"google.golang.org/api", []string{"transport/notify"}, nil, "one package sends notifications"},

	{"github.com/pquerna/otp", []string{"transport/console"}, nil, "one package checks how users sign in"},
	{"golang.org/x/crypto", []string{"transport/console"}, nil, "one package checks how users sign in"},
	{"github.com/yuin/goldmark", []string{"transport/docs"}, nil, "one package renders the documentation"},
	{"go.opentelemetry.io/otel", []string{"cmd/..."}, nil, "spans are made where the parts are connected; elsewhere a trace is a text"},
	{"github.com/knadh/koanf", []string{"cmd/..."}, nil, "configuration is read in cmd alone; elsewhere options are plain structs"},
	{"github.com/spf13/cobra", []string{"cmd/...", "bench/..."}, nil, "the command line is part of the binary"},
	{"github.com/spf13/pflag", []string{"cmd/...", "bench/..."}, nil, "the command line is part of the binary"},

	{"github.com/getkin/kin-openapi", []string{"transport/documenttest"}, []string{"transport/...", "cmd/...", "bench/..."}, "documents are checked in tests, not at run time"},
	{"go.uber.org/goleak", nil, []string{"..."}, "test library"},
	{"pgregory.net/rapid", []string{"venues/venuetest", "venues/internal/connectortest", "persistence/storetest", "actors/actortest"}, []string{"..."}, "test library"},
	{"github.com/anishathalye/porcupine", []string{"bench/..."}, []string{"..."}, "test library"},
}

// contracts import only the standard library and the listed modules.
var contracts = []technology{
	{"venues", []string{"github.com/shopspring/decimal"}, nil, "contracts have no third-party dependencies"},
	{"persistence", []string{"github.com/oklog/ulid/v2", "github.com/shopspring/decimal"}, nil, "contracts have no third-party dependencies"},
	{"transport/signing", nil, nil, "contracts have no third-party dependencies"},
}

// bannedNames are members of imported packages that no file may use.
type bannedNames struct {
	module string
	// names are banned; with except set, all names except those.
	names  []string
	except []string
	// file is the name of the files to which the ban applies; "" for all.
	file string
	// inTests also applies the ban to tests.
	inTests bool
	why     string
}

// seededRand are the members that create a source from a seed, and the one that draws
// a seed, which a test then prints.
var seededRand = []string{"Uint64", "New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}

var bans = []bannedNames{
	{module: "math/rand", except: seededRand, inTests: true, why: "global randomness cannot be reproduced; pass a seeded *rand.Rand"},
	{module: "math/rand/v2", except: seededRand, inTests: true, why: "global randomness cannot be reproduced; pass a seeded *rand.Rand"},
	{module: "go.uber.org/zap", names: []string{"L", "S", "ReplaceGlobals", "RedirectStdLog"}, inTests: true, why: "the logger is passed in, never global"},
	{module: "net/http", names: []string{"Server", "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS", "DefaultClient", "DefaultTransport", "Get", "Post", "PostForm", "Head"}, why: "servers use Fiber; clients have their own transport and deadlines"},
	{module: "time", file: "state.go", names: []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}, why: "a state machine receives the time as a value"},
	{module: "github.com/shopspring/decimal", names: []string{"NewFromFloat", "NewFromFloat32", "NewFromFloatWithExponent"}, inTests: true, why: "no float carries money, in tests either"},
}

// exempt lists files to which a ban does not apply.
var exempt = map[string]struct{ module, why string }{
	"bench/hooks_limits.go":            {"net/http", "the benchmark compares the service with the standard library's server"},
	"venues/internal/wsclient/link.go": {"math/rand/v2", "jitter spreads reconnects; the backoff receives its random value and is tested with it"},
}

// bannedInStateFiles are packages that a state.go must not import.
var bannedInStateFiles = []string{
	"crypto/rand", "math/rand", "math/rand/v2", "io", "net", "net/http", "os", "sync", "syscall",
	"github.com/asynkron/protoactor-go", "go.uber.org/zap",
}

const stateFilesAre = "a state machine is pure: events in, effects out, no clock, chance, goroutine or I/O"
