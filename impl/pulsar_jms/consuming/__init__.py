"""What an application receives by: consumers, their listeners, browsers, and what passes them."""
