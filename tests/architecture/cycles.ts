/**
 * The cycles of a graph, each as `[a, b, …, a]`: at least one for every group of nodes that reach each other.
 * @param graph for every node, the nodes it points at
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = []
  const finished = new Set<string>()
  const path: string[] = []

  const visit = (node: string): void => {
    const start = path.indexOf(node)
    if (start >= 0) cycles.push([...path.slice(start), node])
    if (start >= 0 || finished.has(node)) return
    path.push(node)
    for (const next of graph.get(node) ?? []) visit(next)
    path.pop()
    finished.add(node)
  }
  for (const node of graph.keys()) visit(node)
  return cycles
}
