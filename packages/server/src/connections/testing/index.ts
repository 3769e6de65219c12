// Owns what tests of other slices need of connections.
export { prepareConnection } from "./refreshing-connection.ts";
export { startRotatingServer } from "./rotating-server.ts";
