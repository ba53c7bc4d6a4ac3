import {Button, Stack} from "@mantine/core";
import {mayChange, mayTrade, useSession} from "../../app/session";
import type {Hook} from "../../api/types";
import type {Act} from "../../ui/Confirm";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Section} from "../../ui/Section";
import {useShortcuts} from "../../ui/shortcuts";
import type {ChangeHook} from "./Channel";
import styles from "./Channels.module.css";
import {possibleWithoutTest} from "./words";

interface Props {
  readonly hook: Hook;
  readonly change: ChangeHook;
  readonly ask: (act: Act) => void;
}

/** Switches are test mode and pause. What makes safer is done at once; the other way first shows what follows. */
export function Switches({hook, change, ask}: Props) {
  const session = useSession();
  const owner = mayChange(session);
  const test = useSubmit(async () => void await change({testMode: true}));
  const pause = useSubmit(async () => void await change({paused: true}));
  const endTest = () => ask({
    title: `End the test mode of ${hook.name}`, button: "End test mode",
    consequence: <><p>From then on, signals of this channel can do this:</p>
      <ul className={styles.list}>{possibleWithoutTest(hook, session).map((line) => <li key={line}>{line}</li>)}</ul></>,
    run: () => change({testMode: false}),
  });
  const resume = () => ask({
    title: `Resume ${hook.name}`, button: "Resume",
    consequence: hook.testMode ? "Signals are accepted again. The channel is in test mode: nothing is sent to a venue." : "Signals are accepted again, and place orders.",
    run: () => change({paused: false}),
  });
  const mayTest = owner || mayTrade(session);
  useShortcuts({t: hook.testMode ? (owner ? endTest : undefined) : mayTest && !test.busy ? test.run : undefined});
  return (
    <Section title="State">
      <Stack>
        <div className={styles.setting}>
          <div><strong>Test mode {hook.testMode ? "on" : "off"}</strong>
            <p className="dim">{hook.testMode ? "Signals take the whole path; nothing is sent to a venue." : "Signals place orders."}</p></div>
          {hook.testMode
            ? owner && <Button size="xs" variant="default" aria-keyshortcuts="t" onClick={endTest}>End test mode</Button>
            : mayTest && <form onSubmit={test.submit}><Button size="xs" variant="default" type="submit" aria-keyshortcuts="t" loading={test.busy}>Test mode on</Button></form>}
        </div>
        <div className={styles.setting}>
          <div><strong>{hook.paused ? "Paused" : "Accepting signals"}</strong>
            <p className="dim">{hook.paused ? "Every signal is rejected." : "A pause rejects every signal until it ends."}</p></div>
          {hook.paused
            ? owner && <Button size="xs" variant="default" onClick={resume}>Resume</Button>
            : mayTest && <form onSubmit={pause.submit}><Button size="xs" variant="default" type="submit" loading={pause.busy}>Pause</Button></form>}
        </div>
        {[test.failure, pause.failure].map((failure, at) => failure && <Failure key={at === 0 ? "test" : "pause"} error={failure}/>)}
      </Stack>
    </Section>
  );
}
