export { ApprovalScreen as Screen } from "./approval-screen.tsx";
