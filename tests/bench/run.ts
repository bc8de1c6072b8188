import { availableParallelism } from 'node:os'
import { benchMedia } from './media'
import { benchRefusal } from './refusal'

console.log(
  `Node ${process.version}, ${availableParallelism()} cores. Ratios are of one run; the machine may be noisy.`,
)
await benchRefusal()
await benchMedia()
