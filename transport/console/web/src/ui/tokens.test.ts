import {readFileSync} from "node:fs";
import {expect, test} from "vitest";

const css = readFileSync("src/ui/tokens.css", "utf8");

function tokens(scheme: string): Map<string, string> {
  const block = css.match(new RegExp(`color-scheme="${scheme}"\\] \\{([^}]*)\\}`))?.[1] ?? "";
  return new Map([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
}

// The relative luminance and contrast of WCAG 2.2.
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Math.trunc(Buffer.from(hex.slice(at, at + 2), "hex")[0] ?? 0) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

const texts = ["text", "dim", "accent", "up", "down", "warning", "unknown"];
const grounds = ["ground", "surface", "raised"];
const others: [string, string][] = [
  ["on-accent", "accent"], ["on-band", "band-live"], ["on-band", "band-sim"], ["accent", "accent-soft"], ["text", "accent-soft"],
];

test.each(["light", "dark"])("contrast of the %s theme", (scheme) => {
  const colours = tokens(scheme);
  const pairs = [...texts.flatMap((t) => grounds.map((g): [string, string] => [t, g])), ...others];
  for (const [front, back] of pairs) {
    const ratio = contrast(colours.get(front) ?? "", colours.get(back) ?? "");
    expect(ratio, `${front} on ${back}`).toBeGreaterThanOrEqual(4.5);
  }
});
