package bench

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// consolesOpen is the number of open pages of the console, consolesQuick that of a quick run.
	consolesOpen  = 50
	consolesQuick = 4
	// consolesSettle is how long the pages are open before orders are sent.
	consolesSettle = 2 * time.Second
)

var consolesScenario = Scenario{
	Name: "consoles",
	Does: "orders of one client, store in memory, while 50 pages of the console are open, against the same orders without them; and the memory of the service",
	Run:  measureConsoles,
}

func measureConsoles(ctx context.Context, o Options) ([]Figure, error) {
	return runFloods(ctx, o, "consoles", func(f *floods) ([]*floodKind, error) {
		pages := consolesOpen
		if o.Quick {
			pages = consolesQuick
		}
		file := f.bench.memory.demo.File
		cookie, err := signIn(f.bench.http, file)
		return []*floodKind{{
			name: "open pages of the console", settle: consolesSettle,
			request: floodRequest{Consoles: pages, Keys: make([]string, pages), StreamURL: file.WSURL, Cookie: cookie},
		}}, err
	})
}

// signIn signs the user of a demo in to the console and returns the cookie of the session.
func signIn(client *fasthttp.Client, file demoFile) (string, error) {
	body, err := json.Marshal(map[string]string{"login": file.Console.User, "password": file.Console.Password})
	if err != nil {
		return "", err
	}
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(file.Console.URL + "/api/session")
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.SetContentType("application/json")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("X-Console", "1")
	request.SetBody(body)
	if err := client.DoTimeout(request, answer, orderAnswerMax); err != nil {
		return "", err
	}
	var cookie fasthttp.Cookie
	cookie.SetKey("vg")
	if !answer.Header.Cookie(&cookie) {
		return "", errors.New("sign in to the console: " + string(answer.Body()))
	}
	return "vg=" + string(cookie.Value()), nil
}
