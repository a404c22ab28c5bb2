"""Draw a part of a graph as a picture: selection, layout, text in the boxes, painting."""
