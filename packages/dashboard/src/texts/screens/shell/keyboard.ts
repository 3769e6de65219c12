/** All keys. */
const english = {
  keys: [
    ["Ctrl K", "Find a screen, connection, integration or function, or open an id that you paste"],
    ["/", "Search this list"],
    ["j  k", "Next row, previous row"],
    ["Enter", "Open the row"],
    ["x", "Select the row; with Shift and a click, all up to it"],
    ["[  ]", "Previous and next row, in the open panel"],
    ["o", "Open the panel as a page"],
    ["l", "Follow the list: new rows come also while you read further down"],
    ["t", "Show times in UTC, or in your time zone"],
    ["c", "Copy the id of the row, the panel or the page"],
    ["y", "Copy the link of this page"],
    ["Esc", "Close"],
    ["g h", "Home"],
    ["g p", "Problems"],
    ["g c", "Connections"],
    ["g d", "Deployments"],
    ["g e", "Settings of the environment"],
    ["g i", "Integrations"],
    ["g f", "Functions"],
    ["g o", "Operations"],
    ["g k", "API keys"],
    ["g s", "Syncs"],
    ["g r", "Records"],
    ["g w", "Webhooks out"],
    ["g m", "Metrics"],
    ["g t", "Toolsets"],
    ["g a", "Approvals"],
    ["?", "This list"],
  ],
} as const;

/** Loaded with the list of keys. */
export const keyboardTexts = { english };
