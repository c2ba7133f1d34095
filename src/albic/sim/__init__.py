"""Clusters made of arrays: loads and traffic as the paper synthesises them."""
