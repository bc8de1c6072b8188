import { readFileSync } from 'node:fs'
import { ServiceError } from '#core/errors'
import { inspectFile } from '#core/formats/livePhoto/inspectLivePhoto'
import { readNow } from '#core/formats/source/reading'
import { mutate } from '#support/values/mutate'
import { createPrng } from '#support/values/prng'
import { phones } from '../../unit/formats/motionPhoto/samplePhones'

// A process of its own, so that its memory is that of reading photos: `[count] [large photo] [other photos…]`. With
// --expose-gc the copies that are made here do not count for long.

export type MutationFigures = {
  readonly photos: number
  /** How many were still judged, and how many refused. */
  readonly judged: number
  readonly refused: number
  readonly longestCpuMs: number
  readonly longestWallMs: number
  readonly peakMegabytes: number
}

const SEED = 20_261_122
/** Of so many photos one is the large one. */
const LARGE_EACH = 50

const [count = '', large = '', ...others] = process.argv.slice(2)
const small = [...Object.values(phones), ...others.map((path) => readFileSync(path))]
console.log(JSON.stringify(measure(Number(count), readFileSync(large))))

function measure(total: number, largePhoto: Uint8Array): MutationFigures {
  const prng = createPrng(SEED)
  const outcome = { judged: 0, refused: 0 }
  let longestCpuMs = 0
  let longestWallMs = 0
  for (let turn = 0; turn < total; turn += 1) {
    const pick = () => small[prng.integer(0, small.length - 1)] ?? new Uint8Array()
    const isLarge = turn % LARGE_EACH === 0
    if (isLarge) globalThis.gc?.()
    const photo = mutate(isLarge ? largePhoto : pick(), pick(), prng.next)
    const [startedAt, before] = [performance.now(), process.cpuUsage()]
    outcome[look(photo)] += 1
    const { user, system } = process.cpuUsage(before)
    longestCpuMs = Math.max(longestCpuMs, (user + system) / 1000)
    longestWallMs = Math.max(longestWallMs, performance.now() - startedAt)
  }
  const peakMegabytes = process.resourceUsage().maxRSS / 1024
  return { photos: total, ...outcome, longestCpuMs, longestWallMs, peakMegabytes }
}

/** Anything thrown but a refusal ends the process. */
function look(photo: Uint8Array): 'judged' | 'refused' {
  try {
    readNow(inspectFile({ size: photo.length }), photo)
    return 'judged'
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'internal') return 'refused'
    throw error
  }
}
