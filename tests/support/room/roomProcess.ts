import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { eventually } from '#support/values/until'
import { type ServerProcess, type Settings, startCommand } from '../process/serverProcess'

/** What `/room/status` says, as far as tests read it. */
export type RoomStatus = {
  readonly state: string
  readonly roomCode: string | null
  readonly error: string | null
  readonly errorCode: string | null
  readonly hint: string | null
  readonly hintCode: string | null
  readonly gamePort: number
  readonly guests: readonly { readonly id: string; readonly state: string }[]
  readonly players: readonly { readonly name: string; readonly kind: string; readonly machineId: string }[]
  readonly network: {
    readonly friendRelay: { readonly state: string; readonly pairs: number; readonly bytes: number } | null
    readonly path: string | null
    readonly relayedBy: string | null
    readonly carrier: string | null
    readonly latencyMs: number | null
  } | null
}

export type RoomProcess = {
  readonly url: string
  readonly process: ServerProcess
  status(): Promise<RoomStatus>
  /** GET without, POST with a body. */
  ask(
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  host(name: string, more?: Record<string, string>): Promise<string>
  join(code: string, name: string): Promise<void>
  /** Waits for a state of `/room/status`. @returns how many milliseconds it took */
  until(state: string, timeoutMs?: number): Promise<number>
  kill(): Promise<void>
  /** Ends it in order. */
  close(): Promise<void>
}

export type RoomProcessOptions = {
  readonly settings?: Settings
  /** Kept when it is given; else a new one that is removed at the end. */
  readonly dataDir?: string
  /** Put before the command: `ip netns exec NAME`. */
  readonly inside?: readonly string[]
}

/** Each look is a request, inside a namespace by a process of its own: more of them cost more than all that is tested. */
const LOOK_MS = 200

/** The built room service as a process of its own, on loopback unless the settings say otherwise. */
export async function startRoomProcess(options: RoomProcessOptions = {}): Promise<RoomProcess> {
  const dataDir = options.dataDir ?? (await makeTempFolder('room'))
  const command = [...(options.inside ?? []), process.execPath, 'dist/local-runner/main.mjs', 'room']
  const child = startCommand(command, {
    DATA_DIR: dataDir,
    ROOM_PORT: '0',
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    ROOM_STUN: '',
    ROOM_HEARTBEAT_MS: '1000',
    SCAFFOLDING_PORT: '23448',
    ...options.settings,
  })
  const [, url = ''] = await child.said(/room service listening on (\S+)/)
  const fetchIt = options.inside ? fetchInside(options.inside) : fetchHere

  return roomAt(url, child, {
    fetchIt,
    async removeData() {
      if (options.dataDir === undefined) await removeFolders(dataDir)
    },
  })
}

/** A room service that answers at `url`, as tests use it. */
export function roomAt(
  url: string,
  child: ServerProcess,
  { fetchIt = fetchHere, removeData = async () => {} }: RoomAccess = {},
): RoomProcess {
  const room: RoomProcess = {
    url,
    process: child,
    status: async () => (await room.ask('/room/status')).body as unknown as RoomStatus,
    ask: (path, body) => fetchIt(`${url}${path}`, body),
    async host(name, more = {}) {
      const query = new URLSearchParams({ player: name, ...more })
      const { body } = await room.ask(`/state/scanning?${query}`)
      return String(body.room)
    },
    async join(code, name) {
      await room.ask(`/state/guesting?${new URLSearchParams({ room: code, player: name })}`)
    },
    async until(state, timeoutMs = 60_000) {
      const startedAt = performance.now()
      await eventually(room.status, (status) => status.state === state, {
        ms: timeoutMs,
        everyMs: LOOK_MS,
        story: () => `and not ${state}\n${child.stderr()}`,
      })
      return performance.now() - startedAt
    },
    async kill() {
      const ended = await child.end('SIGKILL')
      await removeData()
      return ended
    },
    async close() {
      await child.end()
      await removeData()
    },
  }
  return room
}

type RoomAccess = {
  readonly fetchIt?: typeof fetchHere
  /** After it has ended. */
  readonly removeData?: () => Promise<void>
}

async function fetchHere(url: string, body: unknown) {
  const response = await fetch(url, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** A request from inside a network namespace, where nobody else can go. */
export function fetchInside(inside: readonly string[]) {
  return async (url: string, body: unknown) => {
    const post =
      body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)]
    const child = startCommand([...inside, 'curl', '-s', '-w', '\n%{http_code}', ...post, url])
    await child.ended
    const lines = child.stdout().split('\n')
    return {
      status: Number(lines.pop()),
      body: JSON.parse(lines.join('\n') || '{}') as Record<string, unknown>,
    }
  }
}
