package okxsim

import (
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

type timeBody struct {
	TS string `json:"ts"`
}

func (s *Sim) time(*call) (any, *apiError) {
	return []timeBody{{millis(s.Clock.Now())}}, nil
}

// listing returns an instrument by name.
func (s *Sim) listing(name string) (*listing, *apiError) {
	if name == "" {
		return nil, errEmpty("instId")
	}
	l, ok := s.listings[name]
	if !ok {
		return nil, errInstrument
	}
	return l, nil
}

// swaps returns the instruments of a call by instType, instId and instFamily. The
// type must be SWAP where it is required.
func (s *Sim) swaps(c *call) ([]*listing, *apiError) {
	switch kind := c.query("instType"); {
	case kind == "":
		return nil, errEmpty("instType")
	case kind != instTypeSwap:
		return nil, nil
	}
	wanted, family := c.query("instId"), c.query("instFamily")
	if wanted != "" {
		if _, failed := s.listing(wanted); failed != nil {
			return nil, failed
		}
	}
	var found []*listing
	for _, name := range s.symbols {
		l := s.listings[name]
		if (wanted == "" || wanted == name) && (family == "" || family == l.family()) {
			found = append(found, l)
		}
	}
	return found, nil
}

type instrumentBody struct {
	unusedInInstrument

	Alias             string   `json:"alias"`
	BaseCcy           string   `json:"baseCcy"`
	Category          string   `json:"category"`
	ContTdSwTime      string   `json:"contTdSwTime"`
	CtMult            string   `json:"ctMult"`
	CtType            string   `json:"ctType"`
	CtVal             string   `json:"ctVal"`
	CtValCcy          string   `json:"ctValCcy"`
	ExpTime           string   `json:"expTime"`
	FloatPxLmtPct     string   `json:"floatPxLmtPct"`
	FutureSettlement  bool     `json:"futureSettlement"`
	GroupID           string   `json:"groupId"`
	InitPxLmtPct      string   `json:"initPxLmtPct"`
	InstCategory      string   `json:"instCategory"`
	InstFamily        string   `json:"instFamily"`
	InstID            string   `json:"instId"`
	InstIDCode        int64    `json:"instIdCode"`
	InstType          string   `json:"instType"`
	Lever             string   `json:"lever"`
	ListTime          string   `json:"listTime"`
	LotSz             string   `json:"lotSz"`
	MaxIcebergSz      string   `json:"maxIcebergSz"`
	MaxLmtAmt         string   `json:"maxLmtAmt"`
	MaxLmtSz          string   `json:"maxLmtSz"`
	MaxMktAmt         string   `json:"maxMktAmt"`
	MaxMktSz          string   `json:"maxMktSz"`
	MaxPxLmtPct       string   `json:"maxPxLmtPct"`
	MaxStopSz         string   `json:"maxStopSz"`
	MaxTriggerSz      string   `json:"maxTriggerSz"`
	MaxTwapSz         string   `json:"maxTwapSz"`
	MinSz             string   `json:"minSz"`
	OpenType          string   `json:"openType"`
	OptType           string   `json:"optType"`
	QuoteCcy          string   `json:"quoteCcy"`
	RuleType          string   `json:"ruleType"`
	SettleCcy         string   `json:"settleCcy"`
	State             string   `json:"state"`
	Stk               string   `json:"stk"`
	TickSz            string   `json:"tickSz"`
	TradeQuoteCcyList []string `json:"tradeQuoteCcyList"`
	Uly               string   `json:"uly"`
	UpcChg            []string `json:"upcChg"`
}

func (s *Sim) instruments(c *call) (any, *apiError) {
	found, failed := s.swaps(c)
	if failed != nil {
		return nil, failed
	}
	body := make([]instrumentBody, 0, len(found))
	for _, l := range found {
		listed, _ := s.Exchange().Instrument(l.Symbol)
		body = append(body, l.instrument(listed.Halted))
	}
	return body, nil
}

func (l *listing) instrument(halted bool) instrumentBody {
	state := l.state
	if halted {
		state = "suspend"
	}
	return instrumentBody{
		Category: "1", ContTdSwTime: l.listedAt, CtMult: "1", CtType: "linear", CtVal: l.ctVal, CtValCcy: l.Base,
		FloatPxLmtPct: priceBand, GroupID: "4", InitPxLmtPct: priceBand, InstCategory: "1",
		InstFamily: l.family(), InstID: l.Symbol, InstIDCode: l.code, InstType: instTypeSwap, Lever: strconv.Itoa(l.leverage),
		ListTime: l.listedAt, LotSz: l.lot, MaxIcebergSz: l.maxLimit, MaxLmtAmt: "20000000", MaxLmtSz: l.maxLimit,
		MaxMktSz: l.maxMarket, MaxPxLmtPct: priceBand, MaxStopSz: l.maxMarket, MaxTriggerSz: l.maxLimit, MaxTwapSz: l.maxLimit,
		MinSz: l.lot, OpenType: "call_auction", RuleType: "normal", SettleCcy: settleCoin, State: state, TickSz: l.tick,
		TradeQuoteCcyList: []string{}, Uly: l.family(), UpcChg: []string{},
	}
}

type markBody struct {
	InstID   string `json:"instId"`
	InstType string `json:"instType"`
	MarkPx   string `json:"markPx"`
	TS       string `json:"ts"`
}

func (s *Sim) markPrices(c *call) (any, *apiError) {
	found, failed := s.swaps(c)
	if failed != nil {
		return nil, failed
	}
	body := make([]markBody, 0, len(found))
	for _, l := range found {
		mark, _ := s.Exchange().Mark(l.Symbol)
		body = append(body, markOf(mark, s.Clock.Now()))
	}
	return body, nil
}

func markOf(mark simcore.MarkPrice, at time.Time) markBody {
	return markBody{InstID: mark.Symbol, InstType: instTypeSwap, MarkPx: mark.Mark.String(), TS: millis(at)}
}

type priceLimitBody struct {
	BuyLmt   string `json:"buyLmt"`
	Enabled  bool   `json:"enabled"`
	InstID   string `json:"instId"`
	InstType string `json:"instType"`
	SellLmt  string `json:"sellLmt"`
	TS       string `json:"ts"`
}

func (s *Sim) priceLimit(c *call) (any, *apiError) {
	l, failed := s.listing(c.query("instId"))
	if failed != nil {
		return nil, failed
	}
	return []priceLimitBody{s.priceLimitOf(l)}, nil
}

func (s *Sim) priceLimitOf(l *listing) priceLimitBody {
	buy, sell := s.band(l)
	return priceLimitBody{
		BuyLmt: buy.String(), SellLmt: sell.String(), Enabled: true, InstID: l.Symbol, InstType: instTypeSwap, TS: millis(s.Clock.Now()),
	}
}

// band returns the highest price to buy and the lowest to sell at.
func (s *Sim) band(l *listing) (buy, sell decimal.Decimal) {
	mark, _ := s.Exchange().Mark(l.Symbol)
	one := decimal.NewFromInt(1)
	return venues.FloorTo(mark.Mark.Mul(one.Add(l.PriceBand)), l.TickSize), venues.CeilTo(mark.Mark.Mul(one.Sub(l.PriceBand)), l.TickSize)
}

type fundingBody struct {
	FormulaType     string `json:"formulaType"`
	FundingRate     string `json:"fundingRate"`
	FundingTime     string `json:"fundingTime"`
	ImpactValue     string `json:"impactValue"`
	InstID          string `json:"instId"`
	InstType        string `json:"instType"`
	InterestRate    string `json:"interestRate"`
	MaxFundingRate  string `json:"maxFundingRate"`
	Method          string `json:"method"`
	MinFundingRate  string `json:"minFundingRate"`
	NextFundingRate string `json:"nextFundingRate"`
	NextFundingTime string `json:"nextFundingTime"`
	Premium         string `json:"premium"`
	PrevFundingTime string `json:"prevFundingTime"`
	SettFundingRate string `json:"settFundingRate"`
	SettState       string `json:"settState"`
	TS              string `json:"ts"`
}

// Terms of the funding of every swap.
const (
	fundingInterval = 8 * time.Hour
	fundingFormula  = "withRate"
	fundingMethod   = "current_period"
	fundingInterest = "0.0001"
	fundingRateMax  = "0.00375"
	fundingImpact   = "20000"
)

func (s *Sim) fundingRate(c *call) (any, *apiError) {
	if c.query("instId") == anyInstrument {
		body := make([]fundingBody, 0, len(s.symbols))
		for _, name := range s.symbols {
			body = append(body, s.fundingOf(s.listings[name]))
		}
		return body, nil
	}
	l, failed := s.listing(c.query("instId"))
	if failed != nil {
		return nil, failed
	}
	return []fundingBody{s.fundingOf(l)}, nil
}

// anyInstrument in the place of an instrument is all swaps.
const anyInstrument = "ANY"

// indexTickers returns the indices by instId or quoteCcy.
func (s *Sim) indexTickers(c *call) (any, *apiError) {
	id, quote := c.query("instId"), c.query("quoteCcy")
	if id == "" && quote == "" {
		return nil, errEmpty("instId")
	}
	body := []indexBody{}
	for _, name := range s.symbols {
		l := s.listings[name]
		if id != "" && id != l.family() || quote != "" && quote != settleCoin {
			continue
		}
		body = append(body, s.indexOf(l))
	}
	if id != "" && len(body) == 0 {
		return nil, errInstrument
	}
	return body, nil
}

func (s *Sim) fundingOf(l *listing) fundingBody {
	mark, _ := s.Exchange().Mark(l.Symbol)
	body := fundingBody{
		FormulaType: fundingFormula, FundingRate: mark.FundingRate.String(), FundingTime: millis(mark.NextFunding),
		ImpactValue: fundingImpact, InstID: l.Symbol, InstType: instTypeSwap, InterestRate: fundingInterest,
		MaxFundingRate: fundingRateMax, Method: fundingMethod, MinFundingRate: "-" + fundingRateMax,
		NextFundingTime: millis(mark.NextFunding.Add(fundingInterval)), Premium: mark.Mark.Sub(mark.Index).DivRound(mark.Index, ratioDigits).String(),
		PrevFundingTime: millis(mark.NextFunding.Add(-fundingInterval)), SettState: "settled", TS: millis(s.Clock.Now()),
	}
	if paid := s.Exchange().FundingPayments(l.Symbol); len(paid) > 0 {
		body.SettFundingRate = paid[len(paid)-1].Rate.String()
	}
	return body
}

type pastFundingBody struct {
	FormulaType  string `json:"formulaType"`
	FundingRate  string `json:"fundingRate"`
	FundingTime  string `json:"fundingTime"`
	InstID       string `json:"instId"`
	InstType     string `json:"instType"`
	Method       string `json:"method"`
	RealizedRate string `json:"realizedRate"`
}

// fundingHistory returns the funding of an instrument, the latest first. after and
// before bound the time of the funding.
func (s *Sim) fundingHistory(c *call) (any, *apiError) {
	l, p := s.instrument(c), c.page()
	if c.invalid != nil {
		return nil, c.invalid
	}
	body := []pastFundingBody{}
	paid := s.Exchange().FundingPayments(l.Symbol)
	for n := len(paid) - 1; n >= 0 && len(body) < p.limit; n-- {
		if at := paid[n].Time; p.holds(at.UnixMilli(), at) {
			rate := paid[n].Rate.String()
			body = append(body, pastFundingBody{
				FormulaType: fundingFormula, FundingRate: rate, FundingTime: millis(at), InstID: l.Symbol, InstType: instTypeSwap,
				Method: fundingMethod, RealizedRate: rate,
			})
		}
	}
	return body, nil
}

type positionTierBody struct {
	unusedInTier

	InstFamily   string `json:"instFamily"`
	InstID       string `json:"instId"`
	Tier         string `json:"tier"`
	MinSz        string `json:"minSz"`
	MaxSz        string `json:"maxSz"`
	Mmr          string `json:"mmr"`
	Imr          string `json:"imr"`
	MaxLever     string `json:"maxLever"`
	OptMgnFactor string `json:"optMgnFactor"`
	Uly          string `json:"uly"`
}

// positionTiers returns the tiers of a family in contracts at the mark price.
func (s *Sim) positionTiers(c *call) (any, *apiError) {
	l, failed := s.listing(strings.TrimSuffix(c.query("instFamily"), "-SWAP") + "-SWAP")
	if failed != nil {
		return nil, failed
	}
	mark, _ := s.Exchange().Mark(l.Symbol)
	contract := mark.Mark.Mul(l.ContractSize)
	body := make([]positionTierBody, 0, len(l.Brackets))
	for i, b := range l.Brackets {
		body = append(body, positionTierBody{
			InstFamily: l.family(), Uly: l.family(), Tier: strconv.Itoa(i + 1),
			MinSz: b.NotionalFloor.DivRound(contract, 0).String(), MaxSz: b.NotionalCap.DivRound(contract, 0).String(),
			Mmr: b.MaintenanceRate.String(), MaxLever: strconv.Itoa(b.LeverageMax), OptMgnFactor: "0",
			Imr: decimal.NewFromInt(1).DivRound(decimal.NewFromInt(int64(b.LeverageMax)), 4).String(),
		})
	}
	return body, nil
}

type statusBody struct {
	Begin       string `json:"begin"`
	End         string `json:"end"`
	Env         string `json:"env"`
	MaintType   string `json:"maintType"`
	ServiceType string `json:"serviceType"`
	State       string `json:"state"`
	System      string `json:"system"`
	Title       string `json:"title"`
	TS          string `json:"ts"`
}

// systemStatus lists the maintenance that an injected fault makes.
func (s *Sim) systemStatus(c *call) (any, *apiError) {
	if state := c.query("state"); state != "" && !strings.Contains(state, "ongoing") {
		return []statusBody{}, nil
	}
	return s.maintenance(c.now), nil
}
