package api

import "time"

// Limits of the interface, each with the sentence of the specification that sets it.
const (
	// RESTBodyBytesMax: "Bodies: 256 KiB on REST".
	RESTBodyBytesMax = 256 << 10
	// HookBodyBytesMax: "64 KiB on hooks", whose paths begin with HooksPath.
	HookBodyBytesMax = 64 << 10
	HooksPath        = "/v1/hooks/"
	// JSONDepthMax: "depth over 16 [is] 400 invalid_request". The outermost
	// object has depth 1.
	JSONDepthMax = 16

	// RequestIDCharsMax: "requestId length: up to 64 characters".
	RequestIDCharsMax = 64
	// CommentCharsMax: "comment (<= 256 characters)".
	CommentCharsMax = 256
	// OrderAnswerWait: "202 + record with status pending or unknown when that
	// is not known within 3 s".
	OrderAnswerWait = 3 * time.Second
)

// Limits of requests per time.
const (
	// RateWindow: "exact sliding windows of 60 s".
	RateWindow = 60 * time.Second
	// ReadsPerWindow: "REST, reading: 600 requests per minute per key".
	ReadsPerWindow = 600
	// TradesPerWindow: "REST, trading: 120 requests per minute per key".
	TradesPerWindow = 120
	// SignalsPerWindow: "Inbound webhooks: 60 requests per minute per channel".
	SignalsPerWindow = 60
	// AuthFailuresPerWindow: "Failed authentication: 30 a minute per source
	// address, then 429".
	AuthFailuresPerWindow = 30
)

// Limits of pages.
const (
	// InstrumentsLimitDefault and Max: "limit (default 500, max 1000)".
	InstrumentsLimitDefault = 500
	InstrumentsLimitMax     = 1000
	// OrdersLimitDefault and Max: "limit (100/500)".
	OrdersLimitDefault = 100
	OrdersLimitMax     = 500
	// FillsLimitDefault: "default limit 100"; Max: "Up to 500 records per page".
	FillsLimitDefault = 100
	FillsLimitMax     = 500
	// FillsWindowDaysMax: "one pass covers a window of at most 31 days".
	FillsWindowDaysMax = 31
	// TradesLimitDefault and Max: "GET /v1/trades (limit 100/1000)".
	TradesLimitDefault = 100
	TradesLimitMax     = 1000
	// BookDepthDefault: "depth as in the stream, default 20".
	BookDepthDefault = 20
	// CandlesLimitDefault and Max: "limit 500/1500".
	CandlesLimitDefault = 500
	CandlesLimitMax     = 1500
	// EventsLimitDefault and Max: "limit 100, at most 500".
	EventsLimitDefault = 100
	EventsLimitMax     = 500
	// EventsKept: "Newest 30 days".
	EventsKept = 30 * 24 * time.Hour
)

// HookAnswerWait: "The answer comes within 1 s".
const HookAnswerWait = time.Second

// Limits of the stream.
const (
	// StreamTopicsMax: "at most 200 channels per connection"; a channel is a topic.
	StreamTopicsMax = 200
	// StreamPingInterval: "must be sent about every 20 seconds".
	StreamPingInterval = 20 * time.Second
	// StreamIdleMax: "Closed after 45 s without any client message".
	StreamIdleMax = 45 * time.Second
	// StreamAuthWait: "4010 auth time-out (10 s)".
	StreamAuthWait = 10 * time.Second
	// StreamFrameBytesMax: "Client frames over 64 KiB close with 1009".
	StreamFrameBytesMax = 64 << 10
	// StreamBadMessagesMax: "4000 is an error frame and closes after ten".
	StreamBadMessagesMax = 10
)
