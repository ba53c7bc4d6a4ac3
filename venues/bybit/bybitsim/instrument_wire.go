package bybitsim

import (
	"strconv"
	"strings"
)

const (
	statusTrading    = "Trading"
	statusDelivering = "Delivering"
	fundingMinutes   = 480
)

type instrumentBody struct {
	Symbol             string         `json:"symbol"`
	ContractType       string         `json:"contractType"`
	Status             string         `json:"status"`
	BaseCoin           string         `json:"baseCoin"`
	QuoteCoin          string         `json:"quoteCoin"`
	LaunchTime         string         `json:"launchTime"`
	DeliveryTime       string         `json:"deliveryTime"`
	DeliveryFeeRate    string         `json:"deliveryFeeRate"`
	PriceScale         string         `json:"priceScale"`
	LeverageFilter     leverageFilter `json:"leverageFilter"`
	PriceFilter        priceFilter    `json:"priceFilter"`
	LotSizeFilter      lotSizeFilter  `json:"lotSizeFilter"`
	UnifiedMarginTrade bool           `json:"unifiedMarginTrade"`
	FundingInterval    int            `json:"fundingInterval"`
	SettleCoin         string         `json:"settleCoin"`
	CopyTrading        string         `json:"copyTrading"`
	UpperFundingRate   string         `json:"upperFundingRate"`
	LowerFundingRate   string         `json:"lowerFundingRate"`
	IsPreListing       bool           `json:"isPreListing"`
	PreListingInfo     *struct{}      `json:"preListingInfo"`
	RiskParameters     riskParameters `json:"riskParameters"`
	DisplayName        string         `json:"displayName"`
	SymbolType         string         `json:"symbolType"`
}

type leverageFilter struct {
	MinLeverage  string `json:"minLeverage"`
	MaxLeverage  string `json:"maxLeverage"`
	LeverageStep string `json:"leverageStep"`
}

type priceFilter struct {
	MinPrice string `json:"minPrice"`
	MaxPrice string `json:"maxPrice"`
	TickSize string `json:"tickSize"`
}

type lotSizeFilter struct {
	MaxOrderQty         string `json:"maxOrderQty"`
	MinOrderQty         string `json:"minOrderQty"`
	QtyStep             string `json:"qtyStep"`
	PostOnlyMaxOrderQty string `json:"postOnlyMaxOrderQty"`
	MaxMktOrderQty      string `json:"maxMktOrderQty"`
	MinNotionalValue    string `json:"minNotionalValue"`
}

type riskParameters struct {
	PriceLimitRatioX string `json:"priceLimitRatioX"`
	PriceLimitRatioY string `json:"priceLimitRatioY"`
}

// instrument returns a listing with its present state. A symbol that does not trade
// is being delisted.
func (s *Sim) instrument(l *listing) instrumentBody {
	status, delivery := statusTrading, "0"
	if now, ok := s.Exchange().Instrument(l.Symbol); ok && now.Halted {
		status, delivery = statusDelivering, l.launchedAt
	}
	return instrumentBody{
		Symbol: l.Symbol, ContractType: "LinearPerpetual", Status: status, BaseCoin: l.Base, QuoteCoin: l.Quote,
		LaunchTime: l.launchedAt, DeliveryTime: delivery, PriceScale: strconv.Itoa(int(l.pricePlaces)),
		LeverageFilter: leverageFilter{"1", l.leverage, "0.01"},
		PriceFilter:    priceFilter{MinPrice: l.tick, MaxPrice: l.maxPrice, TickSize: l.tick},
		LotSizeFilter: lotSizeFilter{
			MaxOrderQty: l.maxQty, MinOrderQty: l.step, QtyStep: l.step, PostOnlyMaxOrderQty: l.maxQty,
			MaxMktOrderQty: l.marketMax, MinNotionalValue: notionalMin,
		},
		UnifiedMarginTrade: true, FundingInterval: fundingMinutes, SettleCoin: l.Quote, CopyTrading: "both",
		UpperFundingRate: l.fundingCap, LowerFundingRate: "-" + strings.TrimPrefix(l.fundingCap, "-"),
		RiskParameters: riskParameters{l.limitX, l.limitY},
	}
}
