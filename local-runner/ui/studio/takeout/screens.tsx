import { type Language, textIn } from '@lantern-room/base'
import {
  type AlbumChoice,
  type Editions,
  KINDS,
  type Line,
  type ProblemKind,
  STATUSES,
} from '@lantern-room/takeout/work'
import type { ComponentChildren } from 'preact'
import type { Picker, Pressed } from './tree'
import words from './words.json'

// What is shown of an export. The worker draws it, so that the page does not carry it before it is needed: a press is told to the
// worker by its `act`, a choice by its name.

export type Key = keyof typeof words
type Say = (key: Key, value?: string | number) => string

export function speakIn(language: Language): Say {
  return (key, value) => textIn(language, words[key], value === undefined ? {} : { value })
}

/** What is chosen before an export is put together. */
export type Wish = {
  readonly pairs: 'joined' | 'keptApart'
  readonly albums: Exclude<AlbumChoice, 'links'>
  readonly editions: Editions
}

/** What was found, each with how often. */
export type Summary = readonly (readonly [Key, number])[]

export type Stage =
  | { readonly name: 'start' }
  | { readonly name: 'reading'; readonly share: number | undefined }
  | {
      readonly name: 'found'
      readonly isExport: boolean
      readonly summary: Summary
      readonly wish: Wish
      readonly lines: readonly Line[]
      readonly lacksClip: readonly string[]
      readonly mayBeList: boolean
    }
  | { readonly name: 'doing'; readonly share: number; readonly saved: number }
  | {
      readonly name: 'done'
      readonly how: 'done' | 'stopped' | 'ended'
      readonly saved: number
      readonly lines: readonly Line[]
    }

type Shown<Name extends Stage['name']> = {
  readonly stage: Extract<Stage, { readonly name: Name }>
  readonly say: Say
}

export function Screen({
  stage,
  say,
  canPickFolder,
}: {
  readonly stage: Stage
  readonly say: Say
  readonly canPickFolder: boolean
}) {
  switch (stage.name) {
    case 'start':
      return <Start say={say} />
    case 'reading':
      return <Working title={say('reading')} share={stage.share} say={say} />
    case 'found':
      return <FoundScreen stage={stage} say={say} canPickFolder={canPickFolder} />
    case 'doing':
      return <Working title={say('doing')} share={stage.share} note={say('saved', stage.saved)} say={say} />
    case 'done':
      return <Done stage={stage} say={say} />
  }
}

function Heading({ children }: { readonly children: ComponentChildren }) {
  return <h2 tabIndex={-1}>{children}</h2>
}

function Press(props: {
  readonly act: string
  readonly label: string
  readonly isMain?: boolean
  readonly picker?: Picker
}) {
  const { act, label, isMain = false, picker } = props
  const pressed: Pressed = { act, picker }
  return (
    <button type="button" class={isMain ? 'main' : ''} {...pressed}>
      {label}
    </button>
  )
}

function Start({ say }: { readonly say: Say }) {
  return (
    <>
      <Heading>{say('startTitle')}</Heading>
      <p>{say('startText')}</p>
      <div class="row">
        <label class="button main">
          {say('chooseZips')}
          <input type="file" name="zips" class="unseen" multiple />
        </label>
        <label class="button">
          {say('chooseFolder')}
          <input type="file" name="folder" class="unseen" {...{ webkitdirectory: true }} />
        </label>
        <Press act="close" label={say('close')} />
      </div>
    </>
  )
}

function Working(props: {
  readonly title: string
  readonly share: number | undefined
  readonly note?: string
  readonly say: Say
}) {
  const { title, share, note, say } = props
  return (
    <>
      <Heading>{title}</Heading>
      <progress aria-label={title} max={1} {...(share !== undefined && { value: share })} />
      <p class="row">
        <span class="quiet grow">
          {[share === undefined ? undefined : `${Math.floor(share * 100)} %`, note]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <Press act="stop" label={say('stop')} />
      </p>
    </>
  )
}

function FoundScreen({ stage, say, canPickFolder }: Shown<'found'> & { readonly canPickFolder: boolean }) {
  const { isExport, summary, wish, lines, lacksClip, mayBeList } = stage
  const hasFiles = summary.some(([key, count]) => (key === 'photos' || key === 'videos') && count > 0)
  return (
    <>
      <Heading>{say(isExport ? 'isExport' : 'isFolder')}</Heading>
      <table class="counts">
        <tbody>
          {summary.map(([key, count]) => (
            <tr key={key}>
              <th scope="row">{say(key)}</th>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Problems lines={lines} say={say} />
      <Names title={say('lacksClip')} names={lacksClip} say={say} />
      {hasFiles ? <Choices wish={wish} say={say} /> : <p>{say('nothing')}</p>}
      <div class="row">
        {hasFiles && canPickFolder && (
          <Press
            act="intoFolder"
            label={say('intoFolder')}
            picker={['showDirectoryPicker', { mode: 'readwrite' }]}
            isMain
          />
        )}
        {hasFiles && (
          <Press
            act="intoZip"
            label={say('intoZip')}
            picker={['showSaveFilePicker', { suggestedName: 'photos.zip' }]}
            isMain={!canPickFolder}
          />
        )}
        {mayBeList && <Press act="asList" label={say('asList')} />}
        <Press act="close" label={say('close')} />
      </div>
    </>
  )
}

function Choices({ wish, say }: { readonly wish: Wish; readonly say: Say }) {
  return (
    <div class="row choices">
      <Choice
        name="pairs"
        label={say('pairsChoice')}
        value={wish.pairs}
        options={{ joined: say('joined'), keptApart: say('keptApart') }}
      />
      <Choice
        name="albums"
        label={say('albumsChoice')}
        value={wish.albums}
        options={{ folders: say('asFolders'), keywords: say('asKeywords') }}
      />
      <Choice
        name="editions"
        label={say('editionsChoice')}
        value={wish.editions}
        options={{ both: say('both'), originals: say('originals'), edited: say('edited') }}
      />
    </div>
  )
}

function Choice(props: {
  readonly name: keyof Wish
  readonly label: string
  readonly value: string
  readonly options: Readonly<Record<string, string>>
}) {
  const { name, label, value, options } = props
  return (
    <label>
      {label}
      <select name={name} value={value}>
        {Object.entries(options).map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

const KIND_NAMES = { photos: 'photos', videos: 'videos', 'side-cars': 'sideCars', others: 'others' } as const

function Done({ stage: { how, saved, lines }, say }: Shown<'done'>) {
  return (
    <>
      <Heading>{say(how, saved)}</Heading>
      {how !== 'done' && <p>{say(how === 'ended' ? 'endedText' : 'stoppedText')}</p>}
      <Outcomes lines={lines} say={say} />
      <Problems lines={lines} say={say} />
      <div class="row">
        <Press act="report" label={say('report')} isMain />
        <Press act="close" label={say('close')} />
      </div>
    </>
  )
}

/** What became of how many files of each kind. */
function Outcomes({ lines, say }: { readonly lines: readonly Line[]; readonly say: Say }) {
  const count = (kind: Line['kind'], status: Line['status']) =>
    lines.filter((line) => line.kind === kind && line.status === status).length
  const rows = STATUSES.filter((status) => lines.some((line) => line.status === status))
  const kinds = KINDS.filter((kind) => lines.some((line) => line.kind === kind))
  return (
    <table class="counts outcomes">
      <caption class="unseen">{say('table')}</caption>
      <thead>
        <tr>
          <td />
          {kinds.map((kind) => (
            <th key={kind} scope="col">
              {say(KIND_NAMES[kind])}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((status) => (
          <tr key={status}>
            <th scope="row">{say(status)}</th>
            {kinds.map((kind) => (
              <td key={kind}>{count(kind, status) || ''}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const PROBLEMS: readonly ProblemKind[] = [
  'missingPart',
  'cut',
  'encrypted',
  'leadsOut',
  'unsafe',
  'empty',
  'other',
]

function Problems({ lines, say }: { readonly lines: readonly Line[]; readonly say: Say }) {
  const refused = lines.filter(({ status }) => status === 'refused')
  return PROBLEMS.map((kind) => (
    <Names
      key={kind}
      title={say(kind)}
      names={refused.filter(({ problem = 'other' }) => problem === kind).map(({ input }) => input)}
      say={say}
    />
  ))
}

const MOST_NAMES = 50

function Names(props: { readonly title: string; readonly names: readonly string[]; readonly say: Say }) {
  const { title, names, say } = props
  if (names.length === 0) return null
  const more = names.length - MOST_NAMES
  return (
    <details>
      <summary>
        {title} ({names.length})
      </summary>
      <ul>
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {more > 0 && <li>{say('andMore', more)}</li>}
      </ul>
    </details>
  )
}
