#!/usr/bin/env bash
# The calls of the REST API with curl. The documentation shows each region as the sample of
# an operation; a test runs the whole file against the service:
#
#   eval "$(venuegate demo env)" && bash curl.sh
#
# HOOK and SECRET are the address and secret of a signed channel, CHART and CHANNEL_TOKEN those
# of a charting channel.
set -euo pipefail

curl() { command curl --fail-with-body "$@"; }

# region listInstruments
curl -sS "$BASE_URL/v1/instruments?exchange=binance&symbol=BTCUSDT" \
  -H "Authorization: Bearer $KEY"
# endregion

# region listVenues
curl -sS "$BASE_URL/v1/venues" -H "Authorization: Bearer $KEY"
# endregion

# region listTickers
curl -sS "$BASE_URL/v1/tickers?exchange=okx" -H "Authorization: Bearer $KEY"
# endregion

# region getBook
curl -sS "$BASE_URL/v1/book?exchange=binance&symbol=BTCUSDT&depth=5" \
  -H "Authorization: Bearer $KEY"
# endregion

# region listTrades
curl -sS "$BASE_URL/v1/trades?exchange=binance&symbol=BTCUSDT&limit=10" \
  -H "Authorization: Bearer $KEY"
# endregion

# region listCandles
curl -sS "$BASE_URL/v1/candles?exchange=bybit&symbol=ETHUSDT&timeframe=1h&limit=24" \
  -H "Authorization: Bearer $KEY"
# endregion

# region getAccount
curl -sS "$BASE_URL/v1/account?exchange=binance" -H "Authorization: Bearer $KEY"
# endregion

# region changeLeverage
curl -sS "$BASE_URL/v1/positions/leverage" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"exchange":"binance","symbol":"BTCUSDT","leverage":"5"}'
# endregion

# region checkOrder
curl -sS "$BASE_URL/v1/orders/check" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}'
# endregion

# region placeOrder
curl -sS "$BASE_URL/v1/orders" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01",
       "requestId":"my-first-order"}'
# endregion

# region findOrder
curl -sS "$BASE_URL/v1/orders?status=all&requestId=my-first-order" -H "Authorization: Bearer $KEY"
# endregion

# region listPositions
curl -sS "$BASE_URL/v1/positions" -H "Authorization: Bearer $KEY"
# endregion

# region closePosition
curl -sS "$BASE_URL/v1/positions/close" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"exchange":"binance","symbol":"BTCUSDT"}'
# endregion

ORDER=$(curl -sS "$BASE_URL/v1/orders" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"60000"}' |
  grep -o 'ord_[0-9A-Z]*' | head -1)

# region getOrder
curl -sS "$BASE_URL/v1/orders/$ORDER" -H "Authorization: Bearer $KEY"
# endregion

# region listOrders
curl -sS "$BASE_URL/v1/orders?exchange=binance&status=open" -H "Authorization: Bearer $KEY"
# endregion

# region amendOrder
curl -sS -X PATCH "$BASE_URL/v1/orders/$ORDER" \
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -d '{"price":"60100"}'
# endregion

# region cancelOrder
curl -sS -X DELETE "$BASE_URL/v1/orders/$ORDER" -H "Authorization: Bearer $KEY"
# endregion

# region cancelOrders
curl -sS -X DELETE "$BASE_URL/v1/orders?exchange=binance&symbol=BTCUSDT" -H "Authorization: Bearer $KEY"
# endregion

# region listFills
curl -sS "$BASE_URL/v1/fills?exchange=binance&limit=10" -H "Authorization: Bearer $KEY"
# endregion

# region listEvents
curl -sS "$BASE_URL/v1/events?limit=10" -H "Authorization: Bearer $KEY"
# endregion

# region sendSignal
BODY='{"action":"order","exchange":"bybit","symbol":"ETHUSDT","side":"buy","qty":"0.1",
       "requestId":"signal-1"}'
TIME=$(date +%s)
SIGN=$(printf '%s.%s' "$TIME" "$BODY" |
  openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -sS "$HOOK" -H 'Content-Type: application/json' \
  -H "X-Service-Timestamp: $TIME" -H "X-Service-Signature: sha256=$SIGN" -d "$BODY"
# endregion

# region sendChartSignal
curl -sS "$CHART" -H 'Content-Type: text/plain' \
  -d '{"action":"close","exchange":"bybit","symbol":"ETHUSDT.P",
       "channelToken":"'"$CHANNEL_TOKEN"'"}'
# endregion
