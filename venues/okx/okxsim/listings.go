package okxsim

import (
	"cmp"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// listing is one swap of the venue: the exchange's instrument and the fields that
// only this venue has.
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

var listings = listingsOf(`
base  start  code   tick     ctVal  lot   maxLimit   maxMarket  leverage  listedAt       state
BTC   65000  10459  0.1      0.01   0.01  100000000  35000      100       1573557408000  -
ETH   3200   10461  0.01     0.1    0.01  100000000  90000      100       1573557408000  -
SOL   150    10470  0.01     1      0.01  100000000  30000      50        1611907686000  -
DOGE  0.15   10471  0.00001  1000   0.01  100000000  12000      50        1611907686000  -
XRP   2.2    10472  0.0001   100    0.01  100000000  20000      50        1573557408000  -
ADA   0.65   10473  0.0001   100    0.1   100000000  20000      50        1611907686000  -
BNB   620    10474  0.1      0.01   1     100000000  50000      50        1672300800000  -
LTC   95     10475  0.01     1      0.1   100000000  20000      50        1573557408000  -
OMG   0.32   10476  0.0001   1      1     100000000  20000      20        1611907686000  suspend
`)

func listingsOf(table string) []listing {
	rows := simnet.Table(table)
	all := make([]listing, 0, len(rows))
	for _, row := range rows {
		all = append(all, listing{
			Instrument: simcore.Instrument{Base: row["base"], StartPrice: dec(row["start"]), Halted: row["state"] != ""},
			code:       simnet.Integer(row["code"]), tick: row["tick"], ctVal: row["ctVal"], lot: row["lot"],
			maxLimit: row["maxLimit"], maxMarket: row["maxMarket"], leverage: int(simnet.Integer(row["leverage"])),
			listedAt: row["listedAt"], state: row["state"],
		})
	}
	return all
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

// priceBand is how far from the mark price a limit order may buy above or sell
// below.
const priceBand = "0.05"

// copiedCodes is below the codes of copied listings.
const copiedCodes = 20_000

// copied returns the listing of another coin with the same properties, which trades.
func (l listing) copied(coin string, n int) listing {
	l.Base, l.code, l.state, l.Halted = coin, copiedCodes+int64(n), "", false
	return l
}

// complete fills the instrument from the fields of the venue.
func (l listing) complete() listing {
	i := &l.Instrument
	i.Symbol, i.Canonical, i.Quote = i.Base+"-USDT-SWAP", i.Base+"USDT", "USDT"
	i.TickSize, i.StepSize, i.ContractSize = dec(l.tick), dec(l.lot), dec(l.ctVal)
	i.QtyMin, i.QtyMax, i.MarketQtyMax = dec(l.lot), dec(l.maxLimit), dec(l.maxMarket)
	i.PriceBand, i.MarketBound = dec(priceBand), dec(priceBand)
	i.OpenOrdersMax = openOrdersMax
	i.LiquidationFee, i.FundingRate = dec("0.005"), dec("0.0001")
	i.Brackets = l.brackets()
	l.state = cmp.Or(l.state, "live")
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

// brackets returns the tiers of a listing. The rate of a tier holds for the whole
// position and not only for the notional within the tier.
func (l *listing) brackets() []simcore.Bracket {
	list := make([]simnet.Tier, len(tiers))
	for i, t := range tiers {
		list[i] = simnet.Tier{Leverage: l.leverage / t.divisor, Cap: t.cap, Rate: t.rate}
	}
	return simnet.Brackets(list, false)
}

func (l *listing) family() string { return l.Base + "-USDT" }

// baseQty converts contracts to base coin.
func (l *listing) baseQty(contracts decimal.Decimal) decimal.Decimal {
	return contracts.Mul(l.ContractSize)
}
