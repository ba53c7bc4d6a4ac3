import {Button, Group, Stack, Text, Textarea} from "@mantine/core";
import {useState} from "react";
import {call, isOutcomeUnknown} from "../../api/client";
import {newRequestId} from "../../api/trading";
import type {Hook, SignalAnswer, SignalTest} from "../../api/types";
import {mayTrade, useSession} from "../../app/session";
import type {Act} from "../../ui/Confirm";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import {useShortcuts} from "../../ui/shortcuts";
import {Answer, Verdict} from "./Verdict";
import {identified, signalOf} from "./templates";

/**
 * Try sends a signal by hand: dry, or as one that counts. Its body is sent as it is typed; one
 * that counts gets a request id if it has none, which it keeps until its outcome is known.
 */
export function Try({hook, ask}: {hook: Hook; ask: (act: Act) => void}) {
  const session = useSession();
  const exchange = Object.keys(session.environments)[0] ?? "";
  const symbol = hook.rules.symbols[0] ?? "BTCUSDT";
  const examples: readonly (readonly [string, string])[] = [
    ["Buy", signalOf({exchange, symbol, qty: "0.01", stopLoss: ""})],
    ["Close", JSON.stringify({action: "close", exchange, symbol})],
    ["Cancel orders", JSON.stringify({action: "cancel-all", exchange})],
  ];
  const [body, setBody] = useState(examples[0]?.[1] ?? "");
  const [test, setTest] = useState<SignalTest>();
  const [answer, setAnswer] = useState<SignalAnswer>();
  const [requestId, setRequestId] = useState(newRequestId);
  const write = (text: string) => {
    setBody(text);
    setRequestId(newRequestId());
  };
  const dry = useSubmit(async () => {
    setTest(undefined);
    setAnswer(undefined);
    setTest(await call<SignalTest>("POST", `hooks/${hook.id}/test`, body));
  });
  const fire = () => ask({
    title: "Send as a real signal", button: "Send",
    consequence: hook.testMode ? "The channel is in test mode: the signal takes the whole path, and nothing is sent to a venue." : "Orders will be placed, as if the sender of this channel had sent it.",
    run: async () => {
      setTest(undefined);
      setAnswer(undefined);
      try {
        setAnswer(await call<SignalAnswer>("POST", `hooks/${hook.id}/fire`, identified(body, requestId)));
      } catch (thrown) {
        if (!isOutcomeUnknown(thrown)) setRequestId(newRequestId());
        throw thrown;
      }
      setRequestId(newRequestId());
    },
  });
  useShortcuts({d: mayTrade(session) && !dry.busy ? dry.run : undefined});
  if (!mayTrade(session)) return null;
  return (
    <Section title="Try">
      <form onSubmit={dry.submit}>
        <Stack>
          <Textarea label="Signal" description="A body as the sender would send it, without signature or token." rows={5} spellCheck={false} styles={{input: {fontFamily: "var(--mono)", fontSize: 13}}}
            value={body} onChange={(e) => write(e.currentTarget.value)}/>
          <Group gap="xs">{examples.map(([name, text]) => <Button key={name} size="compact-xs" variant="default" onClick={() => write(text)}>{name}</Button>)}</Group>
          <Group justify="space-between">
            <Button type="submit" loading={dry.busy} aria-keyshortcuts="d">Dry run</Button>
            <Button variant="default" onClick={fire}>Send as a real signal</Button>
          </Group>
          <Text size="sm" c="dimmed">A dry run shows what each rule says and what would be done. It changes nothing.</Text>
          {dry.failure && <Failure error={dry.failure}/>}
          {test && <Verdict test={test}/>}
          {answer && <Answer answer={answer}/>}
        </Stack>
      </form>
    </Section>
  );
}
