// Owns what tests of other slices need of connections.
export { prepareConnection } from "./refreshing-connection.ts";
