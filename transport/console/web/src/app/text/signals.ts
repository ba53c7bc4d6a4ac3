// What happened to a signal, in sentences. A test of the service demands one for each code and
// for each rule and reason that the service or a venue can give.

/** Why something was rejected, and what to do about it. */
export interface Sentence {
  readonly why: string;
  readonly todo: string;
}

const atVenue = "Look at the account at the venue.";
const again = "Send the signal again.";

/** Sentences by code. */
export const codes: Readonly<Record<string, Sentence>> = {
  invalid_request: {why: "The order is not valid for this instrument or account.", todo: "Correct the values that the message names."},
  unauthorized: {why: "The venue does not accept the API key of the account.", todo: "Check the account, and connect it with a valid key."},
  bad_signature: {why: "The signature does not fit the body and the secret.", todo: "Sign the exact bytes that are sent, with the channel's present secret."},
  scope_required: {why: "The key may not do this.", todo: "Give the key the missing permission."},
  not_found: {why: "What the signal is about does not exist: the venue is not connected, or there is no such order.", todo: "Connect the venue, or correct the signal."},
  duplicate_request: {why: "The requestId was used for another signal.", todo: "Give every signal a requestId of its own."},
  insufficient_balance: {why: "The account has too little margin for the order.", todo: "Send a smaller quantity, free margin or add funds."},
  symbol_not_tradable: {why: "The instrument cannot be traded here.", todo: "Correct the instrument, or allow it in the rules of the channel."},
  leverage_change_rejected: {why: "The venue did not change the leverage.", todo: "Close orders and positions in the instrument first."},
  rate_limited: {why: "Too many requests in a short time.", todo: "Wait, and send fewer signals."},
  exchange_unavailable: {why: "The venue did not answer, or did not accept the request now.", todo: again},
  maintenance: {why: "The service or the venue was not ready to trade.", todo: again},
  order_rejected: {why: "The venue, or the account, did not accept the order.", todo: "See the message."},
  trading_locked: {why: "Trading is locked after the daily loss reached its limit, or by a halt.", todo: "Positions can still be closed. An owner can unlock the account."},
  risk_rejected: {why: "A rule of the channel or a limit of the account does not allow it.", todo: "See the rule."},
  internal_error: {why: "The service made an error.", todo: "Its log has the details under the request id."},
};

/** Sentences by the rule or reason behind a code. */
export const reasons: Readonly<Record<string, Sentence>> = {
  // Rules of the channel.
  instrument: {why: "The symbol is no instrument of the venue, or the venue is not connected.", todo: "Correct the symbol or the venue in the signal."},
  removed: {why: "The channel was removed.", todo: "Send to another channel."},
  paused: {why: "The channel is paused.", todo: "An owner can switch it on again."},
  test_mode: {why: "The channel was switched to test mode before the order was sent.", todo: "Switch test mode off to trade."},
  symbols: {why: "The channel may not trade this instrument.", todo: "Send an allowed instrument, or add it to the rules."},
  max_qty: {why: "The position would be larger than the channel allows, orders that are open included.", todo: "Send at most the limit, or change the rule."},
  stop_required: {why: "The channel demands a stop loss, and the signal has none.", todo: "Send stopLoss, or change the rule."},
  max_age: {why: "The signal was older than the channel accepts when it arrived.", todo: "Look for the delay on the way, or allow a greater age."},
  opposite_position: {why: "The order is opposite to the open position.", todo: "Close the position first, or change what the channel does with opposite signals."},
  // Limits of the account.
  trading_locked: {why: "Trading is locked after the daily loss reached its limit, or by a halt.", todo: "Positions can still be closed. An owner can unlock the account."},
  max_order_notional: {why: "The order is worth more than the account allows for one order.", todo: "Send a smaller quantity, or raise the limit."},
  max_open_orders: {why: "The account has as many open orders as it may have.", todo: "Cancel some, or raise the limit."},
  // The plan of the signal.
  not_flat: {why: "The position was not confirmed closed in time, so nothing was opened.", todo: "See what is left of the position, and whether its protection is live."},
  no_position: {why: "There was no position to close or reduce.", todo: "It may have been closed before, for example by its stop."},
  two_positions: {why: "There is a long and a short position, and the signal does not say which to close.", todo: "Send side: buy closes the short one, sell the long one."},
  not_whole: {why: "The quantity to close is not a whole number of contracts.", todo: "Send a multiple of the step of the instrument."},
  below_min: {why: "The quantity is below the smallest that the venue accepts.", todo: "Send a larger quantity."},
  above_max: {why: "The value is above what the venue allows.", todo: "Send a smaller one."},
  quantity: {why: "The venue does not accept the quantity.", todo: "Send one between the minimum and the maximum of the instrument, in its steps."},
  below_minimum_notional: {why: "The order is worth less than the venue's minimum.", todo: "Send a larger quantity."},
  exceeds_position: {why: "The order is larger than the position that it reduces.", todo: "Send at most the quantity of the position."},
  protection: {why: "The protection of the order could not be placed.", todo: "Check the prices of stop loss and take profit."},
  protection_side: {why: "The stop loss or the take profit is on the wrong side of the price.", todo: "For a long position the stop is below the price and the target above it."},
  would_trigger: {why: "The price had already reached the trigger.", todo: "Send a trigger that the price has not reached yet."},
  triggered: {why: "The protection had already triggered.", todo: "Look at the fills."},
  triggering: {why: "The stop was triggering at that time.", todo: "Look at the fills."},
  rejected_at_trigger: {why: "The order was rejected when its trigger was reached.", todo: "See the message of the venue."},
  other_leg_triggered: {why: "The other leg of the protection has triggered.", todo: "Nothing: that is its purpose."},
  // How an order ended at once.
  post_only_would_take: {why: "The order may only rest in the book, and would have been filled at once.", todo: "Send a price further away."},
  fok_not_filled: {why: "The order could not be filled entirely at once.", todo: "Send a smaller quantity, or a limit order."},
  ioc_not_filled: {why: "Nothing could be filled at once within the allowed price.", todo: again},
  no_liquidity: {why: "The book had nothing to fill a market order with.", todo: "Send a limit order."},
  price_band: {why: "The price is further from the market than the venue allows.", todo: "Send a price nearer to the market."},
  // Whether the order exists.
  too_late: {why: "The order reached the venue after its deadline, and was not placed.", todo: again},
  not_sent: {why: "The order was not sent.", todo: again},
  not_placed: {why: "The venue does not have the order: it was not placed.", todo: again},
  not_shown: {why: "The venue did not list the order within the time to confirm it.", todo: "Look for it at the venue before another is sent."},
  duplicate_client_id: {why: "The venue has an order with this id.", todo: "Its status is queried; nothing is sent again."},
  // Changes of orders.
  not_amendable: {why: "The order cannot be changed in its state.", todo: "Cancel it and place another."},
  not_replaced: {why: "The order was cancelled for a change, and the new one was not placed.", todo: "Place another."},
  change_pending: {why: "Another change of the order was not finished.", todo: again},
  amend_pending: {why: "The venue was still handling another change of the order.", todo: again},
  too_many_amends: {why: "The order was changed as often as the venue allows.", todo: "Cancel it and place another."},
  no_change: {why: "The change changes nothing.", todo: "Nothing to do."},
  partly_filled: {why: "A part of the order was filled meanwhile.", todo: "Look at the fills."},
  below_filled: {why: "The quantity is below what was filled already.", todo: "Send a larger one, or cancel the rest."},
  cancelling: {why: "The order was being cancelled.", todo: "Wait for its end."},
  closing: {why: "The position is being closed.", todo: "Wait until it is closed."},
  // The state of the venue and of the account there.
  unknown_symbol: {why: "The venue does not list the instrument, or no longer.", todo: "Correct the instrument."},
  symbol_status: {why: "The venue does not trade the instrument now.", todo: "Wait for the start of trading."},
  settling: {why: "The venue was settling the contract.", todo: again},
  liquidation: {why: "The venue is liquidating, or has frozen, the account.", todo: atVenue},
  reduce_only: {why: "The venue only accepts orders that reduce positions now.", todo: "Wait, or close positions."},
  reduce_only_account: {why: "The account may only reduce positions.", todo: atVenue},
  no_order_permission: {why: "The account may not place orders.", todo: atVenue},
  not_permitted: {why: "The account may not trade this instrument.", todo: atVenue},
  region: {why: "The venue does not allow this in the region of the account.", todo: atVenue},
  cooling_off: {why: "The account is in a cooling-off period.", todo: "Wait for its end."},
  quantitative_rules: {why: "The account broke the venue's rules for programs, and may only reduce for a time.", todo: "Wait, and send fewer orders."},
  large_position: {why: "The venue limits accounts with such a large position.", todo: "Reduce the position."},
  max_position: {why: "The position would be larger than the venue allows at this leverage.", todo: "Send a smaller quantity, or lower the leverage."},
  account_mode: {why: "The mode of the account does not allow this.", todo: "Change the account mode at the venue."},
  position_mode: {why: "The order does not fit the position mode of the account.", todo: "Check the account: it names the mode that is needed."},
  insufficient_margin: {why: "The account has too little margin for the order.", todo: "Send a smaller quantity, free margin or add funds."},
  too_many_orders: {why: "The account has as many orders as the venue allows.", todo: "Cancel some."},
  open_orders: {why: "Open orders in the instrument prevent it.", todo: "Cancel them first."},
  open_position: {why: "An open position prevents it.", todo: "Close it first."},
  throttled: {why: "The venue limits the requests now.", todo: again},
  overloaded: {why: "The venue was overloaded.", todo: again},
  busy: {why: "The venue was still handling the order or the position.", todo: again},
  blocked: {why: "The venue has blocked the address of the service for a time.", todo: "Wait: nothing is sent until the block ends."},
  clock_skew: {why: "The clocks of the service and the venue differ too much.", todo: "Check the account, and the clock of the machine."},
  stale: {why: "The book was not complete.", todo: again},
  disk_full: {why: "The disk of the service is full: nothing new is opened.", todo: "The operator must free space. Positions can still be closed."},
};

/** The sentence for a rejection: that of its reason, or of its code. */
export function sentenceOf(code: string, reason?: string): Sentence | undefined {
  return reasons[reason ?? ""] ?? codes[code];
}

/** Names of rules and statuses on the page. */
export const statusText: Readonly<Record<string, string>> = {
  accepted: "accepted", running: "running", done: "done", rejected: "refused", expired: "expired", ignored: "ignored", test: "test",
};

/** What each step of a plan does. */
export const stepText: Readonly<Record<string, string>> = {
  open: "place the order", close: "close the position", flat: "wait until nothing is left of the position", cancel: "cancel all orders", notify: "send the message",
  close2: "close the rest (2nd order)", close3: "close the rest (3rd order)", close4: "close the rest (4th order)", close5: "close the rest (5th order)",
};
