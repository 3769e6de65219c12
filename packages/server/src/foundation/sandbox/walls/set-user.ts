import { SETPRIV } from "./tools.ts";

export const DIE_WITH_PARENT = "--pdeathsig=KILL";

/** Takes every right away, and the uid of root where another is given. */
export function dropRights(setpriv: string = SETPRIV, uid?: number | string): string[] {
  const user = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  // Changing the uid clears the death signal, so that it is asked for again.
  return [
    setpriv,
    ...user,
    "--inh-caps=-all",
    "--bounding-set=-all",
    "--no-new-privs",
    DIE_WITH_PARENT,
  ];
}
