package okxsim

import (
	"net/http"
	"time"
)

// endpoint is one call of the venue's REST interface.
type endpoint struct {
	security security
	// limit is requests per two seconds: of an address for public calls, of an
	// account for others, and of the instrument named where perInstrument is set.
	limit         int
	perInstrument bool
	// span is the span of the limit, where it is not the general window.
	span time.Duration
	// single is the call whose limit a batch of one counts against. A larger batch
	// counts its orders against its own limit.
	single string
	// expires endpoints support the header expTime.
	expires bool
	// acks endpoints answer with items that have their own codes.
	acks   bool
	handle func(*Sim, *call) (any, *apiError)
}

type route struct{ method, path string }

// routes is the simulated part of the venue's REST interface.
var routes = map[route]endpoint{
	{http.MethodGet, "/api/v5/public/time"}:                 {limit: 10, handle: (*Sim).time},
	{http.MethodGet, "/api/v5/public/instruments"}:          {limit: 20, handle: (*Sim).instruments},
	{http.MethodGet, "/api/v5/public/mark-price"}:           {limit: 10, handle: (*Sim).markPrices},
	{http.MethodGet, "/api/v5/public/price-limit"}:          {limit: 20, handle: (*Sim).priceLimit},
	{http.MethodGet, "/api/v5/public/funding-rate"}:         {limit: 10, perInstrument: true, handle: (*Sim).fundingRate},
	{http.MethodGet, "/api/v5/public/funding-rate-history"}: {limit: 10, perInstrument: true, handle: (*Sim).fundingHistory},
	{http.MethodGet, "/api/v5/public/position-tiers"}:       {limit: 10, handle: (*Sim).positionTiers},
	{http.MethodGet, "/api/v5/system/status"}:               {limit: 1, span: 5 * time.Second, handle: (*Sim).systemStatus},
	{http.MethodGet, "/api/v5/market/books"}:                {limit: 40, handle: (*Sim).books},
	{http.MethodGet, "/api/v5/market/ticker"}:               {limit: 20, handle: (*Sim).ticker},
	{http.MethodGet, "/api/v5/market/tickers"}:              {limit: 20, handle: (*Sim).tickers},
	{http.MethodGet, "/api/v5/market/index-tickers"}:        {limit: 20, handle: (*Sim).indexTickers},
	{http.MethodGet, "/api/v5/market/candles"}:              {limit: 40, handle: (*Sim).candles},
	{http.MethodGet, "/api/v5/market/trades"}:               {limit: 100, handle: (*Sim).trades},

	{http.MethodGet, "/api/v5/market/history-trades"}:  {limit: 20, handle: (*Sim).historyTrades},
	{http.MethodGet, "/api/v5/market/history-candles"}: {limit: 20, handle: (*Sim).historyCandles},

	{http.MethodGet, "/api/v5/account/config"}:             {security: reading, limit: 5, handle: (*Sim).accountConfig},
	{http.MethodGet, "/api/v5/account/balance"}:            {security: reading, limit: 10, handle: (*Sim).balance},
	{http.MethodGet, "/api/v5/account/positions"}:          {security: reading, limit: 10, handle: (*Sim).positions},
	{http.MethodGet, "/api/v5/account/positions-history"}:  {security: reading, limit: 10, handle: (*Sim).positionsHistory},
	{http.MethodGet, "/api/v5/account/max-size"}:           {security: reading, limit: 20, handle: (*Sim).maxSize},
	{http.MethodGet, "/api/v5/account/bills"}:              {security: reading, limit: 5, span: time.Second, handle: (*Sim).bills},
	{http.MethodGet, "/api/v5/account/bills-archive"}:      {security: reading, limit: 5, handle: (*Sim).billsArchive},
	{http.MethodGet, "/api/v5/account/instruments"}:        {security: reading, limit: 20, handle: (*Sim).instruments},
	{http.MethodGet, "/api/v5/account/leverage-info"}:      {security: reading, limit: 20, handle: (*Sim).leverageInfo},
	{http.MethodGet, "/api/v5/account/trade-fee"}:          {security: reading, limit: 5, handle: (*Sim).tradeFee},
	{http.MethodPost, "/api/v5/account/set-leverage"}:      {security: trading, limit: 20, handle: (*Sim).setLeverage},
	{http.MethodPost, "/api/v5/account/set-position-mode"}: {security: trading, limit: 5, handle: (*Sim).setPositionMode},

	{http.MethodPost, "/api/v5/trade/order"}:               {security: trading, limit: 60, perInstrument: true, expires: true, acks: true, handle: (*Sim).placeOrder},
	{http.MethodPost, "/api/v5/trade/batch-orders"}:        {security: trading, limit: 300, perInstrument: true, single: "/api/v5/trade/order", expires: true, acks: true, handle: (*Sim).placeBatch},
	{http.MethodPost, "/api/v5/trade/amend-order"}:         {security: trading, limit: 60, perInstrument: true, expires: true, acks: true, handle: (*Sim).amendOrder},
	{http.MethodPost, "/api/v5/trade/amend-batch-orders"}:  {security: trading, limit: 300, perInstrument: true, single: "/api/v5/trade/amend-order", expires: true, acks: true, handle: (*Sim).amendBatch},
	{http.MethodPost, "/api/v5/trade/cancel-order"}:        {security: trading, limit: 60, perInstrument: true, acks: true, handle: (*Sim).cancelOrder},
	{http.MethodPost, "/api/v5/trade/cancel-batch-orders"}: {security: trading, limit: 300, perInstrument: true, single: "/api/v5/trade/cancel-order", acks: true, handle: (*Sim).cancelBatch},
	{http.MethodPost, "/api/v5/trade/close-position"}:      {security: trading, limit: 20, perInstrument: true, handle: (*Sim).closePosition},
	{http.MethodPost, "/api/v5/trade/cancel-all-after"}:    {security: trading, limit: 1, span: time.Second, handle: (*Sim).cancelAllAfter},
	{http.MethodGet, "/api/v5/trade/order"}:                {security: reading, limit: 60, perInstrument: true, handle: (*Sim).queryOrder},
	{http.MethodGet, "/api/v5/trade/orders-pending"}:       {security: reading, limit: 60, handle: (*Sim).pendingOrders},
	{http.MethodGet, "/api/v5/trade/orders-history"}:       {security: reading, limit: 40, handle: (*Sim).ordersHistory},
	{http.MethodGet, "/api/v5/trade/orders-history-archive"}: {
		security: reading, limit: 20, handle: (*Sim).ordersArchive,
	},
	{http.MethodGet, "/api/v5/trade/fills"}:         {security: reading, limit: 60, handle: (*Sim).fills},
	{http.MethodGet, "/api/v5/trade/fills-history"}: {security: reading, limit: 10, handle: (*Sim).fillsHistory},

	{http.MethodPost, "/api/v5/trade/order-algo"}:         {security: trading, limit: 20, perInstrument: true, acks: true, handle: (*Sim).placeAlgo},
	{http.MethodPost, "/api/v5/trade/amend-algos"}:        {security: trading, limit: 20, perInstrument: true, acks: true, handle: (*Sim).amendAlgo},
	{http.MethodPost, "/api/v5/trade/cancel-algos"}:       {security: trading, limit: 20, perInstrument: true, acks: true, handle: (*Sim).cancelAlgos},
	{http.MethodGet, "/api/v5/trade/order-algo"}:          {security: reading, limit: 20, handle: (*Sim).queryAlgo},
	{http.MethodGet, "/api/v5/trade/orders-algo-pending"}: {security: reading, limit: 20, handle: (*Sim).pendingAlgos},
	{http.MethodGet, "/api/v5/trade/orders-algo-history"}: {security: reading, limit: 20, handle: (*Sim).algosHistory},
}
