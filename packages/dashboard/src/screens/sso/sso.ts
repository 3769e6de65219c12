export { SsoScreen as Screen } from "./sso-screen.tsx";
