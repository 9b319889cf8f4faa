"""Tables that are elsewhere: coded where they are, or brought here and coded as in memory."""
