import {Drawer} from "@mantine/core";
import {Fragment} from "react";
import {Link} from "wouter";
import type {JournalRow} from "../../api/types";
import {pagesOf} from "../../app/navigation";
import {pathOfRecord} from "../../app/paths";
import {useSession} from "../../app/session";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import styles from "./Journal.module.css";

const FIELD_CHARACTERS = 4_096;

interface Props {
  readonly opened: boolean;
  /** Undefined if it is not among the rows that are loaded. */
  readonly row: JournalRow | undefined;
  readonly close: () => void;
}

/** Detail shows all of one row, with links to the records that it names. */
export function Detail({opened, row, close}: Props) {
  return (
    <Drawer opened={opened} onClose={close} position="right" size="lg" title={<span className="mono">{row?.kind ?? "Row"}</span>}>
      {opened && (row ? <Facts row={row}/> : <p className="dim">The row is not among those that are loaded. Older ones are further down the list.</p>)}
    </Drawer>
  );
}

function Facts({row}: {row: JournalRow}) {
  const facts: [string, string | undefined][] = [
    ["id", row.subject], ["channel", row.channel], ["symbol", row.symbol], ["result", row.result], ...row.fields.map(({name, value}): [string, string] => [name, value]), ["row", row.id],
  ];
  return (
    <dl className={styles.facts}>
      <dt>time</dt><dd><Time at={row.at}/></dd>
      {facts.map(([name, value], at) => value && <Fragment key={`${at} ${name}`}><dt>{name}</dt><dd className="mono outside"><Value text={value}/></dd></Fragment>)}
    </dl>
  );
}

function Value({text}: {text: string}) {
  const path = pathOfRecord(text, pagesOf(useSession()));
  return path ? <Link href={path}>{text}</Link> : visible(text, FIELD_CHARACTERS);
}
