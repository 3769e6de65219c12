export { SignInScreen as Screen } from "./sign-in-screen.tsx";
