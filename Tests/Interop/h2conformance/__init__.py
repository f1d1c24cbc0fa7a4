"""The cases of http2_conformance.py, by what they are about."""
