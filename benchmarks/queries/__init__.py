"""Questions to a large store while batches run: how long they take, how old the answers are."""
