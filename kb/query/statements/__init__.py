"""Answers what pages state: outcomes, steps, rulings."""
