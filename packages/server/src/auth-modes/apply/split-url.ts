/** The parts of an absolute address as they are written, which a parser of addresses would change. */
export function splitUrl(url: string): {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** Without the `?`. */
  readonly query: string;
} {
  const [, scheme = "", host = "", path = "", query = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), path: path || "/", query };
}
