import type { connection } from "@jackfield/contract";
import type { input } from "zod";

/** What the API answers of a connection's credentials. */
export type ConnectionHealth = NonNullable<input<typeof connection>["health"]>;
export type ConnectionState = ConnectionHealth["state"];
