import {PasswordInput, Stack, Text} from "@mantine/core";
import {faultOf} from "../../api/client";
import {recipeOf} from "./keys";

/** Credentials as they are typed. */
export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly passphrase: string;
}

interface Props {
  readonly exchange: string;
  readonly value: Credentials;
  readonly set: (value: Credentials) => void;
  readonly failure: Error | undefined;
}

/** CredentialFields take credentials. The service seals them and never shows them again. */
export function CredentialFields({exchange, value, set, failure}: Props) {
  const field = (name: keyof Credentials) => ({
    value: value[name], error: faultOf(failure, name), maxLength: 512, autoComplete: "off", spellCheck: false,
    onChange: (e: {currentTarget: {value: string}}) => set({...value, [name]: e.currentTarget.value}),
  });
  return (
    <Stack>
      <Text c="dimmed">They are sealed before they are stored, and nobody can read them again. First they are examined; until you connect, nothing is kept.</Text>
      <PasswordInput label="API key" required data-autofocus {...field("apiKey")}/>
      <PasswordInput label="API secret" required {...field("apiSecret")}/>
      {recipeOf(exchange).passphrase && <PasswordInput label="Passphrase" description="The one that was chosen when the key was made." {...field("passphrase")}/>}
    </Stack>
  );
}
