package bench

import (
	"encoding/binary"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"github.com/valyala/fasthttp"
)

const (
	// cannedSymbol is the only instrument of which the canned venue takes orders,
	// cannedPrice the price at which it fills them.
	cannedSymbol = tradedSymbol
	cannedPrice  = "65000"
)

// cannedOrder is an order as the canned venue answers it.
type cannedOrder struct {
	id                        int64
	clientID, side, kind, tif string
	qty, price                string
	status, filled, average   string
	reduceOnly                bool
	at                        int64
}

// place answers an order and sends its messages.
func (v *cannedPart) place(c *fasthttp.RequestCtx, key string) {
	arguments := c.PostArgs()
	if arguments.Len() == 0 {
		arguments = c.QueryArgs()
	}
	text := func(name string) string { return string(arguments.Peek(name)) }
	o := cannedOrder{
		id: v.orders.Add(1), clientID: text("newClientOrderId"), side: text("side"), kind: text("type"), tif: text("timeInForce"),
		qty: text("quantity"), price: text("price"), status: "EXPIRED", filled: "0", average: "0",
		reduceOnly: text("reduceOnly") == "true", at: time.Now().UnixMilli(),
	}
	c.SetContentType("application/json")
	qty, err := decimal.NewFromString(o.qty)
	switch {
	case text("symbol") != cannedSymbol:
		cannedError(c, `{"code":-1121,"msg":"Invalid symbol."}`)
		return
	case err != nil || !qty.IsPositive():
		cannedError(c, `{"code":-4003,"msg":"Quantity less than or equal to zero."}`)
		return
	case o.kind == "MARKET":
		o.status, o.filled, o.average, o.price, o.tif = "FILLED", o.qty, cannedPrice, "0", "GTC"
	case o.kind != "LIMIT" || o.tif != "IOC" && o.tif != "FOK":
		cannedError(c, `{"code":-4120,"msg":"The canned venue takes no order that rests."}`)
		return
	}
	if o.clientID == "" {
		o.clientID = "canned" + strconv.FormatInt(o.id, 10)
	}
	v.send(key, func() []byte { return v.messages(key, &o, qty) })
	c.Response.Header.Set("x-mbx-used-weight-1m", "1")
	c.Response.Header.Set("x-mbx-order-count-10s", "1")
	c.Response.Header.Set("x-mbx-order-count-1m", "1")
	c.SetBody(o.appendAnswer(nil))
}

func cannedError(c *fasthttp.RequestCtx, body string) {
	c.SetStatusCode(fasthttp.StatusBadRequest)
	c.SetBodyString(body)
}

// messages returns the frames of the private stream about an order: that it is accepted,
// then its end; before a fill the account that it changes. The lock is held.
func (v *cannedPart) messages(key string, o *cannedOrder, qty decimal.Decimal) []byte {
	frames := appendFrame(nil, o.appendEvent(nil, "NEW", "NEW", 0))
	if o.status != "FILLED" {
		return appendFrame(frames, o.appendEvent(nil, "EXPIRED", o.status, 0))
	}
	if o.side == "SELL" {
		qty = qty.Neg()
	}
	position := v.positions[key].Add(qty)
	v.positions[key] = position
	account := appendMember(nil, `{"e":"ACCOUNT_UPDATE","T":`, strconv.FormatInt(o.at, 10))
	account = appendMember(account, `,"E":`, strconv.FormatInt(o.at, 10))
	account = append(account, `,"a":{"B":[{"a":"USDT","wb":"100000","cw":"100000","bc":"0"}],"P":[{"s":"`+cannedSymbol+`","pa":"`...)
	account = append(account, position.String()...)
	account = append(account, `","ep":"`+cannedPrice+`","cr":"0","up":"0","mt":"cross","iw":"0","ps":"BOTH","ma":"USDT","bep":"`+cannedPrice+`"}],"m":"ORDER"}}`...)
	frames = appendFrame(frames, account)
	return appendFrame(frames, o.appendEvent(nil, "TRADE", o.status, o.id))
}

// readPositions answers the position of an account.
func (v *cannedPart) readPositions(c *fasthttp.RequestCtx, key string) {
	v.mu.Lock()
	position := v.positions[key]
	v.mu.Unlock()
	c.SetContentType("application/json")
	if position.IsZero() {
		c.SetBodyString("[]")
		return
	}
	c.SetBodyString(`[{"symbol":"` + cannedSymbol + `","positionSide":"BOTH","positionAmt":"` + position.String() + `","entryPrice":"` + cannedPrice +
		`","markPrice":"` + cannedPrice + `","unRealizedProfit":"0","liquidationPrice":"0","updateTime":` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `}]`)
}

// appendAnswer appends the answer to the order in the form of the venue.
func (o *cannedOrder) appendAnswer(to []byte) []byte {
	to = append(to, `{"orderId":`...)
	to = strconv.AppendInt(to, o.id, 10)
	to = appendMember(to, `,"symbol":"`+cannedSymbol+`","status":"`, o.status)
	to = appendMember(to, `","clientOrderId":"`, o.clientID)
	to = appendMember(to, `","price":"`, o.price)
	to = appendMember(to, `","origQty":"`, o.qty)
	to = appendMember(to, `","executedQty":"`, o.filled)
	to = appendMember(to, `","cumQty":"`, o.filled)
	to = appendMember(to, `","timeInForce":"`, o.tif)
	to = appendMember(to, `","type":"`, o.kind)
	to = appendMember(to, `","reduceOnly":`, strconv.FormatBool(o.reduceOnly))
	to = appendMember(to, `,"closePosition":false,"side":"`, o.side)
	to = append(to, `","positionSide":"BOTH","stopPrice":"0","workingType":"CONTRACT_PRICE","priceProtect":false,"origType":"`...)
	to = append(to, o.kind...)
	to = append(to, `","priceMatch":"NONE","selfTradePreventionMode":"EXPIRE_MAKER","goodTillDate":0,"updateTime":`...)
	return append(strconv.AppendInt(to, o.at, 10), '}')
}

// appendEvent appends a message about the order in the form of the venue; a trade has an
// id and the whole fill.
func (o *cannedOrder) appendEvent(to []byte, execution, status string, trade int64) []byte {
	filled, average, fee, last, expiry := "0", "0", "0", "0", "0"
	if execution == "EXPIRED" {
		expiry = "2" // the rest of an order that does not rest
	}
	if trade > 0 {
		filled, average, last, fee = o.filled, o.average, o.average, "0.01"
	}
	to = append(to, `{"e":"ORDER_TRADE_UPDATE","T":`...)
	to = strconv.AppendInt(to, o.at, 10)
	to = append(to, `,"E":`...)
	to = strconv.AppendInt(to, o.at, 10)
	to = appendMember(to, `,"o":{"s":"`+cannedSymbol+`","c":"`, o.clientID)
	to = appendMember(to, `","S":"`, o.side)
	to = appendMember(to, `","o":"`, o.kind)
	to = appendMember(to, `","f":"`, o.tif)
	to = appendMember(to, `","q":"`, o.qty)
	to = appendMember(to, `","p":"`, o.price)
	to = appendMember(to, `","ap":"`, average)
	to = appendMember(to, `","sp":"0","x":"`, execution)
	to = appendMember(to, `","X":"`, status)
	to = append(to, `","i":`...)
	to = strconv.AppendInt(to, o.id, 10)
	to = appendMember(to, `,"l":"`, filled)
	to = appendMember(to, `","z":"`, filled)
	to = appendMember(to, `","L":"`, last)
	to = appendMember(to, `","n":"`, fee)
	to = append(to, `","N":"USDT","T":`...)
	to = strconv.AppendInt(to, o.at, 10)
	to = append(to, `,"t":`...)
	to = strconv.AppendInt(to, trade, 10)
	to = appendMember(to, `,"b":"0","a":"0","m":false,"R":`, strconv.FormatBool(o.reduceOnly))
	to = appendMember(to, `,"wt":"CONTRACT_PRICE","ot":"`, o.kind)
	to = appendMember(to, `","ps":"BOTH","cp":false,"rp":"0","pP":false,"si":0,"ss":0,"V":"EXPIRE_MAKER","pm":"NONE","gtd":0,"er":"`, expiry)
	return append(to, `"}}`...)
}

// appendFrame appends a text frame of a server.
func appendFrame(to, payload []byte) []byte {
	const final, text = 0x80, 0x01
	to = append(to, final|text)
	switch n := len(payload); {
	case n < 126:
		to = append(to, byte(n))
	case n < 1<<16:
		to = binary.BigEndian.AppendUint16(append(to, 126), uint16(n))
	default:
		to = binary.BigEndian.AppendUint64(append(to, 127), uint64(n))
	}
	return append(to, payload...)
}
