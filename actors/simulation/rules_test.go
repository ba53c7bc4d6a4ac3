package simulation_test

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// rules are the differences between kinds of venue.
type rules struct {
	exchange venues.Venue
	caps     venues.Capabilities
	core     simcore.Options
}

// venueRules are the rules of the three connectors: their capabilities and the behaviour
// of their simulators.
func venueRules(exchange venues.Venue) rules {
	switch exchange {
	case venues.Binance:
		return rules{
			exchange: exchange,
			caps:     venues.Capabilities{SharedReadLimit: true, AbsenceAfter: 10 * time.Second, UnfilledRetention: 72 * time.Hour},
		}
	case venues.Bybit:
		return rules{
			exchange: exchange,
			caps: venues.Capabilities{
				AttachedProtection: true, AmendStops: true, AsyncAck: true, StreamSnapshots: true, ClientIDUniqueForever: true,
				AbsenceAfter: 10 * time.Second, UnfilledRetention: 24 * time.Hour,
			},
			core: simcore.Options{ClientIDs: simcore.UniqueForever, CrossingCancels: true, TriggeredKeepsID: true, AmendKeepsPriority: true},
		}
	default:
		return rules{
			exchange: exchange,
			caps: venues.Capabilities{
				AttachedProtection: true, AmendStops: true, AsyncAck: true, StreamSnapshots: true,
				AbsenceAfter: 10 * time.Second, UnfilledRetention: 2 * time.Hour,
			},
			core: simcore.Options{CrossingCancels: true},
		}
	}
}

// symbols are the instruments of every venue.
var symbols = []string{"BTCUSDT", "ETHUSDT"}

const (
	tick       = "1"
	step       = "0.01"
	startPrice = 20_000
	bookDepth  = 8
)

func listing(symbols []string) []simcore.Instrument {
	var list []simcore.Instrument
	for _, symbol := range symbols {
		list = append(list, simcore.Instrument{
			Symbol: symbol, Canonical: symbol, Base: symbol[:3], Quote: "USDT",
			TickSize: dec(tick), StepSize: dec(step),
			PriceMin: dec("1"), PriceMax: dec("1000000"), QtyMin: dec(step), QtyMax: dec("1000"), MarketQtyMax: dec("1000"),
			NotionalMin: dec("5"), OpenOrdersMax: 200, StartPrice: decimal.NewFromInt(startPrice),
			Brackets: []simcore.Bracket{{LeverageMax: 50, NotionalCap: dec("100000000"), MaintenanceRate: dec("0.004")}},
		})
	}
	return list
}

// instrumentsOf returns the instruments as a connector reads them.
func instrumentsOf(exchange venues.Venue, symbols []string) []venues.Instrument {
	var list []venues.Instrument
	for _, symbol := range symbols {
		list = append(list, venues.Instrument{
			Symbol: symbol, Exchange: exchange, Kind: venues.KindPerpetual, Status: venues.InstrumentTrading, VenueSymbol: symbol,
			TickSize: dec(tick), QtyStep: dec(step), MinQty: dec(step), ContractSize: dec("1"),
			BaseCurrency: symbol[:3], QuoteCurrency: "USDT", SettleCurrency: "USDT",
		})
	}
	return list
}

func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }
