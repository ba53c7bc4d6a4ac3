import {Button, Group, Modal, Stack, Text} from "@mantine/core";
import {useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {RecoveryCodes, SecondStepSecret} from "../../api/types";
import {useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {SecretsOnce, type Secrets} from "../../ui/Secret";
import {Section} from "../../ui/Section";
import {Totp} from "../../ui/Totp";

/** SecondStep sets up an authenticator and makes recovery codes. */
export function SecondStep() {
  const {secondStep, secondStepMissing} = useSession();
  const stepUp = useStepUp();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<SecondStepSecret>();
  const [codes, setCodes] = useState<Secrets>();
  const setup = useSubmit(async () => setSecret(await stepUp(() => call<SecondStepSecret>("POST", "totp"))));
  const renew = useSubmit(async () => {
    const made = await stepUp(() => call<RecoveryCodes>("POST", "recovery-codes"));
    setCodes(recovery(made.recoveryCodes));
  });
  const confirmed = (recoveryCodes: readonly string[]) => {
    setSecret(undefined);
    setCodes(recovery(recoveryCodes));
    void queries.invalidateQueries();
  };
  return (
    <Section title="Second step">
      <Stack>
        {secondStepMissing && <Text fw={600}>Set up a second step first: the rest of the console opens with it.</Text>}
        <Text>{secondStep ? "Signing in asks for a code of your authenticator." : "Signing in asks only for your password."}</Text>
        <Group>
          <form onSubmit={setup.submit}><Button type="submit" variant="default" loading={setup.busy}>{secondStep ? "Another authenticator" : "Set up an authenticator"}</Button></form>
          {secondStep && <form onSubmit={renew.submit}><Button type="submit" variant="default" loading={renew.busy}>New recovery codes</Button></form>}
        </Group>
        {(setup.failure ?? renew.failure) && <Failure error={(setup.failure ?? renew.failure) as Error}/>}
      </Stack>
      <Modal opened={secret !== undefined} onClose={() => setSecret(undefined)} title="Set up an authenticator" centered>
        {secret && <Totp secret={secret} confirmed={confirmed} confirm={(code) => stepUp(() => call("POST", "totp/confirm", {code}))}/>}
      </Modal>
      <SecretsOnce secrets={codes} close={() => setCodes(undefined)}/>
    </Section>
  );
}

function recovery(codes: readonly string[]): Secrets {
  return {title: "Recovery codes", note: "Each is good once, in place of a code.", values: [["Recovery codes", codes.join("\n")]]};
}
