import {Anchor, Button, Group} from "@mantine/core";
import {useRef} from "react";
import {Link, useRoute, useSearch} from "wouter";
import type {Hook, Signal} from "../../api/types";
import {Filters, useFilters} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import {stepRow} from "../../ui/rows";
import {useShortcuts} from "../../ui/shortcuts";
import {One} from "./Signal";
import styles from "./Signals.module.css";
import {Status} from "./Status";
import {termsOf} from "./history";
import {filtersOf, useChannels, useSignals} from "./list";

/** Signals lists the signals of all channels, and shows at its own address what became of one. */
export default function Signals() {
  const [, params] = useRoute("/signals/:id");
  return params ? <One key={params.id} id={params.id}/> : <List/>;
}

function List() {
  const channels = useChannels();
  const hooks = channels.data?.items ?? [];
  const filters = filtersOf(hooks);
  const filtered = Object.keys(useFilters(filters)).length > 0;
  const signals = useSignals();
  const search = useSearch();
  const list = useRef<HTMLDivElement>(null);
  useShortcuts({j: () => stepRow(list.current, 1), k: () => stepRow(list.current, -1)});
  return (
    <>
      <h1>Signals</h1>
      <Filters filters={filters}/>
      <div ref={list}>
        <Panel title="Signals" query={signals.isFetchNextPageError ? {...signals, error: null} : signals}
          actions={<Button size="xs" variant="default" onClick={() => void signals.refetch()}>Refresh</Button>}
          empty={{when: ({pages}) => !signals.hasNextPage && pages.every(({items}) => items.length === 0), text: <Empty filtered={filtered} hooks={hooks}/>}}>
          {({pages}) => <Table caption="Signals" columns={columnsOf(hooks, search)} rows={pages.flatMap(({items}) => items)} id={(signal) => signal.id}/>}
        </Panel>
      </div>
      {signals.isFetchNextPageError && <Failure error={signals.error} retry={() => void signals.fetchNextPage()}/>}
      {signals.hasNextPage && <Group justify="center">
        <Button variant="default" loading={signals.isFetchingNextPage} onClick={() => void signals.fetchNextPage()}>Older signals</Button>
      </Group>}
    </>
  );
}

function Empty({filtered, hooks}: {filtered: boolean; hooks: readonly Hook[]}) {
  if (filtered) return "No signal matches these filters.";
  return hooks.length === 0
    ? "No signal yet, and no channel that one could come in through."
    : <>No signal yet. Signals that a channel receives appear here, refused ones too. {hooks.length === 1 ? "The channel is " : "The channels are "}
      <span className="outside">{hooks.map(({name}) => name).join(", ")}</span>; a dry run there shows what a signal would do.</>;
}

function columnsOf(hooks: readonly Hook[], search: string): readonly Column<Signal>[] {
  const nameOf = (id: string) => hooks.find((hook) => hook.id === id)?.name ?? id;
  return [
    {title: "Received", cell: (signal) => <Time at={signal.receivedAt}/>},
    {title: "Signal", cell: (signal) => <Anchor component={Link} href={`/signals/${signal.id}${search && `?${search}`}`} className="outside">{visible(termsOf(signal))}</Anchor>},
    {title: "Venue", cell: (signal) => signal.exchange ?? "–"},
    {title: "Channel", cell: (signal) => <span className="outside">{nameOf(signal.channel)}</span>},
    {title: "Result", cell: (signal) => <Status status={signal.status} test={signal.test}/>},
    {title: "Why", cell: ({error}) => error ? <span className="mono">{error.reason ?? error.code}</span> : "–"},
    {title: "Comment", cell: ({comment}) => comment ? <span className={`outside ${styles.comment ?? ""}`}>{visible(comment)}</span> : "–"},
  ];
}
