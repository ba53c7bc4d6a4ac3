//go:build chaos

package chaos

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// answerMax is how long a client waits for a response.
	answerMax = 8 * time.Second
	// observedMax is how long the harness itself waits for a response, also on a slow
	// machine.
	observedMax = time.Minute
	// answerBytesMax bounds the size of a response.
	answerBytesMax = 16 << 20
)

// newHTTPClient returns a client that never repeats a request on its own.
func newHTTPClient(waitMax time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, Proxy: nil},
		Timeout:   waitMax,
	}
}

func exchange(client *http.Client, request *http.Request) (status int, body []byte, err error) {
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	return response.StatusCode, body, err
}

// notDialled reports whether an error means that no connection was made.
func notDialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// outcome is the result of a call as the client sees it.
type outcome string

const (
	outcomeOK        outcome = "ok"
	outcomeDuplicate outcome = "duplicate"
	outcomeRefused   outcome = "refused"
	outcomeUnknown   outcome = "unknown"
)

// answer is the part of a response that clients use.
type answer struct {
	status  int
	outcome outcome
	// code is the error code, empty without an error.
	code string
	// orderID and orderStatus are those of the order in the response, if there is one.
	orderID, orderStatus string
	// requestID is the request id of the order or the signal.
	requestID string
	sameBody  bool
	text      string
}

// classify reads a response as the API requires of clients.
func classify(status int, body []byte, err error) answer {
	a := answer{status: status, outcome: outcomeUnknown}
	if err != nil {
		a.text = err.Error()
		if notDialled(err) {
			a.outcome = outcomeRefused
		}
		return a
	}
	a.text = string(body)
	var shown struct {
		OrderID   string `json:"orderId"`
		RequestID string `json:"requestId"`
		Status    string `json:"status"`
		Error     struct {
			Code    string `json:"code"`
			Details struct {
				OrderID    string `json:"orderId"`
				OrderState string `json:"orderState"`
				Status     string `json:"status"`
				SameBody   bool   `json:"sameBody"`
				Order      struct {
					OrderID string `json:"orderId"`
				} `json:"order"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &shown) != nil {
		return a
	}
	d := shown.Error.Details
	a.code, a.sameBody = shown.Error.Code, d.SameBody
	switch {
	case status == http.StatusOK || status == http.StatusCreated || status == http.StatusAccepted:
		a.outcome, a.orderID, a.orderStatus, a.requestID = outcomeOK, shown.OrderID, shown.Status, shown.RequestID
	case status == http.StatusConflict && a.code == "duplicate_request":
		a.outcome, a.orderID, a.orderStatus = outcomeDuplicate, d.OrderID, d.Status
	case d.OrderState == "unknown" || status == http.StatusInternalServerError:
	default: // a rejection, or the confirmation that nothing was placed
		a.outcome, a.orderID = outcomeRefused, d.Order.OrderID
	}
	return a
}

// sent is a request of a client.
type sent struct{ method, path, body string }

// do sends a request with a key to the service, wherever it is now.
func (w *world) do(key string, s sent) answer { return w.doAs(w.client, key, s) }

func (w *world) doAs(client *http.Client, key string, s sent) answer {
	request, err := http.NewRequestWithContext(w.t.Context(), s.method, *w.base.Load()+s.path, strings.NewReader(s.body))
	if err != nil {
		return classify(0, nil, err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	return classify(exchange(client, request))
}
