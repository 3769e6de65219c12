export { AuditScreen as Screen } from "./audit-screen.tsx";
