"""The conformance kit: what an environment or a plug-in has to keep to, each rule a named check."""
