import {ActionIcon, Button, Checkbox, Group, Modal, Stack, Text} from "@mantine/core";
import {IconCheck, IconCopy, IconEye, IconEyeOff} from "@tabler/icons-react";
import {useState, type ReactNode} from "react";
import styles from "./Secret.module.css";

export const MASK = "•".repeat(24);

/** What was made and its secrets, each with its name. They exist only in this dialog. */
export interface Secrets {
  readonly title: string;
  readonly note?: string;
  readonly values: readonly (readonly [name: string, secret: string])[];
  /** What is made of the secrets, such as examples. */
  readonly more?: ReactNode;
}

/** SecretsOnce shows secrets that cannot be read again. It closes only on "I have stored it". */
export function SecretsOnce({secrets, close}: {secrets: Secrets | undefined; close: () => void}) {
  return (
    <Modal opened={secrets !== undefined} onClose={() => undefined} withCloseButton={false} closeOnEscape={false}
      title={secrets?.title} centered size="lg">
      {secrets && <Values secrets={secrets} close={close}/>}
    </Modal>
  );
}

function Values({secrets, close}: {secrets: Secrets; close: () => void}) {
  const [stored, setStored] = useState(false);
  return (
    <Stack>
      <Text>This is shown once. The service keeps nothing from which it could be shown again. {secrets.note}</Text>
      {secrets.values.map(([name, secret], at) => <SecretValue key={name} name={name} secret={secret} focus={at === 0}/>)}
      {secrets.more}
      <Checkbox label="I have stored it" checked={stored} onChange={(e) => setStored(e.currentTarget.checked)}/>
      <Group justify="flex-end"><Button disabled={!stored} onClick={close}>Close</Button></Group>
    </Stack>
  );
}

interface SecretProps {
  readonly name: string;
  readonly secret: string;
  /** What is shown instead of it until it is revealed. */
  readonly masked?: string;
  readonly focus?: boolean;
}

/** SecretValue is one text that can be revealed and copied. */
export function SecretValue({name, secret, masked = MASK, focus}: SecretProps) {
  const [shown, setShown] = useState(false);
  const [copied, setCopied] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret); // there is none without TLS, except on loopback
      setCopied("Copied.");
    } catch {
      setCopied("The browser does not allow copying: reveal it and copy by hand.");
    }
  };
  return (
    <div>
      <Text size="sm" c="dimmed">{name}</Text>
      <div className={styles.value}>
        <code className={styles.text} data-testid="secret">{shown ? secret : masked}</code>
        <ActionIcon variant="default" size={36} aria-label={shown ? "Hide" : "Reveal"} onClick={() => setShown(!shown)}>
          {shown ? <IconEyeOff size={18}/> : <IconEye size={18}/>}
        </ActionIcon>
        <ActionIcon size={36} aria-label={`Copy ${name}`} onClick={() => void copy()} data-autofocus={focus || undefined}>
          {copied === "Copied." ? <IconCheck size={18}/> : <IconCopy size={18}/>}
        </ActionIcon>
      </div>
      <Text size="sm" role="status">{copied}</Text>
    </div>
  );
}
