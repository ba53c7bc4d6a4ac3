// The shapes of the console's API. Those of its records are in the document of the
// administration API, whose calls the console has too. Orders and positions are those of the
// REST API.
import type {components as Console} from "./console.gen";
import type {components as Records} from "./records.gen";
import type {components as Trading} from "./trading.gen";

export type Session = Console["schemas"]["Session"];
export type Token = Console["schemas"]["Token"];
export type SignIn = Console["schemas"]["SignIn"];
export type OpenSession = Console["schemas"]["OpenSession"];
export type SecondStepSecret = Console["schemas"]["NewSecondStep"];
export type RecoveryCodes = Console["schemas"]["RecoveryCodes"];
export type Outgoing = Console["schemas"]["Outgoing"];
export type Preferences = Console["schemas"]["Preferences"];

export type Overview = Records["schemas"]["Overview"];
export type Key = Records["schemas"]["Key"];
export type Scope = Records["schemas"]["Scope"];
export type Hook = Records["schemas"]["Hook"];
export type HookStats = Records["schemas"]["HookStats"];
export type HookKind = Records["schemas"]["HookKind"];
export type HookChange = Records["schemas"]["HookChange"];
export type Rules = Records["schemas"]["Rules"];
export type RulesInput = Records["schemas"]["RulesInput"];
export type SignalTest = Records["schemas"]["SignalTest"];
export type RuleResult = Records["schemas"]["RuleResult"];
export type PlannedStep = Records["schemas"]["PlannedStep"];
export type SignalAnswer = Records["schemas"]["SignalAnswer"];
export type Signal = Records["schemas"]["ReceivedSignal"];
export type SignalHistory = Records["schemas"]["SignalHistory"];
export type VenueAccount = Records["schemas"]["VenueAccount"];
export type AccountRisk = Records["schemas"]["AccountRisk"];
export type Limits = Records["schemas"]["Limits"];
export type Lock = NonNullable<Records["schemas"]["Lock"]>;
export type CheckResult = Records["schemas"]["CheckResult"];
export type HaltReport = Records["schemas"]["HaltReport"];
export type HaltResult = Records["schemas"]["HaltResult"];
export type JournalRow = Records["schemas"]["JournalRow"];
export type ClosedTrade = Records["schemas"]["ClosedTrade"];
export type TradeTotal = Records["schemas"]["TradeTotal"];
export type Endpoint = Records["schemas"]["Endpoint"];
export type EndpointStats = Records["schemas"]["EndpointStats"];
export type EndpointFile = Records["schemas"]["EndpointFile"];
export type Bot = Records["schemas"]["Bot"];
export type Chat = Records["schemas"]["Chat"];
export type EndpointTest = Records["schemas"]["EndpointTest"];
export type Delivery = Records["schemas"]["Delivery"];
export type DeliveryDetail = Records["schemas"]["DeliveryDetail"];
export type DeliveryAttempt = Records["schemas"]["DeliveryAttempt"];
export type Resent = Records["schemas"]["Resent"];
export type Alert = Records["schemas"]["Alert"];
export type NewAlert = Records["schemas"]["NewAlert"];
export type User = Records["schemas"]["User"];
export type Role = Records["schemas"]["Role"];

export type Customer = Records["schemas"]["Customer"];
export type Actors = Records["schemas"]["Actors"];
export type Actor = Records["schemas"]["Actor"];
export type Incidents = Records["schemas"]["Incidents"];
export type VenueState = Records["schemas"]["VenueState"];
export type BookState = Records["schemas"]["BookState"];
export type Streams = Records["schemas"]["Streams"];
export type StreamKey = Records["schemas"]["StreamKey"];
export type StoreState = Records["schemas"]["StoreState"];
export type Configuration = Records["schemas"]["Configuration"];
export type ConfigValue = Records["schemas"]["ConfigValue"];
export type LatencyReport = Records["schemas"]["LatencyReport"];
export type VenueLatency = Records["schemas"]["VenueLatency"];
export type HopLatency = Records["schemas"]["HopLatency"];
export type OrderLatency = Records["schemas"]["OrderLatency"];
export type Verified = Records["schemas"]["Verified"];
export type Rotated = Records["schemas"]["Rotated"];

export type Exchange = Trading["schemas"]["Exchange"];
export type Venue = Trading["schemas"]["Venue"];
export type Instrument = Trading["schemas"]["Instrument"];
export type LeverageChange = Trading["schemas"]["LeverageChange"];
export type Balance = Trading["schemas"]["Account"];
export type Position = Trading["schemas"]["Position"];
export type Order = Trading["schemas"]["Order"];
export type OrderRequest = Trading["schemas"]["OrderRequest"];
export type OrderCheck = Trading["schemas"]["OrderCheck"];
export type CancelResult = Trading["schemas"]["CancelResult"];
export type Ticker = Trading["schemas"]["Ticker"];
export type Candle = Trading["schemas"]["Candle"];
export type Timeframe = Trading["schemas"]["Timeframe"];
export type Fill = Trading["schemas"]["Fill"];

/** A list that is not paged. */
export interface Items<T> {
  readonly items: readonly T[];
}

/** One page of a list. */
export interface Page<T> extends Items<T> {
  readonly nextCursor: string | null;
}

/** A list over several venues; those that do not respond are named. */
export interface VenueItems<T> extends Items<T> {
  readonly errors?: Trading["schemas"]["VenueFailures"];
}
