package bybitsim

import (
	"fmt"
	"net/http"
	"strconv"

	"venuegate/venues/simcore"
)

// apiError is an answer of the venue that is not a success: a code in the
// envelope, or a bare status with a text where raw is set.
type apiError struct {
	status  int
	code    int
	message string
	raw     string
	// null omits the empty objects, as the gateway does.
	null bool
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.code, e.message) }

func bad(code int, format string, args ...any) *apiError {
	return &apiError{code: code, message: fmt.Sprintf(format, args...)}
}

func errParam(format string, args ...any) *apiError { return bad(10001, format, args...) }

var (
	errNotFound    = &apiError{status: http.StatusNotFound, raw: "404 page not found"}
	errBodyOfGet   = &apiError{status: http.StatusForbidden, raw: "403 Forbidden"}
	errTooFrequent = &apiError{status: http.StatusForbidden, raw: "403, access too frequent"}
	errKey         = bad(10003, "API key is invalid.")
	errPermission  = bad(10005, "Permission denied, please check your API key permissions.")
	// The gateway of the order entry socket has its own errors.
	errKeyPermission = bad(10005, "Permission denied for current apikey")
	errNoOp          = bad(10404, "op type is not found")
	errRequestID     = bad(20006, "Duplicate reqId")
	errAddressLimit  = bad(10403, "Exceeded the IP rate limit")
	errTooMany       = bad(10006, "Too many visits!")
	errDemo          = bad(10032, "Demo trading are not supported.")
	errCategory      = errParam("Illegal category")
	errTypes         = errParam("request params type error")
	errSymbol        = errParam("params error: symbol invalid")
	errSide          = errParam("params error: side invalid")
	errOrderType     = errParam("params error: orderType invalid")
	errIDs           = errParam("params error: OrderId or orderLinkId is required")
	errModeMismatch  = errParam("position idx not match position mode")
	errUnchanged     = errParam("The order remains unchanged as the parameters entered match the existing ones.")
	errNoPosition    = errParam("can not set tp/sl/ts for zero position")
	errWindow        = errParam("The time range between startTime and endTime cannot exceed 7 days")
	errCursor        = errParam("invalid cursor")
	errNoOrder       = bad(110001, "Order does not exist")
	errTooLate       = bad(110001, "order not exists or too late to replace")
	errPriceRange    = bad(110003, "Order price is out of permissible range")
	errBalance       = bad(110007, "ab not enough for new order")
	errReduceOnly    = bad(110017, "Reduce-only rule not satisfied")
	errDuplicate     = bad(110072, "OrderLinkedID is duplicate")
	errTriggering    = bad(110079, "The order is processing and can not be operated, please try again later")
	errNotLive       = bad(110074, "This contract is not live")
	errMaintenance   = bad(3100197, "Temporary banned due to the upgrade to UTA")
	errNotModified   = bad(34040, "not modified")
)

// orderErrors are the venue's errors for the reasons of the exchange.
var orderErrors = map[simcore.Reason]*apiError{
	simcore.ReasonUnknownSymbol:      errSymbol,
	simcore.ReasonPriceNotPositive:   errPriceRange,
	simcore.ReasonPriceBelowMin:      errPriceRange,
	simcore.ReasonPriceAboveMax:      errPriceRange,
	simcore.ReasonPriceOffTick:       errParam("Price invalid"),
	simcore.ReasonQtyNotPositive:     errParam("The number of contracts exceeds minimum limit allowed"),
	simcore.ReasonQtyBelowMin:        errParam("The number of contracts exceeds minimum limit allowed"),
	simcore.ReasonQtyAboveMax:        errParam("The number of contracts exceeds maximum limit allowed"),
	simcore.ReasonQtyOffStep:         errParam("Qty invalid"),
	simcore.ReasonNotionalBelowMin:   bad(110094, "Order does not meet minimum order value 5USDT"),
	simcore.ReasonPositionSide:       errModeMismatch,
	simcore.ReasonReduceOnly:         errReduceOnly,
	simcore.ReasonDuplicateClientID:  errDuplicate,
	simcore.ReasonNotTradable:        errNotLive,
	simcore.ReasonTooManyOrders:      bad(110020, "Not allowed to have more than 500 active orders."),
	simcore.ReasonInsufficientMargin: errBalance,
	simcore.ReasonPositionTooLarge:   bad(110090, "Order placement failed as your position may exceed the max limit."),
	simcore.ReasonUnknownOrder:       errNoOrder,
	simcore.ReasonTriggering:         errTriggering,
	simcore.ReasonQtyFilled:          bad(110064, "The modified contract quantity cannot be less than or equal to the filled quantity."),
	simcore.ReasonNoChange:           errUnchanged,
	simcore.ReasonNotLimit:           errTooLate,
	simcore.ReasonNoPosition:         errNoPosition,
	simcore.ReasonOpenOrders:         bad(110028, "You have existing open orders, so the position mode cannot be switched."),
	simcore.ReasonOpenPosition:       bad(110024, "You have an existing position, so the position mode cannot be switched."),
}

// errorOf returns the venue's error for a rejection of the exchange.
func errorOf(err error) *apiError {
	if known, ok := orderErrors[simcore.ReasonOf(err)]; ok {
		return known
	}
	return bad(10001, "%s", simcore.ReasonOf(err))
}

// envelope is the form of all answers.
type envelope struct {
	RetCode    int    `json:"retCode"`
	RetMsg     string `json:"retMsg"`
	Result     any    `json:"result"`
	RetExtInfo any    `json:"retExtInfo"`
	Time       int64  `json:"time"`
}

func (s *Sim) envelope(result any, failed *apiError) envelope {
	body := envelope{RetMsg: "OK", Result: result, RetExtInfo: struct{}{}, Time: s.Clock.Now().UnixMilli()}
	if extended, ok := result.(withExtInfo); ok {
		body.Result, body.RetExtInfo = extended.result, extended.info
	}
	if failed != nil {
		body.RetCode, body.RetMsg, body.Result = failed.code, failed.message, struct{}{}
		if failed.null {
			body.Result, body.RetExtInfo = nil, nil
		}
	}
	return body
}

// withExtInfo is a result with a retExtInfo.
type withExtInfo struct{ result, info any }

// injectableErrors are the venue's errors for codes that scripts inject.
var injectableErrors = map[int]string{
	10000: "Server Timeout", 10002: "invalid request, please check your server timestamp or recv_window param.",
	10003: errKey.message, 10004: "error sign!", 10005: errPermission.message, 10006: errTooMany.message,
	10016: "Request timeout, please try again later", 10018: "Exceeded the IP Rate Limit.", 10019: "Service is restarting, please reconnect.",
	110001: errNoOrder.message, 110007: errBalance.message, 110072: errDuplicate.message,
	110071:  "Sorry, we're revamping the Unified Margin Account! Currently, new upgrades are not supported.",
	3100197: errMaintenance.message,
}

func rejectedError(fault simcore.InjectedFault) *apiError {
	code, err := strconv.Atoi(fault.Args.CodeText())
	if err != nil {
		code = 10016
	}
	failed := &apiError{code: code, message: "Rejected.", status: fault.Args.Status}
	if text, ok := injectableErrors[code]; ok {
		failed.message = text
	}
	if fault.Args.Message != "" {
		failed.message = fault.Args.Message
	}
	return failed
}
