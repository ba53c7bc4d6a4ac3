package main_test

import (
	"strings"
	"testing"
)

// TestImportsCatchesPlantedViolations checks sources that violate one rule each, and
// similar ones that do not.
func TestImportsCatchesPlantedViolations(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		src  string
		// violation is a part of the only report; empty for none.
		violation string
	}{
		{"edge imports an actor", "transport/rest/a.go", `import _ "venuegate/actors/account"`, "transport/rest imports actors/account"},
		{"edge imports an edge", "transport/rest/a.go", `import _ "venuegate/transport/stream"`, "transport/rest imports transport/stream"},
		{"edge imports the wire", "transport/rest/a.go", `import _ "venuegate/transport/api"`, ""},
		{"actor imports a venue", "actors/account/a.go", `import _ "venuegate/venues/binance"`, "actors/account imports venues/binance"},
		{"actor imports a sibling", "actors/account/a.go", `import _ "venuegate/actors/book"`, "actors/account imports actors/book"},
		{"actor test imports a sibling", "actors/account/a_test.go", `import _ "venuegate/actors/book"`, "actors/account imports actors/book"},
		{"actor test imports a kit", "actors/account/a_test.go", `import _ "venuegate/persistence/storetest"`, ""},
		{"actor imports a kit", "actors/account/a.go", `import _ "venuegate/persistence/storetest"`, "actors/account imports persistence/storetest"},
		{"actor test writes to the real journal", "actors/account/a_test.go", `import _ "venuegate/actors/journal"`, ""},
		{"root imports a venue", "actors/root/a.go", `import _ "venuegate/venues/okx"`, "actors/root imports venues/okx"},
		{"root test trades at a simulator", "actors/root/a_test.go", `import _ "venuegate/venues/okx/okxsim"`, ""},
		{"root imports an actor", "actors/root/a.go", `import _ "venuegate/actors/account"`, ""},
		{"kit imports a contract", "actors/a.go", `import _ "venuegate/venues"`, "actors imports venues"},
		{"connector imports its simulator", "venues/okx/a.go", `import _ "venuegate/venues/okx/okxsim"`, "venues/okx imports venues/okx/okxsim"},
		{"connector test imports its simulator", "venues/okx/a_test.go", `import _ "venuegate/venues/okx/okxsim"`, ""},
		{"connector test imports another connector", "venues/okx/a_test.go", `import _ "venuegate/venues/bybit"`, "venues/okx imports venues/bybit"},
		{"simulator imports its connector", "venues/okx/okxsim/a.go", `import _ "venuegate/venues/okx"`, "venues/okx/okxsim imports venues/okx"},
		{"contract imports a contract above it", "venues/a.go", `import _ "venuegate/persistence"`, "venues imports persistence"},
		{"test imports its own package", "venues/a_test.go", `import _ "venuegate/venues"`, ""},
		{"a package imports the binary", "bench/loadgen/a.go", `import _ "venuegate/cmd/venuegate"`, "no package imports the binary"},
		{"a package imports the load tools", "transport/rest/a_test.go", `import _ "venuegate/bench/loadgentest"`, "only the binary imports the load tools"},
		{"package without a rule", "util/a.go", ``, "util has no rule"},

		{"edge imports the store's technology", "transport/rest/a.go", `import _ "github.com/dgraph-io/badger/v4"`, "one package "},
		{"part of the store's technology", "cmd/venuegate/a.go", `import _ "github.com/dgraph-io/badger/v4/y"`, "one package "},
		{"edge imports a messaging library", "transport/webhook/a.go", `import _ "github.com/go-telegram/bot/models"`, "one package "},
		{"notifications import their technology", "transport/notify/a.go", `import _ "github.com/xuri/excelize/v2"`, ""},
		{"store imports its technology", "persistence/badgerstore/a.go", `import _ "github.com/dgraph-io/badger/v4"`, ""},
		{"contract imports a logger", "venues/a.go", `import _ "go.uber.org/zap"`, "contracts have no third-party"},
		{"contract imports decimals", "venues/a.go", `import _ "github.com/shopspring/decimal"`, ""},
		{"actor imports the actor library", "actors/book/a.go", `import _ "github.com/asynkron/protoactor-go/actor"`, ""},
		{"edge imports the actor library", "transport/rest/a.go", `import _ "github.com/asynkron/protoactor-go/actor"`, "actors live behind"},
		{"actor imports the cluster", "actors/root/a.go", `import _ "github.com/asynkron/protoactor-go/cluster/x"`, "under a partition"},
		{"actor imports the scheduler", "actors/book/a.go", `import _ "github.com/asynkron/protoactor-go/scheduler"`, "outlive the actor"},
		{"actor imports a web server", "actors/book/a.go", `import _ "github.com/gofiber/fiber/v2"`, "stays at the edge"},
		{"simulator imports a web server", "venues/okx/okxsim/a.go", `import _ "github.com/gofiber/fiber/v2"`, ""},
		{"edge imports configuration", "transport/rest/a.go", `import _ "github.com/knadh/koanf/v2"`, "configuration is read in cmd"},
		{"document library at run time", "transport/api/a.go", `import _ "github.com/getkin/kin-openapi/openapi3"`, "checked in tests"},
		{"document library in a test", "transport/api/a_test.go", `import _ "github.com/getkin/kin-openapi/openapi3"`, ""},
		{"dot import", "transport/rest/a.go", `import . "strings"`, "dot import"},

		{"global randomness", "bench/a_test.go", `import "math/rand/v2"; var x = rand.IntN(3)`, "cannot be reproduced"},
		{"global randomness under an alias", "bench/a.go", `import dice "math/rand"; var x = dice.Int()`, "cannot be reproduced"},
		{"jitter where it is allowed", "venues/internal/wsclient/link.go", `import "math/rand/v2"; var x = rand.IntN(3)`, ""},
		{"jitter beside it", "venues/internal/wsclient/backoff.go", `import "math/rand/v2"; var x = rand.IntN(3)`, "cannot be reproduced"},
		{"a drawn seed", "bench/a_test.go", `import "math/rand/v2"; var x = rand.Uint64()`, ""},
		{"seeded randomness", "bench/a.go", `import "math/rand/v2"; var x = rand.New(rand.NewPCG(1, 2))`, ""},
		{"global logger", "actors/a.go", `import "go.uber.org/zap"; var l = zap.L()`, "never global"},
		{"passed logger", "actors/a.go", `import "go.uber.org/zap"; var l = zap.NewNop()`, ""},
		{"server of net/http", "transport/rest/a.go", `import "net/http"; var s http.Server`, "servers use Fiber"},
		{"server of net/http in a test", "transport/rest/a_test.go", `import "net/http"; var s http.Server`, ""},
		{"float into money", "venues/a_test.go", `import "github.com/shopspring/decimal"; var d = decimal.NewFromFloat(0.1)`, "no float carries money"},

		{"clock in a state machine", "actors/book/state.go", `import "time"; var n = time.Now()`, "receives the time"},
		{"duration in a state machine", "actors/book/state.go", `import "time"; const d = time.Second`, ""},
		{"clock in a shell", "actors/book/actor.go", `import "time"; var n = time.Now()`, ""},
		{"chance in a state machine", "actors/book/state.go", `import _ "crypto/rand"`, "a state machine is pure"},
		{"I/O in a state machine", "actors/book/state.go", `import _ "net/http"`, "a state machine is pure"},
		{"goroutine in a state machine", "actors/book/state.go", `func f() { go f() }`, "starts a goroutine"},
		{"goroutine in a shell", "actors/book/effects.go", `func f() { go f() }`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			violations := checkFile(t, c.file, c.file, "package p; "+c.src)
			if c.violation == "" {
				if len(violations) > 0 {
					t.Fatalf("reported %v, want nothing", violations)
				}
				return
			}
			if len(violations) == 0 {
				t.Fatalf("nothing reported, want %q", c.violation)
			}
			for _, b := range violations {
				if strings.Contains(b.String(), c.violation) {
					return
				}
			}
			t.Fatalf("reported %v, want %q", violations, c.violation)
		})
	}
}
