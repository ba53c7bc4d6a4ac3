// The shapes of the console's API. Those of its records are in the document of the
// administration API, whose calls the console has too.
import type {components as Console} from "./console.gen";
import type {components as Records} from "./records.gen";

export type Session = Console["schemas"]["Session"];
export type SignIn = Console["schemas"]["SignIn"];
export type OpenSession = Console["schemas"]["OpenSession"];
export type SecondStepSecret = Console["schemas"]["NewSecondStep"];
export type RecoveryCodes = Console["schemas"]["RecoveryCodes"];
export type Preferences = Console["schemas"]["Preferences"];

export type Key = Records["schemas"]["Key"];
export type Scope = Records["schemas"]["Scope"];
export type Hook = Records["schemas"]["Hook"];
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
export type JournalRow = Records["schemas"]["JournalRow"];
export type Endpoint = Records["schemas"]["Endpoint"];
export type EndpointStats = Records["schemas"]["EndpointStats"];
export type EndpointTest = Records["schemas"]["EndpointTest"];
export type Delivery = Records["schemas"]["Delivery"];
export type DeliveryDetail = Records["schemas"]["DeliveryDetail"];
export type DeliveryAttempt = Records["schemas"]["DeliveryAttempt"];
export type Resent = Records["schemas"]["Resent"];
export type User = Records["schemas"]["User"];
export type Role = Records["schemas"]["Role"];

/** A list that is not paged. */
export interface Items<T> {
  readonly items: readonly T[];
}

/** One page of a list. */
export interface Page<T> extends Items<T> {
  readonly nextCursor: string | null;
}
