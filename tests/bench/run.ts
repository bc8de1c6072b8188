import { availableParallelism, loadavg } from 'node:os'
import { benchEstimates, benchSentEstimates } from './estimates'
import { benchFolders } from './folders'
import { benchGreedyClients } from './greedyClients'
import { benchGreedyMembers } from './greedyMembers'
import { benchMedia } from './media'
import { benchNatTable } from './natTable'
import { benchPackagedFunctions } from './packagedFunctions'
import { benchRolling } from './rolling'
import { benchRoomLine } from './roomLine'
import { benchRoomLossyTcp } from './roomLossyTcp'
import { benchRoomScale } from './roomScale'
import { benchRoomThroughput } from './roomThroughput'
import { benchStart } from './start'
import { benchStudio } from './studio'
import { benchSweep } from './sweep'
import { benchTakeout } from './takeout'
import { benchWorkers } from './workers'

const benches: Readonly<Record<string, () => Promise<void>>> = {
  media: benchMedia,
  folders: benchFolders,
  studio: benchStudio,
  estimates: benchEstimates,
  sentPreviews: benchSentEstimates,
  start: benchStart,
  sweep: benchSweep,
  workers: benchWorkers,
  greedyClients: benchGreedyClients,
  packagedFunctions: benchPackagedFunctions,
  rolling: benchRolling,
  takeout: benchTakeout,
  roomThroughput: benchRoomThroughput,
  natTable: benchNatTable,
  roomLine: benchRoomLine,
  roomLossyTcp: benchRoomLossyTcp,
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
