export interface ContactFields {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly title: string;
  readonly phone: string;
  readonly city: string;
  readonly notes: string;
}

const givenNames =
  "Ada Bruno Chidi Dana Elif Farid Greta Hugo Ines Jonas Keiko Lena Mateo Nadia Omar Petra".split(
    " ",
  );
const familyNames =
  "Abe Berg Costa Dietz Eriksen Fontaine Garcia Haddad Ivanov Jensen Kaya Lindqvist Moreau Novak Okafor Silva".split(
    " ",
  );
const companies = "Anchor Beacon Compass Driftwood Estuary Foghorn Gangway Halyard".split(" ");
const companyKinds = "Foods Labs Logistics Media Robotics Textiles".split(" ");
const titles = ["Buyer", "Designer", "Engineer", "Head of sales", "Office manager", "Owner"];
const cities = "Bergen Cadiz Dublin Genoa Izmir Lisbon Osaka Recife Riga Split".split(" ");
const remarks = [
  "Prefers to be called in the morning",
  "Asked for the price list of next season",
  "Met at the harbour fair",
  "Wants delivery in two parts",
  "Has a framework contract",
];

/** Makes the fields of one contact, about 300 bytes as JSON with its id and times. */
export function newContactFields(random: () => number, number: number): ContactFields {
  const given = pick(givenNames, random);
  const family = pick(familyNames, random);
  const company = `${pick(companies, random)} ${pick(companyKinds, random)}`;
  const domain = `${company.toLowerCase().replace(" ", "-")}.example`;
  return {
    name: `${given} ${family}`,
    email: `${given}.${family}.${number}@${domain}`.toLowerCase(),
    company,
    title: pick(titles, random),
    phone: `+00 ${String(Math.floor(random() * 1e9)).padStart(9, "0")}`,
    city: pick(cities, random),
    notes: `${pick(remarks, random)}. ${pick(remarks, random)}.`,
  };
}

function pick(choices: readonly string[], random: () => number): string {
  return choices[Math.floor(random() * choices.length)] ?? "";
}
