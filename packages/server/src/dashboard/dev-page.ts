// What the command line serves of the built page on a developer's machine (`jackfield dev --ui`).
export { pageFolder } from "@jackfield/dashboard/assets";
export { pageHeaders } from "./page-headers.ts";
