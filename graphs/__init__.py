"""The graph itself: nodes, edges and evidence, the file they live in, how they are walked.

What there is stands in `model`, what pages state in `facts`, the file in `schema`, `write`
and `store`; nothing is imported here, so that looking something up loads no more than that.
"""
