import {Anchor} from "@mantine/core";
import {call} from "../../api/client";
import type {Endpoint, EndpointFile, Items} from "../../api/types";
import {SLOW_MILLISECONDS, useReading} from "../../app/reading";
import {Time} from "../../ui/Time";
import styles from "./Notifications.module.css";

const KILOBYTE = 1024;

/** Files are the links to the files of a workbook: a full one is followed by another. */
export function Files({endpoint: {id}}: {endpoint: Endpoint}) {
  const files = useReading(["endpoint files", id], () => call<Items<EndpointFile>>("GET", `endpoints/${id}/files`), SLOW_MILLISECONDS);
  if (!files.data) return <span className="dim">–</span>;
  if (files.data.items.length === 0) return <span className="dim">made with the first closed trade</span>;
  return (
    <ul className={styles.files}>{files.data.items.map(({name, sizeBytes, changedAt}) => (
      <li key={name}>
        <Anchor href={`/console/api/endpoints/${id}/files/${encodeURIComponent(name)}`} download={name}>Download {name}</Anchor>
        <span className="dim"> {Math.ceil(sizeBytes / KILOBYTE)} KB · <Time at={changedAt}/></span>
      </li>
    ))}</ul>
  );
}
