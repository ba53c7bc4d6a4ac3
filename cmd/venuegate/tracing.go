package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"venuegate/persistence"
	"venuegate/venues"
)

// Limits of tracing.
const (
	// spansQueuedMax bounds the spans that wait for the collector. More are dropped.
	spansQueuedMax = 2048
	// exportTimeout bounds one request to the collector, and the last one at the end.
	exportTimeout = 5 * time.Second
	exportEvery   = 2 * time.Second
)

// tracing exports spans of orders and of deliveries. A nil tracing exports nothing. It is
// safe for concurrent use.
type tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	// mine begins the ids of the spans that this process names before they exist.
	mine [4]byte
}

// openTracing returns nil if no collector is configured.
func openTracing(ctx context.Context, c TracingConfig) (*tracing, error) {
	if c.OTLP == "" {
		return nil, nil //nolint:nilnil // a nil tracing exports nothing
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(tracesURL(c.OTLP)), otlptracehttp.WithTimeout(exportTimeout))
	if err != nil {
		return nil, fmt.Errorf("export spans: %w", err)
	}
	t := &tracing{}
	_, _ = rand.Read(t.mine[:]) // it cannot fail
	t.provider = sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithMaxQueueSize(spansQueuedMax), sdktrace.WithBatchTimeout(exportEvery), sdktrace.WithExportTimeout(exportTimeout)),
		sdktrace.WithIDGenerator(spanIDs{}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "venuegate"), attribute.String("service.version", version))),
	)
	t.tracer = t.provider.Tracer("venuegate")
	return t, nil
}

// tracesURL returns the address of a collector's traces; without a path it is the usual
// one.
func tracesURL(collector string) string {
	u, err := url.Parse(collector)
	if err == nil && (u.Path == "" || u.Path == "/") {
		u.Path = "/v1/traces"
		return u.String()
	}
	return collector
}

// Close exports the spans that wait.
func (t *tracing) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// newTraceparent names the trace of a request whose client has not.
func (t *tracing) newTraceparent() string {
	traceID, spanID := newIDs()
	copy(spanID[:], t.mine[:])
	return traceparentOf(trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: trace.FlagsSampled}))
}

// traceparentOf returns the header with a span.
func traceparentOf(sc trace.SpanContext) string {
	headers := textMap{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), sc), headers)
	return headers[traceparentName]
}

// parse returns the span in a header.
func parse(traceparent string) trace.SpanContext {
	headers := textMap{traceparentName: traceparent}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), headers))
}

// traceparentName is the name of the header as the library spells it.
const traceparentName = "traceparent"

// textMap is what package propagation reads from and writes to.
type textMap map[string]string

func (m textMap) Get(name string) string { return m[name] }

func (m textMap) Set(name, value string) { m[name] = value }

func (m textMap) Keys() []string { return slices.Collect(maps.Keys(m)) }

// under returns a context whose next span is a child of the trace of a request or, if
// this process has named the trace, its first span.
func (t *tracing) under(traceparent string) context.Context {
	ctx := context.Background()
	sc := parse(traceparent)
	if !sc.IsValid() {
		return ctx
	}
	if id := sc.SpanID(); [4]byte(id[:4]) == t.mine {
		return context.WithValue(ctx, firstSpan{}, sc)
	}
	return trace.ContextWithRemoteSpanContext(ctx, sc)
}

// order exports the span of an order that was answered, with one for each of its hops.
func (t *tracing) order(exchange venues.Venue, orderID string, origin venues.Origin, hops *venues.Hops) {
	if t == nil {
		return
	}
	at := hops.Received()
	attributes := []attribute.KeyValue{attribute.String("venuegate.exchange", string(exchange)), attribute.String("venuegate.order_id", orderID)}
	if origin.RequestID != "" {
		attributes = append(attributes, attribute.String("venuegate.x_request_id", origin.RequestID))
	}
	ctx, root := t.tracer.Start(t.under(origin.Traceparent), "order",
		trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	eachHop(hops, func(hop venues.Hop, took time.Duration) {
		kind := trace.SpanKindInternal
		if hop == venues.HopVenueAnswered {
			kind = trace.SpanKindClient
		}
		_, span := t.tracer.Start(ctx, hop.String(), trace.WithTimestamp(at), trace.WithSpanKind(kind))
		at = at.Add(took)
		span.End(trace.WithTimestamp(at))
	})
	root.End(trace.WithTimestamp(at))
}

// deliver starts the span of an attempt to deliver an event. It returns the traceparent
// for the receiver: that of the span or, without tracing, that of the request.
func (t *tracing) deliver(traceparent string, to persistence.Endpoint, e persistence.Event, attempt int) (forReceiver string, end func(error)) {
	if t == nil {
		return traceparent, func(error) {}
	}
	ctx := context.Background()
	if sc := parse(traceparent); sc.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, sc)
	}
	_, span := t.tracer.Start(ctx, "deliver "+string(e.Type), trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(
		attribute.String("venuegate.event_id", e.ID), attribute.String("venuegate.endpoint_id", to.ID), attribute.Int("venuegate.attempt", attempt),
	))
	return traceparentOf(span.SpanContext()), func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}

// firstSpan is the key of a context with the ids of the next span.
type firstSpan struct{}

// spanIDs makes random ids, and those of firstSpan.
type spanIDs struct{}

// NewIDs implements sdktrace.IDGenerator.
func (spanIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if sc, named := ctx.Value(firstSpan{}).(trace.SpanContext); named {
		return sc.TraceID(), sc.SpanID()
	}
	return newIDs()
}

// NewSpanID implements sdktrace.IDGenerator.
func (spanIDs) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	_, spanID := newIDs()
	return spanID
}

func newIDs() (traceID trace.TraceID, spanID trace.SpanID) {
	var random [24]byte
	_, _ = rand.Read(random[:]) // it cannot fail
	copy(traceID[:], random[:])
	copy(spanID[:], random[len(traceID):])
	if binary.BigEndian.Uint64(traceID[8:]) == 0 || !spanID.IsValid() {
		return newIDs()
	}
	return traceID, spanID
}

// eventTracesMax is the number of the newest events whose trace is kept. It is in memory
// only: after a restart, and after as many events, an event is delivered without it.
const eventTracesMax = 4096

// eventTraces has the traces of the requests behind the newest events. It is safe for
// concurrent use.
type eventTraces struct {
	mu      sync.Mutex
	byEvent map[string]string
	ring    [eventTracesMax]string
	next    int
}

func newEventTraces() *eventTraces { return &eventTraces{byEvent: map[string]string{}} }

// note keeps the trace of an event, whose id may not contain its sequence yet.
func (e *eventTraces) note(eventID, traceparent string) {
	eventID = persistence.EventID(eventID, 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.byEvent, e.ring[e.next])
	e.ring[e.next] = eventID
	e.byEvent[eventID] = traceparent
	e.next = (e.next + 1) % eventTracesMax
}

func (e *eventTraces) of(eventID string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.byEvent[persistence.EventID(eventID, 0)]
}
