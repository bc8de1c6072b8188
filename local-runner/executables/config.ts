import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { isTarget, NODE_BINARIES } from './nodeBinaries'

/** What executables are made of. */
export const PROGRAMS = {
  room: 'Lantern Room: play in one world with friends',
  'lantern-room': 'Lantern Room: motion photo API and room service',
}

export type ProgramName = keyof typeof PROGRAMS

export type ReleaseChoice = ReturnType<typeof readReleaseChoice>

/**
 * @param args names of programs and targets, all of a kind when none of it is named; `--unpacked`, `--out FOLDER`, `--url URL`
 * @throws Error in one sentence for another word
 */
export function readReleaseChoice(args: readonly string[]) {
  const { values, positionals: words } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      unpacked: { type: 'boolean', default: false },
      out: { type: 'string' },
      url: { type: 'string' },
    },
  })
  const unknown = words.find((word) => !isTarget(word) && !isProgram(word))
  if (unknown !== undefined) {
    const known = [...Object.keys(PROGRAMS), ...Object.keys(NODE_BINARIES)].join(', ')
    throw new Error(`There is no "${unknown}": ${known} are there.`)
  }
  const programs = words.filter(isProgram)
  const targets = words.filter(isTarget)
  return {
    programs: programs.length > 0 ? programs : Object.keys(PROGRAMS).filter(isProgram),
    targets: targets.length > 0 ? targets : Object.keys(NODE_BINARIES).filter(isTarget),
    /** Whether archives are made, which takes longer than all the rest. */
    isPacked: !values.unpacked,
    /** Where everything is written; undefined for `dist/executables`. */
    folder: values.out,
    /** The folder from which the archives will be downloaded; undefined where no manifests are written. */
    downloads: readDownloads(values.url),
  }
}

function readDownloads(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  if (!/^https:\/\/[^\s"'\\#?]+$/.test(url))
    throw new Error(`--url is the https address of the folder of the downloads, and not "${url}".`)
  return url.replace(/\/+$/, '')
}

/**
 * The date of everything in a release, so that two builds of one commit are equal: SOURCE_DATE_EPOCH (seconds), or the
 * commit's. @throws Error in one sentence where there is neither
 */
export async function releaseDate(root: string, epoch = process.env.SOURCE_DATE_EPOCH): Promise<Date> {
  const seconds = epoch ?? (await dateOfCommit(root))
  // A zip archive knows no earlier time.
  if (seconds !== undefined && /^\d{9,10}$/.test(seconds) && Number(seconds) > Date.UTC(1980, 0, 2) / 1000)
    return new Date(Number(seconds) * 1000)
  throw new Error(
    'Set SOURCE_DATE_EPOCH to the date of the release, in seconds since 1970: this is no git checkout.',
  )
}

async function dateOfCommit(root: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%ct'], { cwd: root })
    return stdout.trim()
  } catch {
    return undefined
  }
}

function isProgram(word: string): word is ProgramName {
  return Object.hasOwn(PROGRAMS, word)
}
