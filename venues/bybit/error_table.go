package bybit

import (
	"venuegate/venues"
	"venuegate/venues/internal/rejection"
)

// Codes of the venue that the connector reacts to.
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

// classes are the codes of the document "Error Codes" by meaning. A definite rejection
// without a more specific code is invalid_request.
var classes = rejection.NewTable([]rejection.Class{
	{
		Code: venues.CodeExchangeUnavailable, Text: "the venue does not know the outcome", Unknown: true,
		VenueCodes: []int{5004, codeTimeout, codeServerError, codeRestarting, 3400214},
	},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "duplicate_client_id", Text: "an order with this client id exists", Unknown: true,
		VenueCodes: []int{10014, 110072},
	},
	{Code: venues.CodeExchangeUnavailable, Reason: "overloaded", Text: "the venue is overloaded", Unknown: true, VenueCodes: []int{codeOverloaded}},
	{Code: venues.CodeExchangeUnavailable, Reason: "clock_skew", Text: "the venue rejects the timestamp", VenueCodes: []int{codeExpired, codeClock}},
	{Code: venues.CodeExchangeUnavailable, Reason: "busy", Text: "the order or position is being processed", VenueCodes: []int{40004, 110005, 110035, 110079}},
	{Code: venues.CodeMaintenance, Text: "the venue is under maintenance", VenueCodes: []int{110071, 3100197}},
	{Code: venues.CodeRateLimited, Text: "the venue's rate limit is used up", VenueCodes: []int{10006, 10018, 10403, 10429, 20003}},
	{
		Code: venues.CodeUnauthorized, Text: "the venue rejects the API key",
		VenueCodes: []int{
			-2015, 33004, 10003, 10004, 10005, 10007, 10008, 10009, 10010, 10024, 10027, 10028, 100028,
			110065, 110067, 110068, 110069, 110080, 110088, 110097, 110102, 110123,
		},
	},
	{Code: venues.CodeNotFound, Text: "the venue has no such active order", VenueCodes: []int{30034, 110001, 110008, 110010, 110019}},
	{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol, VenueCodes: []int{10029}},
	{Code: venues.CodeSymbolNotTradable, Reason: "symbol_status", VenueCodes: []int{110063, 110066, 110070, 110074, 110095, 110098, 110099, 110100, 110103}},
	{Code: venues.CodeSymbolNotTradable, Reason: "reduce_only", VenueCodes: []int{30228, 110023, 110042, 110137}},
	{Code: venues.CodeSymbolNotTradable, Reason: "not_permitted", VenueCodes: []int{30133, 30134, 110096, 110125, 110132, 110135, 110136}},
	{Code: venues.CodeSymbolNotTradable, Reason: "cooling_off", VenueCodes: []int{110124}},
	{
		Code: venues.CodeInsufficientBalance, Text: "the margin is not sufficient",
		VenueCodes: []int{30256, 110004, 110006, codeInsufficientMargin, 110012, 110014, 110040, 110044, 110045, 110051, 110052, 110053, 110131},
	},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "there is no position to reduce", VenueCodes: []int{codeReductionRefused, 110034}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonWouldTrigger, Text: "the trigger is already reached", VenueCodes: []int{110092, 110093}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonPriceBand, Text: "the price is outside the venue's band", VenueCodes: []int{30208, 30209, 110003, 110120, 110121}},
	{Code: venues.CodeInvalidRequest, Reason: "below_minimum_notional", VenueCodes: []int{110094}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonNoLiquidity, VenueCodes: []int{110118}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_orders", VenueCodes: []int{110009, 110020, 110061}},
	{Code: venues.CodeInvalidRequest, Reason: "max_position", VenueCodes: []int{110016, 110021, 110022, 110085, 110086, 110089, 110090, 3400139}},
	{Code: venues.CodeInvalidRequest, Reason: "below_filled", VenueCodes: []int{110064}},
	{
		Code: venues.CodeInvalidRequest,
		VenueCodes: []int{
			codeParameter, 7001, 10017, 110011, 110015, 110025, 110026, 110027, 110028, 110029, 110030, 110031, 110032, 110033,
			110037, 110039, 110041, 110046, 110057, 110058, 110059, 110060, codeNotModified,
		},
	},
	{Code: venues.CodeLeverageChangeRejected, VenueCodes: []int{30135, 30136, 110013, 110036, 110038, codeLeverageNotModified, 110047, 110048, 110087}},
})

// classOf returns the class of a code; listed is false for a code that the table lacks.
// Those are classified by their range: business errors, from 30000 on, are raised before
// anything is done; after an error of the gateway itself the request may have been
// executed.
func classOf(code int) (class rejection.Class, listed bool) {
	class, listed = classes[code]
	switch {
	case listed:
	case code >= 30000:
		class = rejection.Class{Code: venues.CodeOrderRejected}
	default:
		class = rejection.Class{Code: venues.CodeExchangeUnavailable, Unknown: true}
	}
	return class, listed
}

// leverageReasons are the reasons for rejected changes of leverage.
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
