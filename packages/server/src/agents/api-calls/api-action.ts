/** The name that rules and sessions have for the tool that sends any request, as for an action. */
export const API_ACTION = "api";
