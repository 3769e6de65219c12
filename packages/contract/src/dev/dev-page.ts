/** What `jackfield dev --ui` and its page say to each other, on the loopback address of the developer's machine. */

/** A line of the stream `/state`: everything but the runs' contents. */
export interface DevState {
  /** The project's folder, with its whole path. */
  readonly folder: string;
  readonly environment: string;
  readonly activity: "compiling" | "running" | "waiting";
  /** What keeps the project from compiling, or did when it was last looked at. */
  readonly faults: readonly DevFault[];
  readonly functions: readonly DevFunction[];
  /** What is run again after each change. */
  readonly choice: DevChoice | undefined;
  /** Why the last run that was asked for did not begin. */
  readonly refusal: string | undefined;
  /** The newest first. */
  readonly runs: readonly DevRunSummary[];
}

export interface DevFunction {
  /** Relative to the project, such as `crm/syncs/contacts.ts`. */
  readonly file: string;
  readonly integration: string;
  readonly name: string;
  /** Absent until it has compiled once. */
  readonly type?: "sync" | "action" | "on-event";
  readonly description?: string;
  /** Name of the input's schema among the definitions. */
  readonly input?: string;
  readonly definitions?: Readonly<Record<string, unknown>>;
  /** Of a sync: whether it has `onWebhook`, which is run with a body. */
  readonly takesWebhooks?: boolean;
}

/** A function with all that its dry run starts from. */
export interface DevChoice {
  readonly file: string;
  /** Absent: the only one of the integration. */
  readonly connection?: string | undefined;
  /** Absent: `exec`. A webhook runs `onWebhook` of a sync with the input as its body. */
  readonly kind?: "webhook" | undefined;
  /** Of an action, or the body of a webhook. */
  readonly input?: unknown;
}

/** A place in an author's file, with the lines around it. */
export interface DevFault {
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly frame?: DevFrame | undefined;
}

export interface DevFrame {
  /** Number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

export interface DevRunSummary {
  readonly id: string;
  readonly file: string;
  readonly kind: DevChoice["kind"];
  readonly connection: string;
  /** ISO 8601. */
  readonly at: string;
  readonly isGood: boolean;
  readonly tookMs: number;
  /** From the save of the file to the end of the run; absent for a run that was asked for. */
  readonly sinceSaveMs: number | undefined;
}

/** Answer of `/runs/<id>`. Long lists are cut; the counts are whole. */
export interface DevRun extends DevRunSummary {
  readonly input?: unknown;
  readonly error?: DevFault & { readonly type: string; readonly upstream?: unknown };
  /** Output, records, checkpoint and metadata, as far as the run had them. */
  readonly result: unknown;
  /** The same of the recording that the function had of such a run; absent without one. */
  readonly kept?: unknown;
  readonly counts: readonly DevCount[];
  /** How long the function's process took, on whose time line all else is. */
  readonly ranMs: number;
  readonly log: readonly DevLogLine[];
  readonly logCount: number;
  readonly calls: readonly DevCall[];
  readonly callCount: number;
  readonly saves: readonly DevSave[];
  readonly saveCount: number;
  readonly notes: readonly string[];
}

export interface DevCount {
  readonly model: string;
  readonly saved: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface DevLogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly meta?: unknown;
  /** From the start of the run. */
  readonly atMs: number;
}

/** Records of a model that the function handed over at one moment. */
export interface DevSave {
  readonly change: "saved" | "updated" | "deleted";
  readonly model: string;
  readonly count: number;
  /** From the start of the run. */
  readonly atMs: number;
}

/** One call of the function to its provider or to the server, without credentials. */
export interface DevCall {
  /** `GET /contacts` for a call to the provider, else the name of the server's call. */
  readonly call: string;
  readonly status: number | undefined;
  readonly isGood: boolean;
  /** From the start of the run. */
  readonly startedMs: number;
  readonly tookMs: number;
  readonly asked: unknown;
  readonly answered: unknown;
}
