"""Texts that are meant to hurt, time and memory that must stay bounded."""
