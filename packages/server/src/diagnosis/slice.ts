import { diagnosisRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { diagnosisHandlers } from "./routes.ts";

export const diagnosis = defineSlice({ routes: serveRoutes(diagnosisRoutes, diagnosisHandlers) });
