import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { openS3, s3Missing } from '#support/store/s3'
import { fillBucket, OBJECTS, sweepCounting } from '#support/store/sweptBucket'

const LATE_MS = 20
const SESSIONS = Number(process.env.SESSIONS ?? 100_000)
/** A sweep every quarter of an hour finds a 96th of what lives for a day. */
const SHARE = 96

/** What a sweep costs in a bucket where each call takes 20 ms. `SESSIONS=1000` for fewer. */
export async function benchSweep(): Promise<void> {
  if (s3Missing !== undefined) return console.log(`\nSweep: not measured, ${s3Missing}`)
  const s3 = await openS3()
  const folder = await makeTempFolder('lantern-bench-sweep')
  try {
    const expired = Math.round(SESSIONS / SHARE)
    const prefix = `bench-${process.pid}`
    await fillBucket(s3, prefix, { live: SESSIONS - expired, expired })
    console.log(
      `\nSweep of ${SESSIONS} sessions (${SESSIONS * OBJECTS} objects), each call ${LATE_MS} ms late`,
    )
    for (const found of [expired, 0]) {
      const { swept, ms, lists, deletes, others } = await sweepCounting(s3, {
        prefix,
        folder,
        lateMs: LATE_MS,
      })
      console.log(
        `  ${found} expired: ${(ms / 1000).toFixed(1)} s, ${lists} lists, ${deletes} deletes, ${others.length} others; removed ${swept?.sessions}`,
      )
    }
  } finally {
    await removeFolders(folder)
    await s3.stop()
  }
}
