import { ServiceError } from '@lantern-room/base'
import { type ExportEntry, type ExportFiles, type ProblemKind, withEntry } from '../archives/exportEntry'
import { isAccountFile } from '../names/folders'
import { partsOf } from '../names/nameParts'
import { baseOf } from '../names/paths'
import { folded } from '../names/spelling'
import { type Doing, doWork, type Outcome } from './doWork'
import { type ExportWords, readExportWords } from './exportWords'
import { type Item, itemsOf, type Surveyed } from './items'
import { type AlbumChoice, copyName, placeOf } from './placeWork'
import { type Editions, planTakeout, type Work } from './planTakeout'
import { surveyEntry } from './surveyEntry'

export const STATUSES = ['made', 'copied', 'merged', 'duplicate', 'metadata', 'left', 'refused'] as const

export type Status = (typeof STATUSES)[number]

export const KINDS = ['photos', 'videos', 'side-cars', 'others'] as const

export type Kind = (typeof KINDS)[number]

/** What became of a file of an export. */
export type Line = {
  readonly input: string
  readonly kind: Kind
  readonly status: Status
  readonly output?: string | undefined
  readonly reason?: string | undefined
  /** What is wrong with a file that is refused. */
  readonly problem?: ProblemKind | undefined
}

/** What is told of a run while it goes on, and how it is ended. */
export type Telling = {
  readonly tell: (line: Line) => void
  /** @param share of this part of the work that is done, from 0 to 1 */
  readonly onProgress?: ((share: number) => void) | undefined
  readonly signal: AbortSignal
  /** What an error says of one file, where it is of no kind that is known here. */
  readonly sentenceOf: (error: unknown) => string
}

/** What is in an export, and what belongs together, whatever of it is wanted. */
export type Found = {
  readonly items: readonly Item[]
  readonly words: ExportWords
}

/** Files that are looked into at a time. */
const AT_A_TIME = 4

/**
 * Looks into all files of an export, and tells what is wrong with them.
 * @throws the signal's reason
 * @example const found = await readExport(files, telling)
 */
export async function readExport({ entries, problems }: ExportFiles, telling: Telling): Promise<Found> {
  const { tell, signal } = telling
  for (const { path, reason, kind, isLeft } of problems)
    tell({ input: path, kind: 'others', status: isLeft ? 'left' : 'refused', reason, problem: kind })
  const { texts, media, others } = sorted(entries)
  for (const { path } of others)
    tell({ input: path, kind: 'others', status: 'left', reason: 'no photo or video' })
  const surveyed = await surveyAll(media, telling)
  const ofMedia = surveyed.map(({ entry }) => entry)
  const words = await readExportWords(texts, ofMedia, signal)
  for (const [{ path }, outcome] of words.outcomes) tell({ input: path, kind: 'side-cars', ...outcome })
  return { items: await itemsOf(surveyed, signal), words }
}

/**
 * Decides what becomes of an export.
 * @example const works = await planExport(found, 'both', Date.now())
 */
export function planExport(
  { items, words }: Found,
  editions: Editions,
  now: number,
): Promise<readonly Work[]> {
  return planTakeout(items, words, { editions, now })
}

type Sorted = Readonly<Record<'texts' | 'media' | 'others', readonly ExportEntry[]>>

/** By their names. What has no ending is looked into. */
function sorted(entries: readonly ExportEntry[]): Sorted {
  const texts: ExportEntry[] = []
  const media: ExportEntry[] = []
  const others: ExportEntry[] = []
  for (const entry of entries) {
    const { kind } = partsOf(baseOf(entry.plain))
    if (isAccountFile(entry.plain)) others.push(entry)
    else if (/\.(?:json|csv)$/i.test(entry.plain)) texts.push(entry)
    else (kind === 'other' ? others : media).push(entry)
  }
  return { texts, media, others }
}

async function surveyAll(media: readonly ExportEntry[], telling: Telling): Promise<readonly Surveyed[]> {
  const surveyed: Surveyed[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < media.length; at = next++) {
      const entry = media[at]
      const found = entry && (await surveyOne(entry, telling))
      if (found) surveyed.push(found)
      telling.onProgress?.(at / media.length)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return surveyed
}

async function surveyOne(entry: ExportEntry, telling: Telling): Promise<Surveyed | undefined> {
  const { tell, signal } = telling
  signal.throwIfAborted()
  const { path: input } = entry
  const { kind: name } = partsOf(baseOf(entry.plain))
  const kind = name === 'picture' ? 'photos' : 'videos'
  const refuse = (reason: string, problem: ProblemKind) =>
    tell({ input, kind, status: 'refused', reason, problem })
  if (entry.size === 0) return void refuse('It is empty.', 'empty')
  try {
    const survey = await withEntry(entry, 'parts', (source) => surveyEntry(entry.plain, source, signal))
    if (survey.kind !== 'other') return { entry, survey }
    tell({ input, kind: 'others', status: 'left', reason: 'no photo or video' })
  } catch (error) {
    signal.throwIfAborted()
    refuse(sentenceOf(error, telling), 'other')
  }
  return undefined
}

function sentenceOf(error: unknown, telling: Telling): string {
  return error instanceof ServiceError ? error.detail : telling.sentenceOf(error)
}

export type Running = Telling & {
  readonly doing: Doing
  /** Whether an error would end the work on every other file, too. */
  readonly endsAll: (error: unknown) => boolean
}

/**
 * Does all works, a few at a time, and tells what became of them in their order. When the machine is full, those that have not begun
 * are refused without trying.
 * @throws the error that ended all; the signal's reason
 * @example await runWorks(works, { doing, tell, signal, sentenceOf, endsAll })
 */
export async function runWorks(works: readonly Work[], running: Running): Promise<void> {
  const { doing, tell, signal, onProgress } = running
  const begun: { readonly work: Work; readonly done: ReturnType<typeof linesOfWork> }[] = []
  const turns = createTurns()
  let ended: { readonly error: unknown } | undefined
  let finished = 0
  try {
    for (const work of works) {
      signal.throwIfAborted()
      const done = ended
        ? Promise.resolve(ended)
        : turns.take(nameKeyOf(work, doing), () => linesOfWork(work, running))
      begun.push({ work, done })
      if (begun.length >= AT_A_TIME) await finishFirst()
    }
    while (begun.length > 0) await finishFirst()
  } finally {
    await Promise.allSettled(begun.map(({ done }) => done))
  }
  if (ended) throw ended.error

  async function finishFirst(): Promise<void> {
    const first = begun[0]
    const lines = await first?.done
    begun.shift()
    if (!first || !lines) return
    if (!Array.isArray(lines)) ended = lines
    for (const line of Array.isArray(lines) ? lines : refusalOf(first.work, lines.error, running)) tell(line)
    finished += 1
    onProgress?.(finished / works.length)
  }
}

/** Works that may want one name are done one after the other: whatever the machine, the first of them gets it. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return {
    take<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(key)
      const done = before ? before.then(work, work) : work()
      last.set(key, done)
      return done
    },
  }
}

function nameKeyOf(
  work: Work,
  { words, albums }: { readonly words: ExportWords; readonly albums: AlbumChoice },
) {
  const { folder } = placeOf(work, words, albums)
  const stem = copyName(work.item.entries[0].plain, false).replace(/\.[^.]*$/, '')
  return folded([...folder, stem.replace(/(?:[._]MP)*(?: ?\(\d+\))?(?:-\d+)?$/i, '')].join('/'))
}

/** @returns an error that ends all works */
async function linesOfWork(work: Work, running: Running): Promise<Line[] | { readonly error: unknown }> {
  try {
    return (await doWork(work, running.doing)).flatMap(linesOf)
  } catch (error) {
    running.signal.throwIfAborted()
    return running.endsAll(error) ? { error } : refusalOf(work, error, running)
  }
}

function refusalOf({ item, clip, inside }: Work, error: unknown, telling: Telling): Line[] {
  const reason = sentenceOf(error, telling)
  return [item, clip, inside].flatMap((one) =>
    (one?.entries ?? []).map(({ path: input }) => ({
      input,
      kind: kindOf(one),
      status: 'refused' as const,
      reason,
      problem: 'other' as const,
    })),
  )
}

function kindOf(item: Item | undefined): Kind {
  return item?.survey.kind === 'photo' ? 'photos' : 'videos'
}

/** The file that was read, and its copies. */
function linesOf({ item, status, output, reason }: Outcome): readonly Line[] {
  const [first, ...copies] = item.entries
  const kind = kindOf(item)
  return [
    { input: first.path, kind, status, output, reason },
    ...copies.map(({ path: input }) => ({
      input,
      kind,
      status: status === 'left' ? ('left' as const) : ('duplicate' as const),
      output,
      reason: `the same as ${first.path}`,
    })),
  ]
}
