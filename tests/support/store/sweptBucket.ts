import { randomUUID } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { createS3ObjectStore } from '@lantern-room/adapters/objectStore/s3'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createStoreClock } from '@lantern-room/media'
import { sweepStore } from '@lantern-room/media/functions'
import { inParallel } from '../values/inParallel'
import { silentLog } from '../values/testLog'
import { startFaultyProxy } from './faultyProxy'
import type { S3 } from './s3'

/** The objects of a session, without the still that few have. */
export const OBJECTS = 5

/** Puts the objects of sessions into a bucket, as hosts leave them there but for their content. */
export async function fillBucket(
  { client, bucket }: S3,
  prefix: string,
  { live, expired }: { readonly live: number; readonly expired: number },
): Promise<void> {
  const { signal } = new AbortController()
  await inParallel(keysOfSessions(live, expired), 48, signal, async (keys) => {
    for (const key of keys)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/${key}`, Body: 'x' }))
  })
}

/** The keys of each session, in the order in which hosts write them. */
export function keysOfSessions(live: number, expired: number): string[][] {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const ages = [...Array<number>(live).fill(86_400), ...Array<number>(expired).fill(-60)]
  return ages.map((secondsLeft) => {
    const expiry = `expires-${nowSeconds + secondsLeft}`
    const session = `sessions/${randomUUID().replaceAll('-', '')}`
    return ['preview.mp4', expiry, 'strip.jpg', 'original', 'session.json'].map(
      (name) => `${session}/${name}`,
    )
  })
}

export type SweepCalls = {
  readonly swept: Awaited<ReturnType<typeof sweepStore>>
  readonly ms: number
  readonly lists: number
  readonly deletes: number
  /** Method and address of every other call that is not for the check object. */
  readonly others: readonly string[]
}

/** Sweeps a bucket through a proxy that counts the calls and makes each take so much longer. */
export async function sweepCounting(
  s3: Pick<S3, 'endpoint' | 'region' | 'bucket' | 'credentials'>,
  of: { readonly prefix: string; readonly folder: string; readonly lateMs: number },
): Promise<SweepCalls> {
  const { bucket, region, credentials } = s3
  const { prefix, folder, lateMs } = of
  const proxy = await startFaultyProxy(s3.endpoint)
  proxy.inject(() => ({ kind: 'late', ms: lateMs }))
  const store = createS3ObjectStore({ bucket, region, credentials, prefix, folder, endpoint: proxy.url })
  try {
    const log = silentLog()
    const clock = createStoreClock({ store, clock: createSystemClock(), log })
    const startedAt = performance.now()
    const swept = await sweepStore({ store, storeClock: clock, log })
    const ms = performance.now() - startedAt
    const calls = proxy.passed.filter(({ path }) => !/(check|answers)(\/|%2F)/.test(path))
    const isList = ({ path }: { path: string }) => path.includes('list-type=2')
    const isDelete = ({ path }: { path: string }) => /[?&]delete/.test(path)
    return {
      swept,
      ms,
      lists: calls.filter(isList).length,
      deletes: calls.filter(isDelete).length,
      others: calls.flatMap((call) =>
        isList(call) || isDelete(call) ? [] : [`${call.method} ${call.path}`],
      ),
    }
  } finally {
    store.close()
    await proxy.stop()
  }
}
