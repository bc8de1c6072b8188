import { createEmfMetrics } from '@lantern-room/adapters/system'
import { assert, suite } from '#support/runner/suite'
import { linesWritten } from '#support/values/testLog'

const test = suite('figures for CloudWatch')

type Directives = { readonly CloudWatchMetrics: readonly { readonly Dimensions: readonly string[][] }[] }
const dimensionsOf = (line: Readonly<Record<string, unknown>> | undefined) =>
  (line?._aws as Directives | undefined)?.CloudWatchMetrics[0]?.Dimensions

test('a client with a name has metrics of its own beside those of all, and the next line none of it', () => {
  const figures = { photoBytes: 4096, tookMs: 250 }
  const [named, unnamed, counted] = linesWritten(() => {
    const metrics = createEmfMetrics('prod')
    metrics.converted({ sessionId: 'a', client: 'app', ...figures })
    metrics.converted({ sessionId: 'b', client: undefined, ...figures })
    metrics.counted('SweptSessions', 3)
  })
  const ofAll = ['service', 'stage']
  assert.equal(
    dimensionsOf(named)?.map((set) => set.toSorted()),
    [ofAll, ['client', ...ofAll]],
  )
  assert.equal([named?.client, named?.PhotoBytes, named?.stage], ['app', 4096, 'prod'])
  assert.equal([dimensionsOf(unnamed)?.map((set) => set.toSorted()), unnamed?.client], [[ofAll], undefined])
  assert.equal(
    dimensionsOf(counted)?.map((set) => set.toSorted()),
    [ofAll],
  )
})

test.run()
