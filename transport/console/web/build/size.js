// size fails the build if what a page loads at first is larger than its budget. It walks
// Vite's manifest from the entry through static imports; lazy parts count for themselves.
import {readFileSync} from "node:fs";
import {gzipSync} from "node:zlib";

const KB = 1024;
const FIRST_LOAD = 250 * KB; // gzip, with the style sheets
const FIRST_LOAD_WARN = 220 * KB;
const PART = 60 * KB; // gzip, one lazy part without what it shares

const manifest = JSON.parse(readFileSync("dist/manifest.json", "utf8"));
const gzip = (file) => gzipSync(readFileSync(`dist/${file}`), {level: 9}).length;

function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

function bytes(keys) {
  const files = new Set();
  for (const key of keys) {
    files.add(manifest[key].file);
    for (const css of manifest[key].css ?? []) files.add(css);
  }
  return [...files].reduce((sum, file) => sum + gzip(file), 0);
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = closure(entry);
const firstBytes = bytes(first);
let failed = firstBytes > FIRST_LOAD;
console.log(`first load ${(firstBytes / KB).toFixed(0)} KB gzip (limit ${FIRST_LOAD / KB})`);
if (firstBytes > FIRST_LOAD_WARN) console.warn("!! the first load is close to its limit");
for (const key of Object.keys(manifest)) {
  if (!manifest[key].isDynamicEntry) continue;
  const own = bytes([...closure(key)].filter((part) => !first.has(part)));
  if (own <= PART) continue;
  console.error(`${key}: ${(own / KB).toFixed(0)} KB gzip (limit ${PART / KB})`);
  failed = true;
}
process.exit(failed ? 1 : 0);
