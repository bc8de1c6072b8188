import { basename, dirname, extname, join } from 'node:path'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { UserFiles } from '../compose'
import { type Candidate, foldedName, type NameFamily } from './outputNames'

/** Who gets a name: what is worked on, for people, and the file by which a name is chosen. */
export type Holder = { readonly label: string; readonly path: string }

export type Choice =
  /** `isReplacing`: a plain file is there, and is to be overwritten. */
  | { readonly path: string; readonly isReplacing: boolean; readonly problem?: undefined }
  /** Why none of the names is for this one. */
  | { readonly path?: undefined; readonly problem: string }

/** When a name that is taken is not simply passed over for the next one. */
export type NameRules = {
  /** Whether a name that another file of this run has is a reason to refuse. */
  readonly isExact?: boolean
  /** Whether the plain file of this name may be overwritten; by default none is. */
  readonly mayReplace?: MayReplace
}

type MayReplace = (path: string) => Promise<boolean>

type Entry = NonNullable<Awaited<ReturnType<UserFiles['entryAt']>>>
type Files = Pick<UserFiles, 'entryAt' | 'listNames'>

/**
 * The outputs of a run, decided before its first byte is written: none of them is an input, whatever it is called, and no two have one
 * name (docs/decisions.md, D175).
 * @param inputs of the run, by what `entryAt` knows them by
 */
export function createOutputPlan(files: Files, inputs: ReadonlyMap<string, string>) {
  const holders = new Map<string, Holder>()
  /** Names that no file of this run gets, although none has them. */
  const passed = new Set<string>()
  /** Those that files of this run have: a number is given once. */
  const numbers = new Set<number>()
  let lowest = 1
  const listings = new Map<string, Promise<readonly string[]>>()
  const families = new Map<string, Promise<readonly string[]>>()

  return {
    /** Reserves a name of a family. */
    claim: reserve,

    /** Reserves a name for the report of the run. @throws ServiceError when it is that of an input */
    async claimReport(path: string): Promise<void> {
      const there = await files.entryAt(path).catch(() => undefined)
      const input = there && inputs.get(there.id)
      if (input !== undefined)
        throw new ServiceError(
          'invalid-request',
          `${path}: The report would be written over ${input}, which is an input.`,
        )
      holders.set(foldedName(path), { label: 'the report', path })
    },

    isClaimed: (path: string) => holders.has(foldedName(path)),

    /** The input that has this name, if one has. @throws the system's error */
    inputAt: async (path: string) => inputs.get((await files.entryAt(path))?.id ?? ''),

    /** What is there of these names, the shortest first. */
    present(family: NameFamily): Promise<readonly string[]> {
      const known = families.get(family.key) ?? listFamily(family)
      families.set(family.key, known)
      return known
    },

    /** The first of the names that nothing else has, or has to keep. It is reserved. */
    async choose(family: NameFamily, holder: Holder, rules: NameRules = {}): Promise<Choice> {
      let first: Holder | undefined
      for (const candidate of family.candidates(lowestFree())) {
        const { path } = candidate
        const key = foldedName(path)
        const other = holders.get(key)
        first ??= other
        if (other && rules.isExact) return { problem: `It would become ${path}, as ${other.path} does.` }
        const isGiven = numbers.has(family.numberOf(foldedName(basename(path))) ?? 0)
        if (other || isGiven || passed.has(key) || isLikeFirst(candidate, first, holder)) continue
        const choice = await judge(path, family, rules)
        if (!choice) passed.add(key)
        else return reserved(choice, family, holder)
      }
      throw new Error('names have an end')
    },
  }

  function reserve(path: string, family: NameFamily, holder: Holder): void {
    holders.set(foldedName(path), holder)
    const number = family.numberOf(foldedName(basename(path)))
    if (number !== undefined) numbers.add(number)
  }

  function lowestFree(): number {
    while (numbers.has(lowest)) lowest += 1
    return lowest
  }

  function reserved(choice: Choice, family: NameFamily, holder: Holder): Choice {
    if (choice.path !== undefined) reserve(choice.path, family, holder)
    return choice
  }

  /** @returns undefined when the next name is to be tried */
  async function judge(
    path: string,
    family: NameFamily,
    { mayReplace }: NameRules,
  ): Promise<Choice | undefined> {
    const there = await entryAt(path).catch(tooLong)
    if (there === TOO_LONG) return { problem: `The name of its photo would be too long: ${basename(path)}` }
    const input = there && inputs.get(there.id)
    if (isFree(there, input)) return { path, isReplacing: false }
    if (family.hasNumber) return undefined
    if (input !== undefined) return { problem: overInput(input) }
    return there && mayReplace && replaced(path, there, mayReplace)
  }

  /** In a folder that is yet to be made, how long a name may be is asked above it. */
  async function entryAt(path: string): Promise<Entry | undefined> {
    const there = await files.entryAt(path)
    let folder = dirname(path)
    if (there || (await files.entryAt(folder))) return there
    while (folder !== dirname(folder) && !(await files.entryAt(folder))) folder = dirname(folder)
    await files.entryAt(join(folder, basename(path)))
    return undefined
  }

  async function listFamily({ folder, includes }: NameFamily): Promise<readonly string[]> {
    const listing = listings.get(folder) ?? listFolder(folder)
    listings.set(folder, listing)
    const paths = (await listing).filter((path) => includes(foldedName(basename(path))))
    return paths.sort((one, other) => one.length - other.length)
  }

  async function listFolder(folder: string): Promise<readonly string[]> {
    const names = await files.listNames(folder).catch(() => undefined)
    return (names?.files ?? []).map((name) => join(folder, name))
  }
}

/** An empty file is what a killed run has left. */
function isFree(there: Entry | undefined, input: string | undefined): boolean {
  return !there || (input === undefined && there.kind === 'file' && there.bytes === 0)
}

/** Why an input is no place for an output. */
export function overInput(input: string): string {
  return `It would be written over ${input}, an input of this run, which is never overwritten.`
}

async function replaced(path: string, { kind }: Entry, mayReplace: MayReplace): Promise<Choice | undefined> {
  if (kind !== 'file') return { problem: `${path} is no plain file, and only those are ever replaced.` }
  return (await mayReplace(path)) ? { path, isReplacing: true } : undefined
}

const TOO_LONG = 'too long'

/** @returns undefined for what is found again when the file is written */
function tooLong(error: unknown): typeof TOO_LONG | undefined {
  return systemCode(error) === 'ENAMETOOLONG' ? TOO_LONG : undefined
}

/** The ending of a file tells its name only from one that has another. */
function isLikeFirst({ isLonger }: Candidate, first: Holder | undefined, { path }: Holder): boolean {
  return isLonger && (!first || extname(first.path) === extname(path))
}

export type OutputPlan = ReturnType<typeof createOutputPlan>

/** The inputs of a run, by what `entryAt` knows them by. What is not there is none. */
export async function inputsById(
  paths: readonly string[],
  files: Pick<UserFiles, 'entryAt' | 'filesOf'>,
): Promise<ReadonlyMap<string, string>> {
  const inputs = new Map<string, string>()
  for (const path of await files.filesOf(paths)) {
    const entry = await files.entryAt(path).catch(() => undefined)
    if (entry && !inputs.has(entry.id)) inputs.set(entry.id, path)
  }
  return inputs
}
