const NEWLINE = 0x0a;

/** Cuts bytes at newlines without copying or decoding them; no bytes are no lines. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.byteLength) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.byteLength : found;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
