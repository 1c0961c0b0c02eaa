"""The live page of a running application: its server, and what the server tells of it."""
