import {Button, Group, NativeSelect, SegmentedControl, Stack, Text} from "@mantine/core";
import {useState} from "react";
import {call} from "../../api/client";
import type {Endpoint} from "../../api/types";
import {mayChange, useSession} from "../../app/session";
import {useIsAsking, useStepUp} from "../../app/step-up";
import {Copy} from "../../ui/Copy";
import {verification} from "../../outbound/verify";
import {Dialog} from "../../ui/Dialog";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Time} from "../../ui/Time";
import panel from "../../ui/Panel.module.css";
import {signingSecret} from "./Endpoints";
import styles from "./Endpoints.module.css";

type Language = keyof typeof verification;
const languages = Object.keys(verification) as Language[];

/** Signature says with which secret a webhook is signed, gives it a new one, and has the code that verifies it. */
export function Signature({endpoint, changed}: {endpoint: Endpoint; changed: () => Promise<void>}) {
  const session = useSession();
  const changes = mayChange(session);
  const [rotating, setRotating] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const [language, setLanguage] = useState<Language>("Python");
  const example = verification[language](session.headerPrefix);
  const rotated = async (made: Endpoint) => {
    setRotating(false);
    setSecrets(signingSecret(made, made.secret ?? ""));
    await changed();
  };
  return (
    <section className={panel.panel} aria-label="Signature">
      <header className={panel.head}>
        <h2>Signature</h2>
        {changes && !endpoint.hookId && <Button size="xs" variant="default" onClick={() => setRotating(true)}>New secret</Button>}
      </header>
      <div className={styles.part}>
        <p>{endpoint.hookId
          ? <>The secret of the channel <span className="mono">{endpoint.hookId}</span> signs. A new secret of the channel is the new one here.</>
          : "A secret of its own signs. It was shown when it was made; a lost one is replaced."}</p>
        {endpoint.nextFrom && <p role="status">A new secret signs from <Time at={endpoint.nextFrom} relative/>. Until then accept both.</p>}
        <div className={styles.row}>
          <SegmentedControl size="xs" aria-label="Language" data={languages} value={language} onChange={setLanguage}/>
          <Copy text={example} name="the example"/>
        </div>
        <pre className={styles.pre} data-testid="verification">{example}</pre>
        <p className="dim">Verify the raw bytes before anything else, answer 401 if it is false, 2xx within 10 seconds if the event is taken. Discard ids that were handled already.</p>
      </div>
      <Rotate opened={rotating} endpoint={endpoint} close={() => setRotating(false)} rotated={rotated}/>
      <SecretsOnce secrets={secrets} close={() => setSecrets(undefined)}/>
    </section>
  );
}

const delays = [
  {value: "0", label: "At once"}, {value: "10", label: "In 10 minutes"}, {value: "60", label: "In 1 hour"}, {value: "720", label: "In 12 hours"}, {value: "1435", label: "In 23 h 55 min"},
];
const MINUTE_MILLISECONDS = 60_000;

interface RotateProps {
  readonly opened: boolean;
  readonly endpoint: Endpoint;
  readonly close: () => void;
  readonly rotated: (endpoint: Endpoint) => Promise<void>;
}

function Rotate(props: RotateProps) {
  const asking = useIsAsking();
  return <Dialog opened={props.opened} onClose={props.close} title="New secret" centered closeOnEscape={!asking}><RotateForm {...props}/></Dialog>;
}

function RotateForm({endpoint, close, rotated}: RotateProps) {
  const stepUp = useStepUp();
  const [delay, setDelay] = useState("60");
  const {busy, failure, submit} = useSubmit(async () => {
    const minutes = [0, 10, 60, 720, 1435][delays.findIndex(({value}) => value === delay)] ?? 0;
    const order = minutes === 0 ? {} : {switchAt: new Date(Date.now() + minutes * MINUTE_MILLISECONDS).toISOString()};
    await rotated(await stepUp(() => call<Endpoint>("POST", `endpoints/${endpoint.id}/rotate`, order)));
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>The new secret is shown once. The present one signs until the moment of change, so that there is time to give the new one to the receiver.</Text>
        <NativeSelect label="The new secret signs" data={delays} value={delay} onChange={(e) => setDelay(e.currentTarget.value)} data-autofocus/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end"><Button variant="default" onClick={close}>Cancel</Button><Button type="submit" loading={busy}>Make the secret</Button></Group>
      </Stack>
    </form>
  );
}
