"""The graph model (nodes, edges, evidence), the SQLite file that stores it, and graph searches.

- `model`: the dataclasses `Node`, `Edge`, `Evidence` and `Label`
- `store`: the file format, and reading and full-text search
- `writing`: writes, updates and resolves a graph
- `walks`: which nodes can be reached from a node, and the cheapest paths between nodes
- `networkx_view`: the graph as a `networkx.MultiDiGraph`
- `picture`: drawings of a graph

Nothing is imported here, so that a look-up loads only the modules that it needs.
"""
