"""One file a site family, all of one shape: `recognises` and `read`."""
