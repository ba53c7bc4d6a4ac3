package binance

import (
	"venuegate/venues"
	"venuegate/venues/internal/refusal"
)

// Codes of the venue that this connector acts on.
const (
	codeTooManyOrders         = -1015
	codeShuttingDown          = -1016
	codeThrottled             = -1008
	codeTimestamp             = -1021
	codeReduceOnlyNotRequired = -1106
	codeListenKeyUnknown      = -1125
	codeUnknownOrder          = -2011
	codeNoSuchOrder           = -2013
	codeMarginInsufficient    = -2019
	codeReductionRefused      = -2022
	codePositionCap           = -2027
	codeLeverageMargin        = -2028
	codeLeverageInvalid       = -4028
	codeSameMarginType        = -4046
	codeSamePositionMode      = -4059
	codePositionSideReduce    = -4060
	codePositionSide          = -4061
	codePositionSideOnly      = -4062
	codeStopTriggering        = -4117
	codeLeverageIsolated      = -4161
	codeNotionalTooSmall      = -4164
	codeSameMultiAssets       = -4171
	codeSameOrder             = -5027
	codeEngineTimestamp       = -5028
)

// verdicts holds the codes of the document "Error Codes" by meaning. Where the
// service has no closer word for a definite refusal it is order_rejected.
var verdicts = refusal.NewTable([]refusal.Verdict{
	{Code: venues.CodeExchangeUnavailable, Text: "the venue does not know the outcome", Unknown: true, Of: []int{-1000, -1001, -1006, -1007}},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "duplicate_client_id", Text: "an order with this client id exists", Unknown: true,
		Of: []int{-4116},
	},
	{Code: venues.CodeExchangeUnavailable, Reason: "throttled", Text: "the venue throttles requests", Of: []int{codeThrottled}},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "clock_skew", Text: "the venue refuses the timestamp",
		Of: []int{codeTimestamp, codeEngineTimestamp},
	},
	{Code: venues.CodeExchangeUnavailable, Of: []int{codeListenKeyUnknown, -2012}},
	{Code: venues.CodeMaintenance, Text: "the venue is shutting down", Of: []int{codeShuttingDown}},
	{Code: venues.CodeRateLimited, Text: "the venue's request limit is used up", Of: []int{-1003, codeTooManyOrders}},
	{
		Code: venues.CodeUnauthorized, Text: "the venue refuses the API key",
		Of: []int{-1002, -1004, -1005, -1011, -1022, -1099, -2014, -2015, -2017, -4056, -4057, -4109, -4402},
	},
	{Code: venues.CodeNotFound, Text: "the venue does not know the order", Of: []int{codeUnknownOrder, codeNoSuchOrder}},
	{Code: venues.CodeNotFound, Reason: "triggering", Text: "the stop is being triggered", Of: []int{codeStopTriggering}},
	{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol, Of: []int{-1121}},
	{Code: venues.CodeSymbolNotTradable, Reason: "symbol_status", Of: []int{-1122, -4022, -4140, -4141, -4144, -5024}},
	{Code: venues.CodeSymbolNotTradable, Reason: "liquidation", Of: []int{-2023}},
	{Code: venues.CodeSymbolNotTradable, Reason: "reduce_only_account", Of: []int{-4087}},
	{Code: venues.CodeSymbolNotTradable, Reason: "no_order_permission", Of: []int{-4088}},
	{Code: venues.CodeSymbolNotTradable, Reason: "quantitative_rules", Of: []int{-4400}},
	{Code: venues.CodeSymbolNotTradable, Reason: "large_position", Of: []int{-4401}},
	{Code: venues.CodeSymbolNotTradable, Reason: "cooling_off", Of: []int{-4192}},
	{Code: venues.CodeInsufficientBalance, Text: "the margin is not sufficient", Of: []int{-2018, codeMarginInsufficient, -4050, -4051}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "there is no position to reduce", Of: []int{codeReductionRefused}},
	{Code: venues.CodeOrderRejected, Reason: "exceeds_position", Text: "the order is larger than the position it reduces", Of: []int{-2024}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonFOKNotFilled, Text: "the order could not be filled at once", Of: []int{-5021}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonPostOnlyWouldTake, Text: "the post-only order would have taken", Of: []int{-5022}},
	{Code: venues.CodeInvalidRequest, Reason: "no_liquidity", Of: []int{-1112, -2020, -4131}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonOpenOrders, Text: "open orders stand against it", Of: []int{-4118}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonWouldTrigger, Text: "the trigger is already reached", Of: []int{-2021, -4142}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_orders", Of: []int{-2025, -4045}},
	{Code: venues.CodeInvalidRequest, Reason: "max_position", Of: []int{codePositionCap}},
	{
		Code: venues.CodeInvalidRequest, Reason: "position_mode", Text: "the order does not fit the account's position mode",
		Of: []int{codePositionSide, codePositionSideReduce, codePositionSideOnly, codeReduceOnlyNotRequired},
	},
	{Code: venues.CodeInvalidRequest, Reason: "below_minimum_notional", Of: []int{codeNotionalTooSmall, -5029}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonPriceBand, Text: "the price is outside the venue's band", Of: []int{-4016, -4024}},
	{Code: venues.CodeInvalidRequest, Reason: "amend_pending", Of: []int{-5043}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_amends", Of: []int{-5026}},
	{Code: venues.CodeInvalidRequest, Of: []int{-1010, -1013, -1014, -1020, -1023, -2010, -2026, -5025, -5047}},
	{
		Code: venues.CodeLeverageChangeRejected,
		Of:   []int{codeLeverageMargin, codeLeverageInvalid, codeLeverageIsolated, -4202, -4203, -4205, -4206, -4208, -4209, -4403},
	},
})

// isParameterFault says whether a code is of the families that are about a
// request's own fields and filters; they are many, alike, and not listed.
func isParameterFault(code int) bool {
	return code <= -1100 && code > -1200 || code <= -4000 && code > -6000
}

// verdictOf reads the table; listed is false for a code that it lacks. Those are
// judged by their family: general server faults may hide an execution, parameter
// and filter faults are the request's own.
func verdictOf(code int) (v refusal.Verdict, listed bool) {
	v, listed = verdicts[code]
	switch {
	case listed:
	case code > -1100:
		v = refusal.Verdict{Code: venues.CodeExchangeUnavailable, Unknown: true}
	case isParameterFault(code):
		v = refusal.Verdict{Code: venues.CodeInvalidRequest}
	default:
		v = refusal.Verdict{Code: venues.CodeOrderRejected}
	}
	return v, listed
}

// leverageReasons says why a change of leverage was refused.
var leverageReasons = map[int]string{
	codePositionCap:      venues.ReasonOpenPosition,
	codeLeverageMargin:   "insufficient_margin",
	codeLeverageInvalid:  venues.ReasonAboveMax,
	codeLeverageIsolated: venues.ReasonOpenPosition,
	-4202:                "verification_required",
	-4203:                "account_too_new",
	-4205:                "account_too_new",
	-4206:                "region",
	-4208:                venues.ReasonAboveMax,
	-4209:                venues.ReasonAboveMax,
	-4403:                venues.ReasonAboveMax,
}
