import {secondsOf} from "../../api/client";
import type {Hook, HookChange, RulesInput} from "../../api/types";

/** The rules of a channel as they are typed. */
export interface RulesDraft {
  /** Names with spaces or commas between them; empty is every instrument. */
  readonly symbols: string;
  /** In base coin; empty is without limit. */
  readonly maxQty: string;
  readonly stopRequired: boolean;
  readonly opposite: string;
  /** Empty is what the service takes by itself. */
  readonly maxAgeSeconds: string;
  /** Addresses and prefixes; empty is every one. */
  readonly allow: string;
  readonly allowRepeats: boolean;
}

/** The rules that a new channel begins with. */
export const firstRules: RulesDraft = {symbols: "BTCUSDT", maxQty: "", stopRequired: true, opposite: "reject", maxAgeSeconds: "", allow: "", allowRepeats: false};

/** draftOf returns the rules of a channel as they would be typed. */
export function draftOf({rules, allow, allowRepeats}: Pick<Hook, "rules" | "allow" | "allowRepeats">): RulesDraft {
  return {
    symbols: rules.symbols.join(" "), maxQty: rules.maxQty ?? "", stopRequired: rules.stopRequired, opposite: rules.opposite,
    maxAgeSeconds: rules.maxAgeSec === 0 ? "" : `${rules.maxAgeSec}`, allow: allow.join(" "), allowRepeats,
  };
}

/** changeOf returns what the service is sent for a draft; only a chart has repeats. */
export function changeOf(draft: RulesDraft, kind: Hook["kind"]): Required<Pick<HookChange, "rules" | "allow">> & Pick<HookChange, "allowRepeats"> {
  const rules: RulesInput = {symbols: words(draft.symbols), stopRequired: draft.stopRequired, maxAgeSec: draft.maxAgeSeconds.trim() === "" ? 0 : secondsOf(draft.maxAgeSeconds.trim())};
  if (draft.maxQty.trim() !== "") rules.maxQty = draft.maxQty.trim();
  if (draft.opposite !== "") rules.opposite = draft.opposite as NonNullable<RulesInput["opposite"]>;
  return {rules, allow: words(draft.allow), ...(kind === "chart" ? {allowRepeats: draft.allowRepeats} : {})};
}

/** mistakeOf returns what can be seen to be wrong with a field before it is sent. */
export function mistakeOf(field: "maxQty" | "maxAgeSeconds", draft: RulesDraft): string | undefined {
  if (field === "maxQty") return draft.maxQty.includes(",") ? "Use a point, such as 0.5." : undefined;
  return /^\d{0,6}$/.test(draft.maxAgeSeconds.trim()) ? undefined : "Whole seconds, such as 60.";
}

const fieldNames: Readonly<Record<keyof RulesDraft, string>> = {
  symbols: "Instruments", maxQty: "Largest position", stopRequired: "Stop loss required", opposite: "Opposite signal", maxAgeSeconds: "Not older than", allow: "Only from", allowRepeats: "Repeats",
};

/** A field that two users have changed. */
export interface Conflict {
  readonly name: string;
  readonly theirs: string;
  readonly yours: string;
}

/** conflictsOf returns the fields that somebody else has changed since a base, and that are typed otherwise. */
export function conflictsOf(base: RulesDraft, stored: RulesDraft, draft: RulesDraft): Conflict[] {
  return (Object.keys(fieldNames) as (keyof RulesDraft)[]).filter((name) => stored[name] !== base[name] && draft[name] !== stored[name])
    .map((name) => ({name: fieldNames[name], theirs: wordOf(stored[name]), yours: wordOf(draft[name])}));
}

function wordOf(value: string | boolean): string {
  return value === true ? "yes" : value === false ? "no" : value === "" ? "none" : value;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
