/** How isolated function processes are, the most first. */
const sandboxLevels = [
  /** Namespaces, a root with only what the program needs, and a filter of system calls. */
  "sealed",
  /** The same without the filter. */
  "private-root",
  /** Namespaces, but the files and processes of the machine are in sight. */
  "namespaces",
  /** A user id for each process. */
  "users",
  /** Node's permission model alone. */
  "permissions",
] as const;

export type SandboxLevel = (typeof sandboxLevels)[number];

/** What `strict` insists on: nothing of another process can be named, let alone read. */
export function isStrict(level: SandboxLevel): boolean {
  return level === "sealed" || level === "private-root";
}
