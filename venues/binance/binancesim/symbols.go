package binancesim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// listing is one symbol of exchangeInfo: the exchange's instrument and what
// only this venue says about it.
type listing struct {
	simcore.Instrument
	// pricePlaces and qtyPlaces are the decimals that the venue prints and
	// accepts. The tick is often coarser than pricePlaces.
	pricePlaces, qtyPlaces int32
	// tick, minPrice and maxPrice are printed as the venue writes them.
	tick, minPrice, maxPrice string
	step, maxQty, marketMax  string
	notionalMin              string
	onboardedAt              int64
	triggerProtect           string
	liquidationFee           string
	bound                    string
	subType                  string
	status                   string
}

// spot values of the venue's listing that are equal for all symbols.
const (
	perpetualDelivery = 4133404800000
	openOrdersMax     = 200
)

var listings = []listing{
	{
		Instrument: simcore.Instrument{Symbol: "BTCUSDT", Base: "BTC", StartPrice: dec("65000")}, pricePlaces: 2, qtyPlaces: 3,
		tick: "0.10", minPrice: "556.80", maxPrice: "4529764", step: "0.001", maxQty: "1000", marketMax: "120",
		notionalMin: "100", onboardedAt: 1569398400000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "PoW",
	},
	{
		Instrument: simcore.Instrument{Symbol: "ETHUSDT", Base: "ETH", StartPrice: dec("3200")}, pricePlaces: 2, qtyPlaces: 3,
		tick: "0.01", minPrice: "39.86", maxPrice: "306177", step: "0.001", maxQty: "10000", marketMax: "2000",
		notionalMin: "20", onboardedAt: 1569398400000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "Layer-1",
	},
	{
		Instrument: simcore.Instrument{Symbol: "SOLUSDT", Base: "SOL", StartPrice: dec("150")}, pricePlaces: 4, qtyPlaces: 2,
		tick: "0.0100", minPrice: "0.4200", maxPrice: "6857", step: "0.01", maxQty: "1000000", marketMax: "6000",
		notionalMin: "5", onboardedAt: 1600041600000, triggerProtect: "0.0500", liquidationFee: "0.015000", bound: "0.05", subType: "Layer-1",
	},
	{
		Instrument: simcore.Instrument{Symbol: "DOGEUSDT", Base: "DOGE", StartPrice: dec("0.15")}, pricePlaces: 6, qtyPlaces: 0,
		tick: "0.000010", minPrice: "0.002440", maxPrice: "30", step: "1", maxQty: "50000000", marketMax: "30000000",
		notionalMin: "5", onboardedAt: 1594310400000, triggerProtect: "0.1000", liquidationFee: "0.015000", bound: "0.10", subType: "Meme",
	},
	{
		Instrument: simcore.Instrument{Symbol: "XRPUSDT", Base: "XRP", StartPrice: dec("2.2")}, pricePlaces: 4, qtyPlaces: 1,
		tick: "0.0001", minPrice: "0.0143", maxPrice: "100000", step: "0.1", maxQty: "10000000", marketMax: "2000000",
		notionalMin: "5", onboardedAt: 1578297600000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "Payment",
	},
	{
		Instrument: simcore.Instrument{Symbol: "ADAUSDT", Base: "ADA", StartPrice: dec("0.65")}, pricePlaces: 5, qtyPlaces: 0,
		tick: "0.00010", minPrice: "0.00010", maxPrice: "20000", step: "1", maxQty: "6000000", marketMax: "2000000",
		notionalMin: "5", onboardedAt: 1580716800000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "Layer-1",
	},
	{
		Instrument: simcore.Instrument{Symbol: "BNBUSDT", Base: "BNB", StartPrice: dec("620")}, pricePlaces: 3, qtyPlaces: 2,
		tick: "0.010", minPrice: "6.600", maxPrice: "100000", step: "0.01", maxQty: "100000", marketMax: "2000",
		notionalMin: "5", onboardedAt: 1581321600000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "Layer-1",
	},
	{
		Instrument: simcore.Instrument{Symbol: "LTCUSDT", Base: "LTC", StartPrice: dec("95")}, pricePlaces: 2, qtyPlaces: 3,
		tick: "0.01", minPrice: "0.01", maxPrice: "100000", step: "0.001", maxQty: "20000", marketMax: "5000",
		notionalMin: "20", onboardedAt: 1577854800000, triggerProtect: "0.0500", liquidationFee: "0.012500", bound: "0.05", subType: "Payment",
	},
	{
		Instrument: simcore.Instrument{Symbol: "OMGUSDT", Base: "OMG", StartPrice: dec("0.32"), Halted: true}, pricePlaces: 4, qtyPlaces: 1,
		tick: "0.0001", minPrice: "0.1060", maxPrice: "1000", step: "0.1", maxQty: "1000000", marketMax: "100000",
		notionalMin: "5", onboardedAt: 1569398400000, triggerProtect: "0.1000", liquidationFee: "0.015000", bound: "0.10", subType: "Layer-2",
		status: "SETTLING",
	},
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

// complete fills the instrument from the venue's own fields.
func (l listing) complete() listing {
	i := &l.Instrument
	i.Quote = "USDT"
	i.TickSize, i.StepSize = dec(l.tick), dec(l.step)
	i.PriceMin, i.PriceMax = dec(l.minPrice), dec(l.maxPrice)
	i.QtyMin, i.QtyMax, i.MarketQtyMax = dec(l.step), dec(l.maxQty), dec(l.marketMax)
	i.NotionalMin = dec(l.notionalMin)
	i.PriceBand, i.MarketBound = dec(l.bound), dec(l.bound)
	i.OpenOrdersMax = openOrdersMax
	i.LiquidationFee = dec(l.liquidationFee)
	i.FundingRate = dec("0.0001")
	i.Brackets = brackets(altTiers)
	if i.Symbol == "BTCUSDT" || i.Symbol == "ETHUSDT" {
		i.Brackets = brackets(majorTiers)
	}
	if l.status == "" {
		l.status = "TRADING"
	}
	return l
}

type tier struct {
	leverage int
	cap      string
	rate     string
}

var majorTiers = []tier{
	{125, "50000", "0.004"},
	{100, "600000", "0.005"},
	{75, "3000000", "0.0065"},
	{50, "12000000", "0.01"},
	{25, "70000000", "0.02"},
	{20, "100000000", "0.025"},
	{10, "230000000", "0.05"},
	{5, "480000000", "0.1"},
	{4, "600000000", "0.125"},
	{3, "800000000", "0.15"},
	{2, "1200000000", "0.25"},
	{1, "1800000000", "0.5"},
}

var altTiers = []tier{
	{75, "10000", "0.0065"},
	{50, "50000", "0.01"},
	{40, "250000", "0.015"},
	{25, "500000", "0.02"},
	{20, "1000000", "0.025"},
	{10, "5000000", "0.05"},
	{5, "20000000", "0.1"},
	{4, "30000000", "0.125"},
	{2, "50000000", "0.25"},
	{1, "100000000", "0.5"},
}

// brackets adds the floors and the cumulative amounts, which follow from caps
// and rates.
func brackets(tiers []tier) []simcore.Bracket {
	list := make([]simcore.Bracket, len(tiers))
	floor, cum, rate := decimal.Zero, decimal.Zero, decimal.Zero
	for i, t := range tiers {
		next := dec(t.rate)
		if i > 0 {
			cum = cum.Add(floor.Mul(next.Sub(rate)))
		}
		list[i] = simcore.Bracket{
			LeverageMax: t.leverage, NotionalFloor: floor, NotionalCap: dec(t.cap),
			MaintenanceRate: next, MaintenanceCum: cum,
		}
		floor, rate = list[i].NotionalCap, next
	}
	return list
}
