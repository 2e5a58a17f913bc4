"""Pages: what a person sees in a browser. Rendered here, whole without JavaScript.

They call the operations like every other face and hold no rule of their own. Stored text is quoted
data: escaped, its steering characters written out, and marked with its source and trust.
"""
