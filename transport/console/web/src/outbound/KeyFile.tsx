import {Input, Text} from "@mantine/core";
import {useState} from "react";
import {KEY_BYTES_MAX, keyOf, type Key} from "./key";
import styles from "./KeyFile.module.css";

/** KeyFile reads the key of a service account from a file. */
export function KeyFile({value, change}: {value: Key | undefined; change: (key: Key | undefined) => void}) {
  const [fault, setFault] = useState<string>();
  const open = async (file: File | undefined) => {
    change(undefined);
    setFault(undefined);
    if (!file) return;
    const key = file.size > KEY_BYTES_MAX ? undefined : keyOf(await file.text());
    if (key) change(key);
    else setFault("This file is not the JSON key of a service account.");
  };
  return (
    <>
      <Input.Wrapper id="service-account-key" label="Key of the service account" description="The JSON file that was downloaded." required error={fault}>
        <Input id="service-account-key" component="input" type="file" accept="application/json,.json" onChange={(e) => void open(e.currentTarget.files?.[0])} classNames={{input: styles.file ?? ""}} data-autofocus/>
      </Input.Wrapper>
      {value && <Text role="status">The key is of <span className="mono outside">{value.robot}</span>.</Text>}
    </>
  );
}
