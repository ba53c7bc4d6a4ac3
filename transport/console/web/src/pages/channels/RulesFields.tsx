import {Checkbox, Radio, Stack, TextInput} from "@mantine/core";
import {faultOf} from "../../api/client";
import type {HookKind} from "../../api/types";
import {mistakeOf, type RulesDraft} from "./rules";

const policies = [
  {value: "reject", label: "Reject", text: "The signal is rejected."},
  {value: "ignore", label: "Ignore", text: "The signal is recorded, and nothing is done."},
  {value: "close", label: "Close", text: "The position is closed, and nothing is opened."},
  {value: "reverse", label: "Reverse", text: "The position is closed; once it is flat, the other side is opened."},
  {value: "", label: "No rule", text: "The order is sent as it is: it reduces, closes or turns the position."},
] as const;

interface Props {
  readonly kind: HookKind;
  readonly draft: RulesDraft;
  readonly set: (change: Partial<RulesDraft>) => void;
  readonly failure: Error | undefined;
  readonly disabled?: boolean;
}

/** RulesFields are the fields of a channel's rules, each with what the service says is wrong with it. */
export function RulesFields({kind, draft, set, failure, disabled = false}: Props) {
  return (
    <Stack>
      <TextInput label="Instruments" description="Names such as BTCUSDT, with spaces between them; empty is every instrument." disabled={disabled}
        error={faultOf(failure, "rules.symbols")} value={draft.symbols} onChange={(e) => set({symbols: e.currentTarget.value})}/>
      <TextInput label="Largest position" description="Of one instrument, with orders under way; empty is without limit." rightSection={<span className="dim">base coin</span>} rightSectionWidth={86}
        inputMode="decimal" disabled={disabled} error={mistakeOf("maxQty", draft) ?? faultOf(failure, "rules.maxQty")} value={draft.maxQty} onChange={(e) => set({maxQty: e.currentTarget.value})}/>
      <Checkbox label="Stop loss required" description="A signal that opens a position without stopLoss is rejected." disabled={disabled}
        checked={draft.stopRequired} onChange={(e) => set({stopRequired: e.currentTarget.checked})}/>
      <Radio.Group label="Signal against an open position" value={draft.opposite} onChange={(opposite) => set({opposite})} error={faultOf(failure, "rules.opposite")}>
        <Stack gap="xs" mt={6}>{policies.map(({value, label, text}) => <Radio key={value} value={value} label={label} description={text} disabled={disabled}/>)}</Stack>
      </Radio.Group>
      <TextInput label="Not older than" description={kind === "chart"
        ? "After receipt, and after the time that the signal states; empty is 60 s for market and 600 s for limit orders, after receipt alone."
        : "After receipt; empty is 60 s for market and 600 s for limit orders."} rightSection={<span className="dim">s</span>}
        inputMode="numeric" disabled={disabled} error={mistakeOf("maxAgeSeconds", draft) ?? faultOf(failure, "rules.maxAgeSec")} value={draft.maxAgeSeconds} onChange={(e) => set({maxAgeSeconds: e.currentTarget.value})}/>
      <TextInput label="Only from these addresses" description="Addresses or prefixes such as 10.0.0.0/8; empty is any." disabled={disabled}
        error={faultOf(failure, "allow")} value={draft.allow} onChange={(e) => set({allow: e.currentTarget.value})}/>
      {kind === "chart" && <Checkbox label="Accept repeats" description="Equal texts within 30 s are separate signals. Without it the second one is taken for a repeat." disabled={disabled}
        checked={draft.allowRepeats} onChange={(e) => set({allowRepeats: e.currentTarget.checked})}/>}
    </Stack>
  );
}
