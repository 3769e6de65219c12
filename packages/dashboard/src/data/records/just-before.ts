/** A microsecond earlier: times of records have six digits below the second. */
export function justBefore(at: string): string {
  const [, second = "", below = ""] = /^(.{19})(?:\.(\d{1,6}))?/.exec(at) ?? [];
  const micros = Number(below.padEnd(6, "0")) - 1;
  const start = new Date(`${second}Z`).getTime();
  const [seconds, rest] = micros < 0 ? [start - 1000, 999_999] : [start, micros];
  const text = new Date(seconds).toISOString().slice(0, 19);
  return `${text}.${String(rest).padStart(6, "0")}Z`;
}
