package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"venuegate/venues"
)

// collectorStandIn is an OTLP collector that keeps the spans.
type collectorStandIn struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracepb.Span
}

func newCollector(t *testing.T) *collectorStandIn {
	t.Helper()
	c := &collectorStandIn{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var request collector.ExportTraceServiceRequest
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s %s: %v, want spans at /v1/traces", r.Method, r.URL, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// named returns the spans of a trace with a name.
func (c *collectorStandIn) named(traceID, name string) []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tracepb.Span
	for _, s := range c.spans {
		if s.GetName() == name && hex.EncodeToString(s.GetTraceId()) == traceID {
			list = append(list, s)
		}
	}
	return list
}

// traceparents returns the traceparents that a receiver of order.filled gets.
func (s *service) traceparents() <-chan string {
	s.t.Helper()
	headers := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { headers <- r.Header.Get("Traceparent") }))
	s.t.Cleanup(receiver.Close)
	s.administer(http.StatusCreated, http.MethodPost, "endpoints", fmt.Sprintf(`{"customer":%q,"url":%q,"types":["order.filled"]}`, s.customer(), receiver.URL))
	return headers
}

// fillAs fills an order in a trace, and returns the traceparent of its event.
func (s *service) fillAs(traceparent string, headers <-chan string) (orderID, received string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.demo.BaseURL+"/v1/orders",
		strings.NewReader(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.demo.APIKey)
	request.Header.Set("Content-Type", "application/json")
	if traceparent != "" {
		request.Header.Set("traceparent", traceparent)
	}
	if status, text := do(s.t, request); status != http.StatusCreated && status != http.StatusAccepted {
		s.t.Fatalf("order = %d %s, want 201", status, text)
	} else {
		_, id, _ := strings.Cut(text, `"orderId":"`)
		orderID, _, _ = strings.Cut(id, `"`)
	}
	select {
	case received = <-headers:
	case <-time.After(waitMax):
		s.t.Fatal("no event, want one")
	}
	return orderID, received
}

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

func TestSpansAreExported(t *testing.T) {
	c := newCollector(t)
	s := startService(t, t.TempDir(), "--config", writeFile(t, "tracing: {otlp: '"+c.URL+"'}\n"))
	headers := s.traceparents()
	id, received := s.fillAs("00-"+clientTrace+"-"+clientSpan+"-01", headers)

	eventually(t, "the spans", func() bool {
		return len(c.named(clientTrace, "order")) == 1 && len(c.named(clientTrace, "deliver order.filled")) > 0
	})
	root := c.named(clientTrace, "order")[0]
	if hex.EncodeToString(root.GetParentSpanId()) != clientSpan || !strings.Contains(root.String(), id) {
		t.Errorf("span of the order = %v, want a child of %s with the id %s", root, clientSpan, id)
	}
	for hop := range venues.HopCount {
		spans := c.named(clientTrace, hop.String())
		if len(spans) != 1 || string(spans[0].GetParentSpanId()) != string(root.GetSpanId()) ||
			spans[0].GetStartTimeUnixNano() < root.GetStartTimeUnixNano() || spans[0].GetEndTimeUnixNano() > root.GetEndTimeUnixNano() {
			t.Errorf("spans of %s = %v, want one below that of the order, and within it", hop, spans)
		}
	}
	found := false
	for _, span := range c.named(clientTrace, "deliver order.filled") {
		found = found || received == "00-"+clientTrace+"-"+hex.EncodeToString(span.GetSpanId())+"-01"
	}
	if !found {
		t.Errorf("traceparent of the event = %s, want that of the span of its delivery", received)
	}

	// The service names the trace if the client does not, and the order is its first span.
	_, received = s.fillAs("", headers)
	if len(received) != len("00-"+clientTrace+"-"+clientSpan+"-01") || strings.Contains(received, clientTrace) {
		t.Fatalf("traceparent of the event = %q, want one of the service", received)
	}
	traceID := received[3:35]
	eventually(t, "the span of the second order", func() bool { return len(c.named(traceID, "order")) == 1 })
	if first := c.named(traceID, "order")[0]; len(first.GetParentSpanId()) != 0 {
		t.Errorf("span of the order = %v, want one without a parent", first)
	}
	// A trace that is not sampled is passed on and not exported.
	unsampled := strings.Replace("00-"+clientTrace+"-"+clientSpan+"-00", "4bf9", "4bfa", 1)
	if _, received = s.fillAs(unsampled, headers); received[3:35] != unsampled[3:35] || !strings.HasSuffix(received, "-00") {
		t.Errorf("traceparent of the event = %s, want one of the trace %s that is not sampled", received, unsampled)
	}
	if spans := c.named(unsampled[3:35], "order"); len(spans) != 0 {
		t.Errorf("spans of a trace that is not sampled = %v, want none", spans)
	}
}

func TestTraceIsPassedOnWithoutTracing(t *testing.T) {
	if spans, err := openTracing(t.Context(), TracingConfig{}); spans != nil || err != nil {
		t.Fatalf("tracing that is off = %v, %v, want nil", spans, err)
	}
	s := startService(t, t.TempDir())
	headers := s.traceparents()
	trace := "00-" + clientTrace + "-" + clientSpan + "-01"
	if _, received := s.fillAs(trace, headers); received != trace {
		t.Errorf("traceparent of the event = %q, want %q", received, trace)
	}
	if _, received := s.fillAs("", headers); received != "" {
		t.Errorf("traceparent of the event = %q, want none", received)
	}
}

// A collector that does not respond delays no order: spans beyond the queue are dropped.
func TestCollectorThatHangsDelaysNothing(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(hanging.Close)
	spans, err := openTracing(t.Context(), TracingConfig{OTLP: hanging.URL})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 * spansQueuedMax {
		hops := venues.NewHops(time.Now())
		hops.End(venues.HopAnswered, time.Now())
		spans.order(venues.OKX, "ord_1", venues.Origin{}, hops)
	}
	close(release)
	if err := spans.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}

func TestNewestEventTracesAreKept(t *testing.T) {
	e := newEventTraces()
	for n := range eventTracesMax + 1 {
		e.note(fmt.Sprint("evt_", n), fmt.Sprint("trace ", n))
	}
	if first, second, last := e.of("evt_0"), e.of("evt_1"), e.of(fmt.Sprint("evt_", eventTracesMax)); first != "" || second != "trace 1" || last != fmt.Sprint("trace ", eventTracesMax) || len(e.byEvent) != eventTracesMax {
		t.Errorf("traces = %q, %q, %q of %d events, want all but the oldest", first, second, last, len(e.byEvent))
	}
}
