package bybit

import (
	"venuegate/venues"
	"venuegate/venues/internal/refusal"
)

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

// verdicts holds the codes of the document "Error Codes" by meaning. Where the
// service has no closer word for a definite refusal it is invalid_request.
var verdicts = refusal.NewTable([]refusal.Verdict{
	{
		Code: venues.CodeExchangeUnavailable, Text: "the venue does not know the outcome", Unknown: true,
		Of: []int{5004, codeTimeout, codeServerError, codeRestarting, 3400214},
	},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "duplicate_client_id", Text: "an order with this client id exists", Unknown: true,
		Of: []int{10014, 110072},
	},
	{Code: venues.CodeExchangeUnavailable, Reason: "overloaded", Text: "the venue is overloaded", Unknown: true, Of: []int{codeOverloaded}},
	{Code: venues.CodeExchangeUnavailable, Reason: "clock_skew", Text: "the venue refuses the timestamp", Of: []int{codeExpired, codeClock}},
	{Code: venues.CodeExchangeUnavailable, Reason: "busy", Text: "the order or position is being processed", Of: []int{40004, 110005, 110035, 110079}},
	{Code: venues.CodeMaintenance, Text: "the venue is under maintenance", Of: []int{110071, 3100197}},
	{Code: venues.CodeRateLimited, Text: "the venue's request limit is used up", Of: []int{10006, 10018, 10403, 10429, 20003}},
	{
		Code: venues.CodeUnauthorized, Text: "the venue refuses the API key",
		Of: []int{
			-2015, 33004, 10003, 10004, 10005, 10007, 10008, 10009, 10010, 10024, 10027, 10028, 100028,
			110065, 110067, 110068, 110069, 110080, 110088, 110097, 110102, 110123,
		},
	},
	{Code: venues.CodeNotFound, Text: "the venue does not know an active order", Of: []int{30034, 110001, 110008, 110010, 110019}},
	{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol, Of: []int{10029}},
	{Code: venues.CodeSymbolNotTradable, Reason: "symbol_status", Of: []int{110063, 110066, 110070, 110074, 110095, 110098, 110099, 110100, 110103}},
	{Code: venues.CodeSymbolNotTradable, Reason: "reduce_only", Of: []int{30228, 110023, 110042, 110137}},
	{Code: venues.CodeSymbolNotTradable, Reason: "not_permitted", Of: []int{30133, 30134, 110096, 110125, 110132, 110135, 110136}},
	{Code: venues.CodeSymbolNotTradable, Reason: "cooling_off", Of: []int{110124}},
	{
		Code: venues.CodeInsufficientBalance, Text: "the margin is not sufficient",
		Of: []int{30256, 110004, 110006, codeInsufficientMargin, 110012, 110014, 110040, 110044, 110045, 110051, 110052, 110053, 110131},
	},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "there is no position to reduce", Of: []int{codeReductionRefused, 110034}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonWouldTrigger, Text: "the trigger is already reached", Of: []int{110092, 110093}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonPriceBand, Text: "the price is outside the venue's band", Of: []int{30208, 30209, 110003, 110120, 110121}},
	{Code: venues.CodeInvalidRequest, Reason: "below_minimum_notional", Of: []int{110094}},
	{Code: venues.CodeInvalidRequest, Reason: "no_liquidity", Of: []int{110118}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_orders", Of: []int{110009, 110020, 110061}},
	{Code: venues.CodeInvalidRequest, Reason: "max_position", Of: []int{110016, 110021, 110022, 110085, 110086, 110089, 110090, 3400139}},
	{Code: venues.CodeInvalidRequest, Reason: "below_filled", Of: []int{110064}},
	{
		Code: venues.CodeInvalidRequest,
		Of: []int{
			codeParameter, 7001, 10017, 110011, 110015, 110025, 110026, 110027, 110028, 110029, 110030, 110031, 110032, 110033,
			110037, 110039, 110041, 110046, 110057, 110058, 110059, 110060, codeNotModified,
		},
	},
	{Code: venues.CodeLeverageChangeRejected, Of: []int{30135, 30136, 110013, 110036, 110038, codeLeverageNotModified, 110047, 110048, 110087}},
})

// verdictOf reads the table; listed is false for a code that it lacks. Those are
// judged by their family: business refusals have five digits from 30000 on or more,
// and come before anything is done; the gateway's own may hide an execution.
func verdictOf(code int) (v refusal.Verdict, listed bool) {
	v, listed = verdicts[code]
	switch {
	case listed:
	case code >= 30000:
		v = refusal.Verdict{Code: venues.CodeOrderRejected}
	default:
		v = refusal.Verdict{Code: venues.CodeExchangeUnavailable, Unknown: true}
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
