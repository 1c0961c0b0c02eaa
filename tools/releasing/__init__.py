"""Parts of a release: version and notes, packages, licences, list of components, installation."""
