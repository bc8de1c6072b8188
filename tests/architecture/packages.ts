import { posix } from 'node:path'
import { z } from 'zod'
import type { SourceTree } from './violation'

/** One package below `core`, as its `package.json` tells it. */
export type Package = {
  /** `@lantern-room/formats` */
  readonly name: string
  /** `core/formats` */
  readonly folder: string
  /** By what others write after the name (`.`, `./browser`): the file in `folder`. */
  readonly exports: ReadonlyMap<string, string>
  /** The packages that it may import. */
  readonly declared: ReadonlySet<string>
}

const manifestShape = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})

/** The packages whose `package.json` is in the tree, by name. */
export function packagesIn(tree: SourceTree): Map<string, Package> {
  const manifests = [...tree].filter(([path]) => /^core\/[^/]+\/package\.json$/.test(path))
  return new Map(
    manifests.map(([path, text]) => {
      const manifest = manifestShape.parse(JSON.parse(text))
      const declared = [
        ...Object.keys(manifest.dependencies ?? {}),
        ...Object.keys(manifest.optionalDependencies ?? {}),
      ]
      const { name } = manifest
      const exports = new Map(Object.entries(manifest.exports))
      return [name, { name, folder: posix.dirname(path), exports, declared: new Set(declared) }]
    }),
  )
}

/** `@lantern-room/formats` and `./browser` for `@lantern-room/formats/browser`. */
export function splitSpecifier(specifier: string): { readonly name: string; readonly entry: string } {
  const parts = specifier.split('/')
  const length = specifier.startsWith('@') ? 2 : 1
  const rest = parts.slice(length)
  return { name: parts.slice(0, length).join('/'), entry: ['.', ...rest].join('/') }
}
