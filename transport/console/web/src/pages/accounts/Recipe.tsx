import {useQuery} from "@tanstack/react-query";
import {call} from "../../api/client";
import type {Outgoing} from "../../api/types";
import {Copy} from "../../ui/Copy";
import styles from "./Accounts.module.css";
import {recipeOf} from "./keys";

/** Recipe shows how a key is made at a venue: what to allow, what not, and from which address it is used. */
export function Recipe({exchange, environment}: {exchange: string; environment: string}) {
  const {where, allow, refuse, addresses, besides} = recipeOf(exchange);
  const outgoing = useQuery({queryKey: ["outgoing"], queryFn: () => call<Outgoing>("GET", "outgoing"), staleTime: Infinity});
  const address = outgoing.data?.address;
  return (
    <div className={styles.recipe}>
      <p>At {exchange}{environment === "live" ? "" : ` (${environment})`}: {where}.</p>
      <h3>Allow</h3>
      <ul className={styles.ticks}>{allow.map((one) => <li key={one}><span className={styles.good} aria-hidden>✓</span> {one}</li>)}</ul>
      <h3>Leave off</h3>
      <ul className={styles.ticks}>{refuse.map((one) => <li key={one}><span className={styles.bad} aria-hidden>✗</span> {one}</li>)}</ul>
      <p className="dim">A key that may withdraw is refused: this service never needs it.</p>
      <h3>{addresses}</h3>
      {address
        ? <p className={styles.address}><span className="mono">{address}</span> <Copy text={address} name="address"/>
          {outgoing.data?.private && <span className={styles.warning}>This is the address inside your network: enter the public one that others see.</span>}</p>
        : <p className="dim">{outgoing.isLoading ? "…" : "The public address of the machine on which this service runs."}</p>}
      {besides && <p className="dim">{besides}</p>}
    </div>
  );
}
