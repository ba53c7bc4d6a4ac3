// What a case demands. Numbers come from CCXT as text and are compared as
// decimals, never as floats.
import ccxt from 'ccxt'

const { Precise } = ccxt

const patienceMs = 5000
const pollMs = 20
const decimal = /^-?\d+(\.\d+)?$/

export class NotApplicable extends Error {}

export function notApplicable(reason) {
  throw new NotApplicable(reason)
}

export function check(condition, message) {
  if (!condition) throw new Error(message)
}

// alike says whether two values are the same, 0.10 and 0.1 included.
export function alike(got, want) {
  const [a, b] = [String(got), String(want)]
  return a === b || (decimal.test(a) && decimal.test(b) && Precise.stringEq(a, b))
}

export function equal(what, got, want) {
  check(alike(got, want), `${what} is ${got}, want ${want}`)
}

// matches holds the wanted fields of a record against it.
export function matches(what, record, wanted) {
  check(record, `there is no ${what}`)
  for (const [field, want] of Object.entries(wanted)) equal(`${what}: ${field}`, record[field], want)
}

// refused demands that a call fails with an error of a class of CCXT.
export async function refused(kind, call) {
  let answer
  try {
    answer = await call()
  } catch (error) {
    check(error instanceof kind, `refused with ${error.constructor.name} instead of ${kind.name}: ${error.message}`)
    return error
  }
  throw new Error(`not refused with ${kind.name}, answered ${JSON.stringify(answer)?.slice(0, 300)}`)
}

// expected demands the usual class of error, or the one that CCXT has for the
// venue alone, and answers why.
export async function expected(t, name, usual, call) {
  const { kind, because } = t.venue.otherClasses[name] ?? { kind: usual }
  await refused(kind, call)
  return because
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

// eventually asks again until probe answers something true.
export async function eventually(what, probe) {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const found = await probe()
    if (found) return found
    check(Date.now() < deadline, `still waiting for ${what}`)
    await pause(pollMs)
  }
}

// within bounds the wait for a promise.
export async function within(what, promise, limitMs = patienceMs) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still waiting for ${what}`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
