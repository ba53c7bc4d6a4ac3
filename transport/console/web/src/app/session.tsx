import {useQuery, useQueryClient} from "@tanstack/react-query";
import {createContext, use, type ReactNode} from "react";
import {Redirect, useLocation, useSearch} from "wouter";
import {CallError, call, forgetAnswers} from "../api/client";
import {forgetToken, keepTokenOf} from "../api/trading";
import type {Session} from "../api/types";
import {Failure, Waiting} from "../ui/Panel";

const Context = createContext<Session | undefined>(undefined);

/** useSession returns the session of the page that is signed in. */
export function useSession(): Session {
  const session = use(Context);
  if (!session) throw new Error("a page that needs a session is outside of one");
  return session;
}

/** mayChange reports whether the user may change keys, channels, accounts, limits and users. */
export function mayChange(session: Session): boolean {
  return session.role === "owner" || session.role === "operator";
}

/** mayTrade reports whether the user may trade, send signals, and make what trades safer. */
export function mayTrade(session: Session): boolean {
  return session.role === "trader" || session.role === "owner";
}

/** environmentIn returns the environment of a venue, such as "sim", for the buttons that trade there. */
export function environmentIn(session: Session, exchange: string): string {
  return new Map(Object.entries(session.environments)).get(exchange) ?? "live";
}

/** useSignedOut returns a function that drops everything the page holds of a session. */
export function useSignedOut(): () => void {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return () => {
    forgetToken();
    forgetAnswers();
    queries.clear();
    navigate("/sign-in");
  };
}

const POLL_MILLISECONDS = 30_000;

/** pollWhileVisible is the interval of reads that are repeated, which they are while the page is visible. */
export function pollWhileVisible(): number | false {
  return POLL_MILLISECONDS;
}

async function readSession(): Promise<Session> {
  const session = await call<Session>("GET", "session");
  keepTokenOf(`${session.user} ${session.role} ${session.customer}`);
  return session;
}

/** SignedIn renders its children once the session is known, or goes to the sign-in page. */
export function SignedIn({children}: {children: ReactNode}) {
  const [location] = useLocation();
  const search = useSearch();
  const session = useQuery({queryKey: ["session"], queryFn: readSession, refetchInterval: pollWhileVisible});
  if (session.error instanceof CallError && session.error.status === 401)
    return <Redirect to={`/sign-in?next=${encodeURIComponent(search ? `${location}?${search}` : location)}`}/>;
  if (session.data?.secondStepMissing && location !== "/settings") return <Redirect to="/settings"/>;
  if (session.data) return <Context value={session.data}>{children}</Context>;
  if (session.error) return <Failure error={session.error} retry={() => void session.refetch()}/>;
  return <Waiting/>;
}
