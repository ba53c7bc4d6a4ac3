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

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
