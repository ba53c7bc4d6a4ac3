package bybitsim

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// listing is one symbol of instruments-info: the exchange's instrument and the
// fields that only this venue has.
type listing struct {
	simcore.Instrument
	pricePlaces, qtyPlaces  int32
	tick, maxPrice          string
	step, maxQty, marketMax string
	leverage                string
	launchedAt              string
	// limitX and limitY bound limit prices around the mark price, limitX also those of
	// market orders.
	limitX, limitY string
	fundingCap     string
}

const notionalMin = "5"

var listings = listingsOf(`
symbol    start  pricePlaces  tick     maxPrice    step   maxQty     marketMax  leverage  launchedAt     limitX  limitY  fundingCap  halted
BTCUSDT   65000  2            0.10     1999999.80  0.001  1190.000   119.000    100.00    1584230400000  0.01    0.02    0.005       -
ETHUSDT   3200   2            0.01     199999.98   0.01   7240.00    724.00     100.00    1615766400000  0.02    0.04    0.005       -
SOLUSDT   150    3            0.010    1999.980    0.1    79770.0    17330.0    100.00    1634256000000  0.05    0.1     0.01        -
DOGEUSDT  0.15   5            0.00001  1.99998     1      22680000   5040000    75.00     1622592000000  0.05    0.1     0.01        -
XRPUSDT   2.2    4            0.0001   199.9998    0.1    2850450.0  570090.0   75.00     1620950400000  0.05    0.1     0.01        -
ADAUSDT   0.65   4            0.0001   199.9998    1      4060000    958000     75.00     1611100800000  0.05    0.1     0.01        -
BNBUSDT   620    2            0.10     19999.80    0.01   4820.00    870.00     50.00     1624924800000  0.05    0.1     0.01        -
LTCUSDT   95     2            0.01     199999.98   0.1    28740.0    6160.0     50.00     1514764800000  0.05    0.1     0.01        -
OMGUSDT   0.32   4            0.0001   199.9998    0.1    118690.0   29200.0    25.00     1630425600000  0.1     0.2     0.02        true
`)

func listingsOf(table string) []listing {
	rows := simnet.Table(table)
	all := make([]listing, 0, len(rows))
	for _, row := range rows {
		all = append(all, listing{
			Instrument: simcore.Instrument{
				Symbol: row["symbol"], Base: strings.TrimSuffix(row["symbol"], "USDT"), StartPrice: dec(row["start"]), Halted: row["halted"] != "",
			},
			pricePlaces: int32(simnet.Integer(row["pricePlaces"])), tick: row["tick"], maxPrice: row["maxPrice"],
			step: row["step"], maxQty: row["maxQty"], marketMax: row["marketMax"], leverage: row["leverage"],
			launchedAt: row["launchedAt"], limitX: row["limitX"], limitY: row["limitY"], fundingCap: row["fundingCap"],
		})
	}
	return all
}

// dec parses a constant of the tables.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

var zero = dec("0")

// copied returns the listing of another coin with the same properties, which trades.
func (l listing) copied(coin string, _ int) listing {
	l.Base, l.Symbol, l.Halted = coin, coin+"USDT", false
	return l
}

// complete fills the instrument from the fields of the venue.
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

// places returns how many decimals a constant is written with.
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

// brackets returns the risk tiers of a symbol: each has half the leverage of the one
// before, and the maintenance rate is half of the initial margin.
func brackets(leverageMax int) []simcore.Bracket {
	limits := []string{"2000000", "10000000", "50000000", "250000000", "1000000000"}
	tiers := make([]simnet.Tier, 0, len(limits))
	leverage := leverageMax
	for _, limit := range limits {
		rate := dec("0.5").DivRound(decimal.NewFromInt(int64(leverage)), 6)
		tiers = append(tiers, simnet.Tier{Leverage: leverage, Cap: limit, Rate: rate.String()})
		leverage = max(1, leverage/2)
	}
	return simnet.Brackets(tiers, true)
}

// price pads a price of the symbol.
func (l *listing) price(d decimal.Decimal) string { return d.StringFixed(l.pricePlaces) }

// qty pads a quantity of the symbol.
func (l *listing) qty(d decimal.Decimal) string { return d.StringFixed(l.qtyPlaces) }

// money prints at most eight decimals and truncates the rest.
func money(d decimal.Decimal) string { return d.Truncate(8).String() }

// orEmpty returns the empty string for zero.
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
