package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/valyala/fasthttp"

	"venuegate/bench"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// eventMax bounds the wait for a message of a private stream.
const eventMax = 10 * time.Second

// benchPart is a part of a scenario that runs in this process.
type benchPart struct {
	t       *testing.T
	input   io.WriteCloser
	answers *bufio.Reader
}

// startPart starts a part and decodes its first line.
func startPart(t *testing.T, name, argument string, ready any) *benchPart {
	t.Helper()
	in, input := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := bench.Part(context.WithoutCancel(t.Context()), name, argument, in, out)
		ended <- err
		_ = out.CloseWithError(err)
	}()
	p := &benchPart{t, input, bufio.NewReader(answers)}
	t.Cleanup(func() {
		_ = input.Close()
		if err := <-ended; err != nil {
			t.Errorf("part %s ends with %v, want nil", name, err)
		}
	})
	p.read(ready)
	return p
}

func (p *benchPart) read(into any) {
	p.t.Helper()
	line, err := p.answers.ReadBytes('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(line, into); err != nil {
		p.t.Fatal(err)
	}
}

// ask writes a line and decodes the answer.
func (p *benchPart) ask(line string, into any) {
	p.t.Helper()
	if _, err := io.WriteString(p.input, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	p.read(into)
}

// venueDescription is the first line of a venue.
type venueDescription struct {
	At       simnet.Endpoints      `json:"at"`
	Accounts []simcore.Credentials `json:"accounts"`
}

// account opens an account of the venue with the service's connector.
func (v venueDescription) account(t *testing.T, n int) venues.Account {
	t.Helper()
	connector := binance.New(binance.Sim(v.At.RestURL, v.At.WsURL))
	t.Cleanup(connector.Close)
	if _, err := connector.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, err := connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(v.Accounts[n].APIKey), APISecret: venues.Secret(v.Accounts[n].APISecret),
	})
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// TestFloorPlacesOrders checks that the floor program places an order at the simulated
// venue, with a log in memory and with a durable one, and reads the private stream.
func TestFloorPlacesOrders(t *testing.T) {
	var venue venueDescription
	startPart(t, "venue", "1", &venue)
	setting, err := json.Marshal(map[string]any{
		"restUrl": venue.At.RestURL, "wsUrl": venue.At.WsURL, "account": venue.Accounts[0], "memory": t.TempDir(), "disk": t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var floor struct {
		URL string `json:"url"`
	}
	part := startPart(t, "floor", string(setting), &floor)
	account := venue.account(t, 0)
	for n, path := range []string{"/memory/v1/orders", "/disk/v1/orders"} {
		id := strings.ReplaceAll(strings.Trim(path, "/"), "/", "-")
		status, body := post(t, floor.URL+path, `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"20000","timeInForce":"ioc","requestId":"`+id+`"}`)
		if want := `"status":"cancelled","filledQty":"0.000"`; status != http.StatusOK || !strings.Contains(body, want) {
			t.Fatalf("%s: answer %d %s, want 200 with %s", path, status, body, want)
		}
		report, err := account.Order(t.Context(), venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: id})
		if err != nil || report.Status != venues.StatusCancelled {
			t.Errorf("%s: the venue has the order as %s, %v, want cancelled", path, report.Status, err)
		}
		want := struct {
			Ended int `json:"ended"`
		}{n + 1}
		got := want
		got.Ended = 0
		for begun := time.Now(); got != want && time.Since(begun) < eventMax; time.Sleep(10 * time.Millisecond) {
			part.ask("{}", &got)
		}
		if got != want {
			t.Errorf("%s: the private stream reports %d ended orders, want %d", path, got.Ended, want.Ended)
		}
	}
}

func post(t *testing.T, address, body string) (int, string) {
	t.Helper()
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(address)
	request.Header.SetMethod(fasthttp.MethodPost)
	request.SetBodyString(body)
	if err := fasthttp.DoTimeout(request, answer, eventMax); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode(), string(bytes.Clone(answer.Body()))
}

// TestCannedVenueIsAccepted places orders with the service's connector: the answer and
// the messages of the private stream must have the same end.
func TestCannedVenueIsAccepted(t *testing.T) {
	var venue venueDescription
	startPart(t, "canned", "1", &venue)
	account := venue.account(t, 0)
	sink := &reports{ready: make(chan struct{}, 1), orders: make(chan venues.ExecutionReport, 16)}
	feed := account.OpenPrivate(sink)
	defer feed.Close()
	select {
	case <-sink.ready:
	case <-time.After(eventMax):
		t.Fatal("the private stream is not ready")
	}
	market := venues.OrderRequest{
		OrderSpec:     venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: decimal.New(2, 0)},
		ClientOrderID: "filled",
	}
	limit := market
	limit.Type, limit.TimeInForce, limit.Price, limit.ClientOrderID = venues.TypeLimit, venues.ImmediateOrCancel, venues.Some(decimal.New(20_000, 0)), "cancelled"
	for _, c := range []struct {
		order  venues.OrderRequest
		status venues.OrderStatus
		filled string
	}{{market, venues.StatusFilled, "2"}, {limit, venues.StatusCancelled, "0"}} {
		answer, err := account.Place(t.Context(), c.order)
		if err != nil {
			t.Fatalf("%s: %v", c.order.ClientOrderID, err)
		}
		final := sink.final(t, c.order.ClientOrderID)
		for from, report := range map[string]venues.ExecutionReport{"answer": answer, "stream": final} {
			if report.Status != c.status || report.FilledQty.String() != c.filled || report.ClientOrderID != c.order.ClientOrderID {
				t.Errorf("%s of order %s: %s with %s filled, want %s with %s", from, report.ClientOrderID, report.Status, report.FilledQty, c.status, c.filled)
			}
		}
		if hasFill := final.Fill != nil; hasFill != (c.status == venues.StatusFilled) {
			t.Errorf("order %s has a fill: %t, want %t", c.order.ClientOrderID, hasFill, !hasFill)
		}
	}
	positions, err := account.Positions(t.Context())
	if err != nil || len(positions) != 1 || !positions[0].Qty.Equal(market.Qty) {
		t.Errorf("positions %v, %v, want one of 2", positions, err)
	}
}

// reports receives the messages of a private stream.
type reports struct {
	ready  chan struct{}
	orders chan venues.ExecutionReport
}

func (r *reports) Report(report venues.ExecutionReport) { r.orders <- report }

func (r *reports) Connected() {
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

func (*reports) Position(venues.Position) {}
func (*reports) BalancesChanged()         {}
func (*reports) Lost(error)               {}

// final waits for the report that an order has ended.
func (r *reports) final(t *testing.T, clientID string) venues.ExecutionReport {
	t.Helper()
	timeout := time.After(eventMax)
	for {
		select {
		case report := <-r.orders:
			if report.ClientOrderID == clientID && report.Status.IsClosed() {
				return report
			}
		case <-timeout:
			t.Fatalf("no report of the end of order %s", clientID)
		}
	}
}
