import {Button} from "@mantine/core";
import {useQuery, useQueryClient} from "@tanstack/react-query";
import {useState} from "react";
import {call} from "../../api/client";
import type {Items, OpenSession} from "../../api/types";
import {Failure, Panel} from "../../ui/Panel";
import {Table, type Column} from "../../ui/Table";
import {Time} from "../../ui/Time";

/** Sessions lists where the user is signed in and ends what should not be. */
export function Sessions() {
  const queries = useQueryClient();
  const sessions = useQuery({queryKey: ["sessions"], queryFn: () => call<Items<OpenSession>>("GET", "sessions")});
  const [failure, setFailure] = useState<Error>();
  const end = (id: string) => {
    setFailure(undefined);
    call("DELETE", `sessions/${id}`).then(() => queries.invalidateQueries({queryKey: ["sessions"]}), setFailure);
  };
  const acts: Column<OpenSession> = {title: "Actions", acts: true, cell: (session) => session.current
    ? <span className="dim">this one</span>
    : <Button size="xs" variant="default" onClick={() => end(session.id)} aria-label={`Sign out ${session.browser} at ${session.source}`}>Sign out</Button>};
  return (
    <Panel title="Signed in" query={sessions}>
      {({items}) => <>
        {failure && <Failure error={failure}/>}
        <Table caption="Sessions" rows={items} id={(session) => session.id} columns={[...columns, acts]}/>
      </>}
    </Panel>
  );
}

const columns: readonly Column<OpenSession>[] = [
  {title: "Browser", cell: (session) => <span className="outside">{session.browser || "unknown"}</span>},
  {title: "From", cell: (session) => <span className="mono">{session.source}</span>},
  {title: "Since", cell: (session) => <Time at={session.createdAt}/>},
  {title: "Last seen", cell: (session) => <Time at={session.seenAt} relative/>},
];
