package main_test

// The dependency rules of the project, as data. The checker in imports_test.go
// holds every Go file to them and answers a breach with the reason given here.
//
// Patterns are package paths below the module: `*` is one path element or a
// part of one, a trailing `/...` is the path itself and everything below it.

// room is one row of the house: who may import whom inside the module.
type room struct {
	// packages that the rule holds for; the first room that matches is the one.
	packages string
	// may lists what their files may import of this module, tests what their
	// test files may besides.
	may   []string
	tests []string
	why   string
}

var rooms = []room{
	{"venues", nil, nil, "the trading words know nothing of the service, so that every room can speak them"},
	{"venues/internal/...", []string{"venues", "venues/internal/*"}, nil, "venue plumbing knows venues alone"},
	{"venues/simcore/interop", nil, []string{"venues", "venues/*"}, "a foreign client trades on the simulators; what it reads of a market is held against what the connectors read"},
	{"venues/simcore/...", []string{"venues", "venues/simcore/..."}, nil, "the simulated market knows the trading words and nothing that it tests"},
	{"venues/fixturetest", []string{"venues"}, nil, "recordings are read alike wherever a test wants one"},
	{"venues/venuetest", []string{"venues", "venues/simcore/..."}, nil, "the conformance suite sees a connector through the port, as the service does"},
	{"venues/*/*sim", []string{"venues", "venues/simcore/..."}, nil, "a simulator has its own wire structs: sharing the connector's would hide a wrong field name"},
	{"venues/*", []string{"venues", "venues/internal/*"}, []string{"venues/simcore/..."}, "connectors know the port, never the service or each other"},

	{"persistence", []string{"venues"}, nil, "the records name no technology and no user of theirs"},
	{"persistence/...", []string{"persistence", "persistence/internal/*", "venues"}, nil, "a store knows the records that it keeps, not who keeps them"},

	{"actors", nil, nil, "the kit is machinery: it knows no actor and no record"},
	{"actors/actortest", []string{"actors"}, nil, "the kit's test helpers know the kit alone"},
	{"actors/root", []string{"actors", "actors/*", "venues", "persistence"}, []string{"venues/*", "venues/*/*sim", "venues/simcore/..."}, "the tree is built in one place, and that place builds nothing else"},
	{"actors/simulation", nil, []string{"actors", "actors/*", "venues", "venues/simcore", "persistence"}, "tests alone: the whole tree over simulated venues and a store that crashes"},
	{"actors/*", []string{"actors", "venues", "persistence"}, []string{"actors/journal", "actors/lane"}, "actors reach each other by interfaces that root joins; no sibling, no edge"},

	{"transport/api", []string{"venues"}, nil, "the public wire is words and limits; it knows no server"},
	{"transport/signing", nil, nil, "a signature is bytes in, bytes out"},
	{"transport/auth", []string{"transport/api", "transport/listen", "persistence", "venues"}, nil, "keys are checked against records, for every edge alike; who fails is counted as listeners count"},
	{"transport/listen", nil, nil, "a listener is bytes and addresses, the same for every server"},
	{"transport/...", []string{"transport/api", "transport/auth", "transport/listen", "transport/signing", "persistence", "venues"}, nil, "an edge declares the interfaces it needs; it never reaches an actor or another edge"},

	{"cmd/...", []string{"..."}, nil, "the binary is the one place that knows everything"},
	{"bench/...", []string{"..."}, nil, "load may drive any part"},
}

// doors that nobody goes through from outside.
var closedRooms = []room{
	{"cmd/...", []string{"cmd/..."}, nil, "nothing builds on the binary"},
	{"bench/...", []string{"bench/...", "cmd/..."}, nil, "nothing but the binary runs the load tools"},
}

// A test file may import what its package may, and also: any test kit (a
// package whose name ends in "test"), its own package, the folders below its own
// (a connector's tests start its simulator), and what its room's row names.

// technology is one row of ownership: which rooms may use a foreign module.
type technology struct {
	module string
	// owners may import it; none means that it is banned.
	owners []string
	// testers may import it in test files too.
	testers []string
	why     string
}

var edges = []string{"transport/...", "venues/*/*sim", "venues/simcore/*", "cmd/...", "bench/..."}

// technologies: the longest module path that matches an import is the one. A
// module without a row may be used by every room but the contracts.
var technologies = []technology{
	{"github.com/asynkron/protoactor-go", []string{"actors/...", "cmd/...", "bench/..."}, nil, "actors live behind their clients"},
	{"github.com/asynkron/protoactor-go/cluster", nil, nil, "races, and ran accounts twice under a partition"},
	{"github.com/asynkron/protoactor-go/persistence", nil, nil, "acknowledges before the write is durable"},
	{"github.com/asynkron/protoactor-go/remote", nil, nil, "races, and opens a port"},
	{"github.com/asynkron/protoactor-go/router", nil, nil, "routes around strict order per account"},
	{"github.com/asynkron/protoactor-go/scheduler", nil, nil, "its timers outlive the actor that set them"},

	{"github.com/dgraph-io/badger", []string{"persistence/badgerstore"}, nil, "one package knows the store's technology"},
	{"github.com/dgraph-io/badger/v4", []string{"persistence/badgerstore", "bench"}, nil, "one package knows the store's technology; the limit that it is measured against is that technology with nothing around it"},
	{"github.com/tink-crypto/tink-go", []string{"persistence/vault"}, nil, "one package opens sealed secrets"},
	{"github.com/tink-crypto/tink-go/v2", []string{"persistence/vault"}, nil, "one package opens sealed secrets"},

	{"github.com/gofiber/fiber/v2", edges, nil, "HTTP stays at the edge"},
	{"github.com/gofiber/contrib", nil, nil, "its pooled sockets reach the next customer"},
	{"github.com/valyala/fasthttp", edges, nil, "HTTP stays at the edge"},
	{"github.com/fasthttp/websocket", append([]string{"venues/internal/wsclient", "venues/internal/connectortest"}, edges...), []string{"venues/*", "venues/internal/feed", "venues/internal/session", "venues/internal/wscall"}, "sockets have one owner on each side"},

	{"github.com/go-telegram/bot", []string{"transport/notify"}, nil, "one package knows the channels to people"},
	{"github.com/xuri/excelize/v2", []string{"transport/notify"}, nil, "one package knows the channels to people"},
	{"golang.org/x/oauth2", []string{"transport/notify"}, nil, "one package knows the channels to people"},
	{"google.golang.org/api", []string{"transport/notify"}, nil, "one package knows the channels to people"},

	{"github.com/knadh/koanf", []string{"cmd/..."}, nil, "configuration is read in cmd alone; elsewhere options are plain structs"},
	{"github.com/spf13/cobra", []string{"cmd/...", "bench/..."}, nil, "the command line belongs to the binary"},
	{"github.com/spf13/pflag", []string{"cmd/...", "bench/..."}, nil, "the command line belongs to the binary"},

	{"github.com/getkin/kin-openapi", nil, []string{"transport/...", "cmd/...", "bench/..."}, "documents are checked in tests, not at run time"},
	{"go.uber.org/goleak", nil, []string{"..."}, "test library"},
	{"pgregory.net/rapid", []string{"venues/venuetest", "venues/internal/connectortest", "persistence/storetest", "actors/actortest"}, []string{"..."}, "test library"},
	{"github.com/anishathalye/porcupine", []string{"bench/..."}, []string{"..."}, "test library"},
}

// contracts import the standard library and what is listed, nothing else.
var contracts = []technology{
	{"venues", []string{"github.com/shopspring/decimal"}, nil, "a contract carries no technology to its users"},
	{"persistence", []string{"github.com/oklog/ulid/v2", "github.com/shopspring/decimal"}, nil, "a contract carries no technology to its users"},
	{"transport/signing", nil, nil, "a contract carries no technology to its users"},
}

// bannedNames are members of imported packages that no file may name.
type bannedNames struct {
	module string
	// names that are banned; with except set, all names but those.
	names  []string
	except []string
	// files the ban holds for: a file name, or "" for every one.
	file string
	// inTests is false where tests are free to use them.
	inTests bool
	why     string
}

// seededRand are the members that make a source from a seed, and the one to draw
// a seed with, which a test then prints.
var seededRand = []string{"Uint64", "New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}

var bans = []bannedNames{
	{module: "math/rand", except: seededRand, inTests: true, why: "global randomness cannot be replayed; pass a seeded *rand.Rand"},
	{module: "math/rand/v2", except: seededRand, inTests: true, why: "global randomness cannot be replayed; pass a seeded *rand.Rand"},
	{module: "go.uber.org/zap", names: []string{"L", "S", "ReplaceGlobals", "RedirectStdLog"}, inTests: true, why: "the logger is passed in, never global"},
	{module: "net/http", names: []string{"Server", "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS", "DefaultClient", "DefaultTransport", "Get", "Post", "PostForm", "Head"}, why: "servers are Fiber's; clients have their own transport and deadlines"},
	{module: "time", file: "state.go", names: []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}, why: "a state machine is given the time"},
	{module: "github.com/shopspring/decimal", names: []string{"NewFromFloat", "NewFromFloat32", "NewFromFloatWithExponent"}, inTests: true, why: "no float carries money, in tests either"},
}

// exempt lists files that a ban does not hold for.
var exempt = map[string]struct{ module, why string }{
	"bench/hooks_limits.go":            {"net/http", "the standard library's server is one of the limits that the service is measured against"},
	"venues/internal/wsclient/link.go": {"math/rand/v2", "jitter keeps reconnects apart; the backoff itself is given its chance and is tested with it"},
}

// bannedInStateFiles are packages that a state.go may not import at all.
var bannedInStateFiles = []string{
	"crypto/rand", "math/rand", "math/rand/v2", "io", "net", "net/http", "os", "sync", "syscall",
	"github.com/asynkron/protoactor-go", "go.uber.org/zap",
}

const stateFilesAre = "a state machine is pure: events in, effects out, no clock, chance, goroutine or I/O"
