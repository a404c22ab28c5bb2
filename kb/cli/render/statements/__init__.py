"""Prints outcomes, steps and rulings."""
