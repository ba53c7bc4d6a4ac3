package binancesim

import (
	"errors"
	"fmt"
	"net/http"

	"venuegate/venues/simcore"
)

// apiError is an answer of the venue that is not a success. Code zero leaves
// the code out of the body.
type apiError struct {
	status     int
	code       int
	message    string
	retryAfter int
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.code, e.message) }

// errorBody is the wire form of an error.
type errorBody struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
}

func (e *apiError) body() any {
	if e.code == 0 {
		return struct {
			Msg string `json:"msg"`
		}{e.message}
	}
	return errorBody{Code: e.code, Msg: e.message}
}

func bad(code int, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, code: code, message: fmt.Sprintf(format, args...)}
}

func errMandatory(name string) *apiError {
	return bad(-1102, "Mandatory parameter '%s' was not sent, was empty/null, or malformed.", name)
}

func errNotRequired(name string) *apiError {
	return bad(-1106, "Parameter '%s' sent when not required.", name)
}

var (
	errUnknownMethod     = &apiError{status: http.StatusNotFound, code: -1099, message: "Not found, unauthenticated, or unauthorized"}
	errBadMessage        = bad(-1010, "ERROR_MSG_RECEIVED.")
	errUnsupported       = bad(-1020, "This operation is not supported.")
	errKeyType           = bad(-4056, "Invalid api key type.")
	errTimestampBehind   = bad(-1021, "Timestamp for this request is outside of the recvWindow.")
	errTimestampAhead    = bad(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")
	errSignature         = bad(-1022, "Signature for this request is not valid.")
	errKeyFormat         = &apiError{status: http.StatusUnauthorized, code: -2014, message: "API-key format invalid."}
	errEngineWindow      = bad(-5028, "Timestamp for this request is outside of the ME recvWindow.")
	errInvalidSymbol     = bad(-1121, "Invalid symbol.")
	errInvalidSide       = bad(-1117, "Invalid side.")
	errInvalidType       = bad(-1116, "Invalid orderType.")
	errInvalidTIF        = bad(-1115, "Invalid timeInForce.")
	errInvalidInterval   = bad(-1120, "Invalid interval.")
	errPrecision         = bad(-1111, "Precision is over the maximum defined for this asset.")
	errClientIDLength    = bad(-4015, "Client order id length should not be more than 36 chars")
	errUseAlgo           = bad(-4120, "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.")
	errUnknownOrder      = bad(-2011, "Unknown order sent.")
	errNoSuchOrder       = bad(-2013, "Order does not exist.")
	errPositionSide      = bad(-4061, "Order's position side does not match user's setting.")
	errReduceOnly        = bad(-2022, "ReduceOnly Order is rejected.")
	errMargin            = bad(-2019, "Margin is insufficient.")
	errMaxPosition       = bad(-2027, "Exceeded the maximum allowable position at current leverage.")
	errWouldTrigger      = bad(-2021, "Order would immediately trigger.")
	errDuplicateID       = bad(-4116, "ClientOrderId is duplicated.")
	errSymbolStatus      = bad(-4140, "Invalid symbol status for opening position.")
	errMarketBound       = bad(-4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit.")
	errPostOnly          = bad(-5022, "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history")
	errFillOrKill        = bad(-5021, "Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history")
	errListenKey         = bad(-1125, "This listenKey does not exist.")
	errDepthLimit        = bad(-4021, "Invalid depth limit. Valid limits are 5, 10, 20, 50, 100, 500, 1000.")
	errTimeWindow        = bad(-4165, "Invalid time interval.")
	errStartAfterEnd     = bad(-1023, "Start time is greater than end time.")
	errNotLimit          = bad(-5025, "Only limit order is supported.")
	errAmendLimit        = bad(-5026, "Exceed maximum modify order limit.")
	errNoAmendment       = bad(-5027, "No need to modify the order.")
	errAmendStatus       = bad(-5024, "Symbol is not in trading status. Order amendment is not permitted.")
	errAmendReduceOnly   = bad(-5047, "The reduceOnly parameter does not match the order.")
	errMarginTypeSame    = bad(-4046, "No need to change margin type.")
	errMarginTypeOrders  = bad(-4047, "Margin type cannot be changed if there exists open orders.")
	errMarginTypeHeld    = bad(-4048, "Margin type cannot be changed if there exists position.")
	errModeSame          = bad(-4059, "No need to change position side.")
	errModeOrders        = bad(-4067, "Position side cannot be changed if there exists open orders.")
	errModeHeld          = bad(-4068, "Position side cannot be changed if there exists position.")
	errLeverageIsolated  = bad(-4161, "Leverage reduction is not supported in Isolated Margin Mode with open positions.")
	errLeverageMargin    = bad(-2028, "Leverage is smaller than permitted: insufficient margin balance.")
	errBatchSize         = bad(-4082, "Invalid number of batch place orders.")
	errGTEPosition       = bad(-4509, "Time in Force (TIF) GTE can only be used with open positions. Please ensure that positions are available.")
	errDuplicateClose    = bad(-4130, "An open stop or take profit order with GTE and closePosition in the direction is existing.")
	errCloseWithQty      = bad(-4137, "Quantity must be zero with closePosition equals true.")
	errCloseWithReduce   = bad(-4138, "Reduce only must be true with closePosition equals true.")
	errTriggering        = bad(-4117, "Stop order is triggering.")
	errGoodTillDate      = bad(-5040, "The goodTillDate timestamp must be greater than the current time plus 600 seconds and smaller than 253402300799000")
	errPriceMatchPrice   = bad(-5037, "Invalid price match.")
	errTooManyOpenOrders = bad(-2025, "Reach max open order limit.")
	errInternalThrottle  = &apiError{status: http.StatusServiceUnavailable, code: -1008, message: "Request throttled by system-level protection. Reduce-only/close-position orders are exempt. Please try again."}
	errMaintenance       = &apiError{status: http.StatusServiceUnavailable, code: -1016, message: "This service is no longer available."}
)

func errKey(ip string) *apiError {
	return &apiError{
		status: http.StatusUnauthorized, code: -2015,
		message: "Invalid API-key, IP, or permissions for action, request ip: " + ip,
	}
}

// orderErrors maps the rejections of the exchange to the errors of the venue.
var orderErrors = map[simcore.Reason]*apiError{
	simcore.ReasonDeadline:           errEngineWindow,
	simcore.ReasonUnknownSymbol:      errInvalidSymbol,
	simcore.ReasonPriceNotPositive:   bad(-4001, "Price less than 0."),
	simcore.ReasonPriceOffTick:       bad(-4014, "Price not increased by tick size."),
	simcore.ReasonQtyNotPositive:     bad(-4003, "Quantity less than or equal to zero."),
	simcore.ReasonQtyBelowMin:        bad(-4004, "Quantity less than min quantity."),
	simcore.ReasonQtyAboveMax:        bad(-4005, "Quantity greater than max quantity."),
	simcore.ReasonQtyOffStep:         bad(-4023, "Quantity not increased by step size."),
	simcore.ReasonPositionSide:       errPositionSide,
	simcore.ReasonReduceOnly:         errReduceOnly,
	simcore.ReasonDuplicateClientID:  errDuplicateID,
	simcore.ReasonNotTradable:        errSymbolStatus,
	simcore.ReasonTooManyOrders:      errTooManyOpenOrders,
	simcore.ReasonInsufficientMargin: errMargin,
	simcore.ReasonPositionTooLarge:   errMaxPosition,
	simcore.ReasonPostOnly:           errPostOnly,
	simcore.ReasonFillOrKill:         errFillOrKill,
	simcore.ReasonNoLiquidity:        errMarketBound,
	simcore.ReasonUnknownOrder:       errUnknownOrder,
	simcore.ReasonNotLimit:           errNotLimit,
	simcore.ReasonNoChange:           errNoAmendment,
	simcore.ReasonTooManyAmendments:  errAmendLimit,
	simcore.ReasonWouldTrigger:       errWouldTrigger,
	simcore.ReasonTriggering:         errTriggering,
	simcore.ReasonDuplicateClose:     errDuplicateClose,
	simcore.ReasonNoPosition:         errGTEPosition,
}

// errorOf returns the venue's error for a rejection of the exchange. Those with a
// limit in their text are made here.
func errorOf(err error, pricePlaces int32) *apiError {
	rejection, ok := errors.AsType[*simcore.Rejection](err)
	if !ok {
		return &apiError{status: http.StatusInternalServerError, code: -1000, message: "An unknown error occurred while processing the request."}
	}
	switch rejection.Reason {
	case simcore.ReasonPriceBelowMin:
		return bad(-4013, "Price less than min price.")
	case simcore.ReasonPriceAboveMax:
		return bad(-4002, "Price greater than max price.")
	case simcore.ReasonPriceTooHigh:
		return bad(-4016, "Limit price can't be higher than %s.", rejection.Limit.StringFixed(pricePlaces))
	case simcore.ReasonPriceTooLow:
		return bad(-4024, "Limit price can't be lower than %s.", rejection.Limit.StringFixed(pricePlaces))
	case simcore.ReasonNotionalBelowMin:
		return bad(-4164, "Order's notional must be no smaller than %s (unless you choose reduce only).", rejection.Limit)
	default: // those with a fixed text
		if mapped, ok := orderErrors[rejection.Reason]; ok {
			return mapped
		}
		return bad(-2010, "%s", rejection.Reason)
	}
}
