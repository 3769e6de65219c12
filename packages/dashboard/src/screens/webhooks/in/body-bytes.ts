/** A line of so many fits a phone; more lines than this are too long to read. */
const BYTES_IN_LINE = 8;
const MOST_HEX_BYTES = 16 * 1024;

/** The longest character of UTF-8 has so many bytes. */
const LONGEST_CHARACTER = 4;

/** The bytes as text; undefined when they are not UTF-8. A body that was cut may end within a character. */
export function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let left = 0; left < (isCut ? LONGEST_CHARACTER : 1); left += 1) {
    try {
      return decoder.decode(bytes.subarray(0, bytes.length - left));
    } catch {
      // Perhaps only its last character is not whole.
    }
  }
  return undefined;
}

/** Offset, bytes and characters of each line, as hex viewers show them, and how many bytes that is. */
export function hexLines(bytes: Uint8Array): { readonly text: string; readonly bytes: number } {
  const shown = bytes.subarray(0, MOST_HEX_BYTES);
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += BYTES_IN_LINE) {
    const own = [...shown.subarray(at, at + BYTES_IN_LINE)];
    const pairs = own.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const offset = at.toString(16).padStart(6, "0");
    const characters = own.map((byte) => (isPrintable(byte) ? String.fromCharCode(byte) : "."));
    lines.push(`${offset}  ${pairs.padEnd(BYTES_IN_LINE * 3 - 1)}  ${characters.join("")}`);
  }
  return { text: lines.join("\n"), bytes: shown.length };
}

/** Printable characters of ASCII. */
function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}
