package venuetest

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

var accountCases = []conformanceCase{
	{number: 150, name: "leverage is set and read back, with the previous value", run: leverageIsReadBack},
	{number: 151, name: "setting the same leverage again succeeds", run: sameLeverage},
	{number: 152, name: "leverage above the maximum is rejected with the maximum", run: leverageAboveMax},
	{number: 153, name: "leverage that the margin does not allow is rejected", run: leverageWithoutMargin},
	{number: 154, name: "positions have their leverage", run: leverageOfPosition},
	{number: 155, name: "leverage of an unlisted instrument is rejected", run: leverageOfNothing},
	{number: 156, name: "leverage below the minimum is rejected as leverage", run: leverageBelowMin},
	{number: 160, name: "the balance of a new account is exact", run: freshBalance},
	{number: 161, name: "an open position uses margin; closing it leaves profit less fees, exactly", run: balanceOfPosition},
	{number: 162, name: "a wrong secret and an unknown key are unauthorized", run: wrongKeys},
	{number: 163, name: "the permissions of a key are returned", run: keyInfo},
	{number: 164, name: "a key without trading permission is rejected and places nothing", run: readOnlyKey},
	{number: 165, name: "the required margin of a rejection suffices for the order", run: requiredMarginSuffices},
	{number: 166, name: "the margin mode of the account is returned", run: marginInfo},
}

func leverageIsReadBack(s *env) {
	first, err := s.account.SetLeverage(s.t.Context(), symbol, d("7"))
	if err != nil || !first.Leverage.Equal(d("7")) || first.Symbol != symbol || first.Exchange != s.connector.Venue() {
		s.t.Fatalf("leverage = %+v, %v, want 7 of %s", first, err, symbol)
	}
	second, err := s.account.SetLeverage(s.t.Context(), symbol, d("12"))
	if err != nil || !second.Leverage.Equal(d("12")) || !venues.EqualOptional(second.PreviousLeverage, some("7")) {
		s.t.Errorf("leverage = %+v, %v, want 12 after 7", second, err)
	}
}

func sameLeverage(s *env) {
	for range 2 {
		if change, err := s.account.SetLeverage(s.t.Context(), symbol, d("7")); err != nil || !change.Leverage.Equal(d("7")) {
			s.t.Errorf("leverage = %+v, %v, want 7", change, err)
		}
	}
}

func leverageAboveMax(s *env) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues publish leverage limits to accounts alone
		s.t.Fatal(err)
	}
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("500"))
	e := s.rejection(err, venues.CodeLeverageChangeRejected, venues.ReasonAboveMax)
	if e.Details["maxLeverage"] == nil {
		s.t.Errorf("details = %v, want maxLeverage", e.Details)
	}
}

func leverageWithoutMargin(s *env) {
	balance := simcore.Decimal{Decimal: d("700")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	s.useLeverage(d("20"))
	s.filled(market(venues.Buy, "0.1"))
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("2"))
	s.checkRejected(err, venues.CodeLeverageChangeRejected, "")
}

func leverageOfPosition(s *env) {
	s.useLeverage(d("8"))
	s.filled(market(venues.Buy, "0.01"))
	if positions := s.positions(); len(positions) != 1 || !venues.EqualOptional(positions[0].Leverage, some("8")) {
		s.t.Errorf("positions = %+v, want one with leverage 8", positions)
	}
}

func leverageOfNothing(s *env) {
	_, err := s.account.SetLeverage(s.t.Context(), "NOPEUSDT", d("7"))
	s.checkRejected(err, venues.CodeSymbolNotTradable, "")
}

func leverageBelowMin(s *env) {
	_, err := s.account.SetLeverage(s.t.Context(), symbol, d("0.5"))
	s.checkRejected(err, venues.CodeLeverageChangeRejected, "")
}

// usdt returns the balance in the settle currency of all instruments.
func (s *env) usdt() venues.Balance {
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
	s.t.Fatalf("balances = %+v, want USDT among them", balances)
	return venues.Balance{}
}

func freshBalance(s *env) {
	b := s.usdt()
	if !b.Equity.Equal(d("100000")) || !b.Available.Equal(d("100000")) || !b.UsedMargin.IsZero() || !b.UnrealizedPnl.IsZero() ||
		b.Exchange != s.connector.Venue() || b.AccountType == "" {
		s.t.Errorf("balance = %+v, want 100000, all of it available", b)
	}
}

func balanceOfPosition(s *env) {
	s.emptyBook("0.01")
	bought := s.filled(limit(venues.Buy, "0.01", "65100"))
	s.mark("65200")
	open := s.usdt()
	paid := s.feesOf(bought.ClientOrderID)
	if !open.UnrealizedPnl.Equal(d("1")) || !open.Equity.Equal(d("100001").Sub(paid)) || !open.UsedMargin.IsPositive() || !open.Available.LessThan(open.Equity) {
		s.t.Errorf("balance = %+v, want an equity of 100001 less a fee of %v, and used margin", open, paid)
	}
	s.await("a balance event", func(h *sink) bool { return h.balances > 0 })
	s.move("65500")
	sold := s.resting(limit(venues.Sell, "0.01", "65600"), reduceOnly)
	s.move("65700")
	s.awaitStatus(sold, venues.StatusFilled)
	closed, paid := s.usdt(), paid.Add(s.feesOf(sold.ClientOrderID))
	if !closed.Equity.Equal(d("100005").Sub(paid)) || !closed.Available.Equal(closed.Equity) || !closed.UsedMargin.IsZero() {
		s.t.Errorf("balance = %+v, want an equity of 100005 less fees of %v, all of it available", closed, paid)
	}
}

func wrongKeys(s *env) {
	right := s.sim.DemoAccount().Credentials
	for name, keys := range map[string]simcore.Credentials{
		"wrong secret": {APIKey: right.APIKey, APISecret: "wrong", Passphrase: right.Passphrase},
		"unknown key":  {APIKey: reversed(right.APIKey), APISecret: right.APISecret, Passphrase: right.Passphrase},
	} {
		other := s.open(keys)
		if _, err := other.Balances(s.t.Context()); venues.CodeOf(err) != venues.CodeUnauthorized {
			s.t.Errorf("%s: error = %v, want unauthorized", name, err)
		}
		order := s.order()
		_, err := other.Place(s.t.Context(), order)
		s.checkRejected(err, venues.CodeUnauthorized, "")
		s.checkOrders(order.ClientOrderID, 0)
	}
}

func reversed(text string) string {
	letters := []byte(text)
	for i, j := 0, len(letters)-1; i < j; i, j = i+1, j-1 {
		letters[i], letters[j] = letters[j], letters[i]
	}
	return string(letters)
}

func keyInfo(s *env) {
	inspector, ok := s.account.(venues.KeyInspector)
	if !ok {
		s.t.Fatal("the account is no KeyInspector")
	}
	info, err := inspector.KeyInfo(s.t.Context())
	if err != nil || !info.Known || !info.CanTrade || info.CanWithdraw {
		s.t.Errorf("key = %+v, %v, want trading and no withdrawals", info, err)
	}
}

func marginInfo(s *env) {
	if info := s.marginInfo(); info.Mode != string(venues.MarginCross) || len(info.Isolated) > 0 {
		s.t.Errorf("margin = %+v, want cross", info)
	}
}

func (s *env) marginInfo() venues.MarginInfo {
	s.t.Helper()
	info, err := s.account.(venues.MarginInspector).MarginInfo(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return info
}

func readOnlyKey(s *env) {
	s.useNew(simcore.AccountBody{Permissions: &simcore.Permissions{Read: true}})
	s.usdt()
	s.checkPlaceRejected(s.order(), venues.CodeUnauthorized)
}

// requiredMarginSuffices has an order of each side rejected for insufficient margin, and
// then funds the account with the margin that the rejection names.
func requiredMarginSuffices(s *env) {
	for _, edit := range []change{limit(venues.Buy, "1", "64500"), limit(venues.Sell, "1", "65500")} {
		poor := simcore.Decimal{Decimal: d("100")}
		s.useNew(simcore.AccountBody{Balance: &poor})
		order := s.order(edit)
		_, err := s.account.Place(s.t.Context(), order)
		e := s.rejection(err, venues.CodeInsufficientBalance, "")
		required, reported := e.Details["required"].(string)
		if !reported {
			s.t.Fatalf("details = %v, want the required margin", e.Details)
		}
		enough := simcore.Decimal{Decimal: d(required)}
		s.useNew(simcore.AccountBody{Balance: &enough})
		s.resting(edit)
		if b := s.usdt(); !b.UsedMargin.IsPositive() || b.UsedMargin.GreaterThan(enough.Decimal) {
			s.t.Errorf("balance = %+v, want at most %s used", b, required)
		}
	}
}
