package binancesim

// exchangeInfoBody is the listing in the venue's field order.
type exchangeInfoBody struct {
	Timezone        string       `json:"timezone"`
	ServerTime      int64        `json:"serverTime"`
	FuturesType     string       `json:"futuresType"`
	RateLimits      []limitBody  `json:"rateLimits"`
	ExchangeFilters []string     `json:"exchangeFilters"`
	Assets          []assetInfo  `json:"assets"`
	Symbols         []symbolInfo `json:"symbols"`
}

type limitBody struct {
	RateLimitType string `json:"rateLimitType"`
	Interval      string `json:"interval"`
	IntervalNum   int    `json:"intervalNum"`
	Limit         int    `json:"limit"`
}

type assetInfo struct {
	Asset             string `json:"asset"`
	MarginAvailable   bool   `json:"marginAvailable"`
	AutoAssetExchange string `json:"autoAssetExchange"`
}

type symbolInfo struct {
	Symbol                string   `json:"symbol"`
	Pair                  string   `json:"pair"`
	ContractType          string   `json:"contractType"`
	DeliveryDate          int64    `json:"deliveryDate"`
	OnboardDate           int64    `json:"onboardDate"`
	Status                string   `json:"status"`
	MaintMarginPercent    string   `json:"maintMarginPercent"`
	RequiredMarginPercent string   `json:"requiredMarginPercent"`
	BaseAsset             string   `json:"baseAsset"`
	QuoteAsset            string   `json:"quoteAsset"`
	MarginAsset           string   `json:"marginAsset"`
	PricePrecision        int32    `json:"pricePrecision"`
	QuantityPrecision     int32    `json:"quantityPrecision"`
	BaseAssetPrecision    int      `json:"baseAssetPrecision"`
	QuotePrecision        int      `json:"quotePrecision"`
	UnderlyingType        string   `json:"underlyingType"`
	UnderlyingSubType     []string `json:"underlyingSubType"`
	TriggerProtect        string   `json:"triggerProtect"`
	LiquidationFee        string   `json:"liquidationFee"`
	MarketTakeBound       string   `json:"marketTakeBound"`
	MaxMoveOrderLimit     int      `json:"maxMoveOrderLimit"`
	Filters               []filter `json:"filters"`
	OrderTypes            []string `json:"orderTypes"`
	TimeInForce           []string `json:"timeInForce"`
	PermissionSets        []string `json:"permissionSets"`
}

// filter is any of the venue's filters; the fields that a kind does not have
// are empty.
type filter struct {
	FilterType          string `json:"filterType"`
	MaxPrice            string `json:"maxPrice,omitempty"`
	MinPrice            string `json:"minPrice,omitempty"`
	TickSize            string `json:"tickSize,omitempty"`
	StepSize            string `json:"stepSize,omitempty"`
	MaxQty              string `json:"maxQty,omitempty"`
	MinQty              string `json:"minQty,omitempty"`
	Limit               int    `json:"limit,omitempty"`
	Notional            string `json:"notional,omitempty"`
	MultiplierUp        string `json:"multiplierUp,omitempty"`
	MultiplierDown      string `json:"multiplierDown,omitempty"`
	MultiplierDecimal   string `json:"multiplierDecimal,omitempty"`
	PositionControlSide string `json:"positionControlSide,omitempty"`
}

func (s *Sim) exchangeInfo(*call) (any, *apiError) {
	body := exchangeInfoBody{
		Timezone: "UTC", ServerTime: s.Clock.Now().UnixMilli(), FuturesType: "U_MARGINED",
		RateLimits: s.rateLimits(), ExchangeFilters: []string{},
		Assets: []assetInfo{{Asset: "USDT", MarginAvailable: true, AutoAssetExchange: "-10000"}},
	}
	for _, name := range s.symbols {
		body.Symbols = append(body.Symbols, s.symbolInfo(s.listings[name]))
	}
	return body, nil
}

func (s *Sim) rateLimits() []limitBody {
	const unlimited = 1_000_000_000
	shown := func(n int) int {
		if n < 0 {
			return unlimited
		}
		return n
	}
	limits := s.options.RateLimits
	return []limitBody{
		{RateLimitType: "REQUEST_WEIGHT", Interval: "MINUTE", IntervalNum: 1, Limit: shown(limits.WeightPerMinute)},
		{RateLimitType: "ORDERS", Interval: "MINUTE", IntervalNum: 1, Limit: shown(limits.OrdersPerMinute)},
		{RateLimitType: "ORDERS", Interval: "SECOND", IntervalNum: 10, Limit: shown(limits.OrdersPer10s)},
	}
}

func (s *Sim) symbolInfo(l *listing) symbolInfo {
	return symbolInfo{
		Symbol: l.Symbol, Pair: l.Symbol, ContractType: "PERPETUAL", DeliveryDate: perpetualDelivery,
		OnboardDate: l.onboardedAt, Status: statusOf(s.halted(l)),
		MaintMarginPercent: "2.5000", RequiredMarginPercent: "5.0000",
		BaseAsset: l.Base, QuoteAsset: l.Quote, MarginAsset: l.Quote,
		PricePrecision: l.pricePlaces, QuantityPrecision: l.qtyPlaces, BaseAssetPrecision: 8, QuotePrecision: 8,
		UnderlyingType: "COIN", UnderlyingSubType: []string{l.subType},
		TriggerProtect: l.triggerProtect, LiquidationFee: l.liquidationFee, MarketTakeBound: l.bound, MaxMoveOrderLimit: 10000,
		Filters:        l.filters(),
		OrderTypes:     []string{"LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"},
		TimeInForce:    []string{"GTC", "IOC", "FOK", "GTX", "GTD"},
		PermissionSets: []string{"GRID", "COPY", "DCA", "PSB"},
	}
}

func (s *Sim) halted(l *listing) bool {
	now, _ := s.Exchange().Instrument(l.Symbol)
	return now.Halted
}

// statusOf returns the venue's status of a symbol.
func statusOf(halted bool) string {
	if halted {
		return "TRADING_HALT"
	}
	return "TRADING"
}

func (l *listing) filters() []filter {
	up, down := one.Add(l.PriceBand).StringFixed(4), one.Sub(l.PriceBand).StringFixed(4)
	return []filter{
		{FilterType: "PRICE_FILTER", MaxPrice: l.maxPrice, MinPrice: l.minPrice, TickSize: l.tick},
		{FilterType: "LOT_SIZE", StepSize: l.step, MaxQty: l.maxQty, MinQty: l.step},
		{FilterType: "MARKET_LOT_SIZE", StepSize: l.step, MaxQty: l.marketMax, MinQty: l.step},
		{FilterType: "MAX_NUM_ORDERS", Limit: openOrdersMax},
		{FilterType: "MIN_NOTIONAL", Notional: l.notionalMin},
		{FilterType: "PERCENT_PRICE", MultiplierUp: up, MultiplierDown: down, MultiplierDecimal: "4"},
		{FilterType: "POSITION_RISK_CONTROL", PositionControlSide: "NONE"},
	}
}

var one = dec("1")
