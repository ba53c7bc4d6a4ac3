package binancesim_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

// rejection is a call that the venue rejects, with its error.
type rejection struct {
	name    string
	method  string
	path    string
	params  string
	status  int
	code    int
	message string
}

const (
	orderPath = "/fapi/v1/order"
	algoPath  = "/fapi/v1/algoOrder"
)

// limitBuy is a valid limit order; tests override its parameters.
func limitBuy(replace ...string) string {
	params := map[string]string{
		"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.010", "price": "60000.0",
	}
	return with(params, []string{"symbol", "side", "type", "timeInForce", "quantity", "price"}, replace)
}

func stopSell(replace ...string) string {
	params := map[string]string{
		"algoType": "CONDITIONAL", "symbol": "BTCUSDT", "side": "SELL", "type": "STOP_MARKET", "quantity": "0.010", "triggerPrice": "60000.0",
	}
	return with(params, []string{"algoType", "symbol", "side", "type", "quantity", "triggerPrice"}, replace)
}

// with joins parameters after replacing "name=value" ones; "name=" removes one.
func with(params map[string]string, order, replace []string) string {
	for _, r := range replace {
		name, value, _ := strings.Cut(r, "=")
		if _, present := params[name]; !present {
			order = append(order, name)
		}
		params[name] = value
	}
	var pairs []string
	for _, name := range order {
		if params[name] != "" {
			pairs = append(pairs, name+"="+params[name])
		}
	}
	return strings.Join(pairs, "&")
}

func TestOrderRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy("newClientOrderId=taken"))
		post := func(name, params string, code int, message string) rejection {
			return rejection{name, http.MethodPost, orderPath, params, http.StatusBadRequest, code, message}
		}
		v.expectRejections(t, []rejection{
			post("no symbol", limitBuy("symbol="), -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed."),
			post("unknown symbol", limitBuy("symbol=NOPEUSDT"), -1121, "Invalid symbol."),
			post("unknown symbol before all else", limitBuy("symbol=NOPEUSDT", "side=", "type="), -1121, "Invalid symbol."),
			post("no side", limitBuy("side="), -1102, "Mandatory parameter 'side' was not sent, was empty/null, or malformed."),
			post("no type", limitBuy("type="), -1102, "Mandatory parameter 'type' was not sent, was empty/null, or malformed."),
			post("bad side", limitBuy("side=LONG"), -1117, "Invalid side."),
			post("bad type", limitBuy("type=LIMIT_MAKER"), -1116, "Invalid orderType."),
			post("conditional type", limitBuy("type=STOP_MARKET"), -4120, "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead."),
			post("no quantity", limitBuy("quantity="), -1102, "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed."),
			post("no price", limitBuy("price="), -1102, "Mandatory parameter 'price' was not sent, was empty/null, or malformed."),
			post("no time in force", limitBuy("timeInForce="), -1102, "Mandatory parameter 'timeInForce' was not sent, was empty/null, or malformed."),
			post("bad time in force", limitBuy("timeInForce=DAY"), -1115, "Invalid timeInForce."),
			post("market with time in force", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1&timeInForce=GTC", -1114, "TimeInForce parameter sent when not required."),
			post("market with price", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=1&price=1", -1106, "Parameter 'price' sent when not required."),
			post("exponent", limitBuy("quantity=1e3"), -1102, "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed."),
			post("price precision", limitBuy("price=60000.001"), -1111, "Precision is over the maximum defined for this asset."),
			post("quantity precision", limitBuy("quantity=0.0100"), -1111, "Precision is over the maximum defined for this asset."),
			post("tick", limitBuy("price=60000.05"), -4014, "Price not increased by tick size."),
			post("price low", limitBuy("price=556.7"), -4013, "Price less than min price."),
			post("price high", limitBuy("price=4529765"), -4002, "Price greater than max price."),
			post("price zero", limitBuy("price=0"), -4001, "Price less than 0."),
			post("quantity zero", limitBuy("quantity=0"), -4003, "Quantity less than or equal to zero."),
			post("quantity high", limitBuy("quantity=1000.001"), -4005, "Quantity greater than max quantity."),
			post("above the band", limitBuy("price=68250.1"), -4016, "Limit price can't be higher than 68250.00."),
			post("below the band", limitBuy("side=SELL", "price=61749.9"), -4024, "Limit price can't be lower than 61750.00."),
			post("notional", limitBuy("quantity=0.001"), -4164, "Order's notional must be no smaller than 100 (unless you choose reduce only)."),
			post("position side", limitBuy("positionSide=LONG"), -4061, "Order's position side does not match user's setting."),
			post("bad position side", limitBuy("positionSide=UP"), -1130, "Data sent for parameter 'positionSide' is not valid."),
			post("reduce only", limitBuy("reduceOnly=true"), -2022, "ReduceOnly Order is rejected."),
			post("client id length", limitBuy("newClientOrderId="+strings.Repeat("a", 37)), -4015, "Client order id length should not be more than 36 chars"),
			post("client id characters", limitBuy("newClientOrderId=a%20b"), -1100, `Illegal characters found in parameter 'newClientOrderId'; legal range is '^[\.A-Z\:/a-z0-9_-]{1,36}$'.`),
			post("duplicate", limitBuy("newClientOrderId=taken"), -4116, "ClientOrderId is duplicated."),
			post("halted", "symbol=OMGUSDT&side=BUY&type=MARKET&quantity=100", -4140, "Invalid symbol status for opening position."),
			post("margin", limitBuy("quantity=40"), -2019, "Margin is insufficient."),
			post("post-only", limitBuy("timeInForce=GTX", "price=66000"), -5022, "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history"),
			post("fill or kill", limitBuy("timeInForce=FOK"), -5021, "Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history"),
			post("good till date", limitBuy("timeInForce=GTD"), -1102, "Mandatory parameter 'goodTillDate' was not sent, was empty/null, or malformed."),
			post("good till date too near", limitBuy("timeInForce=GTD", "goodTillDate=1"), -5040, "The goodTillDate timestamp must be greater than the current time plus 600 seconds and smaller than 253402300799000"),
			post("price match and price", limitBuy("priceMatch=QUEUE"), -5037, "Invalid price match."),
			post("unknown price match", limitBuy("priceMatch=OPPONENT_10", "price="), -5038, "Invalid price match type."),
			post("response type", limitBuy("newOrderRespType=FULL"), -1130, "Data sent for parameter 'newOrderRespType' is not valid."),
			post("self-trade mode", limitBuy("selfTradePreventionMode=ALL"), -1130, "Data sent for parameter 'selfTradePreventionMode' is not valid."),
		})
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t), 1)
	})
}

func (v *venue) expectRejections(t *testing.T, rejections []rejection) {
	t.Helper()
	for _, r := range rejections {
		answer := v.signed(r.method, r.path, r.params)
		body := answer.Object(t)
		if answer.Status != r.status || answer.code() != r.code || r.message != "" && body["msg"] != r.message {
			t.Errorf("%s: %d %s, want %d %d %s", r.name, answer.Status, answer.Body, r.status, r.code, r.message)
		}
	}
}

func TestOtherRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		v.order(limitBuy("newClientOrderId=open"))
		v.signed(http.MethodPost, algoPath, stopSell("clientAlgoId=waiting"))
		get, post, put, del := http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
		v.expectRejections(t, []rejection{
			{"amend unknown", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=none&quantity=1&price=60000", 400, -2013, "Order does not exist."},
			{"amend without price", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=open&quantity=1", 400, -1102, ""},
			{"amend without change", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=open&quantity=0.01&price=60000", 400, -5027, ""},
			{"amend below notional", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=open&quantity=0.001&price=60000", 400, -5029, ""},
			{"amend off tick", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=open&quantity=0.01&price=60000.01", 400, -4014, ""},
			{"amend to reduce only", put, orderPath, "symbol=BTCUSDT&side=BUY&origClientOrderId=open&quantity=0.02&price=60000&reduceOnly=true", 400, -5047, ""},
			{"amend without id", put, orderPath, "symbol=BTCUSDT&side=BUY&quantity=0.02&price=60000", 400, -1102, ""},
			{"cancel unknown", del, orderPath, "symbol=BTCUSDT&orderId=1", 400, -2011, "Unknown order sent."},
			{"cancel in another symbol", del, orderPath, "symbol=ETHUSDT&origClientOrderId=open", 400, -2011, ""},
			{"query unknown", get, orderPath, "symbol=BTCUSDT&orderId=1", 400, -2013, "Order does not exist."},
			{"query without id", get, orderPath, "symbol=BTCUSDT", 400, -1102, ""},
			{"cancel-all without symbol", del, "/fapi/v1/allOpenOrders", "", 400, -1102, ""},
			{"algo type", post, algoPath, stopSell("algoType=VP"), 400, -1102, ""},
			{"algo with a plain type", post, algoPath, stopSell("type=LIMIT"), 400, -1116, ""},
			{"stop on the wrong side", post, algoPath, stopSell("triggerPrice=66000.0"), 400, -2021, "Order would immediately trigger."},
			{"close with quantity", post, algoPath, stopSell("closePosition=true"), 400, -4137, ""},
			{"close with reduce only", post, algoPath, stopSell("closePosition=true", "quantity=", "reduceOnly=true"), 400, -4138, ""},
			{"limit that closes", post, algoPath, stopSell("type=STOP", "price=59000", "closePosition=true", "quantity="), 400, -4136, ""},
			{"no trigger", post, algoPath, stopSell("triggerPrice="), 400, -1102, ""},
			{"trigger precision", post, algoPath, stopSell("triggerPrice=60000.001"), 400, -1111, ""},
			{"duplicate algo id", post, algoPath, stopSell("clientAlgoId=waiting"), 400, -4116, ""},
			{"callback rate", post, algoPath, stopSell("type=TRAILING_STOP_MARKET", "triggerPrice=", "callbackRate=11"), 400, -2007, ""},
			{"working type", post, algoPath, stopSell("workingType=INDEX"), 400, -1130, ""},
			{"guard without a position", post, algoPath, stopSell("symbol=ETHUSDT", "triggerPrice=3000", "quantity=1", "timeInForce=GTE_GTC"), 400, -4509, ""},
			{"cancel unknown algo", del, algoPath, "algoId=1", 400, -2011, ""},
			{"query unknown algo", get, algoPath, "clientAlgoId=none", 400, -2013, ""},
			{"query algo without id", get, algoPath, "", 400, -1102, ""},
			{"query an algo as an order", get, orderPath, "symbol=BTCUSDT&origClientOrderId=waiting", 400, -2013, ""},
			{"leverage too high", post, "/fapi/v1/leverage", "symbol=BTCUSDT&leverage=126", 400, -4028, "Leverage 126 is not valid"},
			{"leverage missing", post, "/fapi/v1/leverage", "symbol=BTCUSDT", 400, -1102, ""},
			{"margin type same", post, "/fapi/v1/marginType", "symbol=ETHUSDT&marginType=CROSSED", 400, -4046, "No need to change margin type."},
			{"margin type with orders", post, "/fapi/v1/marginType", "symbol=BTCUSDT&marginType=ISOLATED", 400, -4047, ""},
			{"position mode same", post, "/fapi/v1/positionSide/dual", "dualSidePosition=false", 400, -4059, "No need to change position side."},
			{"position mode with orders", post, "/fapi/v1/positionSide/dual", "dualSidePosition=true", 400, -4067, "Position side cannot be changed if there exists open orders."},
			{"margin of nothing", post, "/fapi/v1/positionMargin", "symbol=BTCUSDT&amount=1&type=1", 400, -4054, ""},
			{"multi-assets", post, "/fapi/v1/multiAssetsMargin", "multiAssetsMargin=false", 400, -4171, ""},
			{"trades without symbol", get, "/fapi/v1/userTrades", "", 400, -1102, ""},
			{"trades over too long", get, "/fapi/v1/userTrades", "symbol=BTCUSDT&startTime=1&endTime=700000000", 400, -4165, ""},
			{"trades by id and time", get, "/fapi/v1/userTrades", "symbol=BTCUSDT&fromId=1&startTime=1", 400, -1128, ""},
			{"start after end", get, "/fapi/v1/allOrders", "symbol=BTCUSDT&startTime=2&endTime=1", 400, -1023, ""},
			{"page size", get, "/fapi/v1/allOrders", "symbol=BTCUSDT&limit=1001", 400, -1130, ""},
			{"batch of none", post, "/fapi/v1/batchOrders", "batchOrders=%5B%5D", 400, -4082, ""},
			{"batch of nonsense", post, "/fapi/v1/batchOrders", "batchOrders=x", 400, -1102, ""},
			{"depth limit", get, "/fapi/v1/depth", "symbol=BTCUSDT&limit=7", 400, -4021, ""},
			{"interval", get, "/fapi/v1/klines", "symbol=BTCUSDT&interval=7m", 400, -1120, "Invalid interval."},
			{"listen key", put, "/fapi/v1/listenKey", "", 400, -1125, "This listenKey does not exist."},
			{"unknown call", get, "/fapi/v1/unknown", "", 404, -1099, ""},
		})
	})
}

func TestPositionModeWithAPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		v.expectRejections(t, []rejection{
			{"mode", http.MethodPost, "/fapi/v1/positionSide/dual", "dualSidePosition=true", 400, -4068, "Position side cannot be changed if there exists position."},
			{"margin type", http.MethodPost, "/fapi/v1/marginType", "symbol=BTCUSDT&marginType=ISOLATED", 400, -4048, ""},
		})
	})
}

func TestPermissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		v.expectRejections(t, []rejection{{"trade", http.MethodPost, orderPath, limitBuy(), 401, -2015, "Invalid API-key, IP, or permissions for action, request ip: 127.0.0.1"}})
		simtest.Expect(t, v.signed(http.MethodGet, "/fapi/v1/accountConfig", "").Object(t), simtest.Object{"canTrade": false})
		_, err := v.sim.Exchange().UpdateAccount("demo", simcore.AccountRequest{Permissions: &simcore.Permissions{}})
		if err != nil {
			t.Fatal(err)
		}
		v.signed(http.MethodGet, "/fapi/v1/accountConfig", "").expectCode(t, -2015)
	})
}
