import type { SystemContext } from "#foundation";

/**
 * Says what is about to be changed, for the row that the call leaves: values by the name under which they are sent.
 * What may be secret becomes a keyed hash there, like what is sent.
 */
export function noteBefore(
  { atCommit }: Pick<SystemContext, "atCommit">,
  values: Readonly<Record<string, unknown>>,
): void {
  atCommit?.noteBefore?.(values);
}
