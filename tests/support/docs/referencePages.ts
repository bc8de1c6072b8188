import { reports } from '@lantern-room/formats/browser'
import { createMediaApp } from '@lantern-room/media'
import { documentRoutes } from '@lantern-room/media/functions'
import { createMemoryNetwork } from '../network/memoryNetwork'
import { openDirectTarget } from '../room/roomTargets'
import { renderSettings } from './settingsReference'

/** What follows it in a page is written by `npm run figures -- reference`; what precedes it is written by hand. */
const MARK = '<!-- From here on written by `npm run figures -- reference`. -->'

/** The pages below `docs` whose second part is written from schemas, settings and reports, by that part. */
export async function referenceParts(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/media-api.md', renderApiReference(await mediaDocument())],
    ['docs/room-api.md', renderApiReference(await roomDocument())],
    ['docs/configuration.md', renderSettings()],
    ['docs/phones.md', renderPhoneReports()],
  ])
}

/** The page with its second part replaced. */
export function withReference(page: string, part: string): string {
  const [head = ''] = page.split(MARK)
  return `${head.trimEnd()}\n\n${MARK}\n\n${part}\n`
}

const CLOCK = { now: () => 0, unixTime: () => 0, after: () => () => {} }
const LOG = { debug() {}, info() {}, warn() {}, error() {} }

async function mediaDocument(): Promise<ApiDocument> {
  const config = { tokens: [], publicBaseUrl: undefined, trustProxy: false, allowedOrigins: undefined }
  const app = createMediaApp({ config, clock: CLOCK, log: LOG }, documentRoutes('0.0.0'))
  return documentOf(await app(new Request('http://127.0.0.1:8000/openapi.json')))
}

async function roomDocument(): Promise<ApiDocument> {
  const service = await openDirectTarget(createMemoryNetwork().roomNetwork)
  try {
    return await documentOf(await service.send('/openapi.json'))
  } finally {
    await service.stop()
  }
}

async function documentOf(response: Response): Promise<ApiDocument> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as ApiDocument
}

/** The parts of an OpenAPI document that a reference page shows. */
type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>
}

/**
 * The requests of a service, a line each; fields and answers are in the document itself.
 * @param document as the service serves it at `/openapi.json`
 * @returns Markdown
 */
function renderApiReference(document: ApiDocument): string {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      // A HEAD request has the headers of the GET request and no body.
      .filter(([method]) => method !== 'head')
      .map(([method, { summary = '' }]) => `| \`${method.toUpperCase()} ${path}\` | ${cell(summary)} |`),
  )
  return ['## Requests', '', '| Request | What it does |', '|---|---|', ...rows].join('\n')
}

/** Whether a request was added to the contract is for those who read the document itself. */
function cell(text: string): string {
  const plain = text.replace(/^Additive: (.)/, (_, first: string) => first.toUpperCase())
  return plain.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}

const COLUMNS = ['gallery', 'phone', 'profile', 'result', 'what was seen', 'report']

/** The reports that say something of a profile as a table, in their order. */
function renderPhoneReports(): string {
  const rows = reports
    .filter(({ profile }) => profile !== null)
    .map(({ gallery, phone, system, result, profile, what, url, date }) => [
      gallery,
      system === '' ? phone : `${phone}, ${system}`,
      `\`${profile}\``,
      result,
      what,
      `[${date}](${url})`,
    ])
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
