import {Button} from "@mantine/core";
import {useEffect, useState} from "react";
import styles from "./Shell.module.css";
import {isEdited} from "./edited";
import {useSession} from "./session";

// A page that is younger does not reload by itself: during an upgrade, calls may reach the old and the new version by turns.
const AGE_MILLISECONDS = 60_000;

/** NewVersion shows that the service is another version than the one that the page was opened with. It reloads the page by itself if nothing is lost. */
export function NewVersion() {
  const {build} = useSession();
  const [own] = useState(build);
  const isOutdated = build !== own;
  useEffect(() => {
    if (isOutdated && !isEdited() && performance.now() > AGE_MILLISECONDS) location.reload();
  }, [isOutdated]);
  return isOutdated && <p role="status" className={styles.notice}>A new version runs here. <Button size="xs" onClick={() => location.reload()}>Reload</Button></p>;
}
