const CHARACTERS = 512;

/** visible returns a text from outside as it is shown: shortened, with marks for control characters, which would be invisible. Line breaks stay. */
export function visible(text: string, characters = CHARACTERS): string {
  const cut = text.length > characters ? `${text.slice(0, characters)}…` : text;
  return cut.replace(/[^\P{Cc}\n\t]/gu, "␀");
}
