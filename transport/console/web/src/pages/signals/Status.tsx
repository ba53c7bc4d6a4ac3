import type {Signal} from "../../api/types";
import {statusText} from "../../app/text/signals";
import {State} from "../../ui/State";
import {toneOf} from "./history";

/** Status shows the status of a signal. */
export function Status({status, test}: {status: Signal["status"]; test: boolean}) {
  return <State tone={toneOf(status)} test={test}>{statusText[status] ?? status}{test && status !== "test" && " · test mode"}</State>;
}
