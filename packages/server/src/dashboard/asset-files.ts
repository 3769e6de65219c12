import { pageFolder } from "@jackfield/dashboard/assets";
import { serverState } from "#foundation";

/** Folder of the built page. */
export const dashboardFolder = serverState<URL>(() => pageFolder);
