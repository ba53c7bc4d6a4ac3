/** A number in plain decimal notation, such as "0.5". It is never a JavaScript number, which is binary. */
export type Decimal = string;

/** Returns -1, 0 or 1: whether `a` is less than, equal to or greater than `b`. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Returns the exact sum, without trailing zeros. */
export function add(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = align(a, b);
  return format(x + y, scale);
}

/** Returns the exact difference `a - b`, without trailing zeros. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = align(a, b);
  return format(x - y, scale);
}

function align(a: Decimal, b: Decimal): [x: bigint, y: bigint, scale: number] {
  const [x, xScale] = parse(a);
  const [y, yScale] = parse(b);
  const scale = Math.max(xScale, yScale);
  return [x * 10n ** BigInt(scale - xScale), y * 10n ** BigInt(scale - yScale), scale];
}

function parse(value: Decimal): [digits: bigint, scale: number] {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(value);
  if (!match) throw new TypeError(`not a decimal: ${value}`);
  const fraction = match[2] ?? "";
  return [BigInt(match[1] + fraction), fraction.length];
}

function format(digits: bigint, scale: number): Decimal {
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, "");
  return sign + whole + (fraction && "." + fraction);
}
