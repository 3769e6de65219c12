import "./harbor/syncs/contacts.ts";
import "./harbor/actions/create-contact.ts";
