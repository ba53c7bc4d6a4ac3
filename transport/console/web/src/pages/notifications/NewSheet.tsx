import {Button, Group, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {call, faultOf} from "../../api/client";
import type {CheckResult, Endpoint, Items} from "../../api/types";
import {useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {KeyFile} from "../../outbound/KeyFile";
import type {Key} from "../../outbound/key";
import {TestEvent} from "../../outbound/TestEvent";
import {Copy} from "../../ui/Copy";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Findings} from "../accounts/Findings";
import {Columns} from "./Columns";
import {Wizard} from "./Wizard";
import {spreadsheetOf} from "./words";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: () => void;
}

/** NewSheet sets up rows in a spreadsheet: the key, the spreadsheet, the columns, a test row. */
export function NewSheet(props: Props) {
  const [step, setStep] = useState(0);
  const close = () => {
    setStep(0);
    props.close();
  };
  return (
    <Wizard opened={props.opened} close={close} title="New spreadsheet" steps={["Key", "Spreadsheet", "Columns", "Test"]} step={step}>
      <Steps {...props} close={close} step={step} setStep={setStep}/>
    </Wizard>
  );
}

function Steps({step, setStep, close, created}: Props & {step: number; setStep: (step: number) => void}) {
  const [key, setKey] = useState<Key>();
  const [target, setTarget] = useState("");
  const [made, setMade] = useState<Endpoint>();
  if (made) return (
    <>
      <Text>Each trade that is closed from now on becomes a row. The test row has the quantity 0 and the comment “test”; it can be deleted in the spreadsheet.</Text>
      <TestEvent id={made.id} button="Write a test row"/>
      <Group justify="flex-end"><Button onClick={close}>Close</Button></Group>
    </>
  );
  if (step === 0 || !key) return <KeyStep close={close} read={(read) => {
    setKey(read);
    setStep(1);
  }}/>;
  if (step === 1) return <SheetStep robotKey={key} back={() => setStep(0)} checked={(id) => {
    setTarget(id);
    setStep(2);
  }}/>;
  return <ColumnsStep robotKey={key} target={target} back={() => setStep(1)} made={(endpoint) => {
    setMade(endpoint);
    setStep(3);
    created();
  }}/>;
}

function KeyStep({close, read}: {close: () => void; read: (key: Key) => void}) {
  const [key, setKey] = useState<Key>();
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      if (key) read(key);
    }}>
      <Stack>
        <Text>In the Google Cloud console enable the Sheets API, make a service account, and add a key of type JSON to it. The key is stored sealed and never shown again.</Text>
        <KeyFile value={key} change={setKey}/>
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" disabled={!key}>To the spreadsheet</Button></Group>
      </Stack>
    </form>
  );
}

function SheetStep({robotKey, back, checked}: {robotKey: Key; back: () => void; checked: (id: string) => void}) {
  const {customer} = useSession();
  const [address, setAddress] = useState("");
  const [findings, setFindings] = useState<readonly CheckResult[]>();
  const id = spreadsheetOf(address);
  const {busy, failure, submit} = useSubmit(async () => {
    setFindings(undefined);
    const {items} = await call<Items<CheckResult>>("POST", "endpoints/examine", {customer, kind: "sheet", target: id, secret: robotKey.text});
    setFindings(items);
  });
  const ready = findings?.every(({status}) => status === "ok") === true;
  return (
    <form onSubmit={ready ? (event) => {
      event.preventDefault();
      checked(id ?? "");
    } : submit}>
      <Stack>
        <Text>In the spreadsheet press Share, and give this address the role Editor:</Text>
        <Group gap="xs"><span className="mono outside">{robotKey.robot}</span><Copy text={robotKey.robot} name="the address of the service account"/></Group>
        <TextInput label="Address of the spreadsheet" description="As the browser shows it. Its first sheet must be empty; it gets the headings." placeholder="https://docs.google.com/spreadsheets/d/…" required maxLength={512}
          value={address} error={(address !== "" && id === undefined && "This is not the address of a spreadsheet.") || faultOf(failure, "target")}
          onChange={(e) => {
            setAddress(e.currentTarget.value);
            setFindings(undefined);
          }} data-autofocus/>
        {findings && <div role="status" aria-label="What was found"><Findings results={findings} names={{secret: "Key", target: "Spreadsheet"}}/></div>}
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={back} disabled={busy}>Back</Button>
          <Button type="submit" loading={busy} disabled={id === undefined}>{ready ? "To the columns" : findings ? "Check again" : "Check"}</Button>
        </Group>
      </Stack>
    </form>
  );
}

function ColumnsStep({robotKey, target, back, made}: {robotKey: Key; target: string; back: () => void; made: (endpoint: Endpoint) => void}) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [name, setName] = useState("Closed trades");
  const {busy, failure, submit} = useSubmit(async () => made(await stepUp(() => call<Endpoint>("POST", "endpoints", {
    customer, kind: "sheet", target, secret: robotKey.text, name: name.trim(),
  }))));
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>Each closed trade becomes a row with these columns. A tenth one has the id of the event, by which none is written twice.</Text>
        <Columns/>
        <TextInput label="Name" description="What it is called in the console." maxLength={64} error={faultOf(failure, "name")} value={name} onChange={(e) => setName(e.currentTarget.value)} data-autofocus/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={back} disabled={busy}>Back</Button>
          <Button type="submit" loading={busy}>Write to this spreadsheet</Button>
        </Group>
      </Stack>
    </form>
  );
}
