import { ConfigError, type Environment } from '@lantern-room/base/settings'
import { readMediaConfig } from '@lantern-room/media'
import { readRoomConfig } from '@lantern-room/room'
import { readRelayConfig } from '../../../local-runner/room/relay/config'

/** No setting but a plain text takes it. */
const BAD = '\u0001'

/** What each setting is for. Names, allowed values and defaults come from the code that reads them. */
const MEANINGS: Readonly<Record<string, string>> = {
  MEDIA_PORT: 'Port of the motion photo API.',
  MEDIA_HOST: 'Address that it listens on. Default: 127.0.0.1.',
  MEDIA_METRICS_PORT:
    'Serves `/metrics` and `/health` without a token. Default: none. See [health and metrics](operating.md#health-and-metrics).',
  MEDIA_METRICS_HOST:
    'Address for that port; everyone who reaches it can read the metrics. Default: 127.0.0.1.',
  DATA_DIR:
    'Sessions (`store/`), work in progress (`work/`), the player’s identity (`room/`). Default: the system’s folder for application data.',
  S3_BUCKET:
    'Keeps sessions in this bucket instead of `DATA_DIR`. See [sessions in S3](operating.md#sessions-in-s3).',
  S3_ENDPOINT: 'Address of another S3-compatible store, with the bucket in the path. Default: Amazon S3.',
  S3_REGION: 'The bucket’s region. Default: `AWS_REGION`, else the profile’s.',
  S3_PREFIX: 'Folder in the bucket, if others use the bucket, too.',
  MEDIA_SERVICE_TOKEN:
    'Bearer token for everything but the preview, the PUT of an upload and the page at `/`. Default: open to everyone.',
  MEDIA_SERVICE_TOKENS:
    'More tokens, each with a name and limits. See [several clients](operating.md#several-clients).',
  CLIENT_QUOTAS:
    'What each client may use in a day; 429 beyond it. Default: no limit. See [quotas](operating.md#quotas).',
  SESSION_TTL_SECONDS: 'Lifetime of the sessions that this host makes.',
  PUBLIC_BASE_URL: 'Address in `preview_url`, behind a proxy or domain. Default: the request’s own.',
  TRUST_PROXY: 'Trusts `X-Forwarded-Proto`, `X-Forwarded-Host` and the last entry of `X-Forwarded-For`.',
  ALLOWED_ORIGINS:
    'Web pages that may call the API; then only GET, HEAD, POST and OPTIONS are allowed, and PUT and DELETE for uploads. Default: every origin.',
  CALLBACK_SECRET: 'Signs callbacks. See [callbacks](operating.md#callbacks).',
  CALLBACK_ORIGINS: 'Where `callback_url` may lead. Default: nowhere.',
  MAX_UPLOAD_BYTES: 'Largest upload.',
  MAX_STORE_BYTES:
    'Most bytes of sessions and uploads together; uploads beyond it are 503. Default: no limit.',
  MIN_FREE_BYTES: 'Bytes that uploads must leave free on the disk of `DATA_DIR`. Default: none.',
  UPLOAD_IDLE_SECONDS: 'An upload of which nothing arrives for so long ends with 400.',
  MAX_CLIP_SECONDS: 'Longest clip, after the speed.',
  MAX_INPUT_SECONDS: 'Longest preview; without `from` and `to` the rest of a longer video is cut off.',
  MAX_CONCURRENT_JOBS:
    'Previews, motion photos and thumbnails made at a time. Further requests wait, then get 429. See [load](operating.md#load).',
  PREPARE_QUEUE_URL:
    'A queue that hosts, functions and workers share. Default: none. See [one queue for all](operating.md#one-queue-for-all).',
  PREPARE_QUEUE_JOBS:
    'How many prepares of that queue this host does at a time; 0 = none, it only fills the queue. Default: `MAX_CONCURRENT_JOBS`.',
  PREPARE_TIMEOUT_SECONDS: 'Time limit of a request that prepares; 504 after it.',
  CONVERT_TIMEOUT_SECONDS: 'Time limit of a request that makes a photo; 504 after it.',
  PREVIEW_SIZE: '`fit` keeps to level 3.1 (1280×720); `source` keeps the video’s size.',
  PREVIEW_REDIRECT: 'Redirects (307) GETs of previews to signed addresses of the bucket. Default: false.',
  FFMPEG_PATH: 'The ffmpeg to run, also as `FFMPEG_BIN`. Default: the one that is found.',
  DRAIN_SECONDS:
    'How long the host serves on after SIGTERM, with `/health` at 503, so that proxies send requests elsewhere first; 0 = it stops at once. See [stopping](operating.md#start-stop-observe).',
  SHUTDOWN_SECONDS:
    'How long running requests may take when the host is told to stop. See [stopping](operating.md#start-stop-observe).',
  LOG_LEVEL: 'What is logged.',
  ROOM_PORT: 'Port of the room service on loopback; if taken, one of the next 100, then any.',
  ROOM_API_TOKEN:
    'Bearer token for everything but the page at `/`. Default: open to programs of this machine.',
  ROOM_ALLOWED_ORIGINS:
    'Web pages that may use the service, also of a program’s own scheme, such as `tauri://localhost`. Default: none.',
  SCAFFOLDING_PORT: 'Port of the room protocol on loopback; if taken, the next free one.',
  ROOM_LAN_INTERFACES: 'Interfaces used for the LAN. Default: all.',
  ROOM_NODES: 'Shared nodes. Default: the launchers’ public nodes and lists.',
  ROOM_STUN: 'STUN servers. Default: public servers.',
  ROOM_DIRECT: '`off`: no listener, no direct connections, no LAN; everything goes through shared nodes.',
  ROOM_PORT_MAPPING: 'Asks the router to open two ports while a room is open (NAT-PMP, UPnP).',
  ROOM_FRIEND_RELAY:
    'Relays for players of the room who find no direct path, if this machine can be reached. See [a friend as relay](rooms.md#a-friend-as-relay).',
  ROOM_FRIEND_RELAY_BYTES_PER_SECOND: 'The limit for that, for all pairs together.',
  ROOM_PRIVATE: 'New rooms are private: their codes begin with `L/`, and only this software can join them.',
  ROOM_APPROVAL: 'Players wait until the host lets them in.',
  ROOM_ALLOWED_PLAYERS:
    'Names or machine ids that are let in unasked; without `ROOM_APPROVAL` nobody else is. Default: everyone.',
  ROOM_INVITATION_PAGE:
    'An https page that takes invitations in its fragment. Default: links begin with `lantern-room:`.',
  ROOM_HEARTBEAT_MS: 'Interval of a guest’s heartbeat.',
  ROOM_LOG_FILE_BYTES: 'Size of a file of the log on disk (`room/logs` in the data folder).',
  ROOM_LOG_FILES: 'How many such files are kept.',
  ROOM_RELAY_HOST: 'Address that the node listens on. Default: all.',
  ROOM_RELAY_NAME: 'Name that members see. Default: lantern.',
  ROOM_RELAY_TCP_PORT: 'Port for TCP.',
  ROOM_RELAY_UDP_PORT: 'Port for UDP, and for STUN.',
  ROOM_RELAY_WS_PORT: 'Port for WebSocket; also answers `/health`.',
  ROOM_RELAY_MAX_ROOMS: 'Rooms at a time.',
  ROOM_RELAY_MAX_MEMBERS: 'Members of one room.',
  ROOM_RELAY_LINKS_PER_ADDRESS:
    'Connections from one address that have no room yet, and rooms that one address may open.',
  ROOM_RELAY_BYTES_PER_SECOND: 'Bytes relayed for one room.',
  ROOM_RELAY_TOTAL_BYTES_PER_SECOND: 'Bytes relayed for all rooms together.',
  ROOM_RELAY_OTHER_NETWORKS: 'Serves networks that are no rooms, too.',
}

const ELSEWHERE = /^(AWS_|ROOM_RELAY_PASSWORD$)/

/** The tables of every setting. @returns Markdown. @throws when the meaning of a setting is missing, or there is no such setting */
export function renderSettings(): string {
  const shown = new Set<string>()
  const groups: readonly (readonly [string, (env: Environment) => unknown])[] = [
    ['The motion photo API', readMediaConfig],
    ['The room service', readRoomConfig],
    ['A shared node: `room relay`', readRelayConfig],
  ]
  const text = groups.map(([title, read]) => {
    const settings = [...settingsOf(read)].filter(([name]) => !shown.has(name) && !ELSEWHERE.test(name))
    for (const [name] of settings) shown.add(name)
    const rows = settings.map(
      ([name, allowed]) => `| \`${name}\` | ${shortened(allowed)} | ${meaningOf(name)} |`,
    )
    return [`## ${title}`, '', '| Variable | Allowed | Meaning |', '|---|---|---|', ...rows].join('\n')
  })
  const unknown = Object.keys(MEANINGS).filter((name) => !shown.has(name))
  if (unknown.length > 0) throw new Error(`No such setting: ${unknown.join(', ')}`)
  return text.join('\n\n')
}

/** Every variable that is read, and what is allowed, as a start with wrong values says it. */
function settingsOf(read: (env: Environment) => unknown): ReadonlyMap<string, string> {
  const names: string[] = []
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(_, name) {
        names.push(String(name))
        return BAD
      },
    },
  )
  const allowed = new Map<string, string>()
  try {
    read(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) {
      const [, name = '', text = ''] = /^(\w+)=.*?: allowed is (.*)\.$/s.exec(problem) ?? []
      allowed.set(name, text.replaceAll('|', '\\|'))
    }
  }
  return new Map(names.map((name) => [name, allowed.get(name) ?? 'any text']))
}

/** As a table says it; an error is a sentence. */
function shortened(allowed: string): string {
  return allowed
    .replace('; the default is ', '; default: ')
    .replace(/^a whole number from (\d+) to (\d+)/, '$1 to $2')
    .replace('a whole number of bytes from 1', 'from 1')
    .replace('true or false (also 1 or 0)', 'true or false')
    .replace(/^a port from (\d+)/, '$1')
}

function meaningOf(name: string): string {
  const meaning = MEANINGS[name]
  if (meaning === undefined)
    throw new Error(`tests/support/docs/settingsReference.ts lacks the meaning of ${name}`)
  return meaning
}
