/** Asks the person to prove who they are; whether they did. */
type Ask = () => Promise<boolean>;

let ask: Ask | undefined;
let asked: Promise<boolean> | undefined;

/** The dialog that asks; without one nobody can be asked. */
export function setStepUp(next: Ask | undefined): void {
  ask = next;
}

/** Calls that are refused at the same time share one question. */
export async function stepUp(): Promise<boolean> {
  if (ask === undefined) return false;
  asked ??= ask().finally(() => {
    asked = undefined;
  });
  return await asked;
}
