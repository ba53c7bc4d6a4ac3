// The tree of actors as the rows of a page: which are visible, in which order, and what has
// changed since the reading before.
import type {Actor, Actors} from "../../api/types";

/** How siblings are sorted. */
export type Order = "name" | "waiting" | "failures" | "busy";

/** One visible actor. */
export interface Row {
  readonly actor: Actor;
  /** The name below its parent. */
  readonly name: string;
  /** From 1 for the top level. */
  readonly level: number;
  readonly children: number;
  readonly open: boolean;
  /** The place among its siblings, from 1, and how many they are. */
  readonly place: number;
  readonly siblings: number;
  /** What has changed since the reading before; undefined if that has not had the actor. */
  readonly change: Change | undefined;
}

/** What an actor has done between two readings. */
export interface Change {
  readonly messagesPerSecond: number;
  /** The share of the time in which messages were handled, from 0 to 1. */
  readonly busy: number;
  readonly failures: number;
  readonly restarts: number;
}

const MICROSECONDS = 1000;

/** changeOf returns what an actor has done between two readings. */
export function changeOf(actor: Actor, before: Actor | undefined, milliseconds: number): Change | undefined {
  if (!before || milliseconds <= 0 || actor.createdAt !== before.createdAt) return undefined;
  return {
    messagesPerSecond: (actor.messages - before.messages) * 1000 / milliseconds,
    busy: Math.min(1, (actor.busyUs - before.busyUs) / (milliseconds * MICROSECONDS)),
    failures: actor.failures - before.failures,
    restarts: actor.restarts - before.restarts,
  };
}

interface Node {
  readonly actor: Actor;
  readonly change: Change | undefined;
  readonly children: Node[];
  /** The most of the actor and everything below it, by which siblings are sorted. */
  weight: number;
}

/** rowsOf returns the rows of the actors that are not folded away. With a text only those whose path has it, and their ancestors. */
export function rowsOf(now: Actors, before: Actors | undefined, open: ReadonlySet<string>, order: Order, text = ""): Row[] {
  const tops = nodesOf(now, before);
  for (const top of tops) weigh(top, order);
  const rows: Row[] = [];
  const show = (nodes: readonly Node[], level: number) => {
    const sorted = nodes.filter((node) => has(node, text)).toSorted(comparison(order));
    sorted.forEach((node, at) => {
      const {actor, change, children} = node;
      const isOpen = children.length > 0 && (open.has(actor.path) || text !== "");
      rows.push({actor, change, name: nameOf(actor), level, children: children.length, open: isOpen, place: at + 1, siblings: sorted.length});
      if (isOpen) show(children, level + 1);
    });
  };
  show(tops, 1);
  return rows;
}

function nodesOf(now: Actors, before: Actors | undefined): Node[] {
  const earlier = new Map(before?.items.map((actor) => [actor.path, actor]));
  const passed = before ? Date.parse(now.at) - Date.parse(before.at) : 0;
  const nodes = new Map(now.items.map((actor): [string, Node] => [actor.path, {actor, change: changeOf(actor, earlier.get(actor.path), passed), children: [], weight: 0}]));
  const tops: Node[] = [];
  for (const node of nodes.values()) (nodes.get(node.actor.parent)?.children ?? tops).push(node);
  return tops;
}

function weigh(node: Node, order: Order): number {
  node.weight = Math.max(own(node, order), ...node.children.map((child) => weigh(child, order)));
  return node.weight;
}

function own({actor, change}: Node, order: Order): number {
  switch (order) {
    case "waiting": return actor.waiting;
    case "failures": return actor.failures;
    case "busy": return change?.busy ?? 0;
    case "name": return 0;
  }
}

const names = new Intl.Collator("en", {numeric: true});

function comparison(order: Order): (a: Node, b: Node) => number {
  const byName = (a: Node, b: Node) => names.compare(a.actor.path, b.actor.path);
  return order === "name" ? byName : (a, b) => b.weight - a.weight || byName(a, b);
}

function has(node: Node, text: string): boolean {
  return text === "" || node.actor.path.toLowerCase().includes(text.toLowerCase()) || node.children.some((child) => has(child, text));
}

function nameOf({path, parent}: Actor): string {
  return parent !== "" && path.startsWith(`${parent}/`) ? path.slice(parent.length + 1) : path;
}

/** A move of the focus in the tree. */
export type Move = "up" | "down" | "first" | "last" | "left" | "right";

/** moved returns the path that has the focus after a move, and the path of a branch that the move opens or closes. */
export function moved(rows: readonly Row[], path: string, move: Move): {readonly focus: string; readonly toggle?: string} {
  const at = Math.max(0, rows.findIndex((row) => row.actor.path === path));
  const row = rows[at];
  const pathAt = (index: number) => rows[Math.min(Math.max(index, 0), rows.length - 1)]?.actor.path ?? path;
  if (!row) return {focus: path};
  switch (move) {
    case "up": return {focus: pathAt(at - 1)};
    case "down": return {focus: pathAt(at + 1)};
    case "first": return {focus: pathAt(0)};
    case "last": return {focus: pathAt(rows.length - 1)};
    case "right": return row.children === 0 ? {focus: path} : row.open ? {focus: pathAt(at + 1)} : {focus: path, toggle: path};
    case "left": return row.open ? {focus: path, toggle: path} : {focus: row.level > 1 ? row.actor.parent : path};
  }
}
