import {MantineProvider, localStorageColorSchemeManager} from "@mantine/core";
import {QueryCache, QueryClient, QueryClientProvider} from "@tanstack/react-query";
import {Suspense, lazy} from "react";
import {Redirect, Route, Router, Switch} from "wouter";
import {CallError} from "../api/client";
import {Waiting} from "../ui/Panel";
import {theme} from "../ui/theme";
import {Outdated} from "./Outdated";
import {Shell} from "./Shell";
import {pagesOf} from "./navigation";
import {SignedIn, useSession} from "./session";
import {WithStepUp} from "./step-up";

const SignIn = lazy(() => import("../pages/sign-in/SignIn"));
const Enter = lazy(() => import("../pages/enter/Enter"));

const nonce = document.querySelector<HTMLMetaElement>("meta[name=nonce]")?.nonce ?? "";
// The library that stops the page from scrolling behind a dialog reads it under this name.
(globalThis as {__webpack_nonce__?: string}).__webpack_nonce__ = nonce;
const scheme = localStorageColorSchemeManager({key: "venuegate-theme"});

const queries = new QueryClient({
  // Whether the session has ended is known from the session alone.
  queryCache: new QueryCache({onError: (error, query) => {
    if (query.queryKey[0] !== "session" && isSignedOut(error)) void queries.invalidateQueries({queryKey: ["session"]});
  }}),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      networkMode: "always", // the service may be on this machine
      retry: (failures, error) => failures < (isSignedOut(error) ? 1 : 2) && mayBeBetterLater(error),
      retryDelay: 300,
    },
    mutations: {networkMode: "always"},
  },
});

function isSignedOut(error: Error): boolean {
  return error instanceof CallError && error.status === 401;
}

// mayBeBetterLater reports whether a read is repeated. A step-up gives the session another
// cookie, so that a call on its way at that moment has the one before.
function mayBeBetterLater(error: Error): boolean {
  return error instanceof CallError && (error.status === 0 || error.status === 401 || error.status >= 500);
}

/** App is the whole console. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={scheme} getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <Outdated>
          <Router base="/console">
            <Suspense fallback={<Waiting/>}>
              <Switch>
                <Route path="/sign-in" component={SignIn}/>
                <Route path="/enter" component={Enter}/>
                <Route><SignedIn><WithStepUp><Inside/></WithStepUp></SignedIn></Route>
              </Switch>
            </Suspense>
          </Router>
        </Outdated>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Inside() {
  const mine = pagesOf(useSession());
  return (
    <Shell>
      <Suspense fallback={<Waiting/>}>
        <Switch>
          {mine.map((page) => <Route key={page.path} path={`${page.path}/*?`} component={page.show}/>)}
          <Route path="/"><Redirect to={mine[0]?.path ?? "/"}/></Route>
          <Route><NotHere/></Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}

function NotHere() {
  return <><h1>No such page</h1><p className="dim">The address has no page in this version of the console.</p></>;
}
