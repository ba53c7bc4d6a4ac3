import {Button, Group} from "@mantine/core";
import {useQueries} from "@tanstack/react-query";
import {useSearchParams} from "wouter";
import {call} from "../../api/client";
import type {JournalRow, Page} from "../../api/types";
import type {Filters} from "../../app/reading";
import {filters} from "./list";
import {PAGE_ROWS, excluding, pathOf, without, type Without} from "./rows";

/** Empty is shown instead of a list without rows. It names the filter that excludes most of them. */
export function Empty({chosen}: {chosen: Filters}) {
  const set = filters.filter(({name}) => chosen[name] !== undefined);
  return set.length === 0 ? "Nothing has happened yet. Every change, order, signal and delivery leaves a row here." : <Excluded chosen={chosen} names={set.map(({name}) => name)}/>;
}

// Excluded reads the first page without each of the filters.
function Excluded({chosen, names}: {chosen: Filters; names: readonly string[]}) {
  const [, setSearch] = useSearchParams();
  const read = useQueries({queries: names.map((name) => ({
    queryKey: ["journal without", name, chosen],
    queryFn: () => call<Page<JournalRow>>("GET", pathOf("journal", without(chosen, name), {limit: `${PAGE_ROWS}`})),
  }))});
  const most = excluding(names.map((name, n): Without => ({name, page: read[n]?.data})));
  const remove = (all: readonly string[]) => setSearch((before) => {
    for (const name of all) before.delete(name);
    return before;
  }, {replace: true});
  const label = filters.find(({name}) => name === most?.name)?.label;
  return (
    <>
      <p>No row matches these filters. {most
        ? <>Most are excluded by “{label}”: without it there {most.count === "1" ? "is 1 row" : `are ${most.count} rows`}.</>
        : names.length > 1 && read.every(({isSuccess}) => isSuccess) && "Without any one of them there is none either."}</p>
      <Group gap={8} mt={8}>
        {most && <Button size="xs" variant="default" onClick={() => remove([most.name])}>Remove “{label}”</Button>}
        {names.length > 1 && <Button size="xs" variant="default" onClick={() => remove(names)}>Remove all filters</Button>}
      </Group>
    </>
  );
}
