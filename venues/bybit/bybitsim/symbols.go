package bybitsim

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// listing is one symbol of instruments-info: the exchange's instrument and what
// only this venue says about it.
type listing struct {
	simcore.Instrument
	pricePlaces, qtyPlaces  int32
	tick, maxPrice          string
	step, maxQty, marketMax string
	leverage                string
	launchedAt              string
	// limitX and limitY bound limit prices around the mark price, limitX those of
	// market orders too.
	limitX, limitY string
	fundingCap     string
}

const notionalMin = "5"

var listings = []listing{
	{
		Instrument: simcore.Instrument{Symbol: "BTCUSDT", Base: "BTC", StartPrice: dec("65000")}, pricePlaces: 2,
		tick: "0.10", maxPrice: "1999999.80", step: "0.001", maxQty: "1190.000", marketMax: "119.000", leverage: "100.00",
		launchedAt: "1584230400000", limitX: "0.01", limitY: "0.02", fundingCap: "0.005",
	},
	{
		Instrument: simcore.Instrument{Symbol: "ETHUSDT", Base: "ETH", StartPrice: dec("3200")}, pricePlaces: 2,
		tick: "0.01", maxPrice: "199999.98", step: "0.01", maxQty: "7240.00", marketMax: "724.00", leverage: "100.00",
		launchedAt: "1615766400000", limitX: "0.02", limitY: "0.04", fundingCap: "0.005",
	},
	{
		Instrument: simcore.Instrument{Symbol: "SOLUSDT", Base: "SOL", StartPrice: dec("150")}, pricePlaces: 3,
		tick: "0.010", maxPrice: "1999.980", step: "0.1", maxQty: "79770.0", marketMax: "17330.0", leverage: "100.00",
		launchedAt: "1634256000000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "DOGEUSDT", Base: "DOGE", StartPrice: dec("0.15")}, pricePlaces: 5,
		tick: "0.00001", maxPrice: "1.99998", step: "1", maxQty: "22680000", marketMax: "5040000", leverage: "75.00",
		launchedAt: "1622592000000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "XRPUSDT", Base: "XRP", StartPrice: dec("2.2")}, pricePlaces: 4,
		tick: "0.0001", maxPrice: "199.9998", step: "0.1", maxQty: "2850450.0", marketMax: "570090.0", leverage: "75.00",
		launchedAt: "1620950400000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "ADAUSDT", Base: "ADA", StartPrice: dec("0.65")}, pricePlaces: 4,
		tick: "0.0001", maxPrice: "199.9998", step: "1", maxQty: "4060000", marketMax: "958000", leverage: "75.00",
		launchedAt: "1611100800000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "BNBUSDT", Base: "BNB", StartPrice: dec("620")}, pricePlaces: 2,
		tick: "0.10", maxPrice: "19999.80", step: "0.01", maxQty: "4820.00", marketMax: "870.00", leverage: "50.00",
		launchedAt: "1624924800000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "LTCUSDT", Base: "LTC", StartPrice: dec("95")}, pricePlaces: 2,
		tick: "0.01", maxPrice: "199999.98", step: "0.1", maxQty: "28740.0", marketMax: "6160.0", leverage: "50.00",
		launchedAt: "1514764800000", limitX: "0.05", limitY: "0.1", fundingCap: "0.01",
	},
	{
		Instrument: simcore.Instrument{Symbol: "OMGUSDT", Base: "OMG", StartPrice: dec("0.32"), Halted: true}, pricePlaces: 4,
		tick: "0.0001", maxPrice: "199.9998", step: "0.1", maxQty: "118690.0", marketMax: "29200.0", leverage: "25.00",
		launchedAt: "1630425600000", limitX: "0.1", limitY: "0.2", fundingCap: "0.02",
	},
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

var zero = dec("0")

// complete fills the instrument from the venue's own fields.
func (l listing) complete() listing {
	i := &l.Instrument
	i.Quote = "USDT"
	i.TickSize, i.StepSize = dec(trimZeros(l.tick)), dec(l.step)
	i.PriceMin, i.PriceMax = i.TickSize, dec(l.maxPrice)
	i.QtyMin, i.QtyMax, i.MarketQtyMax = i.StepSize, dec(l.maxQty), dec(l.marketMax)
	i.NotionalMin = dec(notionalMin)
	i.MarketBound = dec(l.limitX)
	i.OpenOrdersMax = openOrdersMax
	i.LiquidationFee = dec("0.0055")
	i.FundingRate = dec("0.0001")
	i.Brackets = brackets(int(dec(l.leverage).IntPart()))
	l.qtyPlaces = places(l.step)
	return l
}

// places is how many decimals a constant is written with.
func places(text string) int32 {
	_, fraction, _ := strings.Cut(text, ".")
	return int32(len(fraction))
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// brackets are risk tiers: each halves the leverage and grows tenfold at first,
// then fivefold.
func brackets(leverageMax int) []simcore.Bracket {
	caps := []string{"2000000", "10000000", "50000000", "250000000", "1000000000"}
	list := make([]simcore.Bracket, len(caps))
	floor, cum, rate := zero, zero, zero
	leverage := leverageMax
	for i, limit := range caps {
		next := dec("0.5").DivRound(decimal.NewFromInt(int64(leverage)), 6)
		if i > 0 {
			cum = cum.Add(floor.Mul(next.Sub(rate)))
		}
		list[i] = simcore.Bracket{
			LeverageMax: leverage, NotionalFloor: floor, NotionalCap: dec(limit), MaintenanceRate: next, MaintenanceCum: cum,
		}
		floor, rate, leverage = list[i].NotionalCap, next, max(1, leverage/2)
	}
	return list
}

// price pads a price of the symbol.
func (l *listing) price(d decimal.Decimal) string { return d.StringFixed(l.pricePlaces) }

// qty pads a quantity of the symbol.
func (l *listing) qty(d decimal.Decimal) string { return d.StringFixed(l.qtyPlaces) }

// money prints at most eight decimals; what lies beyond is cut off.
func money(d decimal.Decimal) string { return d.Truncate(8).String() }

// orEmpty prints nothing for zero.
func orEmpty(d decimal.Decimal) string {
	if d.IsZero() {
		return ""
	}
	return money(d)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
