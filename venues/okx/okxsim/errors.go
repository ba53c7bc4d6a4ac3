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

func refuse(code, format string, args ...any) *apiError {
	return &apiError{status: http.StatusOK, code: code, message: fmt.Sprintf(format, args...)}
}

func refuseWith(status int, code, message string) *apiError {
	return &apiError{status: status, code: code, message: message}
}

func unauthorized(code, message string) *apiError {
	return refuseWith(http.StatusUnauthorized, code, message)
}

func errEmpty(name string) *apiError {
	return refuseWith(http.StatusBadRequest, "50014", "Parameter "+name+" can not be empty.")
}

func errEither(a, b string) *apiError {
	return refuseWith(http.StatusBadRequest, "50015", "Either parameter "+a+" or "+b+" is required")
}

func errBoth(a, b string) *apiError {
	return refuse("50024", "Parameter %s and %s can not exist at the same time.", a, b)
}

func errParameter(name string) *apiError {
	return refuseWith(http.StatusBadRequest, "51000", "Parameter "+name+" error ")
}

var (
	errUnknownPath           = refuseWith(http.StatusNotFound, "404", "Not Found")
	errNoBody                = refuseWith(http.StatusBadRequest, "50000", "Body for POST request cannot be empty.")
	errMethod                = refuseWith(http.StatusMethodNotAllowed, "50115", "Invalid request method.")
	errSyntax                = refuseWith(http.StatusBadRequest, "50002", "JSON syntax error")
	errContentType           = refuseWith(http.StatusBadRequest, "50006", `Invalid Content-Type. Please use "application/JSON".`)
	errRateLimit             = refuseWith(http.StatusTooManyRequests, "50011", "Too Many Requests")
	errBusy                  = refuseWith(http.StatusServiceUnavailable, "50001", "Service temporarily unavailable. Please try again later.")
	errExpTime               = refuse("50036", "The expTime can't be earlier than the current system time. Please adjust the expTime and try again.")
	errExpired               = refuse("50037", "Order expired.")
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
	errNoSuchKey             = refuse("50119", "API key doesn't exist")
	errPermission            = refuse("50120", "This API key doesn't have permission to use this function")
	errInstrument            = refuse("51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
	errNoSuchOrder           = refuse("51603", "Order does not exist.")
	errNotCancelable         = refuse("51400", "Order cancellation failed as the order has been filled, canceled or does not exist.")
	errAmendGone             = refuse("51503", "Your order has already been filled or canceled.")
	errAmendNothing          = refuse("51500", "You must enter a price, quantity, or TP/SL")
	errAccountLevel          = refuse("51010", "Request unsupported under current account mode")
	errAmendType             = refuse("51506", "Order modification unavailable for the order type.")
	errCloseSize             = refuse("51112", "Close order size exceeds available size for this position.")
	errAmendTakes            = refuse("51511", "Modification failed as the order price did not meet the requirement for Post Only.")
	errBatchSize             = refuse("51111", "Maximum 20 orders can be placed in bulk.")
	errNoPosition            = refuse("51023", "Position doesn't exist.")
	errFillOrKillBoth        = refuse("54036", "You can't place fill or kill orders when self-trade prevention is set to both maker and taker orders.")
	errReduceGrows           = refuse("51170", "Failed to place order. A reduce-only order can’t be the same trading direction as your existing positions.")
	errReduceNothing         = refuse("51169", "Order failed because you don't have any positions in this direction for this contract to reduce or close.")
	errAlgoFired             = refuse("51416", "Order has been triggered and can't be canceled")
	errAlgoDuplicate         = refuse("51065", "algoClOrdId already exists.")
	errMode                  = refuse("59000", "Setting failed. Cancel any open orders, close positions, and stop trading bots first.")
	errLeverageHigh          = refuse("59102", "Leverage exceeds the maximum limit. Please lower the leverage.")
	errLeverageFunds         = refuse("59108", "Low leverage and insufficient margin, please adjust the leverage.")
	errLeverageOpen          = refuse("59107", "Leverage can't be modified. Please cancel all pending cross-margin orders before adjusting the leverage.")
	errLeverageOpenIsolated  = refuse("59101", "Leverage can't be modified. Please cancel all pending isolated margin orders before adjusting the leverage.")
	errLeverageAlgosIsolated = refuse("59668", "Cancel isolated margin TP/SL, trailing, trigger, and chase orders or stop bots before adjusting your leverage.")
	errLeverageAlgos         = refuse("59669", "Cancel cross-margin TP/SL, trailing, trigger, and chase orders or stop bots before adjusting your leverage.")
)

// refusedOrders maps what the exchange refuses to the venue's words.
var refusedOrders = map[simcore.Reason]*apiError{
	simcore.ReasonDeadline:          errExpired,
	simcore.ReasonUnknownSymbol:     errInstrument,
	simcore.ReasonPriceNotPositive:  refuse("51000", "Parameter px error "),
	simcore.ReasonPriceOffTick:      refuse("51000", "Parameter px error "),
	simcore.ReasonQtyNotPositive:    refuse("51000", "Parameter sz error "),
	simcore.ReasonQtyBelowMin:       refuse("51020", "Your order should meet or exceed the minimum order amount."),
	simcore.ReasonQtyAboveMax:       refuse("51202", "Market order amount exceeds the maximum amount."),
	simcore.ReasonQtyOffStep:        refuse("51121", "Order quantity must be a multiple of the lot size."),
	simcore.ReasonPositionSide:      refuse("51000", "Parameter posSide error "),
	simcore.ReasonReduceOnly:        errReduceNothing,
	simcore.ReasonNoPosition:        errReduceNothing,
	simcore.ReasonDuplicateClientID: refuse("51016", "Client order ID already exists."),
	simcore.ReasonNotTradable:       refuse("51022", "Contract suspended."),
	simcore.ReasonTooManyOrders:     refuse("51102", "Order failed, the number of pending orders for this instId can't be more than 500 (orders)"),
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
	simcore.ReasonWouldTrigger:   refuse("51280", "SL trigger price cannot be higher than the last price."),
	simcore.ReasonDuplicateClose: refuse("51088", "You can only place 1 TP/SL order to close an entire position"),
}

// refusedPrice is a price beyond the band; the text tells both bounds.
func (s *Sim) refusedPrice(l *listing) *apiError {
	buy, sell := s.band(l)
	return refuse("51006", "Order price is not within the price limit (max buy price: %s , min sell price: %s )", buy, sell)
}

// refusedOrder maps a refusal of an order of an instrument.
func (s *Sim) refusedOrder(err error, l *listing, ordType simcore.OrderType) *apiError {
	switch simcore.ReasonOf(err) {
	case simcore.ReasonPriceTooHigh, simcore.ReasonPriceTooLow:
		return s.refusedPrice(l)
	case simcore.ReasonQtyAboveMax:
		if ordType == simcore.Limit {
			return refuse("51101", "Order failed, the sz of the current order can't be more than %s (contracts).", l.maxLimit)
		}
		return refused(err)
	default:
		return refused(err)
	}
}

// refused maps a refusal of the exchange.
func refused(err error) *apiError {
	var refusal *simcore.Refusal
	if !errors.As(err, &refusal) {
		return refuseWith(http.StatusInternalServerError, "50026", "System error. Try again later")
	}
	if mapped, ok := refusedOrders[refusal.Reason]; ok {
		return mapped
	}
	return refuse("51000", "Parameter error: %s", refusal.Reason)
}
