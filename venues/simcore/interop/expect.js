// Checks of the cases. Numbers come from CCXT as text and are compared as decimals,
// never as floats.
import ccxt from './ccxt.js'

const { Precise } = ccxt

const waitMs = 5000
const pollMs = 20
const decimal = /^-?\d+(\.\d+)?$/

export class NotApplicable extends Error {}

export function notApplicable(reason) {
  throw new NotApplicable(reason)
}

export function check(condition, message) {
  if (!condition) throw new Error(message)
}

// same reports whether two values are equal; 0.10 equals 0.1.
export function same(got, want) {
  const [a, b] = [String(got), String(want)]
  return a === b || (decimal.test(a) && decimal.test(b) && Precise.stringEq(a, b))
}

export function equal(what, got, want) {
  check(same(got, want), `${what} is ${got}, want ${want}`)
}

// matches compares fields of a record with the wanted values.
export function matches(what, record, wanted) {
  check(record, `no ${what}, want one`)
  for (const [field, want] of Object.entries(wanted)) equal(`${what}: ${field}`, record[field], want)
}

// rejected checks that a call fails with an error of a class of CCXT.
export async function rejected(kind, call) {
  let answer
  try {
    answer = await call()
  } catch (error) {
    check(error instanceof kind, `error is ${error.constructor.name}, want ${kind.name}: ${error.message}`)
    return error
  }
  throw new Error(`answer is ${JSON.stringify(answer)?.slice(0, 300)}, want error ${kind.name}`)
}

// expected checks the usual class of error, or the one that CCXT has for this venue,
// and returns the reason for the difference.
export async function expected(t, name, usual, call) {
  const { kind, because } = t.venue.otherClasses[name] ?? { kind: usual }
  await rejected(kind, call)
  return because
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

// eventually repeats probe until it returns something true.
export async function eventually(what, probe, limitMs = waitMs, everyMs = pollMs) {
  const deadline = Date.now() + limitMs
  for (;;) {
    const found = await probe()
    if (found) return found
    check(Date.now() < deadline, `timeout, want ${what}`)
    await pause(everyMs)
  }
}

// within bounds the wait for a promise.
export async function within(what, promise, limitMs = waitMs) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout, want ${what}`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
