const CHARACTERS = 512;

/** visible returns a text from outside as it is shown: shortened, with marks for control characters, which would be invisible. */
export function visible(text: string): string {
  const cut = text.length > CHARACTERS ? `${text.slice(0, CHARACTERS)}…` : text;
  return cut.replace(/\p{Cc}/gu, "␀");
}
