import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { COMMITS, REAL_FILES, type RealFile } from './realFiles'

/** Where files are kept that were brought once; git ignores it. */
const REAL_FILES_FOLDER = join('.cache', 'real-files')

export type BroughtFile = RealFile & { readonly bytes: Buffer; readonly local: string }

export type Brought = {
  readonly files: readonly BroughtFile[]
  readonly missing: readonly { readonly file: RealFile; readonly reason: string }[]
}

export type BringOptions = {
  /** Folder with git repositories, bare or not, of which some hold the files; `REAL_FILES_MIRROR` by default. */
  readonly mirror: string | undefined
  /** Whether files that are nowhere on this machine are fetched from GitHub. */
  readonly isOnline: boolean
}

/** Brings all files that can be had, one after another. A file with other bytes than expected counts as missing. */
export async function bringRealFiles({ mirror, isOnline }: BringOptions): Promise<Brought> {
  await mkdir(REAL_FILES_FOLDER, { recursive: true })
  const repositories = mirror ? await gitFolders(mirror, 3) : []
  const files: BroughtFile[] = []
  const missing: Brought['missing'][number][] = []
  for (const file of REAL_FILES) {
    try {
      files.push(await bringFile(file, repositories, isOnline))
    } catch (error) {
      missing.push({ file, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { files, missing }
}

/** @throws Error with the reason for a person when it cannot be had */
async function bringFile(
  file: RealFile,
  repositories: readonly string[],
  isOnline: boolean,
): Promise<BroughtFile> {
  const local = join(REAL_FILES_FOLDER, `${file.name}${extname(file.path).toLowerCase()}`)
  const kept = await readFile(local).catch(() => undefined)
  const found = kept ?? (await fromGit(repositories, file))
  const bytes = found ?? (isOnline ? await fromGitHub(file) : undefined)
  if (!bytes) throw new Error('it is not on this machine')
  checkHashes(file, bytes)
  if (!kept) {
    await writeFile(`${local}.part`, bytes)
    await rename(`${local}.part`, local)
  }
  return { ...file, bytes, local }
}

/** What was brought before, or lies in a mirror. Never asks the internet: tests do not depend on it. */
export function realFilesAtHand(): Promise<Brought> {
  return bringRealFiles({ mirror: process.env.REAL_FILES_MIRROR || undefined, isOnline: false })
}

function checkHashes({ blob, sha256 }: RealFile, bytes: Buffer): void {
  const isBlob = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === blob
  const isContent = sha256 === undefined || createHash('sha256').update(bytes).digest('hex') === sha256
  if (!isBlob || !isContent) throw new Error('its bytes are not those that are expected')
}

const FETCH_MS = 120_000

async function fromGitHub({ repository, path }: RealFile): Promise<Buffer> {
  const commit = COMMITS[repository as keyof typeof COMMITS]
  const url = `https://raw.githubusercontent.com/${repository}/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) }).catch(() => undefined)
  if (!response) throw new Error('GitHub cannot be reached')
  if (!response.ok) throw new Error(`GitHub answers ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

const run = promisify(execFile)

/** Any repository that has the content will do: git finds it by its hash. */
async function fromGit(repositories: readonly string[], { blob }: RealFile): Promise<Buffer | undefined> {
  for (const repository of repositories) {
    const found = await run('git', [`--git-dir=${repository}`, 'cat-file', 'blob', blob], {
      encoding: 'buffer',
      maxBuffer: 256 * 1024 * 1024,
      // A partial clone would otherwise ask its origin.
      env: { ...process.env, GIT_NO_LAZY_FETCH: '1' },
    }).catch(() => undefined)
    if (found) return found.stdout
  }
  return undefined
}

/** The git directories in a folder, down to `depth` levels. */
async function gitFolders(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = new Set(entries.map(({ name }) => name))
  if (names.has('HEAD') && names.has('objects')) return [folder]
  if (depth === 0) return []
  const inside = entries.filter((entry) => entry.isDirectory())
  return (await Promise.all(inside.map(({ name }) => gitFolders(join(folder, name), depth - 1)))).flat()
}
