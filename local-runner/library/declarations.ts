import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/** The `exports` and `imports` of a workspace, each a path of a source. */
type Workspace = {
  readonly name: string
  readonly folder: string
  readonly exports: Readonly<Record<string, string>>
  readonly imports: Readonly<Record<string, string>>
}

/** What follows `from` or `import(` in a declaration file, as tsc writes it. */
const SPECIFIER = /((?:\bfrom |\bimport |\bimport\()(['"]))([^'"\n]+)\2/g
const OURS = '@lantern-room/'

/**
 * Makes declarations that any project can read of those that tsc has written from our sources: names of our workspaces become relative
 * paths, since these packages are in no registry, and each path gets its ending, which Node's resolution wants.
 * @param folder where `core` and `local-runner` of the declarations lie
 * @param entries the declarations of the doors, below `folder`; what none of them leads to is removed
 * @param root the project's top
 * @throws Error when a declaration names something that was not written
 */
export async function makeStandalone(
  folder: string,
  entries: readonly string[],
  root: string,
): Promise<void> {
  const workspaces = await readWorkspaces(root)
  const wanted = new Set<string>()
  const waiting = [...entries]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (wanted.has(path)) continue
    wanted.add(path)
    const from = path
    const text = await readFile(join(folder, path), 'utf8')
    const standalone = text.replaceAll(SPECIFIER, (whole, start: string, quote: string, name: string) => {
      const target = declarationOf(name, from, workspaces)
      if (target === undefined) return whole
      waiting.push(target)
      return `${start}${relativeName(from, target)}${quote}`
    })
    await writeFile(join(folder, path), standalone)
  }
  await removeOthers(folder, wanted)
}

async function readWorkspaces(root: string): Promise<readonly Workspace[]> {
  const names = await readdir(join(root, 'core'))
  return Promise.all(
    names.map(async (name) => {
      const manifest = JSON.parse(await readFile(join(root, 'core', name, 'package.json'), 'utf8'))
      return {
        name: manifest.name,
        folder: `core/${name}`,
        exports: manifest.exports,
        imports: manifest.imports,
      }
    }),
  )
}

/** @returns the path of the declarations of a module; undefined for those of packages that are not ours */
function declarationOf(name: string, from: string, workspaces: readonly Workspace[]): string | undefined {
  if (name.startsWith('.')) return declared(join(dirname(from), name))
  const own = workspaces.find(({ folder }) => from.startsWith(`${folder}/`))
  if (name.startsWith('#') && own) return declared(join(own.folder, pathOfImport(name, own)))
  const other = workspaces.find(
    (workspace) => name === workspace.name || name.startsWith(`${workspace.name}/`),
  )
  const door = other?.exports[`.${name.slice(other.name.length)}`]
  if (other && door) return declared(join(other.folder, door))
  if (name.startsWith('#') || name.startsWith(OURS))
    throw new Error(`${from} names ${name}, which is nowhere.`)
  return undefined
}

function pathOfImport(name: string, { imports, folder }: Workspace): string {
  const [pattern, path] = Object.entries(imports).find(([key]) => isMatch(name, key)) ?? []
  if (!pattern || !path)
    throw new Error(`${folder} imports ${name}, which its package.json does not declare.`)
  const [start = '', end = ''] = pattern.split('*')
  return path.replace('*', name.slice(start.length, name.length - end.length))
}

function isMatch(name: string, pattern: string): boolean {
  const [start = '', end = ''] = pattern.split('*')
  return name.startsWith(start) && name.endsWith(end)
}

function declared(path: string): string {
  return `${path.split(sep).join('/').replace(/\.ts$/, '')}.d.ts`
}

function relativeName(from: string, to: string): string {
  const path = relative(dirname(from), to)
    .split(sep)
    .join('/')
    .replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}

async function removeOthers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    if (!wanted.has(relative(folder, path).split(sep).join('/'))) await rm(path)
  }
}
