"""First Python drafts of Java programs."""
