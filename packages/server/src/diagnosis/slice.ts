import { diagnosisRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { diagnosisHandlers } from "./routes.ts";

export const diagnosis = defineSlice({ routes: serveRoutes(diagnosisRoutes, diagnosisHandlers) });
