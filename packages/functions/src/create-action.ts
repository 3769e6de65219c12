import type { SyncEndpoint } from "./create-sync.ts";
import type { FunctionReach } from "./egress.ts";
import type { CheckpointSchema, InputOf, MetadataSchema, Schema } from "./schemas.ts";
import type { SvcAction } from "./svc.ts";

/** What a language model and its client may know of an action before it is called. */
export interface AgentHints {
  /** `read` changes nothing, `write` adds or changes, `destructive` may delete or overwrite. */
  effect?: "read" | "write" | "destructive";
  /** The same call twice does no more than once. */
  idempotent?: boolean;
  /** It reaches people or systems beyond the connected account, such as the web or anybody's mailbox. */
  openWorld?: boolean;
  /** `external`: what it is given leaves for people outside, such as a mail. */
  sends?: "external";
  /** Others may have written what it answers, such as mails or tickets; left out: unless `openWorld` is `false`. */
  untrustedOutput?: boolean;
  /** A name for people, at most 100 characters. */
  title?: string;
  /** Inputs that show how to call it, at most 5. */
  examples?: readonly unknown[];
  /** `false` keeps the action from being a tool. */
  expose?: boolean;
  /** `true`: it cannot do without `svc.elicit`, so clients that cannot ask their user do not get to call it. */
  asks?: boolean;
  /** `content`: the output is a list of `ContentBlock`s, which clients get as they are, such as images. */
  output?: "content";
  /**
   * The action is a resource, too, which clients list and read; it needs `effect: "read"`. What is in braces in
   * `uri` is a field of the input: `crm://contacts/{id}`.
   */
  resource?: { uri: string; mimeType?: string };
}

/** A part of a tool's answer, as the Model Context Protocol has it; `data` and `blob` are base64. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | {
      type: "resource";
      resource:
        | { uri: string; mimeType?: string; text: string }
        | { uri: string; mimeType?: string; blob: string };
    }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string; description?: string };

/** An action: does one thing on demand and answers its caller. */
export interface CreateActionProps<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends FunctionReach {
  /** At most 2000 characters. */
  description: string;
  /** `z.void()` for none. */
  input: Input;
  output: Output;
  /** Input and output are checked against the schemas and passed on as they are. */
  exec: (
    svc: SvcAction<Metadata, Checkpoint>,
    input: InputOf<Input>,
  ) => InputOf<Output> | Promise<InputOf<Output>>;
  /** Shown to language models that call it as a tool. */
  agent?: AgentHints;
  version?: string;
  metadata?: Metadata;
  checkpoint?: Checkpoint;
  scopes?: string[];
  /** @deprecated */
  endpoint?: SyncEndpoint;
}

export interface CreateActionResponse<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends CreateActionProps<Input, Output, Metadata, Checkpoint> {
  type: "action";
}

/** Defines an action; make it the default export of its file. */
export function createAction<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
>(
  props: CreateActionProps<Input, Output, Metadata, Checkpoint>,
): CreateActionResponse<Input, Output, Metadata, Checkpoint> {
  return { ...props, type: "action" };
}
