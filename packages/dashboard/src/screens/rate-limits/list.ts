export { RateLimitsScreen as Screen } from "./rate-limits-screen.tsx";
