// What tests need of functions' processes: one that does not keep to the rules, and their program ready made.
export { createForgingSandbox } from "./forging-sandbox.ts";
export { seedRunnerFile } from "./seed-runner-file.ts";
