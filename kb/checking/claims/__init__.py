"""What a text claims of the rules, for `verify`: its citations and its quotations."""
