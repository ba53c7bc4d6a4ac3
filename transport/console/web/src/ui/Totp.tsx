import {Button, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {encode} from "uqr";
import {faultOf} from "../api/client";
import type {RecoveryCodes, SecondStepSecret} from "../api/types";
import {useSubmit} from "./form";
import {Failure} from "./Panel";

interface Props {
  readonly secret: SecondStepSecret;
  /** Sends the code. */
  readonly confirm: (code: string) => Promise<RecoveryCodes>;
  readonly confirmed: (recoveryCodes: readonly string[]) => void;
}

/** Totp shows the secret of a second step as a picture and text, and confirms it with a code. */
export function Totp({secret, confirm, confirmed}: Props) {
  const [code, setCode] = useState("");
  const {busy, failure, submit} = useSubmit(async () => {
    const {recoveryCodes} = await confirm(code.replace(/\s/g, ""));
    confirmed(recoveryCodes);
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>Add this to an authenticator, such as the one of your password manager, and enter the code that it shows.</Text>
        <Picture text={secret.url}/>
        <Text size="sm" c="dimmed">Or type: <span className="mono outside">{secret.secret}</span></Text>
        <TextInput label="Code" required inputMode="numeric" autoComplete="one-time-code" maxLength={9} error={faultOf(failure, "code")} value={code} onChange={(e) => setCode(e.currentTarget.value)}/>
        {failure && <Failure error={failure}/>}
        <Button type="submit" loading={busy}>Confirm</Button>
      </Stack>
    </form>
  );
}

function Picture({text}: {text: string}) {
  const {size, data} = encode(text, {border: 2});
  const path = data.flatMap((row, y) => row.map((dark, x) => dark ? `M${x} ${y}h1v1h-1z` : "")).join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={200} height={200} role="img" aria-label="The secret as a QR code" shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff"/><path d={path} fill="#000"/>
    </svg>
  );
}
