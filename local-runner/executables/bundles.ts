import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { BuildOptions, BuildResult } from 'esbuild'

/** Of both groups that are built here. */
type GroupOptions = BuildOptions & { write: false; metafile: true; define: Record<string, string> }
type Built = BuildResult<GroupOptions>

/** Builds the programs with the options of `esbuild.mjs`. @param date which they give as the time of their build */
export async function bundlePrograms(root: string, date: Date) {
  const packageName: string = 'esbuild'
  const { build, stop }: typeof import('esbuild') = await import(packageName)
  const { groups, sourcesOfPages } = (await import(pathToFileURL(join(root, 'esbuild.mjs')).href)) as {
    sourcesOfPages: ReadonlyMap<string, readonly string[]>
    groups: Record<'executables' | 'local-runner', () => Promise<GroupOptions>>
  }
  const buildGroup = async (name: 'executables' | 'local-runner') => {
    const options = await groups[name]()
    // In place, since the pages inside are built with the same values.
    options.define.__BUILT_AT__ = JSON.stringify(date.toISOString())
    return build(options)
  }
  try {
    const [executables, modules] = await Promise.all([buildGroup('executables'), buildGroup('local-runner')])
    const files = Object.keys(executables.metafile.inputs)
    const inputs = files.flatMap((path) => [path, ...(sourcesOfPages.get(path) ?? [])])
    return {
      /** CommonJS, as executables need it. */
      programs: {
        room: fileOf(executables, '/room.cjs'),
        'lantern-room': fileOf(executables, '/lantern-room.cjs'),
      },
      /** The command `room` as an ES module, for machines with Node. */
      roomModule: fileOf(modules, '/room.mjs'),
      /** What they contain of other authors. */
      components: await componentsOf(root, inputs),
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

/** A piece of other people's work that is inside an executable. */
export type Component = {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly licence: string
  /** The full text, as its authors ship it. */
  readonly licenceText: string
  /** Identifies it for scanners. @see https://github.com/package-url/purl-spec */
  readonly purl: string
}

const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/**
 * The packages that a bundle was made from, by name.
 * @param inputs paths of the bundled files below `root`
 * @throws Error for a package without a licence text and a licence that can be quoted
 */
async function componentsOf(root: string, inputs: readonly string[]): Promise<readonly Component[]> {
  // `node_modules/a/node_modules/@b/c` for a file in it; none for our own.
  const folders = new Set(inputs.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []))
  const components = await Promise.all([...folders].map((folder) => readComponent(join(root, folder))))
  return components.sort((a, b) => (a.purl < b.purl ? -1 : 1))
}

async function readComponent(folder: string): Promise<Component> {
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(text) as Record<'name' | 'version' | 'license', string>
  return {
    name,
    version,
    licence: license,
    licenceText: await readLicence(folder, license),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }
}

/** Some packages ship no text of their own. */
async function readLicence(folder: string, licence: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => LICENCE_FILE.test(name)).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  if (texts.length > 0) return texts.map((text) => text.trim()).join('\n\n')
  return `(The package ships no licence text. It is published under ${licence}.)`
}

/** One text with everything that has to be passed on with an executable. */
export function licenceTexts(components: readonly Component[]): string {
  const parts = components.map(({ name, version, licence, licenceText }) => {
    const title = `${name} ${version} (${licence})`
    return `${title}\n${'='.repeat(title.length)}\n\n${licenceText.trim()}\n`
  })
  return `What this program contains of other authors, with their licences.\n\n${parts.join('\n\n')}`
}

/** The part of a CycloneDX bill of materials that is changed here. */
type Bill = {
  serialNumber?: string
  metadata: { timestamp: string; component: { name: string } }
  components: { readonly purl: string; readonly 'bom-ref'?: string }[]
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** npm's bill of materials of everything that is installed, as JSON. */
export async function npmBill(root: string): Promise<string> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 2 ** 26 })
  return stdout
}

/**
 * The bill of materials of a release: npm's, of what is bundled only, and Node. (`npm sbom --omit dev` leaves out packages that
 * development needs, too, such as `ws`.)
 * @param date of the release
 * @returns CycloneDX as JSON; the same for the same contents
 */
export function billOfMaterials(npm: string, date: Date, components: readonly Component[]): string {
  const bill = JSON.parse(npm) as Bill
  delete bill.serialNumber
  bill.metadata.timestamp = date.toISOString()
  // npm takes it from the folder.
  bill.metadata.component.name = 'lantern-room'
  const bundled = new Set(components.map(({ purl }) => purl))
  bill.components = bill.components.filter(({ purl }) => bundled.has(purl))
  const refs = new Set(bill.components.map((component) => component['bom-ref']))
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }))
  for (const { name, version, licence, purl } of components) {
    if (bill.components.some((component) => component.purl === purl)) continue
    const platform = { type: 'platform', name, version, licenses: [{ license: { id: licence } }], purl }
    bill.components.push(platform)
  }
  return `${JSON.stringify(bill, undefined, 2)}\n`
}
