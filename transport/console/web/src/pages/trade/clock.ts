/** clock returns the time of day of a moment, in the zone of the browser. */
export function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((each) => each.toString().padStart(2, "0")).join(":");
}
