package binance

import (
	"venuegate/venues"
	"venuegate/venues/internal/rejection"
)

// Codes of the venue that the connector reacts to.
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

// classes are the codes of the document "Error Codes" by meaning. A definite rejection
// without a more specific code is order_rejected.
var classes = rejection.NewTable([]rejection.Class{
	{Code: venues.CodeExchangeUnavailable, Text: "the venue does not know the outcome", Unknown: true, VenueCodes: []int{-1000, -1001, -1006, -1007}},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "duplicate_client_id", Text: "an order with this client id exists", Unknown: true,
		VenueCodes: []int{-4116},
	},
	{Code: venues.CodeExchangeUnavailable, Reason: "throttled", Text: "the venue throttles requests", VenueCodes: []int{codeThrottled}},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "clock_skew", Text: "the venue rejects the timestamp",
		VenueCodes: []int{codeTimestamp, codeEngineTimestamp},
	},
	{Code: venues.CodeExchangeUnavailable, VenueCodes: []int{codeListenKeyUnknown, -2012}},
	{Code: venues.CodeMaintenance, Text: "the venue is shutting down", VenueCodes: []int{codeShuttingDown}},
	{Code: venues.CodeRateLimited, Text: "the venue's rate limit is used up", VenueCodes: []int{-1003, codeTooManyOrders}},
	{
		Code: venues.CodeUnauthorized, Text: "the venue rejects the API key",
		VenueCodes: []int{-1002, -1004, -1005, -1011, -1022, -1099, -2014, -2015, -2017, -4056, -4057, -4109, -4402},
	},
	{Code: venues.CodeNotFound, Text: "the venue does not know the order", VenueCodes: []int{codeUnknownOrder, codeNoSuchOrder}},
	{Code: venues.CodeNotFound, Reason: "triggering", Text: "the stop is being triggered", VenueCodes: []int{codeStopTriggering}},
	{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol, VenueCodes: []int{-1121}},
	{Code: venues.CodeSymbolNotTradable, Reason: "symbol_status", VenueCodes: []int{-1122, -4022, -4140, -4141, -4144, -5024}},
	{Code: venues.CodeSymbolNotTradable, Reason: "liquidation", VenueCodes: []int{-2023}},
	{Code: venues.CodeSymbolNotTradable, Reason: "reduce_only_account", VenueCodes: []int{-4087}},
	{Code: venues.CodeSymbolNotTradable, Reason: "no_order_permission", VenueCodes: []int{-4088}},
	{Code: venues.CodeSymbolNotTradable, Reason: "quantitative_rules", VenueCodes: []int{-4400}},
	{Code: venues.CodeSymbolNotTradable, Reason: "large_position", VenueCodes: []int{-4401}},
	{Code: venues.CodeSymbolNotTradable, Reason: "cooling_off", VenueCodes: []int{-4192}},
	{Code: venues.CodeInsufficientBalance, Text: "the margin is not sufficient", VenueCodes: []int{-2018, codeMarginInsufficient, -4050, -4051}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "there is no position to reduce", VenueCodes: []int{codeReductionRefused}},
	{Code: venues.CodeOrderRejected, Reason: "exceeds_position", Text: "the order is larger than the position it reduces", VenueCodes: []int{-2024}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonFOKNotFilled, Text: "the order could not be filled immediately", VenueCodes: []int{-5021}},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonPostOnlyWouldTake, Text: "the post-only order would have taken liquidity", VenueCodes: []int{-5022}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonNoLiquidity, VenueCodes: []int{-1112, -2020, -4131}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonOpenOrders, Text: "open orders prevent it", VenueCodes: []int{-4118}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonWouldTrigger, Text: "the trigger is already reached", VenueCodes: []int{-2021, -4142}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_orders", VenueCodes: []int{-2025, -4045}},
	{Code: venues.CodeInvalidRequest, Reason: "max_position", VenueCodes: []int{codePositionCap}},
	{
		Code: venues.CodeInvalidRequest, Reason: "position_mode", Text: "the order does not fit the account's position mode",
		VenueCodes: []int{codePositionSide, codePositionSideReduce, codePositionSideOnly, codeReduceOnlyNotRequired},
	},
	{Code: venues.CodeInvalidRequest, Reason: "below_minimum_notional", VenueCodes: []int{codeNotionalTooSmall, -5029}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonPriceBand, Text: "the price is outside the venue's band", VenueCodes: []int{-4016, -4024}},
	{Code: venues.CodeInvalidRequest, Reason: "amend_pending", VenueCodes: []int{-5043}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_amends", VenueCodes: []int{-5026}},
	{Code: venues.CodeInvalidRequest, VenueCodes: []int{-1010, -1013, -1014, -1020, -1023, -2010, -2026, -5025, -5047}},
	{
		Code:       venues.CodeLeverageChangeRejected,
		VenueCodes: []int{codeLeverageMargin, codeLeverageInvalid, codeLeverageIsolated, -4202, -4203, -4205, -4206, -4208, -4209, -4403},
	},
})

// isParameterError reports whether a code is in the ranges for invalid fields and
// filters. They are many and similar, and not listed.
func isParameterError(code int) bool {
	return code <= -1100 && code > -1200 || code <= -4000 && code > -6000
}

// classOf returns the class of a code; listed is false for a code that the table lacks.
// Those are classified by their range: after a general server error the request may have
// been executed; parameter and filter errors are rejections.
func classOf(code int) (class rejection.Class, listed bool) {
	class, listed = classes[code]
	switch {
	case listed:
	case code > -1100:
		class = rejection.Class{Code: venues.CodeExchangeUnavailable, Unknown: true}
	case isParameterError(code):
		class = rejection.Class{Code: venues.CodeInvalidRequest}
	default:
		class = rejection.Class{Code: venues.CodeOrderRejected}
	}
	return class, listed
}

// leverageReasons are the reasons for rejected changes of leverage.
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
