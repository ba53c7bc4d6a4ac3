// What to choose when a key is made at a venue.

/** How a key for this service is made at a venue. */
export interface KeyRecipe {
  /** Where, in the venue's own words. */
  readonly where: string;
  /** What the key needs. */
  readonly allow: readonly string[];
  /** What it must not have. */
  readonly refuse: readonly string[];
  /** The field for the addresses from which it may be used. */
  readonly addresses: string;
  /** Whether the venue gives a key a passphrase. */
  readonly passphrase: boolean;
  /** What else must be so. */
  readonly besides: string;
}

const recipes: Readonly<Record<string, KeyRecipe>> = {
  binance: {
    where: "API Management, a system-generated key",
    allow: ["Enable Reading", "Enable Futures"], refuse: ["Enable Withdrawals", "Permits Universal Transfer"],
    addresses: "Restrict access to trusted IPs only", passphrase: false,
    besides: "A key that was made before the futures account was opened cannot trade futures: make a new one.",
  },
  bybit: {
    where: "API, a new system-generated key with Read-Write",
    allow: ["Unified Trading: Orders", "Unified Trading: Positions"], refuse: ["Wallet: Withdrawal", "Wallet: Account Transfer"],
    addresses: "Only IPs with permissions granted", passphrase: false,
    besides: "A key without addresses ends after three months.",
  },
  okx: {
    where: "API keys, a new V5 key",
    allow: ["Read", "Trade"], refuse: ["Withdraw"],
    addresses: "Link IP address", passphrase: true,
    besides: "The account must be in a mode with derivatives: not the spot mode. A key without addresses ends after 14 days without use.",
  },
};

const unknown: KeyRecipe = {
  where: "API keys", allow: ["Reading", "Trading of derivatives"], refuse: ["Withdrawals"],
  addresses: "the list of addresses", passphrase: true, besides: "",
};

/** recipeOf returns how a key is made at a venue. */
export function recipeOf(exchange: string): KeyRecipe {
  return new Map(Object.entries(recipes)).get(exchange) ?? unknown;
}
