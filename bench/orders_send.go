package bench

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// venueOrder places an order with the venue's own API.
func (b *ordersBench) venueOrder(base string) error {
	query := url.Values{
		"symbol": {"BTCUSDT"}, "side": {"BUY"}, "type": {"LIMIT"}, "timeInForce": {"IOC"}, "quantity": {"1"}, "price": {"20000"},
		"newOrderRespType": {"RESULT"}, "timestamp": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}.Encode()
	signature := hmac.New(sha256.New, []byte(b.venue.Outside.APISecret))
	signature.Write([]byte(query))
	return b.postOrder(base+"/fapi/v1/order?"+query+"&signature="+hex.EncodeToString(signature.Sum(nil)), "X-MBX-APIKEY", b.venue.Outside.APIKey, nil)
}

// orderBody returns an order that cannot rest and does not match, in the form of the
// service.
func (b *ordersBench) orderBody() []byte {
	return fmt.Appendf(nil, `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"20000","timeInForce":"ioc","requestId":"r%d"}`,
		b.requests.Add(1))
}

// floorOrder places an order through the floor program.
func (b *ordersBench) floorOrder(path string) error {
	return b.postOrder(b.floor+path, "Accept", "application/json", b.orderBody())
}

// postOrder sends an order that cannot rest and does not match.
func (b *ordersBench) postOrder(address, header, value string, body []byte) error {
	answer, err := b.call(fasthttp.MethodPost, address, header, value, body)
	if err != nil {
		return err
	}
	var order struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(answer, &order); err != nil {
		return err
	}
	if order.Status != "cancelled" && order.Status != "EXPIRED" {
		return fmt.Errorf("order has status %s, want cancelled", order.Status)
	}
	return nil
}

// call sends a body with an authentication header and returns the response.
func (b *ordersBench) call(method, address, header, value string, body []byte) ([]byte, error) {
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(address)
	request.Header.SetMethod(method)
	request.Header.SetContentType("application/json")
	request.Header.Set(header, value)
	request.SetBody(body)
	if err := b.http.DoTimeout(request, answer, orderAnswerMax); err != nil {
		return nil, err
	}
	if answer.StatusCode()/100 != 2 {
		return nil, fmt.Errorf("response with status %d: %s", answer.StatusCode(), answer.Body())
	}
	return bytes.Clone(answer.Body()), nil
}
