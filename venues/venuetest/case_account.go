package venuetest

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

var accountCases = []conformanceCase{
	{number: 150, name: "leverage is written and read back, with what it was", run: leverageIsReadBack},
	{number: 151, name: "the same leverage again is success", run: sameLeverage},
	{number: 152, name: "leverage above the most is refused with the most", run: leverageAboveMax},
	{number: 153, name: "leverage that the margin cannot bear is refused", run: leverageWithoutMargin},
	{number: 154, name: "positions show their leverage", run: leverageOfPosition},
	{number: 155, name: "leverage of an instrument that is not listed is refused", run: leverageOfNothing},
	{number: 156, name: "leverage that no account can have is refused as leverage", run: leverageBelowMin},
	{number: 160, name: "a fresh account's balance is exact", run: freshBalance},
	{number: 161, name: "an open position uses margin; closing it leaves profit less fees, exactly", run: balanceOfPosition},
	{number: 162, name: "a wrong secret and an unknown key are unauthorized", run: wrongKeys},
	{number: 163, name: "the facts of a key are told", run: keyFacts},
	{number: 164, name: "a key that may not trade is refused and places nothing", run: readOnlyKey},
	{number: 165, name: "what a refusal for margin says is needed is enough for the order", run: neededMarginIsEnough},
	{number: 166, name: "the margin mode of the account is told", run: marginFacts},
}

func leverageIsReadBack(s *stage) {
	first, err := s.account.SetLeverage(s.t.Context(), symbol, d("7"))
	if err != nil || !first.Leverage.Equal(d("7")) || first.Symbol != symbol || first.Exchange != s.connector.Venue() {
		s.t.Fatalf("%+v, %v", first, err)
	}
	second, err := s.account.SetLeverage(s.t.Context(), symbol, d("12"))
	if err != nil || !second.Leverage.Equal(d("12")) || !venues.EqualOptional(second.PreviousLeverage, some("7")) {
		s.t.Errorf("%+v, %v", second, err)
	}
}

func sameLeverage(s *stage) {
	for range 2 {
		if change, err := s.account.SetLeverage(s.t.Context(), symbol, d("7")); err != nil || !change.Leverage.Equal(d("7")) {
			s.t.Errorf("%+v, %v", change, err)
		}
	}
}

func leverageAboveMax(s *stage) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues tell leverage limits to accounts alone
		s.t.Fatal(err)
	}
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("500"))
	e := s.refusal(err, venues.CodeLeverageChangeRejected, venues.ReasonAboveMax)
	if e.Details["maxLeverage"] == nil {
		s.t.Errorf("%v", e.Details)
	}
}

func leverageWithoutMargin(s *stage) {
	balance := simcore.Decimal{Decimal: d("700")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	if _, err := s.account.SetLeverage(s.t.Context(), symbol, d("20")); err != nil {
		s.t.Fatal(err)
	}
	s.filled(market(venues.Buy, "0.1"))
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("2"))
	s.refused(err, venues.CodeLeverageChangeRejected, "")
}

func leverageOfPosition(s *stage) {
	if _, err := s.account.SetLeverage(s.t.Context(), symbol, d("8")); err != nil {
		s.t.Fatal(err)
	}
	s.filled(market(venues.Buy, "0.01"))
	if positions := s.positions(); len(positions) != 1 || !venues.EqualOptional(positions[0].Leverage, some("8")) {
		s.t.Errorf("%+v", positions)
	}
}

func leverageOfNothing(s *stage) {
	_, err := s.account.SetLeverage(s.t.Context(), "NOPEUSDT", d("7"))
	s.refused(err, venues.CodeSymbolNotTradable, "")
}

func leverageBelowMin(s *stage) {
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("0.5"))
	s.refused(err, venues.CodeLeverageChangeRejected, "")
}

// usdt is the balance in the currency of every instrument here.
func (s *stage) usdt() venues.Balance {
	s.t.Helper()
	balances, err := s.account.Balances(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, b := range balances {
		if b.Currency == "USDT" {
			return b
		}
	}
	s.t.Fatalf("no USDT in %+v", balances)
	return venues.Balance{}
}

func freshBalance(s *stage) {
	b := s.usdt()
	if !b.Equity.Equal(d("100000")) || !b.Available.Equal(d("100000")) || !b.UsedMargin.IsZero() || !b.UnrealizedPnl.IsZero() ||
		b.Exchange != s.connector.Venue() || b.AccountType == "" {
		s.t.Errorf("%+v", b)
	}
}

func balanceOfPosition(s *stage) {
	s.emptyBook("0.01")
	bought := s.filled(limit(venues.Buy, "0.01", "65100"))
	s.mark("65200")
	open := s.usdt()
	paid := s.feesOf(bought.ClientOrderID)
	if !open.UnrealizedPnl.Equal(d("1")) || !open.Equity.Equal(d("100001").Sub(paid)) || !open.UsedMargin.IsPositive() || !open.Available.LessThan(open.Equity) {
		s.t.Errorf("%+v after a fee of %v", open, paid)
	}
	s.await("news of balances", func(h *heard) bool { return h.balances > 0 })
	s.move("65500")
	sold := s.resting(limit(venues.Sell, "0.01", "65600"), reduceOnly)
	s.move("65700")
	s.reaches(sold, venues.StatusFilled)
	closed, paid := s.usdt(), paid.Add(s.feesOf(sold.ClientOrderID))
	if !closed.Equity.Equal(d("100005").Sub(paid)) || !closed.Available.Equal(closed.Equity) || !closed.UsedMargin.IsZero() {
		s.t.Errorf("%+v after fees of %v", closed, paid)
	}
}

func wrongKeys(s *stage) {
	right := s.sim.DemoAccount().Credentials
	for name, keys := range map[string]simcore.Credentials{
		"wrong secret": {APIKey: right.APIKey, APISecret: "wrong", Passphrase: right.Passphrase},
		"unknown key":  {APIKey: reversed(right.APIKey), APISecret: right.APISecret, Passphrase: right.Passphrase},
	} {
		stranger := s.open(keys)
		if _, err := stranger.Balances(s.t.Context()); venues.CodeOf(err) != venues.CodeUnauthorized {
			s.t.Errorf("%s: %v", name, err)
		}
		order := s.order()
		_, err := stranger.Place(s.t.Context(), order)
		s.refused(err, venues.CodeUnauthorized, "")
		s.holds(order.ClientOrderID, 0)
	}
}

func reversed(text string) string {
	letters := []byte(text)
	for i, j := 0, len(letters)-1; i < j; i, j = i+1, j-1 {
		letters[i], letters[j] = letters[j], letters[i]
	}
	return string(letters)
}

func keyFacts(s *stage) {
	inspector, ok := s.account.(venues.KeyInspector)
	if !ok {
		s.t.Fatal("the account cannot examine its key")
	}
	facts, err := inspector.KeyInfo(s.t.Context())
	if err != nil || !facts.Known || !facts.CanTrade || facts.CanWithdraw {
		s.t.Errorf("%+v, %v", facts, err)
	}
}

func marginFacts(s *stage) {
	if facts := s.marginFacts(); facts.Mode != string(venues.MarginCross) || len(facts.Isolated) > 0 {
		s.t.Errorf("%+v", facts)
	}
}

func (s *stage) marginFacts() venues.MarginInfo {
	s.t.Helper()
	facts, err := s.account.(venues.MarginInspector).MarginInfo(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return facts
}

func readOnlyKey(s *stage) {
	s.useNew(simcore.AccountBody{Permissions: &simcore.Permissions{Read: true}})
	s.usdt()
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeUnauthorized, "")
	s.holds(order.ClientOrderID, 0)
}

// neededMarginIsEnough refuses an order of each side for want of margin, and gives
// the account what the refusal names.
func neededMarginIsEnough(s *stage) {
	for _, wish := range []change{limit(venues.Buy, "1", "64500"), limit(venues.Sell, "1", "65500")} {
		poor := simcore.Decimal{Decimal: d("100")}
		s.useNew(simcore.AccountBody{Balance: &poor})
		order := s.order(wish)
		_, err := s.account.Place(s.t.Context(), order)
		e := s.refusal(err, venues.CodeInsufficientBalance, "")
		required, told := e.Details["required"].(string)
		if !told {
			s.t.Fatalf("%v", e.Details)
		}
		enough := simcore.Decimal{Decimal: d(required)}
		s.useNew(simcore.AccountBody{Balance: &enough})
		s.resting(wish)
		if b := s.usdt(); !b.UsedMargin.IsPositive() || b.UsedMargin.GreaterThan(enough.Decimal) {
			s.t.Errorf("%+v of %s", b, required)
		}
	}
}
