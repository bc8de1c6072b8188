import { createMediaApp } from '@lantern-room/media'
import { documentRoutes } from '@lantern-room/media/functions'
import type { RoomAppDependencies } from '#internal/room/api/http/roomRoute'
import { createRoomApp } from '#internal/room/api/roomApp'
import { ROOM_ROUTES } from '#internal/room/api/roomRoutes'
import { type ApiDocument, renderApiReference } from './apiReference'
import { renderPhoneReports } from './phoneReports'
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
  // The document needs no service: only what the guards before it and its own route read is here.
  const dependencies = {
    config: { allowedOrigins: [], token: undefined },
    clock: { unixTime: () => 0 },
    log: LOG,
    meta: { version: '0.0.0' },
    service: {},
  } as unknown as RoomAppDependencies
  const app = createRoomApp(dependencies, ROOM_ROUTES)
  const headers = { Host: '127.0.0.1:5062' }
  return documentOf(await app(new Request('http://127.0.0.1:5062/openapi.json', { headers })))
}

async function documentOf(response: Response): Promise<ApiDocument> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as ApiDocument
}
