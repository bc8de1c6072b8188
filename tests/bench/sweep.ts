import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { openS3, type S3, s3Missing } from '#support/store/s3'
import { fillBucket, keysOfSessions, OBJECTS, sweepCounting } from '#support/store/sweptBucket'
import { startListedStore } from './listedStore'

const LATE_MS = 20
const SESSIONS = Number(process.env.SESSIONS ?? 100_000)
/** More take longer than anybody waits to be put into a real store. */
const REAL_SESSIONS = Math.min(SESSIONS, 20_000)
/** A sweep every quarter of an hour finds a 96th of what lives for a day. */
const SHARE = 96
const PREFIX = `bench-${process.pid}`

/** What a sweep costs in a bucket where each call takes 20 ms. `SESSIONS=1000` for fewer. */
export async function benchSweep(): Promise<void> {
  const expired = expiredOf(SESSIONS)
  const keys = keysOfSessions(SESSIONS - expired, expired).flat()
  const listed = await startListedStore(
    'bench',
    keys.map((key) => `${PREFIX}/${key}`),
  )
  await sweepTwice('a store that only lists', listed, SESSIONS)
  if (s3Missing !== undefined) return console.log(`\nSweep of a real store: not measured, ${s3Missing}`)
  const s3 = await openS3()
  const realExpired = expiredOf(REAL_SESSIONS)
  await fillBucket(s3, PREFIX, { live: REAL_SESSIONS - realExpired, expired: realExpired })
  await sweepTwice('a real store', s3, REAL_SESSIONS)
}

function expiredOf(sessions: number): number {
  return Math.round(sessions / SHARE)
}

/** Sweeps what has expired, and once more when nothing has. */
async function sweepTwice(
  where: string,
  s3: Omit<S3, 'client' | 'settings'>,
  sessions: number,
): Promise<void> {
  const folder = await makeTempFolder('lantern-bench-sweep')
  try {
    console.log(
      `\nSweep of ${sessions} sessions (${sessions * OBJECTS} objects) in ${where}, each call ${LATE_MS} ms late`,
    )
    for (const found of [expiredOf(sessions), 0]) {
      const before = process.cpuUsage()
      const { swept, ms, lists, deletes, others } = await sweepCounting(s3, {
        prefix: PREFIX,
        folder,
        lateMs: LATE_MS,
      })
      const { user, system } = process.cpuUsage(before)
      const times = `${(ms / 1000).toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of a processor)`
      console.log(
        `  ${found} expired: ${times}, ${lists} lists, ${deletes} deletes, ${others.length} others; removed ${swept?.sessions}`,
      )
    }
  } finally {
    await removeFolders(folder)
    await s3.stop()
  }
}
