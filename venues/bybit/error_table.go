package bybit

import "venuegate/venues"

// Codes of the venue that this connector acts on.
const (
	codeExpired             = -1
	codeOverloaded          = 429
	codeTimeout             = 10000
	codeParameter           = 10001
	codeClock               = 10002
	codeServerError         = 10016
	codeRestarting          = 10019
	codeUnknownOperation    = 10404
	codeRequestIDSpent      = 20006
	codeInsufficientMargin  = 110007
	codeReductionRefused    = 110017
	codeLeverageNotModified = 110043
	codeNotModified         = 34040
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
// service has no closer word for a definite refusal it is invalid_request.
var verdicts = indexVerdicts([]verdictGroup{
	{
		verdict{code: venues.CodeExchangeUnavailable, text: "the venue does not know the outcome", unknown: true},
		[]int{5004, codeTimeout, codeServerError, codeRestarting, 3400214},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "duplicate_client_id", text: "an order with this client id exists", unknown: true},
		[]int{10014, 110072},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "overloaded", text: "the venue is overloaded", unknown: true},
		[]int{codeOverloaded},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "clock_skew", text: "the venue refuses the timestamp"},
		[]int{codeExpired, codeClock},
	},
	{
		verdict{code: venues.CodeExchangeUnavailable, reason: "busy", text: "the order or position is being processed"},
		[]int{40004, 110005, 110035, 110079},
	},
	{verdict{code: venues.CodeMaintenance, text: "the venue is under maintenance"}, []int{110071, 3100197}},
	{verdict{code: venues.CodeRateLimited, text: "the venue's request limit is used up"}, []int{10006, 10018, 10403, 10429, 20003}},
	{
		verdict{code: venues.CodeUnauthorized, text: "the venue refuses the API key"},
		[]int{
			-2015, 33004, 10003, 10004, 10005, 10007, 10008, 10009, 10010, 10024, 10027, 10028, 100028,
			110065, 110067, 110068, 110069, 110080, 110088, 110097, 110102, 110123,
		},
	},
	{
		verdict{code: venues.CodeNotFound, text: "the venue does not know an active order"},
		[]int{30034, 110001, 110008, 110010, 110019},
	},
	{verdict{code: venues.CodeSymbolNotTradable, reason: venues.ReasonUnknownSymbol}, []int{10029}},
	{
		verdict{code: venues.CodeSymbolNotTradable, reason: "symbol_status"},
		[]int{110063, 110066, 110070, 110074, 110095, 110098, 110099, 110100, 110103},
	},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "reduce_only"}, []int{30228, 110023, 110042, 110137}},
	{
		verdict{code: venues.CodeSymbolNotTradable, reason: "not_permitted"},
		[]int{30133, 30134, 110096, 110125, 110132, 110135, 110136},
	},
	{verdict{code: venues.CodeSymbolNotTradable, reason: "cooling_off"}, []int{110124}},
	{
		verdict{code: venues.CodeInsufficientBalance, text: "the margin is not sufficient"},
		[]int{30256, 110004, 110006, codeInsufficientMargin, 110012, 110014, 110040, 110044, 110045, 110051, 110052, 110053, 110131},
	},
	{
		verdict{code: venues.CodeOrderRejected, reason: venues.ReasonNoPosition, text: "there is no position to reduce"},
		[]int{codeReductionRefused, 110034},
	},
	{
		verdict{code: venues.CodeInvalidRequest, reason: venues.ReasonWouldTrigger, text: "the trigger is already reached"},
		[]int{110092, 110093},
	},
	{verdict{code: venues.CodeInvalidRequest, reason: venues.ReasonPriceBand, text: "the price is outside the venue's band"}, []int{30208, 30209, 110003, 110120, 110121}},
	{verdict{code: venues.CodeInvalidRequest, reason: "below_minimum_notional"}, []int{110094}},
	{verdict{code: venues.CodeInvalidRequest, reason: "no_liquidity"}, []int{110118}},
	{verdict{code: venues.CodeInvalidRequest, reason: "too_many_orders"}, []int{110009, 110020, 110061}},
	{
		verdict{code: venues.CodeInvalidRequest, reason: "max_position"},
		[]int{110016, 110021, 110022, 110085, 110086, 110089, 110090, 3400139},
	},
	{verdict{code: venues.CodeInvalidRequest, reason: "below_filled"}, []int{110064}},
	{
		verdict{code: venues.CodeInvalidRequest},
		[]int{
			codeParameter, 7001, 10017, 110011, 110015, 110025, 110026, 110027, 110028, 110029, 110030, 110031, 110032, 110033,
			110037, 110039, 110041, 110046, 110057, 110058, 110059, 110060, codeNotModified,
		},
	},
	{
		verdict{code: venues.CodeLeverageChangeRejected},
		[]int{30135, 30136, 110013, 110036, 110038, codeLeverageNotModified, 110047, 110048, 110087},
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

// verdictOf reads the table; listed is false for a code that it lacks. Those are
// judged by their family: business refusals have five digits from 30000 on or more,
// and come before anything is done; the gateway's own may hide an execution.
func verdictOf(code int) (v verdict, listed bool) {
	v, listed = verdicts[code]
	switch {
	case listed:
	case code >= 30000:
		v = verdict{code: venues.CodeOrderRejected}
	default:
		v = verdict{code: venues.CodeExchangeUnavailable, unknown: true}
	}
	return v, listed
}

// leverageReasons says why a change of leverage was refused.
var leverageReasons = map[int]string{
	30135:  "institutional_loan",
	30136:  "institutional_loan",
	110004: "insufficient_margin",
	110006: "insufficient_margin",
	110007: "insufficient_margin",
	110011: "liquidation",
	110012: "insufficient_margin",
	110013: venues.ReasonAboveMax,
	110015: "cross_margin",
	110036: "cross_margin",
	110038: "portfolio_margin",
	110039: "liquidation",
	110044: "insufficient_margin",
	110045: "insufficient_margin",
	110046: "liquidation",
	110047: "risk_limit",
	110048: "risk_limit",
	110077: "portfolio_margin",
	110086: venues.ReasonAboveMax,
	110087: "institutional_loan",
	110090: venues.ReasonAboveMax,
}
