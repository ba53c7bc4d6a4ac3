import {Button, Checkbox, Group, Radio, Stack, TextInput} from "@mantine/core";
import {useState, type FormEvent} from "react";
import {call, faultOf} from "../../api/client";
import type {Hook, HookKind} from "../../api/types";
import {useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {RulesFields} from "./RulesFields";
import {changeOf, firstRules, mistakeOf} from "./rules";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: (hook: Hook) => void;
}

/** NewChannel is the first two of three steps that make a channel: its kind, its rules. The third shows its secrets. */
export function NewChannel(props: Props) {
  const asking = useIsAsking();
  const [step, setStep] = useState(1);
  const close = () => {
    setStep(1);
    props.close();
  };
  return (
    <Dialog opened={props.opened} onClose={close} centered size="lg" closeOnEscape={!asking} closeOnClickOutside={false}
      title={<span role="status">New channel · {step} of 3 · {step === 1 ? "Kind" : "Rules"}</span>}>
      <Form {...props} close={close} created={(hook) => {
        setStep(1);
        props.created(hook);
      }} step={step} setStep={setStep}/>
    </Dialog>
  );
}

const kinds: readonly {readonly kind: HookKind; readonly label: string; readonly text: string}[] = [
  {kind: "webhook", label: "Signed, for scripts", text: "A program of yours signs each signal with a secret."},
  {kind: "chart", label: "Charting platform", text: "It cannot sign: its alerts go to a secret address, with a token in their text."},
];

function Form({step, setStep, close, created}: Props & {step: number; setStep: (step: number) => void}) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [kind, setKind] = useState<HookKind>("webhook");
  const [name, setName] = useState("");
  const [testMode, setTestMode] = useState(true);
  const [draft, setDraft] = useState(firstRules);
  const make = useSubmit(async () => created(await stepUp(() => call<Hook>("POST", "hooks", {customer, kind, name: name.trim(), testMode, ...changeOf(draft, kind)}))));
  const next = (event: FormEvent) => {
    event.preventDefault();
    setStep(2);
  };
  if (step === 1) return (
    <form onSubmit={next}>
      <Stack>
        <Radio.Group label="Signals come from" value={kind} onChange={(value) => setKind(value as HookKind)}>
          <Stack gap="xs" mt={6}>{kinds.map(({kind, label, text}) => <Radio key={kind} value={kind} label={label} description={text}/>)}</Stack>
        </Radio.Group>
        <TextInput label="Name" description="What it is for, such as the name of the strategy." required error={faultOf(make.failure, "name")} maxLength={64}
          value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus/>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" disabled={name.trim() === ""}>To the rules</Button>
        </Group>
      </Stack>
    </form>
  );
  return (
    <form onSubmit={make.submit}>
      <Stack>
        <Checkbox label="Begin in test mode" description="Signals take the whole path; nothing is sent to a venue." checked={testMode} onChange={(e) => setTestMode(e.currentTarget.checked)}/>
        <RulesFields kind={kind} draft={draft} set={(change) => setDraft({...draft, ...change})} failure={make.failure}/>
        {make.failure && <Failure error={make.failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setStep(1)} disabled={make.busy}>Back</Button>
          <Button type="submit" loading={make.busy} disabled={(mistakeOf("maxQty", draft) ?? mistakeOf("maxAgeSeconds", draft)) !== undefined}>Make the channel</Button>
        </Group>
      </Stack>
    </form>
  );
}
