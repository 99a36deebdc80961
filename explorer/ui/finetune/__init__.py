"""From judgements to a better model: the pages that lead there, and the place to judge pairs."""
