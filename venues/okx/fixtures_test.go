package okx

import (
	"encoding/json"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/payload"
)

// fixture returns a recorded payload.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixturetest.Read(t, venues.OKX, name)
}

// dataOf returns the data of an answer.
func dataOf[T any](t testing.TB, body []byte) []T {
	t.Helper()
	e, code, ok := parseEnvelope(body)
	if !ok || code != 0 {
		t.Fatalf("envelope %.200s, want code 0", body)
	}
	var rows []T
	if err := json.Unmarshal(e.Data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// pushesOf returns the rows of every push of a channel in a recording.
func pushesOf[T any](t testing.TB, name, channel string) []T {
	t.Helper()
	var all []T
	for _, line := range fixturetest.Lines(fixture(t, name)) {
		var m privateMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.Event != "" || m.Arg.Channel != channel {
			continue
		}
		var rows []T
		if err := json.Unmarshal(m.Data, &rows); err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// instrumentOf returns an instrument with the given contract size, tick size and lot.
func instrumentOf(t testing.TB, instID, size, tick, lot string) *instrument {
	t.Helper()
	record := instrumentRecord{
		InstType: instTypeSwap, InstID: instID, CtType: "linear", CtVal: payload.Number{Optional: dec(size)}, CtMult: payload.Number{Optional: dec("1")},
		CtValCcy: "BTC", SettleCcy: "USDT", Uly: "BTC-USDT", TickSz: payload.Number{Optional: dec(tick)}, LotSz: payload.Number{Optional: dec(lot)}, MinSz: payload.Number{Optional: dec(lot)},
		MaxLmtSz: payload.Number{Optional: dec("100000000")}, MaxMktSz: payload.Number{Optional: dec("35000")}, Lever: payload.Number{Optional: dec("100")}, State: "live",
	}
	k, err := record.instrument(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func btcSwap(t testing.TB) *instrument {
	return instrumentOf(t, "BTC-USDT-SWAP", "0.01", "0.1", "0.01")
}

// dec is a decimal of a test; "" is unknown.
func dec(text string) venues.Optional { return connectortest.Decimal(text) }
