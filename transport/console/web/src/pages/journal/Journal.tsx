import {Button, Group, TextInput} from "@mantine/core";
import {useInfiniteQuery} from "@tanstack/react-query";
import {useSearchParams} from "wouter";
import {call} from "../../api/client";
import type {JournalRow, Page} from "../../api/types";
import {Failure, Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import styles from "./Journal.module.css";

const PAGE_ROWS = 100;
const filters = [
  {name: "kind", label: "Kind", example: "order"},
  {name: "subject", label: "Id", example: "ord_…"},
  {name: "channel", label: "Channel", example: "hook_…"},
  {name: "symbol", label: "Instrument", example: "BTCUSDT"},
  {name: "result", label: "Result", example: "rejected"},
] as const;

/** Journal lists every row of the customer's journal, newest first; its filters are in the URL. */
export default function Journal() {
  const [search, setSearch] = useSearchParams();
  const chosen = filters.map(({name}) => [name, search.get(name) ?? ""] as const).filter(([, value]) => value !== "");
  const rows = useInfiniteQuery({
    queryKey: ["journal", chosen],
    queryFn: ({pageParam}) => call<Page<JournalRow>>("GET", `journal?${query([["limit", `${PAGE_ROWS}`], ...chosen, ...pageParam])}`),
    refetchOnWindowFocus: false, // it would move what is being read
    initialPageParam: [] as [string, string][],
    getNextPageParam: ({nextCursor}) => nextCursor === null ? undefined : [["cursor", nextCursor] as [string, string]],
  });
  const set = (name: string, value: string) => setSearch((before) => {
    if (value === "") before.delete(name);
    else before.set(name, value);
    return before;
  }, {replace: true});
  return (
    <>
      <h1>Journal</h1>
      <form role="search" className={styles.filters} onSubmit={(event) => event.preventDefault()}>
        {filters.map(({name, label, example}) => <TextInput key={`${name} ${search.get(name) ?? ""}`} size="xs" label={label} placeholder={example} maxLength={64}
          defaultValue={search.get(name) ?? ""} onBlur={(e) => set(name, e.currentTarget.value.trim())}
          onKeyDown={(e) => e.key === "Enter" && set(name, e.currentTarget.value.trim())}/>)}
      </form>
      <Panel title="What has happened" query={rows.isFetchNextPageError ? {...rows, error: null} : rows} actions={<Button size="xs" variant="default" onClick={() => void rows.refetch()}>Refresh</Button>}
        empty={{when: ({pages}) => !rows.hasNextPage && pages.every(({items}) => items.length === 0), text: chosen.length > 0
          ? "No row matches these filters." : "Nothing has happened yet. Every change, order, signal and delivery leaves a row here."}}>
        {({pages}) => <Table dense caption="Rows of the journal" columns={columns} rows={pages.flatMap(({items}) => items)} id={(row) => row.id}/>}
      </Panel>
      {rows.isFetchNextPageError && <Failure error={rows.error} retry={() => void rows.fetchNextPage()}/>}
      {rows.hasNextPage && <Group justify="center">
        <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>Older rows</Button>
      </Group>}
    </>
  );
}

const columns: readonly Column<JournalRow>[] = [
  {title: "Time", cell: (row) => <Time at={row.at}/>},
  {title: "Kind", cell: (row) => <span className="mono">{row.kind}</span>},
  {title: "Id", cell: (row) => <span className={`mono ${styles.id}`}>{row.subject}</span>},
  {title: "Result", cell: (row) => row.result ?? "–"},
  {title: "What", cell: (row) => <What row={row}/>},
];

function What({row}: {row: JournalRow}) {
  return (
    <dl className={styles.fields}>
      {row.symbol && <div><dt>symbol</dt><dd>{row.symbol}</dd></div>}
      {row.fields.map(({name, value}) => <div key={name}><dt>{name}</dt><dd className="outside">{visible(value)}</dd></div>)}
    </dl>
  );
}

function query(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
