import { availableParallelism } from 'node:os'
import { benchHandlers } from './handlers'
import { benchMedia } from './media'
import { benchRefusal } from './refusal'

console.log(
  `Node ${process.version}, ${availableParallelism()} cores. Ratios are of one run; the machine may be noisy.`,
)
await benchHandlers()
await benchRefusal()
await benchMedia()
