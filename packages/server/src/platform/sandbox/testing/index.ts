// What tests need to play a function's process that does not keep to the rules.
export { createForgingSandbox } from "./forging-sandbox.ts";
