// Owns the provider that this server plays for first steps. Who starts the server hands the simulator over, since the
// server has none of its own; where it listens and what it has handed out is in the data folder. Tables: none.
export type { Simulator, StartSimulator } from "./simulator.ts";
export { SimulatorHost, simulatorHost } from "./simulator-host.ts";
export { simulator } from "./slice.ts";
