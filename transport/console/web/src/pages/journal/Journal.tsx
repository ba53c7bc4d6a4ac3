import {Button, Group} from "@mantine/core";
import {Link, useSearchParams} from "wouter";
import type {JournalRow} from "../../api/types";
import {pagesOf} from "../../app/navigation";
import {pathOfRecord} from "../../app/paths";
import {useSession} from "../../app/session";
import {Filters, useFilters} from "../../ui/Filters";
import {Failure, Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";
import {visible} from "../../ui/outside";
import {Detail} from "./Detail";
import {Empty} from "./Empty";
import styles from "./Journal.module.css";
import {filters, useNewer, useRows} from "./list";
import {pathOf} from "./rows";

/** Journal lists every row of the customer's journal, newest first; its filters and the open row are in the URL. */
export default function Journal() {
  const chosen = useFilters(filters);
  const [search, setSearch] = useSearchParams();
  const rows = useRows(chosen);
  const all = rows.data?.pages.flatMap(({items}) => items) ?? [];
  const newer = useNewer(chosen, rows.data && all);
  const open = (id: string | null) => setSearch((before) => {
    if (id === null) before.delete("open");
    else before.set("open", id);
    return before;
  }, {replace: true});
  const opened = search.get("open");
  return (
    <>
      <h1>Journal</h1>
      <Filters filters={filters}/>
      <Panel title="What has happened" query={rows.isFetchNextPageError ? {...rows, error: null} : rows} actions={<>
        <span role="status">{newer.count !== "" && <Button size="xs" onClick={newer.show}>{newer.count} new {newer.count === "1" ? "row" : "rows"}</Button>}</span>
        <Export chosen={chosen} format="csv" name="CSV"/><Export chosen={chosen} format="jsonl" name="JSON lines"/>
      </>} empty={{when: () => !rows.hasNextPage && all.length === 0, text: <Empty chosen={chosen}/>}}>
        {() => <Table dense caption="Rows of the journal" columns={columnsOf(open)} rows={all} id={(row) => row.id}/>}
      </Panel>
      {rows.isFetchNextPageError && <Failure error={rows.error} retry={() => void rows.fetchNextPage()}/>}
      {rows.hasNextPage && <Group justify="center">
        <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>Older rows</Button>
      </Group>}
      <Detail opened={opened !== null} row={all.find(({id}) => id === opened)} close={() => open(null)}/>
    </>
  );
}

// Export is a link to all rows that match the filters, which the browser saves while they arrive.
function Export({chosen, format, name}: {chosen: Record<string, string>; format: string; name: string}) {
  return <Button component="a" size="xs" variant="default" href={`/console/api/${pathOf("journal/export", chosen, {format})}`} download={`journal.${format}`} aria-label={`Export as ${name}`}>{name}</Button>;
}

function columnsOf(open: (id: string) => void): readonly Column<JournalRow>[] {
  return [
    {title: "Time", cell: (row) => <Time at={row.at}/>},
    {title: "Kind", cell: (row) => <button type="button" className={`mono ${styles.open ?? ""}`} onClick={() => open(row.id)} aria-label={`${row.kind}: all of row ${row.seq}`}>{row.kind}</button>},
    {title: "Id", cell: (row) => <Id id={row.subject}/>},
    {title: "Result", cell: (row) => row.result ?? "–"},
    {title: "What", cell: (row) => <What row={row}/>},
  ];
}

// Id links to the record that has it.
function Id({id}: {id: string}) {
  const path = pathOfRecord(id, pagesOf(useSession()));
  return path ? <Link href={path} className={`mono ${styles.id ?? ""}`}>{id}</Link> : <span className={`mono ${styles.id}`}>{id}</span>;
}

function What({row}: {row: JournalRow}) {
  return (
    <dl className={styles.fields}>
      {row.symbol && <div><dt>symbol</dt><dd>{row.symbol}</dd></div>}
      {row.fields.map(({name, value}) => <div key={name}><dt>{name}</dt><dd className="outside">{visible(value)}</dd></div>)}
    </dl>
  );
}
