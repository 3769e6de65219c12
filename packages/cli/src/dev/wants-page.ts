/** Options of a run that the page does not take; with one of them, the command shows the run in the terminal. */
const ofTerminal = [
  "metadata",
  "checkpoint",
  "lastSyncDate",
  "variant",
  "validate",
  "save",
  "case",
] as const;

export type PageWish = Readonly<
  { ui?: boolean | undefined } & { [Name in (typeof ofTerminal)[number]]?: unknown }
>;

/** Whether `jackfield dev` shows its page: where somebody sits in front of it, unless the options say otherwise. */
export function wantsPage(options: PageWish, isInteractive: boolean): boolean {
  if (options.ui !== undefined) return options.ui;
  return isInteractive && ofTerminal.every((name) => options[name] === undefined);
}
