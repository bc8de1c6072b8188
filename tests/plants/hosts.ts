import type { WrittenPlant } from './plant'

export const hostPlants: readonly WrittenPlant[] = [
  {
    file: 'core/environment.ts',
    original: 'number >= min && number <= max ? number : undefined',
    planted: 'number >= min ? number : undefined',
    breaks: 'impossible settings are taken',
    caughtBy: 'unit/media/config',
  },
  {
    file: 'core/environment.ts',
    original: "if (/TOKEN|SECRET|PASSWORD|KEY/.test(name)) return '(not shown)'",
    planted: '',
    breaks: 'a wrong token is printed to the log',
    caughtBy: 'unit/room/config',
  },
  {
    file: 'core/adapters/system/machineIdentity.ts',
    original: ": createHash('sha256').update(stored).digest('hex').slice(0, 32)",
    planted: ': stored',
    breaks: 'other members see an id that players have written themselves',
  },
  {
    file: 'handlers/host/receivedRequest.ts',
    original: "Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')",
    planted: "Buffer.from(body, 'utf8')",
    breaks: 'uploads through API Gateway arrive as text',
  },
  {
    file: 'local-runner/cli/options/readOptions.ts',
    original: 'if (minutes !== undefined && Number(seconds) >= 60) return undefined',
    planted: '',
    breaks: 'the command line takes 1:75 for 2:15',
  },
  {
    file: 'core/media/oneShot/photoRange.ts',
    original: 'end ?? Math.min(endOf(range), duration)',
    planted: 'end ?? endOf(range)',
    breaks: 'a clip near the end of a video is refused',
  },
  {
    file: 'local-runner/cli/failure.ts',
    original: "'storage-full': 'No space is left",
    planted: "'storage-full': 'The video is broken",
    breaks: 'a full disk is taken for a bad video',
  },
  {
    file: 'local-runner/commandLine/failure.ts',
    original: "['too-busy', 'unavailable']",
    planted: "['too-busy']",
    breaks: 'scripts cannot tell what the machine lacks from a bad video',
  },
  {
    file: 'local-runner/room/relay/config.ts',
    original: "if (read.text('ROOM_RELAY_PASSWORD') !== undefined) {",
    planted: 'if (false) {',
    breaks: 'a relay that had a password starts as one for everyone',
  },
  {
    file: 'local-runner/room/webSocketFeed.ts',
    original: 'if (server.clients.size >= MAX_CLIENTS)',
    planted: 'if (server.clients.size > 10 * MAX_CLIENTS)',
    breaks: 'pages that connect again and again take the memory of the room service',
    caughtBy: 'contract/room/feedAccess',
  },
  {
    file: 'local-runner/room/webSocketFeed.ts',
    original: "refuse(socket, new ServiceError('invalid-request', WRONG_HANDSHAKE, { cause }))",
    planted: 'socket.destroy()',
    breaks: 'a client whose handshake is wrong is told nothing',
    caughtBy: 'contract/room/feedAccess',
  },
]
