// size fails the build if what a page loads at first is larger than its budget. It walks
// Vite's manifest from the entry through static imports; lazy parts count for themselves.
import {readFileSync} from "node:fs";
import {gzipSync} from "node:zlib";

const KB = 1024;
const FIRST_LOAD = 250 * KB; // gzip, with the style sheets
const FIRST_LOAD_WARN = 220 * KB;
const PART = 60 * KB; // gzip, one lazy part without what it shares
const CHART = 65 * KB; // gzip, the part that draws candles

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

// before returns what is loaded when a part is: the first load, and all of the parts that load it.
function before(key) {
  const loaders = Object.keys(manifest).filter((from) => manifest[from].dynamicImports?.includes(key)).map((from) => closure(from));
  return new Set([...first, ...[...loaders[0] ?? []].filter((part) => loaders.every((one) => one.has(part)))]);
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = closure(entry);
const firstBytes = bytes(first);
let failed = firstBytes > FIRST_LOAD;
console.log(`first load ${(firstBytes / KB).toFixed(0)} KB gzip (limit ${FIRST_LOAD / KB})`);
if (firstBytes > FIRST_LOAD_WARN) console.warn("!! the first load is close to its limit");
for (const key of Object.keys(manifest)) {
  if (!manifest[key].isDynamicEntry) continue;
  const shared = before(key);
  const own = bytes([...closure(key)].filter((part) => !shared.has(part)));
  const limit = key === "src/pages/trade/Chart.tsx" ? CHART : PART;
  if (own <= limit) continue;
  console.error(`${key}: ${(own / KB).toFixed(0)} KB gzip (limit ${limit / KB})`);
  failed = true;
}
process.exit(failed ? 1 : 0);
