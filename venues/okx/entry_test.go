package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

// operated is a message received on the connection for orders.
type operated struct{ id, op, text string }

func (o *operated) UnmarshalJSON(text []byte) error {
	var sent struct{ ID, Op string }
	err := json.Unmarshal(text, &sent)
	*o = operated{sent.ID, sent.Op, string(text)}
	return err
}

// Verb returns "operation" for all operations on orders.
func (o operated) Verb() string {
	if o.op == "login" || o.op == "ping" {
		return o.op
	}
	return "operation"
}

// entryVenue serves the connection for orders.
type entryVenue struct {
	*connectortest.Streams[operated]
	closeEntry func()
}

const loggedIn = `{"event":"login","code":"0","msg":"","connId":"a4d3ae55"}`

// answering answers a login, and every operation with texts in which ID stands for the
// operation's id.
func answering(login string, texts ...string) func(*websocket.Conn, operated) {
	return func(c *websocket.Conn, o operated) {
		replies := texts
		switch o.Verb() {
		case "login":
			replies = []string{login}
		case "ping":
			replies = []string{"pong"}
		}
		for _, text := range replies {
			_ = c.WriteMessage(websocket.TextMessage, []byte(strings.ReplaceAll(text, "ID", o.id)))
		}
	}
}

const (
	placedOnSocket   = `{"id":"ID","op":"order","code":"0","msg":"","data":[{"clOrdId":"vg00000001","ordId":"2896576259728695296","sCode":"0","sMsg":"Order successfully placed.","tag":"","ts":"1758827099512","subCode":""}],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	rejectedOnSocket = `{"id":"ID","op":"order","code":"1","msg":"","data":[{"clOrdId":"","ordId":"","sCode":"CODE","sMsg":"no","tag":"","ts":"1758827099512"}],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	failedOnSocket   = `{"id":"ID","op":"order","code":"CODE","msg":"no","data":[],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	errorOnSocket    = `{"id":"ID","event":"error","code":"CODE","msg":"no","connId":"a4d3ae55"}`
)

// onSocket returns a script whose account has a connection for orders that is up. Every
// operation is answered with texts.
func onSocket(t *testing.T, texts ...string) (*script, entryVenue) {
	t.Helper()
	s, v := withEntry(t, answering(loggedIn, texts...))
	connectortest.Await(t, "connection for orders", s.account.entry.Up)
	return s, v
}

func withEntry(t *testing.T, answer func(*websocket.Conn, operated)) (*script, entryVenue) {
	t.Helper()
	s := newScript(t)
	v := entryVenue{Streams: connectortest.ServeStreams(s.Server, answer)}
	v.Read = func(text string) operated { return operated{op: text} }
	v.closeEntry = s.account.openEntry(background)
	t.Cleanup(v.closeEntry)
	return s, v
}

// operations lists the received operations.
func (v entryVenue) operations() []string {
	operations := v.Received(pathPrivate, "operation")
	texts := make([]string, len(operations))
	for n, o := range operations {
		texts[n] = o.text
	}
	return texts
}

// The venue documents no protection for orders on the WebSocket. If it ignored it, a
// position would have no stop loss.
func TestProtectionGoesByREST(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	s.On(placeName, 200, placedOrder)
	s.On("POST /api/v5/trade/amend-order", 200, placedOrder)
	order := limitOrder()
	order.StopLoss = dec("58000")
	if _, err := s.account.Place(background, order); err != nil {
		t.Fatal(err)
	}
	if err := s.account.Protect(background, venues.ProtectRequest{Entry: refOf(order), StopLoss: new(dec("57000")), Deadline: order.Deadline}); err != nil {
		t.Fatal(err)
	}
	if sent := v.operations(); len(sent) > 0 {
		t.Errorf("operation %s, want none", sent)
	}
	s.wantSent("POST /api/v5/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"vg00000001",`+
		`"attachAlgoOrds":[{"attachAlgoClOrdId":"vg00000001p","newSlTriggerPx":"57000","newSlOrdPx":"-1","newSlTriggerPxType":"last"}]}`)
}

func TestOperations(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	s.On(readOrder, 200, answerOf(anOrder()))
	order := limitOrder()
	deadline := fmt.Sprint(order.Deadline.Add(s.connector.Clock.Offset()).UnixMilli())
	report, err := s.account.Place(background, order)
	if err != nil || report.Status != venues.StatusPending || report.VenueOrderID != "2896576259728695296" || report.VenueTime.UnixMilli() != 1758827099512 {
		t.Fatalf("report = %+v, err = %v, want the pending order 2896576259728695296 at 1758827099512", report, err)
	}
	ref := venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeLimit}
	if _, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ref, Qty: order.Qty, Price: dec("59900"), Deadline: order.Deadline}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.account.Cancel(background, ref); err != nil {
		t.Fatal(err)
	}
	sent := v.operations()
	want := []string{
		`{"id":"1","op":"order","expTime":"` + deadline + `","args":[{"instIdCode":10459,"tdMode":"cross","clOrdId":"vg00000001","side":"buy","ordType":"limit","px":"60000","sz":"0.5"}]}`,
		`{"id":"2","op":"amend-order","expTime":"` + deadline + `","args":[{"instIdCode":10459,"clOrdId":"vg00000001","newSz":"0.5","newPx":"59900"}]}`,
		`{"id":"3","op":"cancel-order","args":[{"instIdCode":10459,"clOrdId":"vg00000001"}]}`,
	}
	if len(sent) != len(want) {
		t.Fatalf("sent = %v, want %d operations", sent, len(want))
	}
	for n := range want {
		connectortest.SameJSON(t, "the connector", sent[n], want[n])
	}
	if len(s.Sent(placeName)) > 0 {
		t.Error("the operation was also sent by REST")
	}
}

// What has no operation or no instrument code goes by REST.
func TestRequestsWithoutOperationGoByREST(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	s.On("GET /api/v5/market/ticker", 200, answerOf(`{"instId":"BTC-USDT-SWAP","last":"60000"}`))
	s.On("POST /api/v5/trade/order-algo", 200, placedAlgo)
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, stopOrder(venues.TypeStopMarket, venues.Sell, "58000")); err != nil {
		t.Error(err)
	}
	uncoded := limitOrder()
	uncoded.Symbol, uncoded.Qty = "ETHUSDT", venues.MustDecimal("0.1")
	if _, err := s.account.Place(background, uncoded); err != nil {
		t.Error(err)
	}
	if sent := v.operations(); len(sent) > 0 {
		t.Errorf("operations: %v, want none", sent)
	}
	v.closeEntry()
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(s.Sent(placeName)) != 2 {
		t.Errorf("after the connection closed: %v, want a second order by REST", err)
	}
}

func TestEntryAnswers(t *testing.T) {
	with := func(answer, code string) []string { return []string{strings.ReplaceAll(answer, "CODE", code)} }
	for name, c := range map[string]struct {
		answers []string
		code    venues.Code
		unknown bool
		// byREST means that the order is placed by REST; operations is the number
		// of operations sent.
		byREST     bool
		operations int
	}{
		"rejected":                  {answers: with(rejectedOnSocket, "51121"), code: venues.CodeInvalidRequest, operations: 1},
		"duplicate":                 {answers: with(rejectedOnSocket, "51016"), code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"limited":                   {answers: with(failedOnSocket, "50011"), code: venues.CodeRateLimited, operations: 1},
		"limited as an item":        {answers: with(rejectedOnSocket, "50061"), code: venues.CodeRateLimited, operations: 1},
		"rate limited by WebSocket": {answers: with(errorOnSocket, "60014"), code: venues.CodeRateLimited, operations: 1},
		"no permission":             {answers: with(failedOnSocket, "50120"), code: venues.CodeUnauthorized, operations: 1},
		"uncertain":                 {answers: with(failedOnSocket, "50004"), code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"lost by WebSocket":         {answers: with(failedOnSocket, "64007"), code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"service unavailable":       {answers: with(failedOnSocket, "50001"), code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"late twice":                {answers: with(failedOnSocket, "50036"), code: venues.CodeOrderRejected, operations: 2},
		"not logged in":             {answers: with(errorOnSocket, "60011"), byREST: true, operations: 1},
		"invalid request":           {answers: with(errorOnSocket, "60012"), byREST: true, operations: 1},
		"invalid args":              {answers: with(failedOnSocket, "60013"), byREST: true, operations: 1},
		"code rejected":             {answers: with(rejectedOnSocket, "51001"), byREST: true, operations: 1},
		"an error without an id":    {answers: []string{`{"event":"error","code":"60012","msg":"Invalid request"}`}, code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"an answer without an id":   {answers: []string{strings.Replace(placedOnSocket, `"id":"ID",`, "", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"success without an item":   {answers: []string{strings.Replace(failedOnSocket, "CODE", "0", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"success without an id":     {answers: []string{strings.Replace(placedOnSocket, "2896576259728695296", "", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"an answer without a code":  {answers: []string{`{"id":"ID","op":"order"}`}, code: venues.CodeExchangeUnavailable, unknown: true, operations: 1},
		"an answer to another call": {answers: []string{strings.Replace(placedOnSocket, "ID", "x", 1), placedOnSocket}, operations: 1},
		"two answers":               {answers: []string{placedOnSocket, strings.ReplaceAll(rejectedOnSocket, "CODE", "51121")}, operations: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, v := onSocket(t, c.answers...)
				s.connector.REST.Close()
				s.On(placeName, 200, placedOrder)
				s.On("GET /api/v5/system/status", 200, nothing)
				wait := time.Minute
				if c.unknown { // an answer may never come
					wait = time.Second
				}
				ctx, cancel := context.WithTimeout(background, wait)
				defer cancel()
				_, err := s.account.Place(ctx, limitOrder())
				if venues.CodeOf(err) != c.code && (err != nil || c.code != "") || errors.Is(err, venues.ErrOutcomeUnknown) != c.unknown || errors.Is(err, venues.ErrNotSent) {
					t.Errorf("error %v, want code %q, unknown outcome %v", err, c.code, c.unknown)
				}
				if n, want := len(s.Sent(placeName)), map[bool]int{true: 1}[c.byREST]; n != want {
					t.Errorf("%d orders by REST, want %d", n, want)
				}
				if n := len(v.operations()); n != c.operations {
					t.Errorf("%d operations, want %d", n, c.operations)
				}
			})
		})
	}
}

// An instrument whose code was rejected goes by REST from then on, and an expired login
// is renewed.
func TestRejectedCodeGoesByREST(t *testing.T) {
	s, v := onSocket(t, strings.ReplaceAll(rejectedOnSocket, "CODE", "51001"))
	s.On(placeName, 200, placedOrder)
	for range 3 {
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
	}
	if operations, sent := len(v.operations()), len(s.Sent(placeName)); operations != 1 || sent != 3 {
		t.Errorf("%d operations, %d by REST, want 1 and 3", operations, sent)
	}
	s, v = onSocket(t, strings.ReplaceAll(errorOnSocket, "CODE", "60011"))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	connectortest.Await(t, "second login", func() bool { return len(v.Received("", "login")) == 2 })
}

func TestRejectedLoginGoesByREST(t *testing.T) {
	s, v := withEntry(t, answering(`{"event":"error","msg":"API key doesn't exist","code":"60032","connId":"f9ab6f3c"}`))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	v.Answer(answering(loggedIn, placedOnSocket))
	connectortest.Await(t, "a later login", s.account.entry.Up)
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(v.operations()) != 1 || len(s.Sent(placeName)) != 1 {
		t.Errorf("%d by REST, %v, want 1 by REST and 1 operation", len(s.Sent(placeName)), err)
	}
}

func TestAnnouncedEndReplacesTheConnection(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	v.Send(pathPrivate, `{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"a4d3ae55"}`)
	connectortest.Await(t, "second connection", func() bool { return v.Connections(pathPrivate) == 2 && s.account.entry.Up() })
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(v.operations()) != 1 {
		t.Error(err)
	}
}

// The private stream opens and closes the connection for orders.
func TestPrivateStreamOwnsTheEntry(t *testing.T) {
	s := newScript(t)
	streams := serveStreams(s)
	s.connector.options.OrderEntry = venues.OrderEntryWebSocket
	f := s.account.OpenPrivate(new(connectortest.Recorder))
	connectortest.Await(t, "connection for orders", s.account.entry.Up)
	transport := s.account.entry.Transport(func(_ context.Context, calls *wscall.Client) (*restclient.Answer, error) {
		if calls.Up() {
			t.Error("the connection for orders is up after the private stream was closed")
		}
		return nil, errors.ErrUnsupported
	})
	f.Close()
	_, _ = transport(t.Context())
	if s.account.entry.Up() {
		t.Error("orders would be sent on a closed connection")
	}
	if n := len(streams.Received("", "login")); n > 3 {
		t.Errorf("%d logins, want at most 3", n)
	}
}

// A message that is not an answer is logged, except for a pong.
func TestUnexpectedMessagesAreLogged(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	o := Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")
	o.Log = zap.New(core)
	a := newAccount(New(o), venues.Credentials{})
	for text, want := range map[string]wscall.Effect{
		"pong":                              wscall.NoEffect,
		"<html>":                            wscall.NoEffect,
		`{"event":"login","code":"0"}`:      wscall.NoEffect,
		`{"event":"error","code":"60012"}`:  wscall.RejectWithoutID,
		`{"event":"notice","code":"64008"}`: wscall.Ending,
	} {
		if got := a.readEntry([]byte(text)); got != (wscall.Message{Effect: want}) {
			t.Errorf("%s: got = %+v, want effect %v without an id", text, got, want)
		}
	}
	if logged.Len() != 3 {
		t.Errorf("logged %v, want 3 messages", logged.All())
	}
}

// FuzzEntryAnswer checks that any message is an answer or not, and that its code can be
// read.
func FuzzEntryAnswer(f *testing.F) {
	for _, text := range []string{placedOnSocket, rejectedOnSocket, failedOnSocket, errorOnSocket, "pong", `{"id":7}`, `{"id":"1","code":"1","data":[{}]}`} {
		f.Add([]byte(text))
	}
	a := newAccount(New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")), venues.Credentials{})
	f.Fuzz(func(t *testing.T, message []byte) {
		if read := a.readEntry(message); read.ID != "" && read.Effect == wscall.RejectWithoutID {
			t.Errorf("%q has an id and is a rejection without one, want either", message)
		}
		codeOf(message)
	})
}
