import { type Language, version } from '@lantern-room/base'
import {
  albumsOf,
  type Found,
  type Line,
  planExport,
  readExport,
  runWorks,
  type Work,
} from '@lantern-room/takeout/work'
import { collect } from '../../shared/memory'
import { type Given, openExport } from './openExport'
import { blobSink, fileSink, resultsInFolder, resultsInZip, type Target, TargetError } from './results'
import { Screen, type Stage, type Summary, speakIn, type Wish } from './screens'
import { type Tree, treesOf } from './tree'

// An export in the worker: from the files that a person gives to what became of each.

/** What the page is told: what it shows, and a file that is to be saved. */
export type Told = {
  readonly stage: Stage['name']
  readonly trees: readonly Tree[]
  readonly save?: { readonly file: Blob; readonly name: string } | undefined
}

type Session = {
  readonly tell: (told: Told) => void
  readonly canPickFolder: boolean
  readonly given: readonly Given[]
  readonly end: () => void
  language: Language
  stage: Stage
  wish: Wish
  lines: Line[]
  found: Found | undefined
  works: readonly Work[]
  stopping: AbortController
}

let session: Session | undefined

/**
 * Opens an export, and tells what is found. Ends when it is closed.
 * @param given no files: the person is asked for them
 * @param canPickFolder whether the browser asks for a folder to write into
 */
export function takeOut(
  given: readonly Given[],
  canPickFolder: boolean,
  language: Language,
  tell: (told: Told) => void = () => undefined,
): Promise<void> {
  session?.stopping.abort()
  session?.end()
  return new Promise((resolve) => {
    const opened: Session = {
      tell,
      canPickFolder,
      given,
      end: resolve,
      language,
      stage: { name: given.length === 0 ? 'start' : 'reading', share: undefined },
      wish: { pairs: 'joined', albums: 'folders', editions: 'both' },
      lines: [],
      found: undefined,
      works: [],
      stopping: new AbortController(),
    }
    session = opened
    show(opened, opened.stage)
    if (given.length > 0) void look(opened)
  })
}

/** What a person has pressed or chosen. @param handle of the place that was picked for the results */
export async function press(act: string, value?: string, handle?: FileSystemHandle): Promise<void> {
  const own = session
  if (!own) return
  if (act === 'close' || act === 'asList') {
    own.stopping.abort()
    own.end()
    session = undefined
  } else if (act === 'stop') own.stopping.abort()
  else if (act === 'language') {
    own.language = value === 'zh-CN' ? 'zh-CN' : 'en'
    show(own, own.stage)
  } else if (act === 'report') show(own, own.stage, { file: reportOf(own.lines), name: 'report.jsonl' })
  else if (act === 'intoFolder' && handle instanceof FileSystemDirectoryHandle)
    await run(own, resultsInFolder(handle, own.stopping.signal))
  else if (act === 'intoZip') {
    const sink = handle instanceof FileSystemFileHandle ? await fileSink(handle) : blobSink()
    await run(own, resultsInZip(sink, own.stopping.signal))
  } else if (act in own.wish) await choose(own, { ...own.wish, [act]: value })
}

/** @param save what is to be saved with it. @default nothing */
function show(own: Session, stage: Stage, save?: Told['save']): void {
  own.stage = stage
  const trees = treesOf(
    <Screen stage={stage} say={speakIn(own.language)} canPickFolder={own.canPickFolder} />,
  )
  own.tell({ stage: stage.name, trees, save })
}

function reportOf(lines: readonly Line[]): Blob {
  const texts = lines.map(({ input, status, output, reason }) =>
    JSON.stringify({ input, status, output, reason }),
  )
  return new Blob([texts.map((text) => `${text}\n`).join('')], { type: 'application/jsonl' })
}

const sentenceOf = () => 'It is damaged, or no longer there.'

async function look(own: Session): Promise<void> {
  const { signal } = own.stopping
  try {
    const files = await openExport(own.given, signal)
    own.found = await readExport(files, {
      tell: (line) => own.lines.push(line),
      onProgress: everyNow((share) => show(own, { name: 'reading', share })),
      signal,
      sentenceOf,
    })
    await choose(own, own.wish)
  } catch (error) {
    if (!signal.aborted) throw error
    own.end()
  }
}

/** Lists of files are short. */
const MOST_LISTED = 200

async function choose(own: Session, wish: Wish): Promise<void> {
  if (!own.found) return
  own.wish = wish
  own.works = await planExport(own.found, wish.editions, Date.now())
  show(own, {
    name: 'found',
    isExport: own.found.words.isExport,
    summary: summaryOf(own),
    wish,
    lines: own.lines,
    lacksClip: own.works.filter(({ lacksClip }) => lacksClip).map(({ item }) => item.entries[0].path),
    mayBeList: own.given.length <= MOST_LISTED,
  })
}

function summaryOf({ works, found, lines }: Session): Summary {
  const wanted = works.filter(({ left }) => left === undefined)
  const isPhoto = ({ item }: Work) => item.survey.kind === 'photo'
  const albums = new Set(wanted.flatMap((work) => (found ? albumsOf(work, found.words) : [])))
  const items = found?.items ?? []
  const ofKind = (kind: Line['kind'], status: Line['status']) =>
    lines.filter((line) => line.kind === kind && line.status === status).length
  const all: Summary = [
    ['photos', wanted.filter(isPhoto).length],
    ['videos', wanted.filter((work) => !isPhoto(work)).length],
    ['pairs', wanted.filter(({ clip }) => clip).length],
    ['inside', wanted.filter(({ inside }) => inside).length],
    ['copies', items.reduce((sum, { entries }) => sum + entries.length - 1, 0)],
    ['albums', albums.size],
    ['texts', ofKind('side-cars', 'metadata')],
    ['lacksClip', wanted.filter(({ lacksClip }) => lacksClip).length],
    ['lacksPhoto', ofKind('side-cars', 'left')],
    ['otherFiles', ofKind('others', 'left')],
    ['refusedFiles', lines.filter(({ status }) => status === 'refused').length],
  ]
  return all.filter(([key, count]) => count > 0 || key === 'photos')
}

async function run(own: Session, results: Target): Promise<void> {
  if (!own.found) return
  const { signal } = own.stopping
  const saved = () => own.lines.filter(({ status }) => status === 'made' || status === 'copied').length
  const progress = everyNow((share) => show(own, { name: 'doing', share, saved: saved() }))
  show(own, { name: 'doing', share: 0, saved: 0 })
  let how: Extract<Stage, { readonly name: 'done' }>['how'] = 'done'
  try {
    await runWorks(own.works, {
      doing: {
        results,
        signal,
        albums: own.wish.albums,
        profile: own.wish.pairs === 'joined' ? 'universal' : undefined,
        words: own.found.words,
        software: `Lantern Room ${version}`,
        localZone: (unixMs) => -new Date(unixMs).getTimezoneOffset(),
      },
      tell: (line) => own.lines.push(line),
      onProgress: progress,
      signal,
      sentenceOf,
      endsAll: (error) => error instanceof TargetError,
    })
  } catch (error) {
    if (!signal.aborted && !(error instanceof TargetError)) throw error
    how = signal.aborted ? 'stopped' : 'ended'
  }
  const zip = await results.finish().catch(() => {
    how = 'ended'
    return undefined
  })
  const saving = zip && { file: zip, name: 'photos.zip' }
  show(own, { name: 'done', how, saved: saved(), lines: own.lines }, saving)
}

const TOLD_MS = 200
/** So many times it is told until what was read is collected: thousands of files are read meanwhile. */
const COLLECTED_EACH = 10

/** Tells how far the work is a few times a second. */
function everyNow(tell: (share: number) => void): (share: number) => void {
  let toldAt = 0
  let told = 0
  return (share) => {
    const now = Date.now()
    if (now - toldAt < TOLD_MS) return
    toldAt = now
    tell(share)
    told += 1
    if (told % COLLECTED_EACH === 0) collect()
  }
}
