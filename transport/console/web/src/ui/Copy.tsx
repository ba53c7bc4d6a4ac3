import {Button} from "@mantine/core";
import {useState} from "react";

/** Copy is a button that copies a text, and says whether that was possible. */
export function Copy({text, name, label = "Copy"}: {text: string; name: string; label?: string}) {
  const [result, setResult] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text); // there is none without TLS, except on loopback
      setResult("Copied");
    } catch {
      setResult("Copying is not allowed");
    }
  };
  return <Button size="compact-xs" variant="default" aria-label={`Copy ${name}`} onClick={() => void copy()}><span role="status">{result || label}</span></Button>;
}
