// Owns what tests of problems, and of what shows them, make wrong.
export { setReceiver } from "./store.ts";
