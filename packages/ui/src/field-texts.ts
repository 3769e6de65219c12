/** What fields say, in English. A language is one more object of this shape. */
export const englishFieldTexts = {
  optional: "optional",
  choose: "Choose…",
  show: (label: string) => `Show ${label}`,
  hide: (label: string) => `Hide ${label}`,
  example: (example: string) => `For example ${example}`,
  invalid: {
    required: (label: string) => `${label} is missing.`,
    choose: "Choose one of the values.",
    pattern: (label: string) => `${label} does not have the right form.`,
    uri: "Enter a web address that begins with https:// or http://.",
    hostname: "Enter a host name, without https:// and without a path.",
    email: "Enter an e-mail address.",
    uuid: "Enter an id of the form 123e4567-e89b-12d3-a456-426614174000.",
    together: "Fill in both fields, or none.",
  },
};

export type FieldTexts = typeof englishFieldTexts;
