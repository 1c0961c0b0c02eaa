"""Makes random scenarios: operators put together by type, and records for their input."""
