/** What leads from nothing to an integration in use. */
const english = {
  title: "First steps",
  text: "Each step is ticked off once it is done.",
  hide: "Hide these steps",
  done: "done",
  open: "to do",
  steps: {
    integration: "Add an integration",
    connection: "Connect an account",
    use: "Send a request through it, or run a function",
    webhooks: "Set an address for webhooks, so that your app learns of connections and changes",
  },
};

/** Loaded with the screens that show them. */
export const firstStepsTexts = { english };
