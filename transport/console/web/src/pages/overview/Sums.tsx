import type {UseQueryResult} from "@tanstack/react-query";
import type {Balance, Fill, Page, VenueItems} from "../../api/types";
import {Amount} from "../../ui/Amount";
import {Missing} from "../../ui/Missing";
import {Panel} from "../../ui/Panel";
import styles from "./Overview.module.css";
import {realizedOf, sumsOf} from "./totals";

interface Props {
  readonly balances: UseQueryResult<VenueItems<Balance>>;
  /** The fills of the UTC day. */
  readonly today: UseQueryResult<Page<Fill>>;
}

/** Sums shows the balances of all venues together, for each currency. */
export function Sums({balances, today}: Props) {
  // A part of the day's fills has no sum.
  const fills = today.data?.nextCursor === null && !today.error ? today.data.items : undefined;
  return (
    <Panel title="Balances" query={balances} empty={{when: ({items, errors}) => items.length === 0 && !errors, text: "No venue is connected yet. An owner connects one with its API key."}}>
      {({items, errors}) => <><Missing errors={errors} what="balances"/>
        {sumsOf(items).map(({currency, equity, available, unrealized}) => (
          <dl key={currency} className={styles.sums}>
            <div><dt>Equity</dt><dd><Amount value={equity} unit={currency}/></dd></div>
            <div><dt>Available</dt><dd><Amount value={available}/></dd></div>
            <div><dt>Unrealized</dt><dd><Amount value={unrealized} gain/></dd></div>
            <div><dt>Realized today after fees (UTC)</dt><dd><Amount value={fills && realizedOf(fills, currency)} gain/></dd></div>
          </dl>))}</>}
    </Panel>
  );
}
