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
	"venuegate/venues/internal/wscall"
)

// operated is what the socket for orders was told.
type operated struct{ id, op, text string }

func (o *operated) UnmarshalJSON(text []byte) error {
	var told struct{ ID, Op string }
	err := json.Unmarshal(text, &told)
	*o = operated{told.ID, told.Op, string(text)}
	return err
}

// Verb is "operation" of all that is about an order.
func (o operated) Verb() string {
	if o.op == "login" || o.op == "ping" {
		return o.op
	}
	return "operation"
}

// entryVenue serves the socket for orders by hand.
type entryVenue struct {
	*connectortest.Streams[operated]
}

const loggedIn = `{"event":"login","code":"0","msg":"","connId":"a4d3ae55"}`

// answering answers a login, and every operation with texts in which ID stands for
// the operation's id.
func answering(login string, texts ...string) func(*websocket.Conn, operated) {
	return func(c *websocket.Conn, o operated) {
		says := texts
		switch o.Verb() {
		case "login":
			says = []string{login}
		case "ping":
			says = []string{"pong"}
		}
		for _, text := range says {
			_ = c.WriteMessage(websocket.TextMessage, []byte(strings.ReplaceAll(text, "ID", o.id)))
		}
	}
}

const (
	placedOnSocket  = `{"id":"ID","op":"order","code":"0","msg":"","data":[{"clOrdId":"vg00000001","ordId":"2896576259728695296","sCode":"0","sMsg":"Order successfully placed.","tag":"","ts":"1758827099512","subCode":""}],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	refusedOnSocket = `{"id":"ID","op":"order","code":"1","msg":"","data":[{"clOrdId":"","ordId":"","sCode":"CODE","sMsg":"no","tag":"","ts":"1758827099512"}],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	failedOnSocket  = `{"id":"ID","op":"order","code":"CODE","msg":"no","data":[],"inTime":"1758827099511856","outTime":"1758827099513562"}`
	errorOnSocket   = `{"id":"ID","event":"error","code":"CODE","msg":"no","connId":"a4d3ae55"}`
)

// onSocket makes a script whose account has a socket for orders that is up, where every
// operation is answered with texts.
func onSocket(t *testing.T, texts ...string) (*script, entryVenue) {
	t.Helper()
	s, v := withEntry(t, answering(loggedIn, texts...))
	connectortest.Await(t, "the socket", s.account.entry.Load().calls.Up)
	return s, v
}

func withEntry(t *testing.T, answer func(*websocket.Conn, operated)) (*script, entryVenue) {
	t.Helper()
	s := newScript(t)
	v := entryVenue{connectortest.ServeStreams(s.Server, answer)}
	v.Read = func(text string) operated { return operated{op: text} }
	t.Cleanup(s.account.openEntry(background).close)
	return s, v
}

// told lists the operations.
func (v entryVenue) told() []string {
	operations := v.Told(pathPrivate, "operation")
	texts := make([]string, len(operations))
	for n, o := range operations {
		texts[n] = o.text
	}
	return texts
}

// The venue documents no protection for the orders of the socket. What it does not
// read there would leave a position without its stop loss.
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
	if told := v.told(); len(told) > 0 {
		t.Errorf("on the socket: %s", told)
	}
	s.wantSaid("POST /api/v5/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"vg00000001",`+
		`"attachAlgoOrds":[{"attachAlgoClOrdId":"vg00000001p","newSlTriggerPx":"57000","newSlOrdPx":"-1","newSlTriggerPxType":"last"}]}`)
}

func TestOperationsAreSentAsTheVenueWantsThem(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	s.On(readOrder, 200, answerOf(anOrder()))
	order := limitOrder()
	deadline := fmt.Sprint(order.Deadline.Add(s.connector.clock.Offset()).UnixMilli())
	report, err := s.account.Place(background, order)
	if err != nil || report.Status != venues.StatusPending || report.VenueOrderID != "2896576259728695296" || report.VenueTime.UnixMilli() != 1758827099512 {
		t.Fatalf("%+v %v", report, err)
	}
	ref := venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeLimit}
	if _, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ref, Qty: order.Qty, Price: dec("59900"), Deadline: order.Deadline}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.account.Cancel(background, ref); err != nil {
		t.Fatal(err)
	}
	said := v.told()
	want := []string{
		`{"id":"1","op":"order","expTime":"` + deadline + `","args":[{"instIdCode":10459,"tdMode":"cross","clOrdId":"vg00000001","side":"buy","ordType":"limit","px":"60000","sz":"0.5"}]}`,
		`{"id":"2","op":"amend-order","expTime":"` + deadline + `","args":[{"instIdCode":10459,"clOrdId":"vg00000001","newSz":"0.5","newPx":"59900"}]}`,
		`{"id":"3","op":"cancel-order","args":[{"instIdCode":10459,"clOrdId":"vg00000001"}]}`,
	}
	if len(said) != len(want) {
		t.Fatalf("%v", said)
	}
	for n := range want {
		connectortest.SameJSON(t, "the connector", said[n], want[n])
	}
	if len(s.Sent(placeName)) > 0 {
		t.Error("sent by REST too")
	}
}

// What the socket has no words for, or no code, goes by REST as before.
func TestTheRestGoesByREST(t *testing.T) {
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
	if said := v.told(); len(said) > 0 {
		t.Errorf("over the socket: %v", said)
	}
	s.account.entry.Load().close()
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(s.Sent(placeName)) != 2 {
		t.Errorf("after the socket's end: %v", err)
	}
}

func TestAnswersOnTheSocket(t *testing.T) {
	with := func(answer, code string) []string { return []string{strings.ReplaceAll(answer, "CODE", code)} }
	for name, c := range map[string]struct {
		answers []string
		code    venues.Code
		unknown bool
		// byREST says that the order is placed there; asked how many operations
		// there were.
		byREST bool
		asked  int
	}{
		"refused":                    {answers: with(refusedOnSocket, "51121"), code: venues.CodeInvalidRequest, asked: 1},
		"duplicate":                  {answers: with(refusedOnSocket, "51016"), code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"limited":                    {answers: with(failedOnSocket, "50011"), code: venues.CodeRateLimited, asked: 1},
		"limited as an item":         {answers: with(refusedOnSocket, "50061"), code: venues.CodeRateLimited, asked: 1},
		"limited on the socket":      {answers: with(errorOnSocket, "60014"), code: venues.CodeRateLimited, asked: 1},
		"no permission":              {answers: with(failedOnSocket, "50120"), code: venues.CodeUnauthorized, asked: 1},
		"uncertain":                  {answers: with(failedOnSocket, "50004"), code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"lost on the socket":         {answers: with(failedOnSocket, "64007"), code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"service unavailable":        {answers: with(failedOnSocket, "50001"), code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"late twice":                 {answers: with(failedOnSocket, "50036"), code: venues.CodeExchangeUnavailable, asked: 2},
		"not logged in":              {answers: with(errorOnSocket, "60011"), byREST: true, asked: 1},
		"invalid request":            {answers: with(errorOnSocket, "60012"), byREST: true, asked: 1},
		"invalid args":               {answers: with(failedOnSocket, "60013"), byREST: true, asked: 1},
		"code denied":                {answers: with(refusedOnSocket, "51001"), byREST: true, asked: 1},
		"an error of nobody":         {answers: []string{`{"event":"error","code":"60012","msg":"Invalid request"}`}, code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"an answer without an id":    {answers: []string{strings.Replace(placedOnSocket, `"id":"ID",`, "", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"success without an item":    {answers: []string{strings.Replace(failedOnSocket, "CODE", "0", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"success without an id":      {answers: []string{strings.Replace(placedOnSocket, "2896576259728695296", "", 1)}, code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"an answer without a code":   {answers: []string{`{"id":"ID","op":"order"}`}, code: venues.CodeExchangeUnavailable, unknown: true, asked: 1},
		"an answer to somebody else": {answers: []string{strings.Replace(placedOnSocket, "ID", "x", 1), placedOnSocket}, asked: 1},
		"two answers":                {answers: []string{placedOnSocket, strings.ReplaceAll(refusedOnSocket, "CODE", "51121")}, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, v := onSocket(t, c.answers...)
				s.connector.rest.Close()
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
					t.Errorf("%v", err)
				}
				if n := len(s.Sent(placeName)); n != map[bool]int{true: 1}[c.byREST] {
					t.Errorf("%d orders by REST", n)
				}
				if n := len(v.told()); n != c.asked {
					t.Errorf("%d operations", n)
				}
			})
		})
	}
}

// An instrument whose code was denied is not asked for over the socket again, and
// a login that has run out is renewed.
func TestRefusedCarrierIsRemembered(t *testing.T) {
	s, v := onSocket(t, strings.ReplaceAll(refusedOnSocket, "CODE", "51001"))
	s.On(placeName, 200, placedOrder)
	for range 3 {
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
	}
	if asked, sent := len(v.told()), len(s.Sent(placeName)); asked != 1 || sent != 3 {
		t.Errorf("%d operations, %d by REST", asked, sent)
	}
	s, v = onSocket(t, strings.ReplaceAll(errorOnSocket, "CODE", "60011"))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	connectortest.Await(t, "second login", func() bool { return len(v.Told("", "login")) == 2 })
}

func TestRefusedLoginLeavesREST(t *testing.T) {
	s, v := withEntry(t, answering(`{"event":"error","msg":"API key doesn't exist","code":"60032","connId":"f9ab6f3c"}`))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	v.Answer(answering(loggedIn, placedOnSocket))
	connectortest.Await(t, "a later login", s.account.entry.Load().calls.Up)
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(v.told()) != 1 || len(s.Sent(placeName)) != 1 {
		t.Errorf("%d by REST, %v", len(s.Sent(placeName)), err)
	}
}

func TestAnnouncedEndReplacesTheSocket(t *testing.T) {
	s, v := onSocket(t, placedOnSocket)
	v.Say(pathPrivate, `{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"a4d3ae55"}`)
	connectortest.Await(t, "second connection", func() bool { return v.Connections(pathPrivate) == 2 && s.account.entry.Load().calls.Up() })
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(v.told()) != 1 {
		t.Error(err)
	}
}

// The private stream brings the socket up and takes it down.
func TestEntryLivesWithThePrivateStream(t *testing.T) {
	s := newScript(t)
	streams := serveStreams(s)
	s.connector.options.OrderEntry = venues.OrderEntryWebSocket
	f := s.account.OpenPrivate(new(connectortest.Heard))
	connectortest.Await(t, "the socket", s.account.entry.Load().calls.Up)
	e := s.account.entry.Load()
	f.Close()
	if e.calls.Up() || s.account.entry.Load() != nil || len(streams.Told("", "login")) > 3 {
		t.Error("the socket outlives the private stream")
	}
}

// What answers no operation is not lost without a trace, but for a pong.
func TestWhatAnswersNothingIsLogged(t *testing.T) {
	core, logged := observer.New(zap.WarnLevel)
	o := Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")
	o.Log = zap.New(core)
	e := &orderEntry{account: newAccount(New(o), venues.Credentials{})}
	for text, want := range map[string]wscall.Says{
		"pong":                              wscall.Nothing,
		"<html>":                            wscall.Nothing,
		`{"event":"login","code":"0"}`:      wscall.Nothing,
		`{"event":"error","code":"60012"}`:  wscall.Nameless,
		`{"event":"notice","code":"64008"}`: wscall.Ending,
	} {
		if got := e.read([]byte(text)); got != (wscall.Message{Says: want}) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if logged.Len() != 3 {
		t.Errorf("logged %v", logged.All())
	}
}

// FuzzEntryAnswer: whatever comes over the socket names an operation or does not, and
// its code is one that REST would read.
func FuzzEntryAnswer(f *testing.F) {
	for _, text := range []string{placedOnSocket, refusedOnSocket, failedOnSocket, errorOnSocket, "pong", `{"id":7}`, `{"id":"1","code":"1","data":[{}]}`} {
		f.Add([]byte(text))
	}
	e := &orderEntry{account: newAccount(New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")), venues.Credentials{})}
	f.Fuzz(func(t *testing.T, message []byte) {
		if read := e.read(message); read.ID != "" && read.Says == wscall.Nameless {
			t.Errorf("%q has a name and none", message)
		}
		codeOf(message)
	})
}
