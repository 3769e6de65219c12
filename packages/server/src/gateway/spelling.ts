import type { SystemContext } from "#foundation";

type HasPrefix = { readonly settings: Pick<SystemContext["settings"], "compatPrefix"> };

/** `X-Svc-Signature` with the word `acme` is `X-Acme-Signature`: the first `svc`, in its own case. */
export function respell(name: string, word: string): string {
  return name.replace(/svc/i, (own) => {
    if (own === "SVC") return word.toUpperCase();
    return own === "Svc" ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  });
}

/** The name, and next to it the operator's spelling of it (SVC_COMPAT_PREFIX): for keys and headers that are sent. */
export function spellingsOf({ settings }: HasPrefix, name: string): readonly string[] {
  const word = settings.compatPrefix;
  return word === undefined ? [name] : [name, respell(name, word)];
}

/** The operator's spelling in place of the name: where only one can be sent. */
export function soleSpelling({ settings }: HasPrefix, name: string): string {
  return settings.compatPrefix === undefined ? name : respell(name, settings.compatPrefix);
}
