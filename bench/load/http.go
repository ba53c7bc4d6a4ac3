package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// responseMax bounds the wait for a response; the service answers within 20 s.
	responseMax      = 30 * time.Second
	responseBytesMax = 16 << 20
)

// service is the REST interface of the service under load.
type service struct {
	url    string
	client *fasthttp.Client
}

func newService(o Options) *service {
	return &service{
		url: o.URL,
		client: &fasthttp.Client{
			Name: "venuegate-load", MaxConnsPerHost: o.Clients + 1, MaxResponseBodySize: responseBytesMax,
			// A request is sent once: the measurement must not hide a repetition.
			RetryIfErr: func(*fasthttp.Request, int, error) (resetTimeout, retry bool) { return false, false },
		},
	}
}

// callError is a response that is not 2xx, or none. Code is the key under which it is counted.
type callError struct {
	Code, Message string
}

func (e *callError) Error() string { return e.Code + ": " + e.Message }

// headers sets the headers that prove who sends a request.
type headers func(*fasthttp.RequestHeader)

// withKey returns the headers of an API key.
func withKey(key string) headers {
	return func(h *fasthttp.RequestHeader) { h.Set("Authorization", "Bearer "+key) }
}

// call sends a request and returns the body of the response.
func (s *service) call(ctx context.Context, proof headers, method, path string, body []byte) ([]byte, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(s.url + path)
	request.Header.SetMethod(method)
	proof(&request.Header)
	if body != nil {
		request.Header.SetContentType("application/json")
		request.SetBodyRaw(body)
	}
	deadline := time.Now().Add(responseMax)
	if end, has := ctx.Deadline(); has && end.Before(deadline) {
		deadline = end
	}
	if err := s.client.DoDeadline(request, response, deadline); err != nil {
		return nil, &callError{Code: "no response", Message: err.Error()}
	}
	if response.StatusCode()/100 != 2 {
		return nil, responseError(response.StatusCode(), response.Body())
	}
	return bytes.Clone(response.Body()), nil
}

// responseError returns the error of a response, which is counted by its status and code.
func responseError(status int, body []byte) *callError {
	var answer struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	code := fmt.Sprint(status)
	if json.Unmarshal(body, &answer) == nil && answer.Error.Code != "" {
		return &callError{Code: code + " " + answer.Error.Code, Message: answer.Error.Message}
	}
	return &callError{Code: code, Message: http.StatusText(status)}
}

// codeOf returns the key under which an error is counted.
func codeOf(err error) string {
	if e, is := err.(*callError); is { //nolint:errorlint // calls return it unwrapped
		return e.Code
	}
	return err.Error()
}
