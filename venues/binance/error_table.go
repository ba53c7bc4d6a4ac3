package binance

import "venuegate/venues"

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

// verdict is what a venue code means here.
type verdict struct {
	code   venues.Code
	reason string
	text   string
	// unknown: the request may have been executed all the same.
	unknown bool
}

// verdicts holds the codes of the document "Error Codes" by meaning. Where the
// service has no closer word for a definite refusal it is order_rejected.
var verdicts = indexVerdicts([]verdictGroup{
	{
		verdict{code: venues.CodeExchangeUnavailable, text: "the venue does not know the outcome", unknown: true},
		[]int{-1000, -1001, -1006, -1007},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "duplicate_client_id", text: "an order with this client id exists", unknown: true},
		[]int{-4116},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "throttled", text: "the venue throttles requests"},
		[]int{codeThrottled},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "clock_skew", text: "the venue refuses the timestamp"},
		[]int{codeTimestamp, codeEngineTimestamp},
	},
	{verdict{code: venues.CodeExchangeUnavailable}, []int{codeListenKeyUnknown, -2012}},
	{verdict{code: venues.CodeMaintenance, text: "the venue is shutting down"}, []int{codeShuttingDown}},
	{verdict{code: venues.CodeRateLimited, text: "the venue's request limit is used up"}, []int{-1003, codeTooManyOrders}},
	{
		verdict{code: venues.CodeUnauthorized, text: "the venue refuses the API key"},
		[]int{-1002, -1004, -1005, -1011, -1022, -1099, -2014, -2015, -2017, -4056, -4057, -4109, -4402},
	},
	{verdict{code: venues.CodeNotFound, text: "the venue does not know the order"}, []int{codeUnknownOrder, codeNoSuchOrder}},
	{verdict{code: venues.CodeNotFound, reason: "triggering", text: "the stop is being triggered"}, []int{codeStopTriggering}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: venues.ReasonUnknownSymbol}, []int{-1121}},
	{
		verdict{code: venues.CodeSymbolNotTradable, reason: "symbol_status"},
		[]int{-1122, -4022, -4140, -4141, -4144, -5024},
	},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "liquidation"}, []int{-2023}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "reduce_only_account"}, []int{-4087}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "no_order_permission"}, []int{-4088}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "quantitative_rules"}, []int{-4400}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "large_position"}, []int{-4401}},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "cooling_off"}, []int{-4192}},
	{
		verdict{code: venues.CodeInsufficientBalance, text: "the margin is not sufficient"},
		[]int{-2018, codeMarginInsufficient, -4050, -4051},
	},
	{verdict{code: venues.CodeOrderRejected, reason: venues.ReasonNoPosition, text: "there is no position to reduce"}, []int{codeReductionRefused}},
	{verdict{code: venues.CodeOrderRejected, reason: venues.ReasonFOKNotFilled, text: "the order could not be filled at once"}, []int{-5021}},
	{verdict{code: venues.CodeOrderRejected, reason: venues.ReasonPostOnlyWouldTake, text: "the post-only order would have taken"}, []int{-5022}},
	{verdict{code: venues.CodeInvalidRequest, reason: "no_liquidity"}, []int{-1112, -2020, -4131}},
	{verdict{code: venues.CodeInvalidRequest, reason: venues.ReasonOpenOrders, text: "open orders stand against it"}, []int{-4118, -2024}},
	{verdict{code: venues.CodeInvalidRequest, reason: venues.ReasonWouldTrigger, text: "the trigger is already reached"}, []int{-2021, -4142}},
	{verdict{code: venues.CodeInvalidRequest, reason: "too_many_orders"}, []int{-2025, -4045}},
	{verdict{code: venues.CodeInvalidRequest, reason: "max_position"}, []int{codePositionCap}},
	{
		verdict{code: venues.CodeInvalidRequest, reason: "position_mode", text: "the order does not fit the account's position mode"},
		[]int{codePositionSide, codePositionSideReduce, codePositionSideOnly, codeReduceOnlyNotRequired},
	},
	{verdict{code: venues.CodeInvalidRequest, reason: "below_minimum_notional"}, []int{codeNotionalTooSmall, -5029}},
	{verdict{code: venues.CodeInvalidRequest, reason: venues.ReasonPriceBand, text: "the price is outside the venue's band"}, []int{-4016, -4024}},
	{verdict{code: venues.CodeInvalidRequest, reason: "amend_pending"}, []int{-5043}},
	{verdict{code: venues.CodeInvalidRequest, reason: "too_many_amends"}, []int{-5026}},
	{
		verdict{code: venues.CodeInvalidRequest},
		[]int{-1010, -1013, -1014, -1020, -1023, -2010, -2026, -5025, -5047},
	},
	{
		verdict{code: venues.CodeLeverageChangeRejected},
		[]int{codeLeverageMargin, codeLeverageInvalid, codeLeverageIsolated, -4202, -4203, -4205, -4206, -4208, -4209, -4403},
	},
})

// verdictGroup are the codes that mean the same.
type verdictGroup struct {
	verdict
	codes []int
}

func indexVerdicts(groups []verdictGroup) map[int]verdict {
	index := make(map[int]verdict)
	for _, g := range groups {
		for _, code := range g.codes {
			index[code] = g.verdict
		}
	}
	return index
}

// isParameterFault says whether a code is of the families that are about a
// request's own fields and filters; they are many, alike, and not listed.
func isParameterFault(code int) bool {
	return code <= -1100 && code > -1200 || code <= -4000 && code > -6000
}

// verdictOf reads the table; listed is false for a code that it lacks. Those are
// judged by their family: general server faults may hide an execution, parameter
// and filter faults are the request's own.
func verdictOf(code int) (v verdict, listed bool) {
	v, listed = verdicts[code]
	switch {
	case listed:
	case code > -1100:
		v = verdict{code: venues.CodeExchangeUnavailable, unknown: true}
	case isParameterFault(code):
		v = verdict{code: venues.CodeInvalidRequest}
	default:
		v = verdict{code: venues.CodeOrderRejected}
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
