import {keepPreviousData, useQuery} from "@tanstack/react-query";
import {useEffect, useState} from "react";
import {CallError} from "../../api/client";
import {trading} from "../../api/trading";
import type {Instrument, OrderCheck, OrderRequest} from "../../api/types";
import {Amount} from "../../ui/Amount";
import styles from "./Ticket.module.css";

const PAUSE_MILLISECONDS = 300;

/** Check shows what the service finds about an order before it is placed. */
export function Check({request, instrument}: {request: OrderRequest | undefined; instrument: Instrument}) {
  const typed = request && JSON.stringify(request);
  const settled = useSettled(typed);
  const check = useQuery({
    queryKey: ["check", settled], enabled: settled !== undefined && settled === typed, placeholderData: keepPreviousData, retry: false, staleTime: 5_000,
    queryFn: () => trading<OrderCheck>("POST", "orders/check", JSON.parse(settled ?? "{}") as OrderRequest),
  });
  if (!request) return null;
  if (check.error) return <p className={styles.warning}>Not checked: {check.error instanceof CallError && check.error.status !== 0 ? check.error.message : "the service does not answer."}</p>;
  if (!check.data) return <p className="dim">Checking …</p>;
  const {notional, margin, available, faults, rules} = check.data;
  const failed = [
    ...faults.map(({field, rule, allowed}) => `${field}: ${rule.replaceAll("_", " ")}${allowed ? `, allowed is ${allowed}` : ""}`),
    ...rules.filter(({passed}) => !passed).map(({rule, limit, given}) => `${rule.replaceAll("_", " ")}${limit === null ? "" : `: ${given === null ? "" : `${given}, `}the limit is ${limit}`}`),
  ];
  const isOlder = check.isPlaceholderData || settled !== typed;
  return (
    <div className={styles.check} data-checking={isOlder || undefined}>
      <dl>
        <div><dt>Value</dt><dd><Amount value={notional} unit={instrument.quoteCurrency}/></dd></div>
        {margin !== null && <div><dt>Margin</dt><dd><Amount value={margin} unit={instrument.settleCurrency}/></dd></div>}
        <div><dt>Available</dt><dd><Amount value={available} unit={instrument.settleCurrency}/></dd></div>
      </dl>
      {isOlder ? <p className="dim">Checking …</p> : failed.length > 0
        ? <ul className={styles.faults}>{failed.map((text) => <li key={text}>✗ {text}</li>)}</ul>
        : <p className={styles.passed}>✓ passes the checks of the service</p>}
    </div>
  );
}

// useSettled returns a text once it has not changed for a moment.
function useSettled(text: string | undefined): string | undefined {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
