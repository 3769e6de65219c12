import {
  type BaseAddress,
  cleanText,
  type Effect,
  type OpenApiDocument,
  type Operation,
  presentOperation,
  Unsupported,
} from "@jackfield/functions/openapi";
import { planAction } from "./operations/plan-action.ts";
import { writeAction } from "./source/write-action.ts";

export interface ActionFile {
  /** The action's name; the file's without its ending. */
  readonly name: string;
  readonly text: string;
}

/** An operation that cannot become an action. */
export interface Refusal {
  /** `GET /contacts/{id}` */
  readonly operation: string;
  /** A predicate, such as `needs a body`. */
  readonly reason: string;
}

export interface PlannedFiles {
  readonly files: readonly ActionFile[];
  readonly refused: readonly Refusal[];
}

export interface PlanOptions {
  readonly base?: BaseAddress;
  /** By the name of the action, in place of what the method says. */
  readonly effects?: ReadonlyMap<string, Effect>;
}

/** The sources of actions, one for each operation. */
export function planFiles(
  document: OpenApiDocument,
  operations: readonly Operation[],
  { base, effects = new Map() }: PlanOptions = {},
): PlannedFiles {
  const files: ActionFile[] = [];
  const refused: Refusal[] = [];
  for (const operation of operations) {
    try {
      const plan = planAction(document, operation, { base, effect: effects.get(operation.action) });
      files.push({ name: operation.action, text: writeAction(plan, document.title) });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const shown = cleanText(presentOperation(operation), 300);
      refused.push({ operation: shown, reason: error.message });
    }
  }
  return { files, refused };
}
