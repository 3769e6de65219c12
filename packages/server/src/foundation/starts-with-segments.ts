/** Whether a path without a leading slash starts with these segments, of which none is cut. */
export function startsWithSegments(path: string, segments: string): boolean {
  if (!path.startsWith(segments)) return false;
  const next = path[segments.length];
  return next === undefined || next === "/" || next === "?";
}
