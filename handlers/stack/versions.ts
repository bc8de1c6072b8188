import { LIVE, type lambdaOf } from './account'
import { capital, functionsOf, QUEUED } from './roles'
import type { Resources, StackSettings } from './settings'

/**
 * Requests reach the alias `live` of each function. A template only creates the aliases, at the newest code; `npm run deploy`
 * publishes versions and moves all aliases once the whole stack is deployed.
 */

/** The alias of what was live before the last deployment. */
const PREVIOUS = 'previous'
/** Code and settings as they were deployed last. */
const NEWEST = '$LATEST'

export function aliasResources(settings: StackSettings): Resources {
  const entries = functionsOf(settings).flatMap((name) =>
    [LIVE, PREVIOUS].map((Name) => {
      const FunctionName = { Ref: `${capital(name)}LambdaFunction` }
      const Properties = { FunctionName, FunctionVersion: NEWEST, Name }
      return [aliasIdOf(name, Name), { Type: 'AWS::Lambda::Alias', Properties }]
    }),
  )
  return Object.fromEntries(entries)
}

type Route = { readonly path: string }

/** What pages show as pictures and films, whose requests carry no rights. Their addresses cannot be guessed; a token leaves them open, too. */
const OPEN_ROUTES: ReadonlySet<string> = new Set([
  '/preview/{file}',
  '/sessions/{session_id}/strip.jpg',
  '/sessions/{session_id}/frames/{file}',
])

type Serverless = {
  readonly service: {
    readonly custom: { readonly authorizer: string; readonly queue: string }
    readonly functions: Record<string, unknown>
    getFunction(name: string): { targetAlias?: object; readonly events: readonly { http?: Route }[] }
  }
}

/**
 * The plugin of serverless.yml by which the gateway and the schedule call the aliases, for which serverless has no option,
 * by which one parameter gives the routes their authorizer, and which leaves out the function of a queue that there is not.
 */
// biome-ignore lint/style/noDefaultExport: it is how serverless takes a plugin
export default class CallAliases {
  readonly hooks: Readonly<Record<string, () => unknown>>

  constructor({ service }: Serverless) {
    const hook = () => {
      const { authorizer, queue } = service.custom
      for (const name of functionsOf({ queue })) {
        const called = service.getFunction(name)
        called.targetAlias = { name: LIVE, logicalId: aliasIdOf(name, LIVE) }
        if (authorizer === 'none') continue
        for (const { http } of called.events)
          if (http && !OPEN_ROUTES.has(http.path)) Object.assign(http, { authorizer })
      }
    }
    const leaveOut = () => service.custom.queue === 'off' && delete service.functions[QUEUED]
    this.hooks = { initialize: leaveOut, 'before:package:compileFunctions': hook }
  }
}

/** The service's stack, with whose name those of the functions begin, and whether it has a queue. */
type Stack = { readonly stack: string; readonly queue: string }

/**
 * Publishes each function, with its code and its settings, and makes the versions live that are new: all at once, or first for a share
 * of the calls.
 * @param trial of a canary; resolves after its time
 * @throws what the trial throws; then what was live before is so for all calls
 */
export async function promote(lambda: Lambda, stack: Stack, trial?: Trial): Promise<void> {
  const before = await versionsOf(lambda, stack, LIVE)
  // A function that has not changed keeps its version.
  const published = await each(stack, (FunctionName) => lambda.publishVersion({ FunctionName }))
  const versions = published.map(({ Version = NEWEST }) => Version)
  if (versions.every((version, index) => version === before[index])) return
  const hasLived = before.every((version) => version !== NEWEST)
  if (trial && hasLived) await tryOut(lambda, stack, { before, versions, trial })
  await point(lambda, stack, PREVIOUS, before)
  await point(lambda, stack, LIVE, versions)
}

/** A share of the calls from 0 to 1, and what is awaited meanwhile. */
export type Trial = { readonly share: number; readonly passes: () => Promise<void> }

type Tried = {
  readonly before: readonly string[]
  readonly versions: readonly string[]
  readonly trial: Trial
}

/** Calls are shared by weights of the alias. A function that has not changed keeps its version for all. */
async function tryOut(lambda: Lambda, stack: Stack, { before, versions, trial }: Tried): Promise<void> {
  const { share, passes } = trial
  try {
    await each(stack, async (FunctionName, index) => {
      const version = versions[index] ?? NEWEST
      if (version === before[index]) return
      const RoutingConfig = { AdditionalVersionWeights: { [version]: share } }
      await lambda.updateAlias({ FunctionName, Name: LIVE, RoutingConfig })
    })
    await passes()
  } catch (error) {
    await point(lambda, stack, LIVE, before)
    throw error
  }
}

/**
 * Makes the versions live again that were so before the last deployment.
 * @throws Error when there was only one
 */
export async function rollBack(lambda: Lambda, stack: Stack): Promise<void> {
  const versions = await versionsOf(lambda, stack, PREVIOUS)
  if (versions.every((version) => version === NEWEST)) {
    throw new Error('No earlier deployment of this stage is kept that could be live again.')
  }
  await point(lambda, stack, LIVE, versions)
}

/** What aliases need of the client. */
export type Lambda = Pick<ReturnType<typeof lambdaOf>, 'getAlias' | 'publishVersion' | 'updateAlias'>

async function versionsOf(lambda: Lambda, stack: Stack, Name: string): Promise<string[]> {
  const aliases = await each(stack, (FunctionName) => lambda.getAlias({ FunctionName, Name }))
  return aliases.map(({ FunctionVersion = NEWEST }) => FunctionVersion)
}

function point(lambda: Lambda, stack: Stack, Name: string, versions: readonly string[]) {
  return each(stack, (FunctionName, index) =>
    // Without the weights of a trial.
    lambda.updateAlias({
      FunctionName,
      Name,
      FunctionVersion: versions[index],
      RoutingConfig: { AdditionalVersionWeights: {} },
    }),
  )
}

function each<Result>({ stack, queue }: Stack, ask: (name: string, index: number) => Promise<Result>) {
  return Promise.all(functionsOf({ queue }).map((name, index) => ask(`${stack}-${name}`, index)))
}

function aliasIdOf(name: string, alias: string): string {
  return `${capital(name)}${capital(alias)}Alias`
}
