/** How a command ended, for scripts; the table in docs/cli.md is checked against it. */
export const exitCodes = {
  done: 0,
  /** Anything without a code of its own. */
  failed: 1,
  /** An unknown command or option, a missing argument, or a name that the project does not have. */
  usage: 2,
  /** The project does not compile. */
  compile: 3,
  /** A function ended with an error in a dry run. */
  functionFailed: 4,
  /** A replay differs from its recording. */
  testsFailed: 5,
  /** Nothing was deployed: the plan removes something, or the server refused it. */
  notDeployed: 6,
  /** The server cannot be reached, or there is no key that it takes. */
  platform: 7,
  /** A dry run of `migrate` found migrations that the database lacks. */
  migrationsPending: 8,
  /** A plan has changes that break callers, or removes something. */
  planBreaks: 9,
  /** What read standard output has ended; as after SIGPIPE. */
  readerGone: 141,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that is the user's to mend: the command prints the message and exits with its code. */
export class UserError extends Error {
  override name = "UserError";
  readonly exitCode: ExitCode;

  constructor(message: string, options: { cause?: unknown; exitCode?: ExitCode } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCodes.failed;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
