"""Who may write an application's output: the claim of one instance, checked at the start."""
