// Owns how the catalogue is shown: its entries on the wire. No tables; the entries themselves come from the catalogue.
export { providerHandlers } from "./routes.ts";
