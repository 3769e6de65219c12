export interface ErrorNote {
  readonly cause: string;
  readonly cure: string;
}

/** Why an error occurs, and what to do. */
export const note = (cause: string, cure: string): ErrorNote => ({ cause, cure });
