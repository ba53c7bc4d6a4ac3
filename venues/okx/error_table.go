package okx

import (
	"venuegate/venues"
	"venuegate/venues/internal/rejection"
)

// Codes of the venue that the connector reacts to.
const (
	codeAllFailed            = 1
	codePartlyFailed         = 2
	codeServiceUnavailable   = 50001
	codeSystemBusy           = 50013
	codeSystemError          = 50026
	codeDeadlinePast         = 50036 // expTime is before the venue's clock
	codeExpired              = 50037 // the order came to be executed after expTime
	codeAccountLimit         = 50061
	codeTimestampExpired     = 50102
	codeTimestampInvalid     = 50112
	codeParameter            = 51000
	codeInstrumentUnknown    = 51001
	codeMarginInsufficient   = 51008
	codeOrderIDUnknown       = 51063
	codeBalanceLegacy        = 51119
	codeBalanceZero          = 51127
	codeBalance              = 51131
	codeCancelGone           = 51400
	codeCancelled            = 51401
	codeCompleted            = 51402
	codeNothingPending       = 51405
	codeCancelling           = 51410
	codeTriggered            = 51416
	codeNothingToAmend       = 51500
	codeAmendMargin          = 51502
	codeAmendGone            = 51503
	codeAmendCancelled       = 51509
	codeAmendCompleted       = 51510
	codeTooManyAmends        = 51513
	codeStatusUnknown        = 51600
	codeOrderUnknown         = 51603
	codeLoginTimeInvalid     = 60004
	codeLoginTimeExpired     = 60006
	codeChannelUnsupported   = 60008
	codeLoggedOut            = 60011
	codeRequestInvalid       = 60012
	codeArgsInvalid          = 60013
	codeURLWrong             = 60018
	codeOperationInvalid     = 60019
	codeParameterEmpty       = 60027
	codeOperationUnsupported = 60028
	codeParameterWrong       = 60033
)

// classes maps the codes of the venue's document "Error Code" to their meaning. The many
// codes about single fields of a request are left out: they are invalid_request (see
// classOf).
var classes = rejection.NewTable([]rejection.Class{
	{
		Code: venues.CodeExchangeUnavailable, Text: "the venue does not know the outcome", Unknown: true,
		VenueCodes: []int{50004, codeSystemError, 51054, 51149, 51412, 63999, 64007},
	},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "duplicate_client_id", Text: "an order with this client id exists", Unknown: true,
		VenueCodes: []int{50042, 50071, 51011, 51016, 51065, 51068},
	},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "clock_skew", Text: "the venue rejects the timestamp",
		VenueCodes: []int{codeTimestampExpired, codeTimestampInvalid, codeLoginTimeInvalid, codeLoginTimeExpired},
	},
	{
		Code: venues.CodeOrderRejected, Reason: venues.ReasonTooLate, Text: "the request reached the venue after its deadline",
		VenueCodes: []int{codeDeadlinePast, codeExpired},
	},
	{Code: venues.CodeExchangeUnavailable, Reason: "settling", Text: "the contract is being settled", VenueCodes: []int{51029, 51030}},
	{
		Code: venues.CodeExchangeUnavailable, Reason: "liquidation", Text: "the venue has frozen the account",
		VenueCodes: []int{50017, 50018, 50019, 50020, 50021, 50022, 50023},
	},
	// 50001 by REST has status 503 and is a server error for that reason. The WebSocket
	// has no status.
	{Code: venues.CodeExchangeUnavailable, Unknown: true, VenueCodes: []int{codeServiceUnavailable}},
	{Code: venues.CodeExchangeUnavailable, VenueCodes: []int{50005, codeSystemBusy, 51140}},
	{Code: venues.CodeMaintenance, Text: "the venue does not offer this at present", VenueCodes: []int{50046, 50062, 64008}},
	{Code: venues.CodeRateLimited, VenueCodes: []int{50011, 50040, codeAccountLimit, 51113, codeTooManyAmends, 60014, 60023}},
	{Code: venues.CodeUnauthorized, Text: "the venue rejects the API key", VenueCodes: []int{
		50007, 50008, 50009, 50012, 50027, 50028, 50029, 50030, 50035, 50041, 50051, 50059, 50060, 50100, 50101,
		50103, 50104, 50105, 50106, 50107, 50108, 50109, 50110, 50111, 50113, 50114, 50118, 50119, 50120, 50121,
		51009, 51024, 54092, 60005, 60007, 60009, codeLoggedOut, 60024, 60031, 60032, 64003,
	}},
	{Code: venues.CodeNotFound, Text: "the venue does not know the order", VenueCodes: []int{
		codeOrderIDUnknown, codeCancelGone, codeCancelled, codeCompleted, codeNothingPending, codeAmendGone,
		codeAmendCancelled, codeAmendCompleted, 51527, codeStatusUnknown, codeOrderUnknown, 52000, 59300,
	}},
	{Code: venues.CodeNotFound, Reason: "cancelling", Text: "the order is being cancelled", VenueCodes: []int{codeCancelling}},
	{Code: venues.CodeNotFound, Reason: "triggering", Text: "the stop has triggered", VenueCodes: []int{codeTriggered}},
	{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol, VenueCodes: []int{codeInstrumentUnknown, 51012, 54007}},
	{Code: venues.CodeSymbolNotTradable, Reason: "symbol_status", VenueCodes: []int{
		51021, 51022, 51027, 51028, 51087, 51110, 51124, 51196, 51197, 51507, 54005, 54011, 54012, 54031, 54035, 54072, 54094,
	}},
	{Code: venues.CodeSymbolNotTradable, Reason: "region", VenueCodes: []int{50032, 50033, 50052, 51155}},
	{Code: venues.CodeInsufficientBalance, Text: "the margin is not sufficient", VenueCodes: []int{
		codeMarginInsufficient, codeBalanceLegacy, codeBalanceZero, codeBalance, 51017, 51143, codeAmendMargin, 59200, 59201, 59303,
	}},
	{
		Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "there is no position to reduce",
		VenueCodes: []int{51023, 51043, 51058, 51169, 51170},
	},
	{
		Code: venues.CodeOrderRejected, Reason: "exceeds_position", Text: "the order is larger than the position it reduces",
		VenueCodes: []int{51112, 51148, 51206},
	},
	{Code: venues.CodeOrderRejected, Reason: venues.ReasonPostOnlyWouldTake, Text: "the post-only order would have taken liquidity", VenueCodes: []int{51511}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonWouldTrigger, Text: "the trigger is already reached", VenueCodes: []int{
		51277, 51278, 51279, 51280, 51300, 51302, 51303, 51304, 51305, 51306, 51307, 51308,
	}},
	{
		Code: venues.CodeInvalidRequest, Reason: "protection_side", Text: "stop loss or take profit is on the wrong side of the price",
		VenueCodes: []int{51046, 51047, 51048, 51049, 51050, 51051, 51052, 51053},
	},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonPriceBand, Text: "the price is outside the venue's band", VenueCodes: []int{51006}},
	{Code: venues.CodeInvalidRequest, Reason: "account_mode", Text: "the account's mode does not allow this", VenueCodes: []int{51010, 50072}},
	{Code: venues.CodeInvalidRequest, Reason: "max_position", VenueCodes: []int{51004, 54030}},
	{Code: venues.CodeInvalidRequest, Reason: "too_many_orders", VenueCodes: []int{51102, 51103, 51174, 51260, 51261, 51299}},
	{Code: venues.CodeInvalidRequest, Reason: venues.ReasonOpenOrders, Text: "open orders prevent it", VenueCodes: []int{51115}},
	{Code: venues.CodeInvalidRequest, Reason: "quantity", VenueCodes: []int{51005, 51020, 51101, 51121, 51185, 51202, 51203}},
	{Code: venues.CodeInvalidRequest, Reason: "no_change", Text: "the request changes nothing", VenueCodes: []int{codeNothingToAmend}},
	{Code: venues.CodeLeverageChangeRejected, VenueCodes: []int{
		51039, 59000, 59101, 59102, 59103, 59104, 59105, 59106, 59107, 59108, 59109, 59111, 59112, 59668, 59669, 59670,
	}},
})

// isParameterError reports whether a code is in the range for invalid fields and trading
// rules. Most of these codes are not listed in classes.
func isParameterError(code int) bool { return code >= 50000 && code < 60000 }

// classOf returns the class of a code; listed is false for a code that the table lacks.
// An unlisted code is an explicit rejection too.
func classOf(code int) (class rejection.Class, listed bool) {
	class, listed = classes[code]
	switch {
	case listed:
	case isParameterError(code), code >= 60000 && code < 70000:
		class = rejection.Class{Code: venues.CodeInvalidRequest}
	default:
		class = rejection.Class{Code: venues.CodeOrderRejected}
	}
	return class, listed
}

// leverageReasons are the reasons for rejected changes of leverage.
var leverageReasons = map[int]string{
	51039: "portfolio_margin",
	59000: venues.ReasonOpenOrders,
	59101: venues.ReasonOpenOrders,
	59102: venues.ReasonAboveMax,
	59103: "insufficient_margin",
	59104: venues.ReasonOpenPosition,
	59105: "below_min",
	59106: venues.ReasonOpenPosition,
	59107: venues.ReasonOpenOrders,
	59108: "insufficient_margin",
	59109: "insufficient_margin",
	59111: "portfolio_margin",
	59112: venues.ReasonOpenOrders,
	59668: venues.ReasonOpenOrders,
	59669: venues.ReasonOpenOrders,
	59670: venues.ReasonOpenOrders,
}
