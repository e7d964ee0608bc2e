"""What selectors mean (JMS 2.0, section 3.8.1), as trees that know their text."""
