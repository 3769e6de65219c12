const SILENT_MS = 7 * 24 * 3_600_000;

/** Whether the last webhook came so long ago that somebody should look. */
export function isSilent(lastAt: string, now = Date.now()): boolean {
  return now - Date.parse(lastAt) > SILENT_MS;
}
