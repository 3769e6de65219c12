/** A read-only login of the database with views of an environment's records. */
const english = {
  title: "SQL access",
  about:
    "A read-only login of the database, with a view for each model of this environment's records: for reports, BI tools and psql.",
  state: "State",
  states: { active: "active", suspended: "suspended", needs_new_password: "needs a new password" },
  stateTexts: {
    suspended:
      "The login held an advisory lock, which can block the server, or SQL access was off for a time. A new password lets it sign in again.",
    needs_new_password:
      "The database does not have the login, as after a restore. A new password makes it again, under another name.",
  },
  host: "Host",
  database: "Database",
  role: "User",
  created: "Created",
  createdBy: "Created by",
  passwordSet: "Password set",
  add: "Create a login",
  addText:
    "The login reads all records of this environment, of every connection. Its password is shown once.",
  make: "Create the login",
  url: "URL with the password",
  rotate: "New password",
  rotateText:
    "The password before stops working, and sessions with it end. The new one is shown once.",
  rotateDo: "Make a new password",
  revoke: "Revoke",
  revokeTitle: "Revoke this login?",
  revokeText:
    "Its sessions end within a second. The login and its views are dropped; the records stay.",
  revokeIn: (environment: string) => `Revoke the login in ${environment}`,
  views: "Views",
  view: "View",
  model: "Model",
  noViews:
    "No records have been saved yet. A model has its view within a minute of its first record.",
};

/** Loaded with the screens that show them. */
export const sqlAccessTexts = { english };
