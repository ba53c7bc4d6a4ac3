package binancesim

import (
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// listing is one symbol of exchangeInfo: the exchange's instrument and the fields
// that only this venue has.
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
}

// wideIDs is the symbol whose order ids are above 2^53, so that a client that reads
// them as floats fails. Of the recorded messages only some of ETHUSDT have such ids;
// clients in JavaScript can trade the others.
const wideIDs = "ETHUSDT"

// Values that are the same for all symbols.
const (
	perpetualDelivery = 4133404800000
	openOrdersMax     = 200
)

var listings = listingsOf(`
symbol    start  pricePlaces  qtyPlaces  tick      minPrice  maxPrice  step   maxQty    marketMax  notionalMin  onboardedAt    triggerProtect  liquidationFee  bound  subType  halted
BTCUSDT   65000  2            3          0.10      556.80    4529764   0.001  1000      120        100          1569398400000  0.0500          0.012500        0.05   PoW      -
ETHUSDT   3200   2            3          0.01      39.86     306177    0.001  10000     2000       20           1569398400000  0.0500          0.012500        0.05   Layer-1  -
SOLUSDT   150    4            2          0.0100    0.4200    6857      0.01   1000000   6000       5            1600041600000  0.0500          0.015000        0.05   Layer-1  -
DOGEUSDT  0.15   6            0          0.000010  0.002440  30        1      50000000  30000000   5            1594310400000  0.1000          0.015000        0.10   Meme     -
XRPUSDT   2.2    4            1          0.0001    0.0143    100000    0.1    10000000  2000000    5            1578297600000  0.0500          0.012500        0.05   Payment  -
ADAUSDT   0.65   5            0          0.00010   0.00010   20000     1      6000000   2000000    5            1580716800000  0.0500          0.012500        0.05   Layer-1  -
BNBUSDT   620    3            2          0.010     6.600     100000    0.01   100000    2000       5            1581321600000  0.0500          0.012500        0.05   Layer-1  -
LTCUSDT   95     2            3          0.01      0.01      100000    0.001  20000     5000       20           1577854800000  0.0500          0.012500        0.05   Payment  -
OMGUSDT   0.32   4            1          0.0001    0.1060    1000      0.1    1000000   100000     5            1569398400000  0.1000          0.015000        0.10   Layer-2  true
`)

func listingsOf(table string) []listing {
	rows := simnet.Table(table)
	all := make([]listing, 0, len(rows))
	for _, row := range rows {
		all = append(all, listing{
			Instrument: simcore.Instrument{
				Symbol: row["symbol"], Base: strings.TrimSuffix(row["symbol"], "USDT"), StartPrice: dec(row["start"]), Halted: row["halted"] != "",
			},
			pricePlaces: int32(simnet.Integer(row["pricePlaces"])), qtyPlaces: int32(simnet.Integer(row["qtyPlaces"])),
			tick: row["tick"], minPrice: row["minPrice"], maxPrice: row["maxPrice"],
			step: row["step"], maxQty: row["maxQty"], marketMax: row["marketMax"],
			notionalMin: row["notionalMin"], onboardedAt: simnet.Integer(row["onboardedAt"]),
			triggerProtect: row["triggerProtect"], liquidationFee: row["liquidationFee"], bound: row["bound"],
			subType: row["subType"],
		})
	}
	return all
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

// copied returns the listing of another coin with the same properties, which trades.
func (l listing) copied(coin string, _ int) listing {
	l.Base, l.Symbol, l.Halted = coin, coin+"USDT", false
	return l
}

// complete fills the instrument from the fields of the venue.
func (l listing) complete() listing {
	i := &l.Instrument
	i.Quote = "USDT"
	i.TickSize, i.StepSize = dec(l.tick), dec(l.step)
	i.PriceMin, i.PriceMax = dec(l.minPrice), dec(l.maxPrice)
	i.QtyMin, i.QtyMax, i.MarketQtyMax = dec(l.step), dec(l.maxQty), dec(l.marketMax)
	i.NotionalMin = dec(l.notionalMin)
	i.PriceBand, i.MarketBound = dec(l.bound), dec(l.bound)
	i.OpenOrdersMax = openOrdersMax
	i.ShortOrderIDs = i.Symbol != wideIDs
	i.LiquidationFee = dec(l.liquidationFee)
	i.FundingRate = dec("0.0001")
	i.Brackets = simnet.Brackets(altTiers, true)
	if i.Symbol == "BTCUSDT" || i.Symbol == "ETHUSDT" {
		i.Brackets = simnet.Brackets(majorTiers, true)
	}
	return l
}

var majorTiers = simnet.Tiers(`
leverage  cap         rate
125       50000       0.004
100       600000      0.005
75        3000000     0.0065
50        12000000    0.01
25        70000000    0.02
20        100000000   0.025
10        230000000   0.05
5         480000000   0.1
4         600000000   0.125
3         800000000   0.15
2         1200000000  0.25
1         1800000000  0.5
`)

var altTiers = simnet.Tiers(`
leverage  cap        rate
75        10000      0.0065
50        50000      0.01
40        250000     0.015
25        500000     0.02
20        1000000    0.025
10        5000000    0.05
5         20000000   0.1
4         30000000   0.125
2         50000000   0.25
1         100000000  0.5
`)
