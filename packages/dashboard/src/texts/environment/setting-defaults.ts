/** What settings are unless somebody changes them. */
const english = {
  on: "Default: on.",
  off: "Default: off.",
  theme: "Default: system.",
  colour: (value: string) => `Default: ${value}.`,
};

/** Loaded with the screens that show them. */
export const settingDefaultTexts = { english };
