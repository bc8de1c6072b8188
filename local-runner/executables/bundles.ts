import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The programs, each as one file of JavaScript. */
export type Bundles = Awaited<ReturnType<typeof bundlePrograms>>

type BuildOptions = { define: Record<string, string>; entryPoints: unknown }
type Built = {
  outputFiles: { path: string; contents: Uint8Array }[]
  metafile: { inputs: Record<string, unknown> }
}

/** Builds the programs with the options of `esbuild.mjs`. @param date which they give as the time of their build */
export async function bundlePrograms(root: string, date: Date) {
  const packageName: string = 'esbuild'
  const { build, stop } = (await import(packageName)) as {
    build(options: BuildOptions): Promise<Built>
    stop(): Promise<void>
  }
  const { groups, sourcesOfPages } = (await import(pathToFileURL(join(root, 'esbuild.mjs')).href)) as {
    sourcesOfPages: ReadonlyMap<string, readonly string[]>
    groups: Record<'executables' | 'local-runner', () => Promise<BuildOptions>>
  }
  const buildGroup = async (name: 'executables' | 'local-runner') => {
    const options = await groups[name]()
    // In place, since the pages inside are built with the same values.
    options.define.__BUILT_AT__ = JSON.stringify(date.toISOString())
    return build(options)
  }
  try {
    const [executables, modules] = await Promise.all([buildGroup('executables'), buildGroup('local-runner')])
    return {
      /** CommonJS, as executables need it. */
      programs: {
        room: fileOf(executables, '/room.cjs'),
        'lantern-room': fileOf(executables, '/lantern-room.cjs'),
      },
      /** The command `room` as an ES module, for machines with Node. */
      roomModule: fileOf(modules, '/room.mjs'),
      /** The files that they were made from, below the project's folder. */
      inputs: Object.keys(executables.metafile.inputs).flatMap((path) => [
        path,
        ...(sourcesOfPages.get(path) ?? []),
      ]),
    }
  } finally {
    await stop()
  }
}

function fileOf({ outputFiles }: Built, ending: string): Uint8Array {
  const found = outputFiles.find(({ path }) => path.endsWith(ending))
  if (found === undefined) throw new Error(`the build has no file that ends with ${ending}`)
  return found.contents
}
