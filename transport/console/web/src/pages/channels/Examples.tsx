import {Code, List, NativeSelect, SegmentedControl, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import type {Hook} from "../../api/types";
import {useSession} from "../../app/session";
import {MASK, SecretValue} from "../../ui/Secret";
import styles from "./Channels.module.css";
import {chartMessage, languages, scriptOf, signalOf, type Language} from "./templates";

interface Props {
  readonly hook: Hook;
  /** The secret or token, known only in the dialog that shows it once; elsewhere a name stands for it. */
  readonly secret?: string | undefined;
}

/** Examples show what a channel is connected with: a script that signs, or the text of an alert. */
export function Examples(props: Props) {
  return props.hook.kind === "chart" ? <Message {...props}/> : <Scripts {...props}/>;
}

function Scripts({hook, secret}: Props) {
  const {environments, headerPrefix} = useSession();
  const [language, setLanguage] = useState<Language>("Shell");
  const [example, setExample] = useState({exchange: Object.keys(environments)[0] ?? "", symbol: hook.rules.symbols[0] ?? "BTCUSDT", qty: "0.01", stopLoss: ""});
  const set = (change: Partial<typeof example>) => setExample({...example, ...change});
  const script = (secret: string) => scriptOf[language]({url: hook.url ?? "", secret, headerPrefix, body: signalOf(example)});
  const stopMissing = hook.rules.stopRequired && example.stopLoss === "";
  return (
    <Stack gap="sm">
      <div className={styles.example}>
        <Venue value={example.exchange} set={(exchange) => set({exchange})}/>
        <TextInput size="xs" label="Instrument" value={example.symbol} onChange={(e) => set({symbol: e.currentTarget.value})}/>
        <TextInput size="xs" label="Quantity" inputMode="decimal" value={example.qty} onChange={(e) => set({qty: e.currentTarget.value})}/>
        <TextInput size="xs" label="Stop loss" inputMode="decimal" required={hook.rules.stopRequired} value={example.stopLoss} onChange={(e) => set({stopLoss: e.currentTarget.value})}/>
      </div>
      {stopMissing && <Text size="sm">This channel requires a stop loss: type one below the price, else the example is rejected.</Text>}
      <SegmentedControl size="xs" aria-label="Language" data={[...languages]} value={language} onChange={(value) => setLanguage(value as Language)}/>
      <SecretValue name="Buys at market when it is run" secret={script(secret ?? "SECRET")} masked={script(secret === undefined ? "SECRET" : MASK)}/>
      {secret === undefined && <Text size="sm" c="dimmed">In place of SECRET belongs the secret of the channel.</Text>}
    </Stack>
  );
}

function Message({hook, secret}: Props) {
  const {environments} = useSession();
  const [exchange, setExchange] = useState(Object.keys(environments)[0] ?? "");
  return (
    <Stack gap="sm">
      <div className={styles.example}><Venue value={exchange} set={setExchange}/></div>
      <SecretValue name="Message of the alert" secret={chartMessage(exchange, hook.rules, secret ?? "TOKEN")} masked={chartMessage(exchange, hook.rules, secret === undefined ? "TOKEN" : MASK)}/>
      <List size="sm" c="dimmed">
        <List.Item>The platform fills what is in double braces, for alerts of a strategy.{hook.rules.stopRequired && <> The stop loss is a plot of yours with the title <Code>Stop</Code>.</>}</List.Item>
        <List.Item>Leave the quotes as they are: there are none around quantity{hook.rules.stopRequired && " and stop loss"}.</List.Item>
        <List.Item>{secret === undefined ? "In place of TOKEN belongs the channelToken." : "Whoever can read the alert can read the token."} The address is the webhook URL of the alert.</List.Item>
      </List>
    </Stack>
  );
}

function Venue({value, set}: {value: string; set: (value: string) => void}) {
  const {environments} = useSession();
  return <NativeSelect size="xs" label="Venue" data={Object.keys(environments)} value={value} onChange={(e) => set(e.currentTarget.value)}/>;
}
