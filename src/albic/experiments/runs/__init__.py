"""What is done at one point of a figure; these files decide which kept results still count."""
