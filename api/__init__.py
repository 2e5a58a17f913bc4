"""The API: use cases (`ops`) and the faces that offer them."""
