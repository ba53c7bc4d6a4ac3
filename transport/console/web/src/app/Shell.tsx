import {ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme} from "@mantine/core";
import {IconDots, IconHandStop, IconMoon, IconSearch, IconSun, IconUser} from "@tabler/icons-react";
import {useEffect, useRef, useState, type ReactNode} from "react";
import {Link, useLocation} from "wouter";
import {CallError, call} from "../api/client";
import type {Session} from "../api/types";
import {Announcer} from "../ui/announce";
import {NewVersion} from "./NewVersion";
import {OwnOrders} from "./OwnOrders";
import styles from "./Shell.module.css";
import {isAt, pages, pagesOf, type Page} from "./navigation";
import {usePalette} from "../palette/use";
import {Halt} from "../risk/Halt";
import {useAccounts} from "../risk/read";
import {useShortcuts} from "../ui/shortcuts";
import {mayTrade, useSession, useSignedOut} from "./session";

/** Shell is the frame of every page behind the sign-in: band, header, navigation. */
export function Shell({children}: {children: ReactNode}) {
  const session = useSession();
  const mine = pagesOf(session);
  usePageChange();
  const palette = usePalette();
  const environment = environmentOf(session);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">Skip to the content</a>
      <div className={`${styles.band} ${environment === "live" ? styles.live : ""}`}>{bandText[environment]}</div>
      <header className={styles.header}>
        <Link href="/" className={styles.name}>venuegate</Link>
        <span className={`dim outside ${styles.customer}`}>{session.role === "operator" ? "Operator" : session.customerName}</span>
        <div className={styles.right}><Find open={palette.open}/>{session.role !== "operator" && <><OwnOrders/><Stop/></>}<Theme/><User/></div>
      </header>
      <nav className={styles.side} aria-label="Pages">{mine.map((page) => <Entry key={page.path} page={page}/>)}</nav>
      <main id="content" className={styles.content} tabIndex={-1}><NewVersion/>{children}</main>
      <Announcer/>
      <nav className={styles.bottom} aria-label="Pages">
        {mine.filter((page) => page.primary).map((page) => <Entry key={page.path} page={page}/>)}
        <More pages={mine.filter((page) => !page.primary)} find={palette.open}/>
      </nav>
      {palette.dialog}
    </div>
  );
}

// usePageChange names the page in the title of the document, and moves the focus to it after a
// change.
function usePageChange() {
  const [location] = useLocation();
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const page = pages.find((one) => isAt(one, location));
    document.title = page ? `${page.title} · Venuegate` : "Venuegate";
    if (shown.current !== undefined && shown.current !== location) document.getElementById("content")?.focus();
    shown.current = location;
  }, [location]);
}

const bandText = {sim: "Simulated venues", testnet: "Testnet", live: "Live venues"} as const;

// environmentOf returns the most serious environment of the venues.
function environmentOf(session: Session): keyof typeof bandText {
  const all = Object.values(session.environments);
  return all.every((one) => one === "sim") ? "sim" : all.includes("live") ? "live" : "testnet";
}

function Entry({page}: {page: Page}) {
  const [location] = useLocation();
  const Mark = page.icon;
  return (
    <Link href={page.path} className={styles.entry ?? ""} aria-current={isAt(page, location) ? "page" : undefined}>
      <Mark size={18} stroke={1.7} aria-hidden/><span>{page.title}</span>
    </Link>
  );
}

// Find opens the palette; small screens have it behind "More".
function Find({open}: {open: () => void}) {
  const keys = navigator.userAgent.includes("Mac") ? "⌘ K" : "Ctrl K";
  return (
    <button type="button" className={`${styles.user} ${styles.find}`} onClick={open} aria-label={`${keys}: go to a page, an instrument or an id`} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={16} aria-hidden/><kbd aria-hidden>{keys}</kbd>
    </button>
  );
}

function More({pages, find}: {pages: readonly Page[]; find: () => void}) {
  const [, navigate] = useLocation();
  return (
    <Menu position="top-end">
      <Menu.Target><button type="button" className={styles.entry}><IconDots size={18} aria-hidden/><span>More</span></button></Menu.Target>
      <Menu.Dropdown><Menu.Item onClick={find}>Go to …</Menu.Item>{pages.map((page) => <Menu.Item key={page.path} onClick={() => navigate(page.path)}>{page.title}</Menu.Item>)}</Menu.Dropdown>
    </Menu>
  );
}

// Stop is the kill switch, on every page, and says where trading has stopped.
function Stop() {
  const session = useSession();
  const accounts = useAccounts();
  const [asking, setAsking] = useState(false);
  const may = mayTrade(session);
  useShortcuts({h: may ? () => setAsking(true) : undefined});
  const stopped = (accounts.data?.items ?? []).filter((account) => account.halted || account.lock);
  return (
    <>
      {stopped.length > 0 && <Link href="/risk" className={styles.stopped ?? ""}>{stopped.every(({halted}) => halted) ? "halted" : "locked"}: {stopped.length === accounts.data?.items.length ? "all" : stopped.map(({exchange}) => exchange).join(", ")}</Link>}
      {may && <Button size="xs" h={32} variant="outline" color="var(--down)" leftSection={<IconHandStop size={16} aria-hidden/>} onClick={() => setAsking(true)}>Halt</Button>}
      <Halt opened={asking} close={() => setAsking(false)}/>
    </>
  );
}

function Theme() {
  const {setColorScheme} = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon variant="subtle" size={32} aria-label={dark ? "Light theme" : "Dark theme"} onClick={() => setColorScheme(dark ? "light" : "dark")}>
      {dark ? <IconSun size={18}/> : <IconMoon size={18}/>}
    </ActionIcon>
  );
}

function User() {
  const session = useSession();
  const [, navigate] = useLocation();
  const signedOut = useSignedOut();
  const [failed, setFailed] = useState(false);
  const signOut = () => {
    setFailed(false);
    call("DELETE", "session").then(signedOut, (thrown: unknown) => {
      if (thrown instanceof CallError && thrown.status === 401) signedOut();
      else setFailed(true);
    });
  };
  return (
    <>
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className={styles.user}><IconUser size={16} aria-hidden/><span className="outside">{session.user}</span></button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.role}</Menu.Label>
        <Menu.Item onClick={() => navigate("/settings")}>Settings</Menu.Item>
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
    {failed && <span role="alert" className={styles.alert}>You are still signed in: the service did not answer.</span>}
    </>
  );
}
