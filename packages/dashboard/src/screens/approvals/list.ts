export { ApprovalsScreen as Screen } from "./approvals-screen.tsx";
