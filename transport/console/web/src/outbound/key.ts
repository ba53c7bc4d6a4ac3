/** The largest key that the service takes, in bytes. */
export const KEY_BYTES_MAX = 4096;

/** The key of a service account as its file has it. */
export interface Key {
  readonly text: string;
  /** The address of the account. */
  readonly robot: string;
}

/** keyOf returns the key of a service account that a text is; undefined if it is none. */
export function keyOf(text: string): Key | undefined {
  try {
    const {type, client_email: robot} = JSON.parse(text) as {type?: unknown; client_email?: unknown};
    return type === "service_account" && typeof robot === "string" && robot !== "" ? {text, robot} : undefined;
  } catch {
    return undefined;
  }
}
