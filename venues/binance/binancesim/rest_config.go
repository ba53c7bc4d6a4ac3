package binancesim

import (
	"encoding/json"
	"net/http"
	"strconv"

	"venuegate/venues/simcore"
)

// doneBody is the success of a command.
type doneBody struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
}

var success = doneBody{Code: http.StatusOK, Msg: "success"}

func (s *Sim) accountConfig(c *call) (any, *apiError) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	return struct {
		FeeTier           int   `json:"feeTier"`
		CanTrade          bool  `json:"canTrade"`
		CanDeposit        bool  `json:"canDeposit"`
		CanWithdraw       bool  `json:"canWithdraw"`
		DualSidePosition  bool  `json:"dualSidePosition"`
		UpdateTime        int64 `json:"updateTime"`
		MultiAssetsMargin bool  `json:"multiAssetsMargin"`
		TradeGroupID      int   `json:"tradeGroupId"`
	}{
		CanTrade: v.Permissions.Trade, CanDeposit: true, CanWithdraw: v.Permissions.Withdraw,
		DualSidePosition: v.Mode == simcore.Hedge, TradeGroupID: -1,
	}, nil
}

type symbolConfigBody struct {
	Symbol           string `json:"symbol"`
	MarginType       string `json:"marginType"`
	IsAutoAddMargin  bool   `json:"isAutoAddMargin"`
	Leverage         int    `json:"leverage"`
	MaxNotionalValue string `json:"maxNotionalValue"`
}

// symbolConfig lists every symbol, or the requested one.
func (s *Sim) symbolConfig(c *call) (any, *apiError) {
	v, only, err := s.positions(c)
	if err != nil {
		return nil, err
	}
	body := []symbolConfigBody{}
	last := ""
	s.eachPosition(v, func(l *listing, p simcore.PositionView) {
		if last == l.Symbol || only != "" && only != l.Symbol {
			return
		}
		last = l.Symbol
		marginType := "CROSSED"
		if p.Isolated {
			marginType = "ISOLATED"
		}
		body = append(body, symbolConfigBody{
			Symbol: l.Symbol, MarginType: marginType, Leverage: p.Leverage,
			MaxNotionalValue: l.NotionalMax(p.Leverage).String(),
		})
	})
	return body, nil
}

type bracketsBody struct {
	Symbol       string        `json:"symbol"`
	NotionalCoef json.Number   `json:"notionalCoef"`
	Brackets     []bracketBody `json:"brackets"`
}

type bracketBody struct {
	Bracket          int         `json:"bracket"`
	InitialLeverage  int         `json:"initialLeverage"`
	NotionalCap      json.Number `json:"notionalCap"`
	NotionalFloor    json.Number `json:"notionalFloor"`
	MaintMarginRatio json.Number `json:"maintMarginRatio"`
	Cum              json.Number `json:"cum"`
}

// leverageBracket always returns a list, as current versions do.
func (s *Sim) leverageBracket(c *call) (any, *apiError) {
	names := s.symbols
	if c.params.has("symbol") {
		l := s.listing(c)
		if l == nil {
			return nil, c.params.invalid
		}
		names = []string{l.Symbol}
	}
	body := make([]bracketsBody, 0, len(names))
	for _, name := range names {
		body = append(body, s.listings[name].brackets())
	}
	return body, nil
}

func (l *listing) brackets() bracketsBody {
	body := bracketsBody{Symbol: l.Symbol, NotionalCoef: "1.00"}
	for i, b := range l.Brackets {
		body.Brackets = append(body.Brackets, bracketBody{
			Bracket: i + 1, InitialLeverage: b.LeverageMax,
			NotionalCap: json.Number(b.NotionalCap.String()), NotionalFloor: json.Number(b.NotionalFloor.String()),
			MaintMarginRatio: json.Number(b.MaintenanceRate.String()), Cum: json.Number(b.MaintenanceCum.String()),
		})
	}
	return body
}

func (s *Sim) setLeverage(c *call) (any, *apiError) {
	l := s.listing(c)
	leverage, err := strconv.Atoi(c.params.text("leverage"))
	if err != nil {
		c.params.refuse(errMandatory("leverage"))
	}
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if failed := s.Exchange().SetLeverage(c.account.ID, l.Symbol, leverage); failed != nil {
		return nil, leverageRejected(failed, leverage)
	}
	return struct {
		Leverage         int    `json:"leverage"`
		MaxNotionalValue string `json:"maxNotionalValue"`
		Symbol           string `json:"symbol"`
	}{leverage, l.NotionalMax(leverage).String(), l.Symbol}, nil
}

func leverageRejected(err error, leverage int) *apiError {
	switch simcore.ReasonOf(err) {
	case simcore.ReasonLeverage:
		return bad(-4028, "Leverage %d is not valid", leverage)
	case simcore.ReasonLeverageIsolated:
		return errLeverageIsolated
	case simcore.ReasonInsufficientMargin:
		return errLeverageMargin
	default:
		return errorOf(err, 0)
	}
}

func (s *Sim) setMarginType(c *call) (any, *apiError) {
	l, marginType := s.listing(c), c.params.need("marginType")
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if marginType != "ISOLATED" && marginType != "CROSSED" {
		return nil, bad(-1128, "Combination of optional parameters invalid.")
	}
	failed := s.Exchange().SetMarginMode(c.account.ID, l.Symbol, marginType == "ISOLATED")
	switch simcore.ReasonOf(failed) {
	case "":
		return success, nil
	case simcore.ReasonNoChange:
		return nil, errMarginTypeSame
	case simcore.ReasonOpenOrders:
		return nil, errMarginTypeOrders
	default:
		return nil, errMarginTypeHeld
	}
}

// addMargin adds (type 1) or removes (type 2) margin of an isolated position.
func (s *Sim) addMargin(c *call) (any, *apiError) {
	l, amount, kind := s.listing(c), c.params.needNumber("amount"), c.params.integer("type", 0)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	side, ok := positionSides[c.params.text("positionSide")]
	if !ok || kind != 1 && kind != 2 || !amount.IsPositive() {
		return nil, bad(-1102, "Mandatory parameter 'type' was not sent, was empty/null, or malformed.")
	}
	signed := amount
	if kind == 2 {
		signed = amount.Neg()
	}
	switch simcore.ReasonOf(s.Exchange().AddIsolatedMargin(c.account.ID, l.Symbol, side, signed)) {
	case "":
	case simcore.ReasonNoPosition:
		return nil, bad(-4054, "Cannot add position margin: position is 0.")
	default:
		return nil, bad(-4051, "Isolated balance insufficient.")
	}
	return struct {
		Amount json.Number `json:"amount"`
		Code   int         `json:"code"`
		Msg    string      `json:"msg"`
		Type   int64       `json:"type"`
	}{json.Number(amount.String()), http.StatusOK, "Successfully modify position margin.", kind}, nil
}

func (s *Sim) positionMode(c *call) (any, *apiError) {
	return struct {
		DualSidePosition bool `json:"dualSidePosition"`
	}{c.account.Mode == simcore.Hedge}, nil
}

func (s *Sim) setPositionMode(c *call) (any, *apiError) {
	mode := simcore.OneWay
	_ = c.params.need("dualSidePosition")
	if c.params.boolean("dualSidePosition") {
		mode = simcore.Hedge
	}
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	switch simcore.ReasonOf(s.Exchange().SetPositionMode(c.account.ID, mode)) {
	case "":
		return success, nil
	case simcore.ReasonNoChange:
		return nil, errModeSame
	case simcore.ReasonOpenOrders:
		return nil, errModeOrders
	default:
		return nil, errModeHeld
	}
}

func (s *Sim) multiAssets(*call) (any, *apiError) {
	return struct {
		MultiAssetsMargin bool `json:"multiAssetsMargin"`
	}{false}, nil
}

// setMultiAssets accepts only the present setting: the mode is not simulated.
func (s *Sim) setMultiAssets(c *call) (any, *apiError) {
	if on := c.params.boolean("multiAssetsMargin"); on || c.params.invalid != nil {
		return nil, bad(-4167, "Unable to adjust to Multi-Assets mode with symbols of USDⓈ-M Futures under isolated-margin mode.")
	}
	return nil, bad(-4171, "No need to change Multi-Assets mode.")
}

func (s *Sim) commissionRate(c *call) (any, *apiError) {
	l := s.listing(c)
	if l == nil {
		return nil, c.params.invalid
	}
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	return struct {
		Symbol              string `json:"symbol"`
		MakerCommissionRate string `json:"makerCommissionRate"`
		TakerCommissionRate string `json:"takerCommissionRate"`
		RpiCommissionRate   string `json:"rpiCommissionRate"`
	}{l.Symbol, v.FeeMaker.StringFixed(6), v.FeeTaker.StringFixed(6), "0.000050"}, nil
}

func (s *Sim) orderLimits(*call) (any, *apiError) { return s.rateLimits()[1:], nil }

// restrictionsBody describes a key, as the venue's key host does under /sapi.
type restrictionsBody struct {
	IPRestrict        bool  `json:"ipRestrict"`
	CreateTime        int64 `json:"createTime"`
	EnableReading     bool  `json:"enableReading"`
	EnableWithdrawals bool  `json:"enableWithdrawals"`
	EnableFutures     bool  `json:"enableFutures"`
}

func (s *Sim) apiRestrictions(c *call) (any, *apiError) {
	may := c.account.Permissions
	return restrictionsBody{
		CreateTime: keyCreatedAt, EnableReading: may.Read, EnableWithdrawals: may.Withdraw, EnableFutures: may.Trade,
	}, nil
}

type systemStatusBody struct {
	Status  int    `json:"status"`
	Message string `json:"msg"`
}

// systemStatus shows the maintenances that injected faults make now. The venue answers
// it under /sapi only.
func (s *Sim) systemStatus(*call) (any, *apiError) {
	if len(s.Maintenances()) > 0 {
		return systemStatusBody{1, "system_maintenance"}, nil
	}
	return systemStatusBody{0, "normal"}, nil
}

// keyCreatedAt is when every simulated key was made, in milliseconds.
const keyCreatedAt = 1_698_645_219_000
