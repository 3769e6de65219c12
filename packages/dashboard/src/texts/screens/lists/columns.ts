/** The columns of a table, and copies of its rows. */
const english = {
  compact: "Compact rows",
  resetColumns: "As they were at first",
  moveUp: (name: string) => `Move ${name} to the left`,
  moveDown: (name: string) => `Move ${name} to the right`,
  narrower: (name: string) => `Make ${name} narrower`,
  wider: (name: string) => `Make ${name} wider`,
  copyAsText: "Copy as text",
  copyAsJson: "Copy as JSON",
};

export const columnTexts = { english };
