/** How webhooks of the provider arrive for a connection. */
export const english = {
  title: "Webhooks of the provider",
  received: "Received",
  duplicates: "Duplicates",
  last: "Last one",
  expected: "The next within",
  learning: "not known yet",
  silent: "None since",
  missing: "Numbers missing",
  which: "The latest of them",
};
