export { PeopleScreen as Screen } from "./people-screen.tsx";
