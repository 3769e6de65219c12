import { proxyRoutes } from "@jackfield/contract";

/** Headers by which a call to `/proxy` says what it wants of the server; they are the contract's. */
export const controlHeaders: ReadonlySet<string> = new Set(
  Object.keys(proxyRoutes.proxyRequest.headers.shape),
);
