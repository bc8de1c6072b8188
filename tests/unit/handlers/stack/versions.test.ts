import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { canaryOf } from '../../../../handlers/stack/canary'
import { type Lambda, promote, rollBack } from '../../../../handlers/stack/versions'

// What deployments do to the aliases of the functions, on a Lambda that keeps nothing but those.

type Alias = { version: string; weights: Readonly<Record<string, number>> }

const STACK = { stack: 'lantern-room-media-prod', queue: 'off' }

const test = suite('versions of a stage', {
  setUp: () => {
    const aliases = new Map<string, Alias>()
    const aliasOf = (name: string, alias: string) => {
      const key = `${name} ${alias}`
      const found = aliases.get(key) ?? { version: '$LATEST', weights: {} }
      aliases.set(key, found)
      return found
    }
    const versions = { next: 1 }
    const lambda = {
      getAlias: async ({ FunctionName = '', Name = '' }) => ({
        FunctionVersion: aliasOf(FunctionName, Name).version,
      }),
      // All of them change at each deployment, but the one of the sweep.
      publishVersion: async ({ FunctionName = '' }) => ({
        Version: FunctionName.endsWith('-sweep') ? '1' : String(versions.next),
      }),
      updateAlias: async ({ FunctionName = '', Name = '', FunctionVersion, RoutingConfig }: Update) => {
        const alias = aliasOf(FunctionName, Name)
        alias.version = FunctionVersion ?? alias.version
        alias.weights = RoutingConfig?.AdditionalVersionWeights ?? alias.weights
        return {}
      },
    } as unknown as Lambda
    const live = (name: string) => aliasOf(`${STACK.stack}-${name}`, 'live')
    const deploy = (trial?: Parameters<typeof promote>[2]) =>
      promote(lambda, STACK, trial).finally(() => {
        versions.next += 1
      })
    return { lambda, live, deploy }
  },
})

type Update = {
  readonly FunctionName?: string
  readonly Name?: string
  readonly FunctionVersion?: string
  readonly RoutingConfig?: { readonly AdditionalVersionWeights?: Readonly<Record<string, number>> }
}

/** A watch whose alarms ring as the list says, one entry for each look. */
function watchOf(looks: readonly (readonly string[])[]) {
  const slept: number[] = []
  let look = 0
  return {
    slept,
    alarms: async () => looks[Math.min(look++, looks.length - 1)] ?? [],
    sleep: async (ms: number) => slept.push(ms),
  }
}

test('a canary has a share of the calls for its time, and then all of them', async ({ live, deploy }) => {
  await deploy()
  const watch = watchOf([['rings since yesterday']])
  let during: Alias | undefined
  const trial = canaryOf('10:15', {
    ...watch,
    sleep: async (ms) => {
      during ??= { ...live('prepare') }
      await watch.sleep(ms)
    },
  })
  await deploy(trial)
  assert.equal(during, { version: '1', weights: { 2: 0.1 } })
  assert.equal(live('prepare'), { version: '2', weights: {} })
  assert.equal(live('sweep'), { version: '1', weights: {} })
  assert.is(
    watch.slept.reduce((sum, ms) => sum + ms, 0),
    15 * 60_000,
  )
})

test('an alarm that begins to ring gives all calls back to what was live before', async ({
  live,
  deploy,
}) => {
  await deploy()
  await deploy()
  const trial = canaryOf(
    '10:15',
    watchOf([['old'], ['old'], ['old', 'lantern-room-media-prod-PrepareFailures']]),
  )
  const error = await rejection(deploy(trial))
  assert.match(
    (error as Error).message,
    /^The alarm lantern-room-media-prod-PrepareFailures rings: .* live again/,
  )
  assert.equal(live('prepare'), { version: '2', weights: {} })
})

test('the first deployment has nothing to be compared with, and a roll-back takes no time', async ({
  lambda,
  live,
  deploy,
}) => {
  const watch = watchOf([[]])
  await deploy(canaryOf('50:5', watch))
  assert.equal([live('prepare').version, watch.slept], ['1', []])
  await deploy()
  await rollBack(lambda, STACK)
  assert.equal(live('prepare'), { version: '1', weights: {} })
})

test.run()
