import { problemRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { problemHandlers } from "./routes.ts";
import { forgetOldProblems, problemSweep } from "./sweep-problems.ts";

export const problems = defineSlice({
  routes: serveRoutes(problemRoutes, problemHandlers),
  due: [() => problemSweep],
  daily: [forgetOldProblems],
});
