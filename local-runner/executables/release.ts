import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { executable, plain, tar, xz, zip } from './archives'
import { billOfMaterials, bundlePrograms, type Component, licenceTexts, npmBill } from './bundles'
import { PROGRAMS, type ProgramName, type ReleaseChoice } from './config'
import { type Inject, makeExecutable, SEA_FUSE } from './makeExecutable'
import { manifestsOf } from './manifests'
import { fetchNode, NODE_VERSION, type NodeForTarget, type Target } from './nodeBinaries'

const run = promisify(execFile)

export type Release = {
  readonly root: string
  readonly version: string
  readonly date: Date
  /** Emptied first. */
  readonly folder: string
  readonly say: (line: string) => void
}

/**
 * Keeps V8's heap for new objects small. Large data lives in buffers outside of it, and an idle room
 * service takes 2 MB less.
 */
const EXECUTABLE_FLAGS = ['--max-semi-space-size=2']

type Made = { readonly name: string; readonly bytes: Uint8Array }

/**
 * Makes a release: the executables, unpacked in a folder for each target and packed to be downloaded, `room.mjs` for
 * machines with Node, their sums, the bill of materials and the licences.
 * @throws Error when a program that this needs is missing, or a download is not the pinned one
 */
export async function makeRelease(choice: ReleaseChoice, release: Release): Promise<void> {
  const { root, folder, version, date } = release
  await rm(folder, { recursive: true, force: true })
  const bundles = await bundlePrograms(root, date)
  const cache = join(root, 'dist/node-binaries')
  const host = await fetchNode(hostTarget(), cache)
  const components = [nodeItself(host), ...bundles.components]
  const work = await mkdtemp(join(tmpdir(), 'lantern-room-release-'))
  const files = new Map<string, string>()
  const keep = async ({ name, bytes }: Made) => {
    await put(join(folder, name), bytes, name.includes('/') ? 0o755 : 0o644)
    files.set(name, sha256(bytes))
    release.say(`${name.padEnd(44)} ${(bytes.length / 1e6).toFixed(1)} MB`)
  }
  try {
    const programs = await Promise.all(
      choice.programs.map(async (program) => ({
        program,
        contents: await prepare(program, bundles.programs[program], { host, work }),
      })),
    )
    const inject: Inject = (binary, added) => injectInto(binary, added, { root, work })
    for (const target of choice.targets) {
      const node = await fetchNode(target, cache)
      const executables = await Promise.all(
        programs.map(({ program, contents }) => make(program, target, { node, contents, version, inject })),
      )
      for (const made of executables) await keep(made)
      if (!choice.isPacked) continue
      const packed = executables.map((made) => pack(made, target, components, release))
      for (const made of await Promise.all(packed)) await keep(made)
    }
    await keep({ name: `room-${version}.mjs`, bytes: bundles.roomModule })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  await keep({ name: 'LICENCES.txt', bytes: Buffer.from(licenceTexts(components)) })
  const bill = billOfMaterials(await npmBill(root), date, components)
  await keep({ name: `lantern-room-${version}.cdx.json`, bytes: Buffer.from(bill) })
  for (const [name, text] of Object.entries(manifestsFor(choice, files, version))) {
    await put(join(folder, 'manifests', name), Buffer.from(text))
    release.say(`manifests/${name}`)
  }
  const sums = [...files].map(([name, sum]) => `${sum}  ${name}\n`).sort()
  await put(join(folder, 'SHA256SUMS'), Buffer.from(sums.join('')))
}

/** Of the program that contains all. @param sums of the files that were made, by their names */
function manifestsFor(
  { downloads, targets }: ReleaseChoice,
  sums: ReadonlyMap<string, string>,
  version: string,
) {
  if (downloads === undefined) return {}
  const archives = targets.flatMap((target) => {
    const name = [...sums.keys()].find((file) => file.startsWith(`lantern-room-${version}-${target}.`))
    const sha256 = sums.get(name ?? '')
    return name !== undefined && sha256 !== undefined ? [[target, { name, sha256 }]] : []
  })
  const homepage = downloads.replace(/\/releases\/.*/, '')
  return manifestsOf({ version, homepage, downloads, files: Object.fromEntries(archives) })
}

/**
 * What Node runs inside an executable, the same bytes for every target. Without compiled code (`useCodeCache`), which
 * fits one target only and differs from build to build.
 */
async function prepare(
  program: ProgramName,
  bundle: Uint8Array,
  { host, work }: { host: NodeForTarget; work: string },
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(work, 'sea-'))
  // Names without folders: Node stores them in what it prepares.
  await writeFile(join(folder, `${program}.cjs`), bundle)
  const config = {
    main: `${program}.cjs`,
    output: 'contents',
    disableExperimentalSEAWarning: true,
    execArgv: EXECUTABLE_FLAGS,
  }
  await writeFile(join(folder, 'sea.json'), JSON.stringify(config))
  await run(host.path, ['--experimental-sea-config', 'sea.json'], { cwd: folder })
  return readFile(join(folder, 'contents'))
}

async function make(
  program: ProgramName,
  target: Target,
  from: { node: NodeForTarget; contents: Uint8Array; version: string; inject: Inject },
): Promise<Made> {
  const { node, contents, version, inject } = from
  const details = { name: program, description: PROGRAMS[program], version }
  const bytes = await makeExecutable(target, await readFile(node.path), contents, details, inject)
  return { name: `${target}/${program}${target === 'win-x64' ? '.exe' : ''}`, bytes }
}

/** postject changes a file. In a process of its own, because it never gives back the gigabyte that it takes. */
async function injectInto(
  binary: Uint8Array,
  contents: Uint8Array,
  { root, work }: { root: string; work: string },
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(work, 'inject-'))
  const path = join(folder, 'binary')
  const added = join(folder, 'contents')
  await Promise.all([writeFile(path, binary), writeFile(added, contents)])
  const options = ['--sentinel-fuse', SEA_FUSE, '--macho-segment-name', 'NODE_SEA']
  const program = join(root, 'node_modules/postject/dist/cli.js')
  await run(process.execPath, [program, path, 'NODE_SEA_BLOB', added, ...options])
  return readFile(path)
}

async function pack(
  { name, bytes }: Made,
  target: Target,
  components: readonly Component[],
  { root, version, date }: Release,
): Promise<Made> {
  const folder = `${basename(name, '.exe')}-${version}-${target}`
  const files = [
    executable(`${folder}/${basename(name)}`, bytes),
    plain(`${folder}/LICENSE`, await readFile(join(root, 'LICENSE'))),
    plain(`${folder}/LICENCES.txt`, Buffer.from(licenceTexts(components))),
  ]
  if (target === 'win-x64') return { name: `${folder}.zip`, bytes: zip(files, date) }
  return { name: `${folder}.tar.xz`, bytes: await xz(await tar(files, date)) }
}

function nodeItself({ licenceText }: NodeForTarget): Component {
  return {
    name: 'node',
    version: NODE_VERSION,
    licence: 'MIT',
    licenceText: licenceText ?? 'See https://github.com/nodejs/node/blob/main/LICENSE.',
    purl: `pkg:generic/node@${NODE_VERSION}`,
  }
}

export function hostTarget(): Target {
  return process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'
}

async function put(path: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes, { mode })
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
