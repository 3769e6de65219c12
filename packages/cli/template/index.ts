// One line for each function of this project; a function that is not listed here is not deployed.
import "./crm/syncs/contacts.js";
import "./crm/actions/create-contact.js";
