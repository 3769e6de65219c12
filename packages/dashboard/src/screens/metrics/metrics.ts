export { MetricsScreen as Screen } from "./metrics-screen.tsx";
