import { availableParallelism, loadavg } from 'node:os'
import { benchClipQuality } from './clipQuality'
import { benchGreedyMembers } from './greedyMembers'
import { benchHandlers } from './handlers'
import { benchInspect } from './inspect'
import { benchMedia } from './media'
import { benchNatJoins } from './natJoins'
import { benchNatTable } from './natTable'
import { benchOneShot } from './oneShot'
import { benchPages } from './pages'
import { benchPrivateRoom } from './privateRoom'
import { benchRealPair } from './realPair'
import { benchRefusal } from './refusal'
import { benchRoomIdle } from './roomIdle'
import { benchRoomJoin } from './roomJoin'
import { benchRoomLine } from './roomLine'
import { benchRoomProtocol } from './roomProtocol'
import { benchRoomScale } from './roomScale'
import { benchRoomThroughput } from './roomThroughput'
import { benchStart } from './start'
import { benchThumbnails } from './thumbnails'

const benches: Readonly<Record<string, () => Promise<void>>> = {
  handlers: benchHandlers,
  refusal: benchRefusal,
  media: benchMedia,
  clipQuality: benchClipQuality,
  inspect: benchInspect,
  thumbnails: benchThumbnails,
  oneShot: benchOneShot,
  pages: benchPages,
  start: benchStart,
  roomJoin: benchRoomJoin,
  roomProtocol: benchRoomProtocol,
  roomThroughput: benchRoomThroughput,
  privateRoom: benchPrivateRoom,
  realPair: benchRealPair,
  natTable: benchNatTable,
  natJoins: benchNatJoins,
  roomLine: benchRoomLine,
  roomIdle: benchRoomIdle,
  roomScale: benchRoomScale,
  greedyMembers: benchGreedyMembers,
}

// `npm run bench -- room`: only those whose name contains one of the words.
const words = process.argv.slice(2).map((word) => word.toLowerCase())
const isWanted = (name: string) =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word))

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}. Ratios are of one run; the machine may be noisy.`,
)
for (const [name, bench] of Object.entries(benches)) if (isWanted(name)) await bench()
