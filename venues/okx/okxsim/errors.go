package okxsim

import (
	"errors"
	"fmt"
	"net/http"

	"venuegate/venues/simcore"
)

// apiError is an answer of the venue that is not a success. At the top level it
// is code and msg, in an item of a trade call sCode, subCode and sMsg.
type apiError struct {
	status  int
	code    string
	subCode string
	message string
}

func (e *apiError) Error() string { return e.code + " " + e.message }

func rejectWith(code, format string, args ...any) *apiError {
	return &apiError{status: http.StatusOK, code: code, message: fmt.Sprintf(format, args...)}
}

func rejectWithStatus(status int, code, message string) *apiError {
	return &apiError{status: status, code: code, message: message}
}

func unauthorized(code, message string) *apiError {
	return rejectWithStatus(http.StatusUnauthorized, code, message)
}

func errEmpty(name string) *apiError {
	return rejectWithStatus(http.StatusBadRequest, "50014", "Parameter "+name+" can not be empty.")
}

func errEither(a, b string) *apiError {
	return rejectWithStatus(http.StatusBadRequest, "50015", "Either parameter "+a+" or "+b+" is required")
}

func errBoth(a, b string) *apiError {
	return rejectWith("50024", "Parameter %s and %s can not exist at the same time.", a, b)
}

func errParameter(name string) *apiError {
	return rejectWithStatus(http.StatusBadRequest, "51000", "Parameter "+name+" error ")
}

var (
	errUnknownPath           = rejectWithStatus(http.StatusNotFound, "404", "Not Found")
	errNoBody                = rejectWithStatus(http.StatusBadRequest, "50000", "Body for POST request cannot be empty.")
	errMethod                = rejectWithStatus(http.StatusMethodNotAllowed, "50115", "Invalid request method.")
	errSyntax                = rejectWithStatus(http.StatusBadRequest, "50002", "JSON syntax error")
	errContentType           = rejectWithStatus(http.StatusBadRequest, "50006", `Invalid Content-Type. Please use "application/JSON".`)
	errRateLimit             = rejectWithStatus(http.StatusTooManyRequests, "50011", "Too Many Requests")
	errBusy                  = rejectWithStatus(http.StatusServiceUnavailable, "50001", "Service temporarily unavailable. Please try again later.")
	errExpTime               = rejectWith("50036", "The expTime can't be earlier than the current system time. Please adjust the expTime and try again.")
	errExpired               = rejectWith("50037", "Order expired.")
	errNoKey                 = unauthorized("50103", `Request header "OK-ACCESS-KEY" cannot be empty.`)
	errNoPassphrase          = unauthorized("50104", `Request header "OK-ACCESS-PASSPHRASE" cannot be empty.`)
	errPassphrase            = unauthorized("50105", `Request header "OK-ACCESS-PASSPHRASE" incorrect.`)
	errNoSign                = unauthorized("50106", `Request header "OK-ACCESS-SIGN" cannot be empty.`)
	errNoTimestamp           = unauthorized("50107", `Request header "OK-ACCESS-TIMESTAMP" cannot be empty.`)
	errEnvironment           = unauthorized("50101", "APIKey does not match current environment.")
	errTimestampOld          = unauthorized("50102", "Timestamp request expired.")
	errKey                   = unauthorized("50111", "Invalid OK-ACCESS-KEY.")
	errTimestamp             = unauthorized("50112", "Invalid OK-ACCESS-TIMESTAMP.")
	errSignature             = unauthorized("50113", "Invalid signature.")
	errNoSuchKey             = rejectWith("50119", "API key doesn't exist")
	errPermission            = rejectWith("50120", "This API key doesn't have permission to use this function")
	errInstrument            = rejectWith("51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
	errNoSuchOrder           = rejectWith("51603", "Order does not exist.")
	errNotCancelable         = rejectWith("51400", "Order cancellation failed as the order has been filled, canceled or does not exist.")
	errAmendGone             = rejectWith("51503", "Your order has already been filled or canceled.")
	errAmendNothing          = rejectWith("51500", "You must enter a price, quantity, or TP/SL")
	errAccountLevel          = rejectWith("51010", "Request unsupported under current account mode")
	errAmendType             = rejectWith("51506", "Order modification unavailable for the order type.")
	errCloseSize             = rejectWith("51112", "Close order size exceeds available size for this position.")
	errAmendTakes            = rejectWith("51511", "Modification failed as the order price did not meet the requirement for Post Only.")
	errBatchSize             = rejectWith("51111", "Maximum 20 orders can be placed in bulk.")
	errNoPosition            = rejectWith("51023", "Position doesn't exist.")
	errFillOrKillBoth        = rejectWith("54036", "You can't place fill or kill orders when self-trade prevention is set to both maker and taker orders.")
	errReduceGrows           = rejectWith("51170", "Failed to place order. A reduce-only order can’t be the same trading direction as your existing positions.")
	errReduceNothing         = rejectWith("51169", "Order failed because you don't have any positions in this direction for this contract to reduce or close.")
	errAlgoFired             = rejectWith("51416", "Order has been triggered and can't be canceled")
	errAlgoDuplicate         = rejectWith("51065", "algoClOrdId already exists.")
	errMode                  = rejectWith("59000", "Setting failed. Cancel any open orders, close positions, and stop trading bots first.")
	errLeverageHigh          = rejectWith("59102", "Leverage exceeds the maximum limit. Please lower the leverage.")
	errLeverageFunds         = rejectWith("59108", "Low leverage and insufficient margin, please adjust the leverage.")
	errLeverageOpen          = rejectWith("59107", "Leverage can't be modified. Please cancel all pending cross-margin orders before adjusting the leverage.")
	errLeverageOpenIsolated  = rejectWith("59101", "Leverage can't be modified. Please cancel all pending isolated margin orders before adjusting the leverage.")
	errLeverageAlgosIsolated = rejectWith("59668", "Cancel isolated margin TP/SL, trailing, trigger, and chase orders or stop bots before adjusting your leverage.")
	errLeverageAlgos         = rejectWith("59669", "Cancel cross-margin TP/SL, trailing, trigger, and chase orders or stop bots before adjusting your leverage.")
)

// orderErrors maps the rejections of the exchange to the errors of the venue.
var orderErrors = map[simcore.Reason]*apiError{
	simcore.ReasonDeadline:          errExpired,
	simcore.ReasonUnknownSymbol:     errInstrument,
	simcore.ReasonPriceNotPositive:  rejectWith("51000", "Parameter px error "),
	simcore.ReasonPriceOffTick:      rejectWith("51000", "Parameter px error "),
	simcore.ReasonQtyNotPositive:    rejectWith("51000", "Parameter sz error "),
	simcore.ReasonQtyBelowMin:       rejectWith("51020", "Your order should meet or exceed the minimum order amount."),
	simcore.ReasonQtyAboveMax:       rejectWith("51202", "Market order amount exceeds the maximum amount."),
	simcore.ReasonQtyOffStep:        rejectWith("51121", "Order quantity must be a multiple of the lot size."),
	simcore.ReasonPositionSide:      rejectWith("51000", "Parameter posSide error "),
	simcore.ReasonReduceOnly:        errReduceNothing,
	simcore.ReasonNoPosition:        errReduceNothing,
	simcore.ReasonDuplicateClientID: rejectWith("51016", "Client order ID already exists."),
	simcore.ReasonNotTradable:       rejectWith("51022", "Contract suspended."),
	simcore.ReasonTooManyOrders:     rejectWith("51102", "Order failed, the number of pending orders for this instId can't be more than 500 (orders)"),
	simcore.ReasonInsufficientMargin: {
		status: http.StatusOK, code: "51008", subCode: "1001", message: "Order failed. Insufficient USDT margin in account",
	},
	simcore.ReasonPositionTooLarge: {
		status: http.StatusOK, code: "51004", subCode: "1101",
		message: "Order failed. The sum of position quantity and pending orders exceeds the maximum position amount at the current leverage.",
	},
	simcore.ReasonUnknownOrder:   errNoSuchOrder,
	simcore.ReasonNotLimit:       errAmendType,
	simcore.ReasonNoChange:       errAmendNothing,
	simcore.ReasonTriggering:     errAlgoFired,
	simcore.ReasonWouldTrigger:   rejectWith("51280", "SL trigger price cannot be higher than the last price."),
	simcore.ReasonDuplicateClose: rejectWith("51088", "You can only place 1 TP/SL order to close an entire position"),
}

// priceError returns the error for a price outside the band, with both bounds.
func (s *Sim) priceError(l *listing) *apiError {
	buy, sell := s.band(l)
	return rejectWith("51006", "Order price is not within the price limit (max buy price: %s , min sell price: %s )", buy, sell)
}

// placeError returns the venue's error for a rejected order of an instrument.
func (s *Sim) placeError(err error, l *listing, ordType simcore.OrderType) *apiError {
	switch simcore.ReasonOf(err) {
	case simcore.ReasonPriceTooHigh, simcore.ReasonPriceTooLow:
		return s.priceError(l)
	case simcore.ReasonQtyAboveMax:
		if ordType == simcore.Limit {
			return rejectWith("51101", "Order failed, the sz of the current order can't be more than %s (contracts).", l.maxLimit)
		}
		return errorOf(err)
	default:
		return errorOf(err)
	}
}

// errorOf returns the venue's error for a rejection of the exchange.
func errorOf(err error) *apiError {
	var rejection *simcore.Rejection
	if !errors.As(err, &rejection) {
		return rejectWithStatus(http.StatusInternalServerError, "50026", "System error. Try again later")
	}
	if mapped, ok := orderErrors[rejection.Reason]; ok {
		return mapped
	}
	return rejectWith("51000", "Parameter error: %s", rejection.Reason)
}
