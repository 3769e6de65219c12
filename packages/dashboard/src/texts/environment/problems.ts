/** More about a problem: what colleagues have done about it. */
const english = {
  notify: "Mark end users as notified",
  notified: (time: string, name: string) => `End users notified on ${time} by ${name}.`,
};

/** Loaded with the screens that show them. */
export const problemTexts = { english };
