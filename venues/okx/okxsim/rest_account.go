package okxsim

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

type configBody struct {
	AcctLv      string   `json:"acctLv"`
	AcctStpMode string   `json:"acctStpMode"`
	AutoLoan    bool     `json:"autoLoan"`
	CtIsoMode   string   `json:"ctIsoMode"`
	GreeksType  string   `json:"greeksType"`
	IP          string   `json:"ip"`
	KycLv       string   `json:"kycLv"`
	Label       string   `json:"label"`
	Level       string   `json:"level"`
	LevelTmp    string   `json:"levelTmp"`
	MainUID     string   `json:"mainUid"`
	MgnIsoMode  string   `json:"mgnIsoMode"`
	Perm        string   `json:"perm"`
	PosMode     string   `json:"posMode"`
	RoleType    string   `json:"roleType"`
	TraderInsts []string `json:"traderInsts"`
	Type        string   `json:"type"`
	UID         string   `json:"uid"`
}

func (s *Sim) accountConfig(c *call) (any, *apiError) {
	perms := make([]string, 0, 3)
	for _, p := range []struct {
		granted bool
		word    string
	}{{c.account.Permissions.Read, "read_only"}, {c.account.Permissions.Trade, "trade"}, {c.account.Permissions.Withdraw, "withdraw"}} {
		if p.granted {
			perms = append(perms, p.word)
		}
	}
	return []configBody{{
		AcctLv: s.levels.of(c.account.ID), AcctStpMode: "cancel_maker", CtIsoMode: "automatic", GreeksType: "PA", KycLv: "3",
		Label: c.account.ID, Level: "Lv1", MainUID: uidOf(c.account.ID), MgnIsoMode: "automatic", Perm: strings.Join(perms, ","),
		PosMode: modeName(c.account.Mode), RoleType: "0", TraderInsts: []string{}, Type: "0", UID: uidOf(c.account.ID),
	}}, nil
}

// uidOf returns the constant number of an account.
func uidOf(account string) string {
	n := uint64(14695981039346656037)
	for i := range len(account) {
		n = (n ^ uint64(account[i])) * 1099511628211
	}
	const digits = 1_000_000_000_000_000
	return strconv.FormatUint(digits+n%digits, 10)
}

func (s *Sim) view(account string) (*simcore.AccountView, *apiError) {
	v, err := s.Exchange().Account(account)
	if err != nil {
		return nil, errorOf(err)
	}
	return &v, nil
}

func (s *Sim) balance(c *call) (any, *apiError) {
	v, failed := s.view(c.account.ID)
	if failed != nil {
		return nil, failed
	}
	return []balanceBody{balanceOf(v, s.Clock.Now()).only(c.query("ccy"))}, nil
}

// positions lists open positions and, for a requested instrument, closed ones.
func (s *Sim) positions(c *call) (any, *apiError) {
	v, failed := s.view(c.account.ID)
	if failed != nil {
		return nil, failed
	}
	body, only := []positionBody{}, c.query("instId")
	if kind := c.query("instType"); kind != "" && kind != instTypeSwap {
		return body, nil
	}
	for i := range v.Holdings {
		for j := range v.Holdings[i].Positions {
			p := &v.Holdings[i].Positions[j]
			named := only != "" && strings.Contains(","+only+",", ","+p.Symbol+",")
			if only == "" && !p.Qty.IsZero() || named && (!p.Qty.IsZero() || !p.OpenedAt.IsZero()) {
				body = append(body, s.positionOf(v, p))
			}
		}
	}
	return body, nil
}

type leverageBody struct {
	Ccy     string `json:"ccy"`
	InstID  string `json:"instId"`
	Lever   string `json:"lever"`
	MgnMode string `json:"mgnMode"`
	PosSide string `json:"posSide"`
}

func (s *Sim) leverageInfo(c *call) (any, *apiError) {
	v, failed := s.view(c.account.ID)
	if failed != nil {
		return nil, failed
	}
	body := []leverageBody{}
	for name := range strings.SplitSeq(c.query("instId"), ",") {
		l, failed := s.listing(name)
		if failed != nil {
			return nil, failed
		}
		if failed := s.checkMarginMode(c.account.ID, l, c.query("mgnMode")); failed != nil {
			return nil, failed
		}
		body = append(body, leverageBody{
			InstID: name, Lever: strconv.Itoa(leverageIn(v, l)), MgnMode: c.query("mgnMode"), PosSide: "net",
		})
	}
	return body, nil
}

type maxSizeBody struct {
	Ccy     string `json:"ccy"`
	InstID  string `json:"instId"`
	MaxBuy  string `json:"maxBuy"`
	MaxSell string `json:"maxSell"`
}

const maxSizeInstruments = 5

// maxSize returns the largest orders that open positions of instruments, at a price or
// at the limit of the prices.
func (s *Sim) maxSize(c *call) (any, *apiError) {
	names := strings.Split(c.query("instId"), ",")
	price, lever := decimal.Zero, decimal.Zero
	for name, value := range map[string]*decimal.Decimal{"px": &price, "leverage": &lever} {
		text := c.query(name)
		parsed, err := venues.ParseDecimal(cmp.Or(text, "0"))
		if err != nil || text != "" && !parsed.IsPositive() || name == "leverage" && !parsed.IsInteger() {
			return nil, errParameter(name)
		}
		*value = parsed
	}
	switch {
	case c.query("tdMode") == "":
		return nil, errEmpty("tdMode")
	case len(names) > maxSizeInstruments:
		return nil, errParameter("instId")
	case len(names) > 1:
		price = decimal.Zero
	}
	body := []maxSizeBody{}
	for _, name := range names {
		l, failed := s.listing(name)
		if failed == nil {
			failed = s.checkMarginMode(c.account.ID, l, c.query("tdMode"))
		}
		switch {
		case failed != nil:
			return nil, failed
		case lever.GreaterThan(decimal.NewFromInt(int64(l.leverage))):
			return nil, errLeverageHigh
		}
		row := maxSizeBody{Ccy: settleCoin, InstID: name}
		if row.MaxBuy, row.MaxSell, failed = s.maxSizesOf(c, l, price, int(lever.IntPart())); failed != nil {
			return nil, failed
		}
		body = append(body, row)
	}
	return body, nil
}

// maxSizesOf returns the largest purchase and sale. In long/short mode both open.
func (s *Sim) maxSizesOf(c *call, l *listing, price decimal.Decimal, lever int) (most, mostSold string, failed *apiError) {
	buyAt, sellAt := s.band(l)
	if price.IsPositive() {
		buyAt, sellAt = price, price
	}
	long, short := simcore.PositionBoth, simcore.PositionBoth
	if c.account.Mode == simcore.Hedge {
		long, short = simcore.PositionLong, simcore.PositionShort
	}
	buy, err := s.Exchange().MaxQty(c.account.ID, l.Symbol, long, simcore.Buy, buyAt, lever)
	if err != nil {
		return "", "", errorOf(err)
	}
	sell, err := s.Exchange().MaxQty(c.account.ID, l.Symbol, short, simcore.Sell, sellAt, lever)
	if err != nil {
		return "", "", errorOf(err)
	}
	return buy.String(), sell.String(), nil
}

// checkMarginMode checks a margin mode against that of an open position. Without one
// both modes have the same leverage here.
func (s *Sim) checkMarginMode(account string, l *listing, word string) *apiError {
	if word != marginCross && word != marginIsolated {
		return errParameter("mgnMode")
	}
	held := func(side simcore.PositionSide) bool { return !s.heldQty(account, l.Symbol, side).IsZero() }
	open := held(simcore.PositionBoth) || held(simcore.PositionLong) || held(simcore.PositionShort)
	if open && word != s.marginMode(account, l.Symbol) {
		return errParameter("mgnMode")
	}
	return nil
}

// leverageIn returns the leverage of an account in a symbol, which it may not have
// used yet.
func leverageIn(v *simcore.AccountView, l *listing) int {
	for i := range v.Holdings {
		if v.Holdings[i].Instrument.Symbol == l.Symbol {
			return v.Holdings[i].Leverage
		}
	}
	return simcore.DefaultLeverage(&l.Instrument)
}

type leverageArg struct {
	InstID  string  `json:"instId"`
	Lever   numeral `json:"lever"`
	MgnMode string  `json:"mgnMode"`
	PosSide string  `json:"posSide"`
}

// setLeverage is rejected while the symbol has open orders or stops.
func (s *Sim) setLeverage(c *call) (any, *apiError) {
	var arg leverageArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	l, failed := s.listing(arg.InstID)
	if failed != nil {
		return nil, failed
	}
	if failed := s.checkMarginMode(c.account.ID, l, arg.MgnMode); failed != nil {
		return nil, failed
	}
	lever, err := venues.ParseDecimal(string(arg.Lever))
	switch {
	case arg.Lever == "":
		return nil, errEmpty("lever")
	case err != nil || !lever.IsInteger():
		return nil, errParameter("lever")
	case lever.LessThan(decimal.NewFromInt(1)):
		return nil, rejectWith("59105", "Leverage can't be less than 1. Please increase the leverage.")
	case lever.GreaterThan(decimal.NewFromInt(int64(l.leverage))):
		return nil, errLeverageHigh
	}
	if failed := s.checkNoOpenOrders(c.account.ID, l, arg.MgnMode); failed != nil {
		return nil, failed
	}
	if err := s.Exchange().SetLeverage(c.account.ID, l.Symbol, int(lever.IntPart())); err != nil {
		if simcore.ReasonOf(err) == simcore.ReasonInsufficientMargin {
			return nil, errLeverageFunds
		}
		return nil, errLeverageHigh
	}
	return []leverageArg{{InstID: l.Symbol, Lever: numeral(lever.String()), MgnMode: arg.MgnMode}}, nil
}

// checkNoOpenOrders rejects another leverage while orders or stops are open.
func (s *Sim) checkNoOpenOrders(account string, l *listing, margin string) *apiError {
	orders, algos := errLeverageOpen, errLeverageAlgos
	if margin == marginIsolated {
		orders, algos = errLeverageOpenIsolated, errLeverageAlgosIsolated
	}
	switch {
	case len(s.Exchange().OpenOrders(account, l.Symbol)) > 0:
		return orders
	case s.algos.hasLive(account, l.Symbol):
		return algos
	}
	return nil
}

type modeArg struct {
	PosMode string `json:"posMode"`
}

func (s *Sim) setPositionMode(c *call) (any, *apiError) {
	var arg modeArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	mode, ok := map[string]simcore.PositionMode{modeNet: simcore.OneWay, modeLongShort: simcore.Hedge}[arg.PosMode]
	if !ok {
		return nil, errParameter("posMode")
	}
	if err := s.Exchange().SetPositionMode(c.account.ID, mode); err != nil && simcore.ReasonOf(err) != simcore.ReasonNoChange {
		return nil, errMode
	}
	return []modeArg{arg}, nil
}

type feeBody struct {
	Category string         `json:"category"`
	FeeGroup []feeGroupBody `json:"feeGroup"`
	InstType string         `json:"instType"`
	Level    string         `json:"level"`
	MakerU   string         `json:"makerU"`
	TakerU   string         `json:"takerU"`
	TS       string         `json:"ts"`
}

type feeGroupBody struct {
	GroupID string `json:"groupId"`
	Maker   string `json:"maker"`
	Taker   string `json:"taker"`
}

// tradeFee returns fee rates; negative ones are charged.
func (s *Sim) tradeFee(c *call) (any, *apiError) {
	v, failed := s.view(c.account.ID)
	if failed != nil {
		return nil, failed
	}
	maker, taker := v.FeeMaker.Neg().String(), v.FeeTaker.Neg().String()
	return []feeBody{{
		Category: "1", FeeGroup: []feeGroupBody{{GroupID: "4", Maker: maker, Taker: taker}}, InstType: instTypeSwap,
		Level: "Lv1", MakerU: maker, TakerU: taker, TS: millis(s.Clock.Now()),
	}}, nil
}
