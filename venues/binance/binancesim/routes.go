package binancesim

import (
	"net/http"
)

// endpoint is one call of the venue's REST interface.
type endpoint struct {
	security security
	// weight of the call; weightOf wins where it is set. It has no influence on the
	// validity of the parameters, of which it gets a copy.
	weight   int
	weightOf func(params) int
	// tens and minute are added to the account's order counts.
	tens, minute int
	handle       func(*Sim, *call) (any, *apiError)
}

type route struct{ method, path string }

// routes is the simulated part of the venue's REST interface.
var routes = map[route]endpoint{
	{http.MethodGet, "/fapi/v1/ping"}:              {security: public, weight: 1, handle: (*Sim).ping},
	{http.MethodGet, "/fapi/v1/time"}:              {security: public, weight: 1, handle: (*Sim).time},
	{http.MethodGet, "/fapi/v1/exchangeInfo"}:      {security: public, weight: 1, handle: (*Sim).exchangeInfo},
	{http.MethodGet, "/fapi/v1/depth"}:             {security: public, weightOf: depthWeight, handle: (*Sim).depth},
	{http.MethodGet, "/fapi/v1/trades"}:            {security: public, weight: 5, handle: (*Sim).trades},
	{http.MethodGet, "/fapi/v1/historicalTrades"}:  {security: keyed, weight: 20, handle: (*Sim).trades},
	{http.MethodGet, "/fapi/v1/aggTrades"}:         {security: public, weight: 20, handle: (*Sim).aggTrades},
	{http.MethodGet, "/fapi/v1/klines"}:            {security: public, weightOf: klinesWeight, handle: (*Sim).klines},
	{http.MethodGet, "/fapi/v1/continuousKlines"}:  {security: public, weightOf: klinesWeight, handle: (*Sim).continuousKlines},
	{http.MethodGet, "/fapi/v1/markPriceKlines"}:   {security: public, weightOf: klinesWeight, handle: (*Sim).markKlines},
	{http.MethodGet, "/fapi/v1/indexPriceKlines"}:  {security: public, weightOf: klinesWeight, handle: (*Sim).indexKlines},
	{http.MethodGet, "/fapi/v1/premiumIndex"}:      {security: public, weightOf: perSymbol(1, 10), handle: (*Sim).premiumIndex},
	{http.MethodGet, "/fapi/v1/fundingRate"}:       {security: public, weight: 0, handle: (*Sim).fundingRate},
	{http.MethodGet, "/fapi/v1/fundingInfo"}:       {security: public, weight: 0, handle: (*Sim).fundingInfo},
	{http.MethodGet, "/fapi/v1/openInterest"}:      {security: public, weight: 1, handle: (*Sim).openInterest},
	{http.MethodGet, "/fapi/v1/ticker/24hr"}:       {security: public, weightOf: perSymbol(1, 40), handle: (*Sim).ticker24h},
	{http.MethodGet, "/fapi/v1/ticker/price"}:      {security: public, weightOf: perSymbol(1, 2), handle: (*Sim).tickerPrice},
	{http.MethodGet, "/fapi/v2/ticker/price"}:      {security: public, weightOf: perSymbol(1, 2), handle: (*Sim).tickerPrice},
	{http.MethodGet, "/fapi/v1/ticker/bookTicker"}: {security: public, weightOf: perSymbol(2, 5), handle: (*Sim).bookTicker},

	{http.MethodGet, "/fapi/v2/account"}:            {security: userData, weight: 5, handle: (*Sim).accountV2},
	{http.MethodGet, "/fapi/v3/account"}:            {security: userData, weight: 5, handle: (*Sim).accountV3},
	{http.MethodGet, "/fapi/v2/balance"}:            {security: userData, weight: 5, handle: (*Sim).balances},
	{http.MethodGet, "/fapi/v3/balance"}:            {security: userData, weight: 5, handle: (*Sim).balances},
	{http.MethodGet, "/fapi/v2/positionRisk"}:       {security: userData, weight: 5, handle: (*Sim).positionRiskV2},
	{http.MethodGet, "/fapi/v3/positionRisk"}:       {security: userData, weight: 5, handle: (*Sim).positionRiskV3},
	{http.MethodGet, "/fapi/v1/accountConfig"}:      {security: userData, weight: 5, handle: (*Sim).accountConfig},
	{http.MethodGet, "/fapi/v1/symbolConfig"}:       {security: userData, weight: 5, handle: (*Sim).symbolConfig},
	{http.MethodGet, "/fapi/v1/leverageBracket"}:    {security: userData, weight: 1, handle: (*Sim).leverageBracket},
	{http.MethodPost, "/fapi/v1/leverage"}:          {security: trade, weight: 1, handle: (*Sim).setLeverage},
	{http.MethodPost, "/fapi/v1/marginType"}:        {security: trade, weight: 1, handle: (*Sim).setMarginType},
	{http.MethodPost, "/fapi/v1/positionMargin"}:    {security: trade, weight: 1, handle: (*Sim).addMargin},
	{http.MethodGet, "/fapi/v1/positionSide/dual"}:  {security: userData, weight: 30, handle: (*Sim).positionMode},
	{http.MethodPost, "/fapi/v1/positionSide/dual"}: {security: trade, weight: 1, handle: (*Sim).setPositionMode},
	{http.MethodGet, "/fapi/v1/multiAssetsMargin"}:  {security: userData, weight: 30, handle: (*Sim).multiAssets},
	{http.MethodPost, "/fapi/v1/multiAssetsMargin"}: {security: trade, weight: 1, handle: (*Sim).setMultiAssets},
	{http.MethodGet, "/fapi/v1/commissionRate"}:     {security: userData, weight: 20, handle: (*Sim).commissionRate},
	{http.MethodGet, "/fapi/v1/income"}:             {security: userData, weight: 30, handle: (*Sim).income},
	{http.MethodGet, "/fapi/v1/userTrades"}:         {security: userData, weight: 5, handle: (*Sim).userTrades},
	{http.MethodGet, "/fapi/v1/rateLimit/order"}:    {security: userData, weight: 1, handle: (*Sim).orderLimits},

	{http.MethodPost, "/fapi/v1/order"}:              {security: trade, tens: 1, minute: 1, handle: (*Sim).placeOrder},
	{http.MethodPost, "/fapi/v1/order/test"}:         {security: trade, weight: 1, handle: (*Sim).testOrder},
	{http.MethodPut, "/fapi/v1/order"}:               {security: trade, tens: 1, minute: 1, handle: (*Sim).amendOrder},
	{http.MethodDelete, "/fapi/v1/order"}:            {security: trade, weight: 1, handle: (*Sim).cancelOrder},
	{http.MethodGet, "/fapi/v1/order"}:               {security: userData, weight: 1, handle: (*Sim).queryOrder},
	{http.MethodGet, "/fapi/v1/openOrder"}:           {security: userData, weight: 1, handle: (*Sim).queryOpenOrder},
	{http.MethodGet, "/fapi/v1/openOrders"}:          {security: userData, weightOf: perSymbol(1, 40), handle: (*Sim).openOrders},
	{http.MethodGet, "/fapi/v1/allOrders"}:           {security: userData, weight: 5, handle: (*Sim).allOrders},
	{http.MethodGet, "/fapi/v1/forceOrders"}:         {security: userData, weightOf: perSymbol(20, 50), handle: (*Sim).forceOrders},
	{http.MethodDelete, "/fapi/v1/allOpenOrders"}:    {security: trade, weight: 1, handle: (*Sim).cancelAllOrders},
	{http.MethodPost, "/fapi/v1/batchOrders"}:        {security: trade, weight: 5, tens: 5, minute: 1, handle: (*Sim).placeBatch},
	{http.MethodPut, "/fapi/v1/batchOrders"}:         {security: trade, weight: 5, tens: 5, minute: 1, handle: (*Sim).amendBatch},
	{http.MethodDelete, "/fapi/v1/batchOrders"}:      {security: trade, weight: 1, handle: (*Sim).cancelBatch},
	{http.MethodPost, "/fapi/v1/countdownCancelAll"}: {security: trade, weight: 10, handle: (*Sim).countdownCancelAll},

	{http.MethodPost, "/fapi/v1/algoOrder"}:        {security: trade, tens: 1, minute: 1, handle: (*Sim).placeAlgo},
	{http.MethodDelete, "/fapi/v1/algoOrder"}:      {security: trade, weight: 1, handle: (*Sim).cancelAlgo},
	{http.MethodGet, "/fapi/v1/algoOrder"}:         {security: userData, weight: 1, handle: (*Sim).queryAlgo},
	{http.MethodDelete, "/fapi/v1/algoOpenOrders"}: {security: trade, weight: 1, handle: (*Sim).cancelAllAlgo},
	{http.MethodGet, "/fapi/v1/openAlgoOrders"}:    {security: userData, weightOf: perSymbol(1, 40), handle: (*Sim).openAlgo},
	{http.MethodGet, "/fapi/v1/allAlgoOrders"}:     {security: userData, weight: 5, handle: (*Sim).allAlgo},

	{http.MethodGet, "/sapi/v1/account/apiRestrictions"}: {security: userData, weight: 1, handle: (*Sim).apiRestrictions},
	{http.MethodGet, "/sapi/v1/system/status"}:           {security: public, weight: 1, handle: (*Sim).systemStatus},

	{http.MethodPost, "/fapi/v1/listenKey"}:   {security: keyed, weight: 1, handle: (*Sim).createListenKey},
	{http.MethodPut, "/fapi/v1/listenKey"}:    {security: keyed, weight: 1, handle: (*Sim).renewListenKey},
	{http.MethodDelete, "/fapi/v1/listenKey"}: {security: keyed, weight: 1, handle: (*Sim).dropListenKey},
}

func perSymbol(one, all int) func(params) int {
	return func(p params) int {
		if p.has("symbol") {
			return one
		}
		return all
	}
}

func depthWeight(p params) int {
	switch limit := p.integer("limit", depthLimitDefault); {
	case limit <= 50:
		return 2
	case limit <= 100:
		return 5
	case limit <= 500:
		return 10
	default:
		return 20
	}
}

func klinesWeight(p params) int {
	switch limit := p.integer("limit", klinesLimitDefault); {
	case limit < 100:
		return 1
	case limit < 500:
		return 2
	case limit <= 1000:
		return 5
	default:
		return 10
	}
}
