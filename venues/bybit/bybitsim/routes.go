package bybitsim

import "net/http"

// endpoint is one call of the venue's REST interface.
type endpoint struct {
	security security
	// notInDemo calls are rejected in the demo environment.
	notInDemo bool
	// perSecond is the call's own limit, where it is lower than the general one.
	perSecond int
	handle    func(*Sim, *call) (any, *apiError)
}

type route struct{ method, path string }

// routes is the simulated part of the venue's REST interface.
var routes map[route]endpoint

// The handlers in the table read the table, so it is filled in init: a package
// variable may not depend on itself.
func init() {
	routes = map[route]endpoint{
		{http.MethodGet, "/v5/market/time"}:             {handle: (*Sim).time},
		{http.MethodGet, "/v5/market/instruments-info"}: {handle: (*Sim).instrumentsInfo},
		{http.MethodGet, "/v5/market/orderbook"}:        {handle: (*Sim).orderbook},
		{http.MethodGet, "/v5/market/kline"}:            {handle: (*Sim).kline},
		{http.MethodGet, "/v5/market/tickers"}:          {handle: (*Sim).tickers},
		{http.MethodGet, "/v5/market/recent-trade"}:     {handle: (*Sim).recentTrade},
		{http.MethodGet, "/v5/market/funding/history"}:  {handle: (*Sim).fundingHistory},
		{http.MethodGet, "/v5/market/risk-limit"}:       {handle: (*Sim).riskLimit},
		{http.MethodGet, "/v5/market/price-limit"}:      {handle: (*Sim).priceLimit},
		{http.MethodGet, "/v5/system/status"}:           {handle: (*Sim).systemStatus},

		{http.MethodPost, "/v5/order/create"}:       {security: trading, handle: (*Sim).createOrder},
		{http.MethodPost, "/v5/order/amend"}:        {security: trading, handle: (*Sim).amendOrder},
		{http.MethodPost, "/v5/order/cancel"}:       {security: trading, handle: (*Sim).cancelOrder},
		{http.MethodPost, "/v5/order/cancel-all"}:   {security: trading, handle: (*Sim).cancelAll},
		{http.MethodPost, "/v5/order/create-batch"}: {security: trading, handle: (*Sim).createBatch},
		{http.MethodPost, "/v5/order/amend-batch"}:  {security: trading, handle: (*Sim).amendBatch},
		{http.MethodPost, "/v5/order/cancel-batch"}: {security: trading, handle: (*Sim).cancelBatch},
		{http.MethodPost, "/v5/order/pre-check"}:    {security: trading, notInDemo: true, handle: (*Sim).preCheck},
		{http.MethodGet, "/v5/order/realtime"}:      {security: reading, handle: (*Sim).realtimeOrders},
		{http.MethodGet, "/v5/order/history"}:       {security: reading, handle: (*Sim).orderHistory},
		{http.MethodGet, "/v5/execution/list"}:      {security: reading, handle: (*Sim).executionList},

		{http.MethodGet, "/v5/position/list"}:          {security: reading, handle: (*Sim).positionList},
		{http.MethodGet, "/v5/position/closed-pnl"}:    {security: reading, handle: (*Sim).closedPnl},
		{http.MethodGet, "/v5/position/symbol-info"}:   {security: reading, handle: (*Sim).symbolInfo},
		{http.MethodPost, "/v5/position/set-leverage"}: {security: trading, handle: (*Sim).setLeverage},
		{http.MethodPost, "/v5/position/switch-mode"}:  {security: trading, handle: (*Sim).switchMode},
		{http.MethodPost, "/v5/position/trading-stop"}: {security: trading, handle: (*Sim).tradingStop},

		{http.MethodGet, "/v5/account/wallet-balance"}:       {security: reading, handle: (*Sim).walletBalance},
		{http.MethodGet, "/v5/account/transaction-log"}:      {security: reading, perSecond: logPerSecond, handle: (*Sim).transactionLog},
		{http.MethodGet, "/v5/account/info"}:                 {security: reading, handle: (*Sim).accountInfo},
		{http.MethodGet, "/v5/account/fee-rate"}:             {security: reading, notInDemo: true, perSecond: feeRatePerSecond, handle: (*Sim).feeRate},
		{http.MethodPost, "/v5/account/set-limit-px-action"}: {security: trading, handle: (*Sim).setLimitPriceAction},
		{http.MethodGet, "/v5/user/query-api"}:               {security: reading, handle: (*Sim).queryAPI},
	}
}
