type Operation = { operationId?: string | undefined }
type Paths = Readonly<Record<string, object>>

/** Operations of a path item; it has other members, too. */
const METHODS = new Set(['get', 'head', 'post', 'put', 'delete', 'patch'])

/**
 * Gives each operation of a document a name of its own, by which generators of clients call it: its method and its path,
 * `getStateGuesting` for `GET /state/guesting`.
 */
export function nameOperations(paths: Paths): void {
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item)) {
      if (METHODS.has(method) && typeof operation === 'object' && operation !== null)
        Object.assign(operation, { operationId: operationId(method, path) } satisfies Operation)
    }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return method + (name || 'Page')
}
