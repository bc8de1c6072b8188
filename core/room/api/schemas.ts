import { z } from '@hono/zod-openapi'

/** What goes over the wire: the same schemas validate and document. Unknown fields are ignored. */

const CODE_EXAMPLE = 'U/YNZE-U61D-2206-HXRG'
const STATES = [
  'waiting',
  'host-scanning',
  'host-starting',
  'host-ok',
  'guest-connecting',
  'guest-starting',
  'guest-ok',
  'exception',
] as const

const playerName = z
  .string({ error: 'must be text' })
  .max(256, 'must not be longer than 256 characters')
  .nullish()
  .openapi({ description: 'Name of the player; control characters are left out.', example: 'Alex' })

const roomCode = z
  .string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be text') })
  .max(4096, 'is no room code')
  .openapi({ description: 'The room code; it may stand inside other text.', example: CODE_EXAMPLE })

const PORT_RULE = 'must be a port, a whole number from 1 to 65535'

const port = z.int({ error: PORT_RULE }).min(1, PORT_RULE).max(65_535, PORT_RULE)

const portText = z
  .string({ error: PORT_RULE })
  .regex(/^\d{1,5}$/, PORT_RULE)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, PORT_RULE)
  .openapi({ type: 'integer', minimum: 1, maximum: 65_535 })

const launcherCustomString = z
  .string({ error: 'must be text of at most 128 printable characters' })
  .nullish()
  .openapi({ description: 'Identifies the launcher in the player\'s vendor; null, missing or "" clears it.' })

export const scanningQuery = z.object({
  player: playerName,
  room: roomCode.optional().openapi({ description: 'Additive: a valid code to host with.' }),
  gamePort: portText.optional().openapi({ description: 'Additive: host the world on this port.' }),
})

export const guestingQuery = z.object({ room: roomCode, player: playerName })

export const hostOrder = z
  .object({
    scaffoldingPort: port.nullish().openapi({ description: 'Port of the room protocol; default 13448.' }),
    playerName,
    launcherCustomString,
    room: roomCode.nullish().openapi({ description: 'Additive: a valid code to host with.' }),
    gamePort: port.nullish().openapi({ description: 'Additive: host the world on this port.' }),
    waitForGame: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .openapi({ description: 'Additive: false opens the room before there is a world; default true.' }),
    private: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .openapi({ description: 'Additive: a private room; only this software can join it.' }),
  })
  .openapi('HostOrder')

export const guestOrder = z.object({ roomCode, playerName, launcherCustomString }).openapi('GuestOrder')

export const gameChoice = z.object({ gamePort: port }).openapi('GameChoice')

export const launcherChoice = z.object({ launcherCustomString }).openapi('LauncherChoice')

export const profile = z
  .object({
    name: z.string(),
    machineId: z.string().openapi({ description: '32 hexadecimal characters.' }),
    vendor: z.string(),
    kind: z
      .enum(['HOST', 'GUEST', 'LOCAL'])
      .openapi({ description: 'LOCAL is the guest whose service this is.' }),
  })
  .openapi('Profile')

const role = z.enum(['host', 'guest']).nullable()

export const stateRecord = z
  .object({
    state: z.enum(STATES),
    role,
    room: z.string().nullable().openapi({ example: CODE_EXAMPLE }),
    profileIndex: z
      .int()
      .openapi({ description: 'Changes of players or difficulty since the last change of state.' }),
    profiles: z.array(profile),
    url: z
      .string()
      .nullable()
      .openapi({ description: 'Where the game connects; only in guest-ok.', example: '127.0.0.1' }),
    difficulty: z.enum(['UNKNOWN', 'EASIEST', 'SIMPLE', 'MEDIUM', 'TOUGH']).nullable(),
    index: z.int().openapi({ description: 'Additive: rises at every change.' }),
    exceptionType: z.int().min(0).max(5).nullable().openapi({ description: 'Additive: 0–5 in exception.' }),
    error: z.string().nullable(),
  })
  .openapi('State')

export const statusRecord = z
  .object({
    state: z.string().openapi({ example: 'Host_Running' }),
    role,
    error: z.string().nullable(),
    roomCode: z.string().nullable(),
    players: z.array(profile),
    gamePort: z.int().openapi({ description: 'Port of the world on this machine; 0 while there is none.' }),
    lastUpdate: z.string().openapi({ format: 'date-time' }),
    errorCode: z.string().nullable(),
    stage: z.string().nullable().openapi({ description: 'Where it failed.' }),
    hint: z.string().nullable().openapi({ description: 'What a player can do.' }),
    network: z
      .object({
        privacy: z.enum(['open', 'private']),
        nodes: z.array(
          z.object({
            url: z.string(),
            state: z.enum(['connecting', 'connected', 'failed']),
            latencyMs: z.number().nullable(),
            problem: z.string().nullable(),
          }),
        ),
        path: z.string().nullable().openapi({ description: '`direct` or `relay`.' }),
        carrier: z.string().nullable(),
        latencyMs: z.number().nullable(),
      })
      .nullable(),
  })
  .openapi('RoomStatus')

export const metaRecord = z
  .object({
    version: z.string(),
    compileTimestamp: z.string().openapi({ format: 'date-time' }),
    networkVersion: z.string(),
    overlayPort: z.string(),
    targetTuple: z.string(),
    targetArch: z.string(),
    targetVendor: z.string(),
    targetOS: z.string(),
    targetEnv: z.string(),
  })
  .openapi('Meta')

export const gameServers = z
  .object({
    servers: z.array(
      z.object({
        endPoint: z.string().openapi({ example: '127.0.0.1:25565' }),
        motd: z.string(),
        isVerified: z.boolean(),
        version: z.string().nullable(),
        onlinePlayers: z.int().nullable(),
        maxPlayers: z.int().nullable(),
        local: z.boolean().openapi({ description: 'Additive: on this machine.' }),
      }),
    ),
    count: z.int(),
  })
  .openapi('GameServers')

export const gameStatus = z
  .object({ totalServers: z.int(), verifiedServers: z.int(), timestamp: z.string() })
  .openapi('GameStatus')

export const networkServers = z
  .object({
    servers: z.array(
      z.object({
        hostname: z.string(),
        port: z.int(),
        protocol: z.string(),
        status: z.enum(['ok', 'failed', 'unknown']),
        latencyMs: z.number().nullable(),
        problem: z.string().nullable(),
      }),
    ),
  })
  .openapi('NetworkServers')

export const settingsRecord = z
  .object({
    launcherCustomString: z.string().nullable(),
    scaffoldingPort: z.int(),
    heartbeatMs: z.int(),
    direct: z.boolean(),
    private: z.boolean(),
    nodes: z.array(z.string()),
    lanInterfaces: z.array(z.string()).nullable(),
    machineId: z.string(),
  })
  .openapi('Settings')

export const message = z.object({ message: z.string() }).openapi('Message')

export const errorBody = z
  .object({
    error: z.string().openapi({ description: 'One sentence: what is wrong and what to do.' }),
    code: z.string().openapi({ description: 'Stable, for programs.' }),
    stage: z.string().optional(),
    hint: z.string().optional(),
  })
  .openapi('Error')
