import {ActionIcon, Button, Checkbox, Group, Modal, Stack, Text} from "@mantine/core";
import {IconCheck, IconCopy, IconEye, IconEyeOff} from "@tabler/icons-react";
import {useState} from "react";
import styles from "./Secret.module.css";

const MASK = "•".repeat(24);

/** What was made and its secrets, each with its name. They exist only in this dialog. */
export interface Secrets {
  readonly title: string;
  readonly note?: string;
  readonly values: readonly (readonly [name: string, secret: string])[];
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
      {secrets.values.map(([name, secret], at) => <Value key={name} name={name} secret={secret} focus={at === 0}/>)}
      <Checkbox label="I have stored it" checked={stored} onChange={(e) => setStored(e.currentTarget.checked)}/>
      <Group justify="flex-end"><Button disabled={!stored} onClick={close}>Close</Button></Group>
    </Stack>
  );
}

function Value({name, secret, focus}: {name: string; secret: string; focus: boolean}) {
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
        <code className={styles.text} data-testid="secret">{shown ? secret : MASK}</code>
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
