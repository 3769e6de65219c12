/** The environments of the account. */
const english = {
  title: "Environments",
  name: "Name",
  kind: "Kind",
  production: "production",
  other: "other",
  connections: "Connections",
  problems: "Open problems",
  noProblems: "0",
  created: "Created",
  searchLabel: "Search the name",
  emptyTitle: "No environments",
  emptyText:
    "An environment holds integrations, connections, functions, records and keys, apart from those of others.",
  add: "New environment",
  nameHelp: "1 to 255 lower-case letters, digits, _ and -. Addresses and Svc-Environment use it.",
  productionHelp:
    "Developers have fewer rights in it, it is marked in the menu, and it cannot be deleted.",
  markProduction: "This is a production environment",
  productionNeeds: "To mark it as production, your role needs account:environments:set_production.",
  create: "Create",
  createdTitle: (name: string) => `The environment ${name} is ready.`,
  noKey: "You may not create keys, so it has none yet.",
  open: "Open",
  about: "About",
  id: "Id",
  oldNames: "Earlier names",
  oldNamesText: "Addresses of the dashboard with these still lead here.",
  settings: "Rename or change",
  keys: "API keys",
  noRole: "You have no role in this environment.",
  delete: "Delete",
  deleteNamed: (name: string) => `Delete the environment ${name}`,
  deleteProduction:
    "Production environments cannot be deleted. Clear the mark in the settings first.",
  holds: (connections: string) => `Connections that go with it: ${connections}.`,
};

/** Loaded with the screen. */
export const environmentTexts = { english };
