import { eventRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { eventHandlers } from "./routes.ts";

export const events = defineSlice({ routes: serveRoutes(eventRoutes, eventHandlers) });
