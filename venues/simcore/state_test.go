package simcore_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues/simcore"
)

// noPart is a venue whose details are texts.
type noPart struct{}

func (noPart) Save(bool, func(string, any)) {}

func (noPart) Load(string, json.RawMessage) (bool, error) { return false, nil }

func (noPart) Detail(encoded json.RawMessage) (detail any, err error) {
	var text string
	err = json.Unmarshal(encoded, &text)
	return text, err
}

// keep keeps the state of an engine in a file and restores what the file has.
func (e *engine) keep(path string) error {
	return e.KeepState(path, noPart{}, func(err error) { e.Errorf("write state: %v", err) })
}

// kept returns an engine whose state is in a file of its own.
func kept(t testing.TB, change ...func(*simcore.Options)) (e *engine, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "venue.state")
	e = newEngine(t, change...)
	e.must(e.keep(path))
	return e, path
}

// restored returns an engine that continues from a copy of a state file at a time.
func restored(t testing.TB, path string, at time.Time, change ...func(*simcore.Options)) *engine {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := path + ".copy"
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, append(change, func(o *simcore.Options) { o.Clock = simcore.NewClock(func() time.Time { return at }) })...)
	e.now = at
	if err := e.keep(copied); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.must(e.CloseState()) })
	return e
}

// describeRestored returns the state that a file restores.
func describeRestored(t testing.TB, path string, at time.Time, change ...func(*simcore.Options)) described {
	t.Helper()
	e := restored(t, path, at, change...)
	defer func() { e.must(e.CloseState()) }()
	return e.describe()
}

// described is the state of an exchange that clients can read.
type described struct {
	Accounts     []simcore.AccountInfo
	Views        []simcore.AccountView
	Orders       []string
	Open         []int64
	Conditionals []string
	Fills        [][]simcore.Fill
	Changes      [][]simcore.WalletChange
	Marks        []simcore.MarkPrice
	Last         []string
	Fundings     [][]simcore.FundingPayment
	Candles      [][]simcore.Candle
	Ledger       []simcore.LedgerOrder
}

func (e *engine) describe() described {
	d := described{Accounts: e.Accounts(), Ledger: e.Ledger().Orders()}
	slices.SortFunc(d.Ledger, func(a, b simcore.LedgerOrder) int { return cmp.Compare(a.VenueOrderID, b.VenueOrderID) })
	for _, a := range d.Accounts {
		v, err := e.Account(a.ID)
		e.must(err)
		v.Holdings = slices.DeleteFunc(v.Holdings, func(h simcore.HoldingView) bool {
			unused := !slices.ContainsFunc(h.Positions, func(p simcore.PositionView) bool { return !p.UpdatedAt.IsZero() })
			// A rejected request may have looked up a symbol without a trace.
			return unused && h.OpenOrders == 0 && !h.Isolated && h.Leverage == simcore.DefaultLeverage(h.Instrument)
		})
		if len(v.Holdings) == 0 {
			v.Holdings = nil
		}
		d.Views = append(d.Views, v)
		for _, o := range e.Orders(a.ID, all[simcore.Order]) {
			d.Orders = append(d.Orders, fmt.Sprint(o.ID, o.ClientID, o.Account, o.Symbol, o.Side, o.PosSide, o.Type, o.TimeInForce, o.SelfTrade, o.ReduceOnly,
				o.ClosePosition, o.Liquidation, o.Partial, o.Status, o.Reason, o.Parent, o.Amendments, o.Price(), o.Qty(), o.FilledQty(), o.Quote(), o.Detail, o.CreatedAt, o.UpdatedAt, o.ExpireAt))
		}
		for _, o := range e.OpenOrders(a.ID, "") {
			d.Open = append(d.Open, o.ID)
		}
		for _, c := range e.Conditionals(a.ID, all[simcore.Conditional]) {
			encoded, err := json.Marshal(c)
			e.must(err)
			d.Conditionals = append(d.Conditionals, string(encoded))
		}
		d.Fills = append(d.Fills, e.Fills(a.ID, all[simcore.Fill]))
		d.Changes = append(d.Changes, e.WalletChanges(a.ID, all[simcore.WalletChange]))
	}
	for _, name := range e.Symbols() {
		mark, _ := e.Mark(name)
		d.Marks = append(d.Marks, mark)
		d.Last = append(d.Last, e.LastPrice(name).String())
		d.Fundings = append(d.Fundings, e.FundingPayments(name))
		for _, interval := range []simcore.Interval{"1m", "15m", "1h", "1d"} {
			d.Candles = append(d.Candles, e.Candles(name, interval, e.now.Add(-time.Hour), time.Time{}, 10))
		}
	}
	return d
}

func all[T any](*T) bool { return true }

// same compares two states and reports the first difference.
func same(t interface{ Errorf(string, ...any) }, what string, got, want described) {
	texts := [2][]string{}
	for i, d := range []described{got, want} {
		encoded, err := json.MarshalIndent(d, "", " ")
		if err != nil {
			t.Errorf("encode: %v", err)
		}
		texts[i] = strings.Split(string(encoded), "\n")
	}
	for i := range min(len(texts[0]), len(texts[1])) {
		if texts[0][i] != texts[1][i] {
			from := max(0, i-8)
			t.Errorf("%s: line %d = %s, want %s, after\n%s", what, i, texts[0][i], texts[1][i], strings.Join(texts[1][from:i], "\n"))
			return
		}
	}
	if len(texts[0]) != len(texts[1]) {
		t.Errorf("%s has %d lines, want %d", what, len(texts[0]), len(texts[1]))
	}
}

// busy makes state of every kind: two accounts, positions in one-way and hedge mode, an
// isolated one, open, filled, amended and cancelled orders, conditional orders of all
// states, funding, closed candles, a halted market.
func (e *engine) busy() (maker, taker string) {
	e.Helper()
	maker, taker = e.trader(), e.account(simcore.AccountRequest{ID: "taker", Credentials: &simcore.Credentials{APIKey: "key", APISecret: "secret"}, Balance: new(dec("50000"))})
	e.must(e.SetLeverage(maker, "BTCUSDT", 7))
	e.must(e.SetMarginMode(taker, "ETH-SWAP", true))
	hedged := e.account(simcore.AccountRequest{ID: "hedged", Mode: new(simcore.Hedge)})
	long := market(hedged, simcore.Buy, "0.3")
	long.PosSide = simcore.PositionLong
	e.place(long)
	e.place(market(maker, simcore.Buy, "0.5"))
	partly := limit(maker, simcore.Buy, "0.2", "59000")
	partly.ClientID, partly.Detail = "client-1", "of the venue"
	first := e.place(partly)
	second := e.place(limit(maker, simcore.Buy, "0.2", "59000"))
	if _, err := e.Amend(simcore.AmendRequest{Account: maker, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: first.ID}, Qty: dec("0.4")}); err != nil {
		e.Fatal(err)
	}
	cancelled := e.place(limit(taker, simcore.Sell, "0.1", "61000"))
	if _, err := e.Cancel(taker, "BTCUSDT", simcore.OrderRef{ID: cancelled.ID}); err != nil {
		e.Fatal(err)
	}
	expiring := limit(taker, simcore.Sell, "0.1", "61500")
	expiring.TimeInForce, expiring.ExpireAt = simcore.GTD, testStart.Add(48*time.Hour)
	e.place(expiring)
	eth := market(taker, simcore.Sell, "10")
	eth.Symbol = "ETH-SWAP"
	e.place(eth)
	for _, price := range []string{"58000", "59500"} {
		stop := simcore.ConditionalRequest{OrderRequest: market(maker, simcore.Sell, "0.1"), TriggerPrice: dec(price), RequiresPosition: true}
		stop.ClientID, stop.Detail = "stop-"+price, "stop at "+price
		if _, err := e.PlaceConditional(stop); err != nil {
			e.Fatal(err)
		}
	}
	trailing := simcore.ConditionalRequest{OrderRequest: market(maker, simcore.Sell, "0.05"), CallbackSpread: dec("5000")}
	if _, err := e.PlaceConditional(trailing); err != nil {
		e.Fatal(err)
	}
	e.must(e.MovePrice("BTCUSDT", dec("60500")))
	e.must(e.MovePrice("BTCUSDT", dec("59400")))
	if _, err := e.HouseTrade("BTCUSDT", simcore.Sell, dec("100"), dec("59000")); err != nil {
		e.Fatal(err)
	}
	e.place(limit(maker, simcore.Buy, "0.2", "58900"))
	if o := e.current(second); o.FilledQty().IsZero() {
		e.Fatalf("order %+v is not filled, want a fill", o)
	}
	e.must(e.SetFundingRate("BTCUSDT", dec("0.0003")))
	for range 3 {
		e.advance(time.Minute)
	}
	e.must(e.Halt("ETHUSDT", true))
	return maker, taker
}

func TestStateIsRestored(t *testing.T) {
	e, path := kept(t)
	maker, taker := e.busy()
	e.advance(marketSaveInterval)
	next := restored(t, path, e.now)
	same(t, "restored state", next.describe(), e.describe())
	for _, interval := range []simcore.Interval{"5m", "1d", "1w"} {
		got, want := next.Candles("BTCUSDT", interval, time.Time{}, time.Time{}, 50), e.Candles("BTCUSDT", interval, time.Time{}, time.Time{}, 50)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("candles of %s = %v, want %v", interval, got, want)
		}
	}

	if info, found := next.AccountByKey("key"); !found || info.ID != taker {
		t.Errorf("account of the key = %+v, want %s", info, taker)
	}
	open := next.OpenOrders(maker, "BTCUSDT")
	if len(open) == 0 {
		t.Fatal("no open orders, want some")
	}
	for _, o := range open {
		if _, err := next.Cancel(maker, "BTCUSDT", simcore.OrderRef{ID: o.ID}); err != nil {
			t.Errorf("cancel %d: %v", o.ID, err)
		}
	}
	used := map[int64]bool{}
	for _, o := range e.Orders(maker, all[simcore.Order]) {
		used[o.ID] = true
	}
	if o := next.place(limit(maker, simcore.Buy, "0.1", "58500")); used[o.ID] {
		t.Errorf("order id %d was used before, want a new one", o.ID)
	}
	book, _ := next.Book("BTCUSDT", 1)
	if !book.Bids[0].Price.LessThan(book.Asks[0].Price) {
		t.Errorf("best bid %s, best ask %s, want bid below ask", book.Bids[0].Price, book.Asks[0].Price)
	}
}

const marketSaveInterval = time.Second

// small makes an exchange that is quickly made.
func small(o *simcore.Options) { o.Instruments, o.BookDepth = o.Instruments[:1], 3 }

// TestRestoredOrdersKeepTheirPriority checks the queue of a level and that a price that
// passes it fills the orders in turn.
func TestRestoredOrdersKeepTheirPriority(t *testing.T) {
	e, path := kept(t)
	first, second := e.trader(), e.trader()
	early := e.place(limit(second, simcore.Buy, "0.1", "59000"))
	late := e.place(limit(first, simcore.Buy, "0.1", "59000"))
	next := restored(t, path, e.now)
	next.must(next.SetDepth("BTCUSDT", 0))
	if _, err := next.HouseTrade("BTCUSDT", simcore.Sell, dec("0.1"), dec("59000")); err != nil {
		t.Fatal(err)
	}
	if a, b := next.current(early).Status, next.current(late).Status; a != simcore.StatusFilled || b != simcore.StatusNew {
		t.Errorf("statuses = %s and %s, want filled and new", a, b)
	}
}

// TestTimePassesWhileClosed checks what happens at the first tick after a pause.
func TestTimePassesWhileClosed(t *testing.T) {
	delayed := func(o *simcore.Options) { o.TriggerDelay = time.Minute }
	e, path := kept(t, delayed)
	account := e.trader()
	e.place(market(account, simcore.Buy, "0.5"))
	expiring := limit(account, simcore.Buy, "0.1", "59000")
	expiring.TimeInForce, expiring.ExpireAt = simcore.GTD, e.now.Add(time.Hour)
	order := e.place(expiring)
	stop, err := e.PlaceConditional(simcore.ConditionalRequest{OrderRequest: market(account, simcore.Sell, "0.1"), TriggerPrice: dec("59500")})
	e.must(err)
	e.must(e.MovePrice("BTCUSDT", dec("59400")))
	next := restored(t, path, e.now.Add(20*time.Hour), delayed)
	next.Tick()
	if got := next.current(order).Status; got != simcore.StatusExpired {
		t.Errorf("order past its time = %s, want expired", got)
	}
	if c, err := next.Conditional(account, simcore.OrderRef{ID: stop.ID}); err != nil || c.Status != simcore.ConditionalFinished {
		t.Errorf("conditional order past its delay = %s, error %v, want finished", c.Status, err)
	}
	if paid := next.FundingPayments("BTCUSDT"); len(paid) != 1 {
		t.Errorf("funding payments = %+v, want one", paid)
	}
	next.equal("last price", next.LastPrice("BTCUSDT"), "59399.9")
	minutes := next.Candles("BTCUSDT", "1m", time.Time{}, time.Time{}, 2000)
	for i, c := range minutes {
		if i > 0 && !c.Start.Equal(minutes[i-1].End) {
			t.Fatalf("candle %d begins at %s, want %s", i, c.Start, minutes[i-1].End)
		}
	}
	if last := minutes[len(minutes)-2]; last.Trades != 0 || !last.Open.Equal(last.Close) {
		t.Errorf("candle of the pause = %+v, want a flat one", last)
	}
}

// TestTornRecordIsCut ends the file at every byte of its last record.
func TestTornRecordIsCut(t *testing.T) {
	e, path := kept(t, small)
	account := e.trader()
	e.place(limit(account, simcore.Buy, "0.1", "59000"))
	before, want := readFile(t, path), e.describe()
	e.place(limit(account, simcore.Buy, "0.2", "59100"))
	whole := readFile(t, path)
	if !strings.HasPrefix(whole, before) || strings.Count(whole[len(before):], "\n") != 1 {
		t.Fatalf("file grew by %q, want one record", whole[len(before):])
	}
	for end := len(before); end < len(whole); end++ {
		if err := os.WriteFile(path, []byte(whole[:end]), 0o600); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("state of %d bytes", end), describeRestored(t, path, e.now, small), want)
		if t.Failed() {
			return
		}
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestUnusableStateIsMovedAway checks that a file that cannot be used is reported and
// renamed, and that the next start begins without it.
func TestUnusableStateIsMovedAway(t *testing.T) {
	e, path := kept(t)
	e.busy()
	whole := readFile(t, path)
	lines := strings.SplitAfter(whole, "\n")
	for name, content := range map[string]string{
		"empty":             "",
		"half a header":     lines[0][:len(lines[0])/2],
		"another file":      "{\"orders\":[]}\n",
		"a changed digit":   strings.Replace(whole, "59000", "59001", 1),
		"a missing newline": strings.Replace(whole, "\n", "", 2),
		"binary":            "\x00\xff\n\n\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		next := newEngine(t)
		unusable, ok := errors.AsType[*simcore.StateError](next.keep(path))
		if !ok || readFile(t, unusable.MovedTo) != content {
			t.Fatalf("%s: error %v, want a StateError with the file moved", name, unusable)
		}
		again := newEngine(t)
		if err := again.keep(path); err != nil || len(again.Accounts()) != 0 {
			t.Errorf("%s: next start: error %v, accounts %v, want none", name, err, again.Accounts())
		}
	}
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := newEngine(t, func(o *simcore.Options) { o.Seed = 8 })
	if err := foreign.keep(path); err == nil || !strings.Contains(err.Error(), "seed 7") {
		t.Errorf("file of another seed: error %v, want one that names it", err)
	}
}

// TestStateFileIsCompacted checks that a file that has grown is written again with the
// present state, and restores the same.
func TestStateFileIsCompacted(t *testing.T) {
	e, path := kept(t)
	e.SetStateGrowthMax(64 << 10)
	account := e.trader()
	o := e.place(limit(account, simcore.Buy, "0.1", "59000"))
	for i := range 400 {
		if _, err := e.Amend(simcore.AmendRequest{Account: account, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: o.ID}, Qty: dec("0.1").Add(decimal.New(int64(1+i%2), -3))}); err != nil {
			t.Fatal(err)
		}
	}
	if size := len(readFile(t, path)); size > 3*64<<10 {
		t.Errorf("size = %d bytes, want at most %d", size, 3*64<<10)
	}
	same(t, "restored state", describeRestored(t, path, e.now), e.describe())
	e.must(e.CloseState())
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("a temporary file remains, want none")
	}
}

// TestRestoreEqualsState makes random calls and compares the restored exchange.
func TestRestoreEqualsState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e, path := kept(t, small)
		m := &model{engine: e.empty()}
		for range 3 {
			m.accounts = append(m.accounts, m.trader())
		}
		if rapid.Bool().Draw(rt, "isolated") {
			m.must(m.SetMarginMode(m.accounts[0], "BTCUSDT", true))
		}
		rt.Repeat(map[string]func(*rapid.T){
			"limit":  m.limitOrder,
			"market": m.marketOrder,
			"cancel": m.cancelOne,
			"amend":  m.amendOne,
			"stop":   m.stopOrder,
			"move":   m.move,
			"house":  m.house,
			"wait":   func(rt *rapid.T) { m.advance(time.Duration(rapid.IntRange(1, 3600).Draw(rt, "s")) * time.Second) },
		})
		want := e.describe()
		same(rt, "restored state", describeRestored(t, path, e.now, small), want)
		e.must(e.CloseState())
	})
}
