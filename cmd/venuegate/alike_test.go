package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// chapter is one answer or message of the scenario: its members with their kinds,
// and what must have the same value on every venue.
type chapter struct {
	name  string
	shape string
	means string
}

// TestVenuesAreAlike tells one story on all three venues and compares every
// answer and every message: names, kinds, units and meaning are the same, whatever
// the venue.
func TestVenuesAreAlike(t *testing.T) {
	s := startService(t, t.TempDir())
	first := tell(t, s, venues.All()[0])
	for _, venue := range venues.All()[1:] {
		for i, c := range tell(t, s, venue) {
			if c != first[i] {
				t.Errorf("%s, %s:\n got %s %s\nwant %s %s", venue, c.name, c.shape, c.means, first[i].shape, first[i].means)
			}
		}
	}
}

// tell goes through the life of orders on one venue.
func tell(t *testing.T, s *service, venue venues.Venue) []chapter {
	t.Helper()
	var story []chapter
	add := func(name string, r record, means ...string) {
		var values []string
		for _, member := range means {
			values = append(values, member+"="+fmt.Sprint(r[member]))
		}
		story = append(story, chapter{name, shapeOf(map[string]any(r)), strings.Join(values, " ")})
	}
	post := func(status int, path, body string) record {
		return s.trade(status, http.MethodPost, path, fmt.Sprintf(`{"exchange":%q,"symbol":"BTC/USDT:USDT",%s}`, venue, body))
	}
	stream := s.subscribe("book:"+string(venue)+":BTCUSDT:5", "trades:"+string(venue)+":BTCUSDT", "kline:"+string(venue)+":BTCUSDT:1m")
	private := s.subscribe("orders", "positions")
	add("instrument", s.trade(http.StatusOK, http.MethodGet, "/v1/instruments?symbol=BTCUSDT&exchange="+string(venue), "").items()[0],
		"symbol", "kind", "status", "baseCurrency", "quoteCurrency", "settleCurrency")

	faults := func(name string, status int, body string, means ...string) {
		fault, _ := post(status, "/v1/orders", body)["error"].(map[string]any)
		add(name, record(fault), means...)
	}
	faults("price off the tick", http.StatusBadRequest, `"side":"buy","type":"limit","qty":"0.02","price":"64000.05"`, "code", "details")
	faults("quantity below the least", http.StatusBadRequest, `"side":"buy","type":"limit","qty":"0.0000001","price":"64000"`, "code")

	market := post(http.StatusCreated, "/v1/orders", `"side":"buy","type":"market","qty":"0.02"`)
	add("market order", market, "symbol", "status", "qty", "filledQty", "remainingQty", "timeInForce", "feeCurrency", "source")
	limit := post(http.StatusCreated, "/v1/orders", `"side":"buy","type":"limit","qty":"0.02","price":"64000"`)
	add("limit order", limit, "symbol", "status", "qty", "filledQty", "price", "timeInForce")
	amended := s.trade(http.StatusOK, http.MethodPatch, "/v1/orders/"+limit.text("orderId"), `{"price":"63900","qty":"0.03"}`)
	add("amended order", amended, "status", "qty", "price", "pendingAction")
	add("cancelled order", s.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+amended.text("orderId"), ""), "status", "filledQty", "remainingQty", "error")
	add("cancelled twice", detailsOf(s.trade(http.StatusNotFound, http.MethodDelete, "/v1/orders/"+amended.text("orderId"), "")), "status")
	crossing := post(http.StatusCreated, "/v1/orders", `"side":"buy","type":"limit","qty":"0.02","price":"66500","postOnly":true`)
	add("post-only that would take", record{"status": crossing.text("status"), "reason": crossing.text("error", "reason")}, "status", "reason")
	stop := post(http.StatusCreated, "/v1/orders", `"side":"sell","type":"stop_market","qty":"0.02","triggerPrice":"50000","reduceOnly":true`)
	add("stop order", stop, "status", "triggerPrice", "reduceOnly", "price")
	add("cancelled stop", s.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+stop.text("orderId"), ""), "status")

	add("leverage", post(http.StatusOK, "/v1/positions/leverage", `"leverage":"7"`), "symbol", "leverage")
	add("leverage above the maximum", detailsOf(post(http.StatusUnprocessableEntity, "/v1/positions/leverage", `"leverage":"9999"`)), "reason")
	add("too much margin", record{"code": post(http.StatusUnprocessableEntity, "/v1/orders", `"side":"buy","type":"limit","qty":"20","price":"64000"`).text("error", "code")}, "code")
	time.Sleep(1100 * time.Millisecond) // funds older than a second are read anew
	add("position", s.trade(http.StatusOK, http.MethodGet, "/v1/positions?exchange="+string(venue), "").items()[0], "symbol", "side", "qty", "leverage", "marginMode", "liquidationPrice")
	add("account", s.trade(http.StatusOK, http.MethodGet, "/v1/account?exchange="+string(venue), "").items()[0], "currency")
	add("close", post(http.StatusCreated, "/v1/positions/close", `"requestId":"close-`+string(venue)+`"`), "status", "side", "filledQty", "reduceOnly")
	add("fill", s.trade(http.StatusOK, http.MethodGet, "/v1/fills?limit=1&exchange="+string(venue), "").items()[0], "symbol", "side", "qty", "feeCurrency", "liquidity", "source")

	for _, channel := range []string{"orders", "positions"} {
		message := private.until(channel, func(m record) bool {
			return m.text("channel") == channel && m.text("data", "exchange") == string(venue)
		})
		if data, ok := message["data"].(map[string]any); ok && channel == "positions" {
			// Events of Binance do not tell them; they come with the next reading.
			delete(data, "leverage")
			delete(data, "markPrice")
		}
		add(channel+" message", record{"shape": shapeOf(map[string]any(message))}, "shape")
	}
	for _, channel := range []string{"book", "trades", "kline"} {
		message := stream.until(channel, func(m record) bool {
			return strings.HasPrefix(m.text("channel"), channel+":") && (channel != "book" || m.text("type") == "snapshot")
		})
		delete(message, "channel")
		add(channel+" message", record{"shape": shapeOf(map[string]any(message))}, "shape")
	}
	return story
}

func detailsOf(answer record) record {
	fault, _ := answer["error"].(map[string]any)
	details, _ := fault["details"].(map[string]any)
	return details
}

// shapeOf names members and their kinds. Strings that are numbers are told apart
// from others; what a venue may not know is not compared by its presence.
func shapeOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var members []string
		for name, member := range v {
			if !slices.Contains(mayBeUnknown, name) {
				members = append(members, name+":"+shapeOf(member))
			}
		}
		slices.Sort(members)
		return "{" + strings.Join(members, " ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shapeOf(v[0]) + "]"
	case string:
		if _, err := venues.ParseDecimal(v); err == nil {
			return "decimal"
		}
		return "text"
	default:
		return fmt.Sprintf("%T", value)
	}
}

// mayBeUnknown are members that a venue has or has not, and words of the venue's
// own.
var mayBeUnknown = []string{
	"minNotional", "maxLeverage", "maxQty", "maxMarketQty", "venueSymbol", "venueCode", "venueMessage",
	"accountType", "venueOrderId", "venueTradeId", "id", "venueTs", "liquidationPrice",
}
