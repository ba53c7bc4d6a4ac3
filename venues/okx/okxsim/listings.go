package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// listing is one swap of the venue: the exchange's instrument and what only
// this venue says about it.
type listing struct {
	simcore.Instrument
	code      int64
	tick      string
	ctVal     string
	lot       string
	maxLimit  string
	maxMarket string
	leverage  int
	listedAt  string
	state     string
}

var listings = []listing{
	{
		Instrument: simcore.Instrument{Base: "BTC", StartPrice: dec("65000")}, code: 10459, tick: "0.1", ctVal: "0.01", lot: "0.01",
		maxLimit: "100000000", maxMarket: "35000", leverage: 100, listedAt: "1573557408000",
	},
	{
		Instrument: simcore.Instrument{Base: "ETH", StartPrice: dec("3200")}, code: 10461, tick: "0.01", ctVal: "0.1", lot: "0.01",
		maxLimit: "100000000", maxMarket: "90000", leverage: 100, listedAt: "1573557408000",
	},
	{
		Instrument: simcore.Instrument{Base: "SOL", StartPrice: dec("150")}, code: 10470, tick: "0.01", ctVal: "1", lot: "0.01",
		maxLimit: "100000000", maxMarket: "30000", leverage: 50, listedAt: "1611907686000",
	},
	{
		Instrument: simcore.Instrument{Base: "DOGE", StartPrice: dec("0.15")}, code: 10471, tick: "0.00001", ctVal: "1000", lot: "0.01",
		maxLimit: "100000000", maxMarket: "12000", leverage: 50, listedAt: "1611907686000",
	},
	{
		Instrument: simcore.Instrument{Base: "XRP", StartPrice: dec("2.2")}, code: 10472, tick: "0.0001", ctVal: "100", lot: "0.01",
		maxLimit: "100000000", maxMarket: "20000", leverage: 50, listedAt: "1573557408000",
	},
	{
		Instrument: simcore.Instrument{Base: "ADA", StartPrice: dec("0.65")}, code: 10473, tick: "0.0001", ctVal: "100", lot: "0.1",
		maxLimit: "100000000", maxMarket: "20000", leverage: 50, listedAt: "1611907686000",
	},
	{
		Instrument: simcore.Instrument{Base: "BNB", StartPrice: dec("620")}, code: 10474, tick: "0.1", ctVal: "0.01", lot: "1",
		maxLimit: "100000000", maxMarket: "50000", leverage: 50, listedAt: "1672300800000",
	},
	{
		Instrument: simcore.Instrument{Base: "LTC", StartPrice: dec("95")}, code: 10475, tick: "0.01", ctVal: "1", lot: "0.1",
		maxLimit: "100000000", maxMarket: "20000", leverage: 50, listedAt: "1573557408000",
	},
	{
		Instrument: simcore.Instrument{Base: "OMG", StartPrice: dec("0.32"), Halted: true}, code: 10476, tick: "0.0001", ctVal: "1", lot: "1",
		maxLimit: "100000000", maxMarket: "20000", leverage: 20, listedAt: "1611907686000", state: "suspend",
	},
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

// priceBand is how far from the mark price a limit order may buy above or sell
// below.
const priceBand = "0.05"

// complete fills the instrument from the venue's own fields.
func (l listing) complete() listing {
	i := &l.Instrument
	i.Symbol, i.Canonical, i.Quote = i.Base+"-USDT-SWAP", i.Base+"USDT", "USDT"
	i.TickSize, i.StepSize, i.ContractSize = dec(l.tick), dec(l.lot), dec(l.ctVal)
	i.QtyMin, i.QtyMax, i.MarketQtyMax = dec(l.lot), dec(l.maxLimit), dec(l.maxMarket)
	i.PriceBand, i.MarketBound = dec(priceBand), dec(priceBand)
	i.OpenOrdersMax = openOrdersMax
	i.LiquidationFee, i.FundingRate = dec("0.005"), dec("0.0001")
	i.Brackets = l.brackets()
	if l.state == "" {
		l.state = "live"
	}
	return l
}

// tier is one position tier: the leverage, the notional up to which it holds
// and the maintenance rate.
type tier struct {
	divisor int
	cap     string
	rate    string
}

var tiers = []tier{
	{1, "1000000", "0.004"}, {2, "5000000", "0.01"}, {5, "20000000", "0.02"}, {10, "60000000", "0.05"}, {20, "300000000", "0.1"},
}

// brackets are the tiers of a listing. The rate of a tier is that of all of a
// position, and not only of what lies in the tier.
func (l *listing) brackets() []simcore.Bracket {
	list := make([]simcore.Bracket, len(tiers))
	floor := decimal.Zero
	for i, t := range tiers {
		list[i] = simcore.Bracket{
			LeverageMax: l.leverage / t.divisor, NotionalFloor: floor, NotionalCap: dec(t.cap), MaintenanceRate: dec(t.rate),
		}
		floor = list[i].NotionalCap
	}
	return list
}

func (l *listing) family() string { return l.Base + "-USDT" }

// baseQty is contracts in base coin.
func (l *listing) baseQty(contracts decimal.Decimal) decimal.Decimal {
	return contracts.Mul(l.ContractSize)
}
