import { type Account, LIVE, lambdaOf } from './account'
import { capital, FUNCTIONS } from './roles'
import type { Resources } from './settings'

/**
 * Requests reach the alias `live` of each function. A template only creates the aliases, at the newest code; `npm run deploy`
 * publishes versions and moves all aliases once the whole stack is deployed.
 */

/** The alias of what was live before the last deployment. */
const PREVIOUS = 'previous'
/** Code and settings as they were deployed last. */
const NEWEST = '$LATEST'

export function aliasResources(): Resources {
  const entries = FUNCTIONS.map((name) => {
    const FunctionName = { Ref: `${capital(name)}LambdaFunction` }
    const Properties = { FunctionName, FunctionVersion: NEWEST, Name: LIVE }
    return [aliasIdOf(name), { Type: 'AWS::Lambda::Alias', Properties }]
  })
  return Object.fromEntries(entries)
}

type Serverless = {
  readonly service: {
    readonly custom: { readonly authorizer: string }
    getFunction(name: string): { targetAlias?: object; readonly events: readonly { http?: object }[] }
  }
}

/**
 * The plugin of serverless.yml by which the gateway and the schedule call the aliases, for which serverless has no option, and
 * by which one parameter gives all routes their authorizer.
 */
// biome-ignore lint/style/noDefaultExport: it is how serverless takes a plugin
export default class CallAliases {
  readonly hooks: Readonly<Record<string, () => void>>

  constructor({ service }: Serverless) {
    const hook = () => {
      const { authorizer } = service.custom
      for (const name of FUNCTIONS) {
        const called = service.getFunction(name)
        called.targetAlias = { name: LIVE, logicalId: aliasIdOf(name) }
        if (authorizer === 'none') continue
        for (const { http } of called.events) if (http) Object.assign(http, { authorizer })
      }
    }
    this.hooks = { 'before:package:compileFunctions': hook }
  }
}

/**
 * Publishes each function, with its code and its settings, and makes the versions live that are new.
 * @param stack name of the service's stack, with which the functions' names begin
 */
export async function promote(account: Account, stack: string): Promise<void> {
  const lambda = lambdaOf(account)
  const changes = await Promise.all(
    FUNCTIONS.map(async (name) => {
      const FunctionName = `${stack}-${name}`
      const before = await versionOf(lambda, FunctionName, LIVE)
      // A function that has not changed keeps its version.
      const { Version = NEWEST } = await lambda.publishVersion({ FunctionName })
      return { FunctionName, before, Version }
    }),
  )
  if (changes.every(({ before, Version }) => before === Version)) return
  for (const { FunctionName, before } of changes) {
    if (before !== undefined && before !== NEWEST) await point(lambda, FunctionName, PREVIOUS, before)
  }
  await Promise.all(changes.map(({ FunctionName, Version }) => point(lambda, FunctionName, LIVE, Version)))
}

/**
 * Makes the versions live again that were so before the last deployment.
 * @throws Error when there was only one
 */
export async function rollBack(account: Account, stack: string): Promise<void> {
  const lambda = lambdaOf(account)
  const functions = FUNCTIONS.map((name) => `${stack}-${name}`)
  const versions = await Promise.all(functions.map((name) => versionOf(lambda, name, PREVIOUS)))
  if (versions.every((version) => version === undefined)) {
    throw new Error('No earlier deployment of this stage is kept that could be live again.')
  }
  await Promise.all(
    functions.map((name, index) => versions[index] && point(lambda, name, LIVE, versions[index])),
  )
}

type Lambda = ReturnType<typeof lambdaOf>

/** Undefined without such an alias. */
async function versionOf(lambda: Lambda, FunctionName: string, Name: string): Promise<string | undefined> {
  try {
    return (await lambda.getAlias({ FunctionName, Name })).FunctionVersion
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

async function point(lambda: Lambda, FunctionName: string, Name: string, FunctionVersion: string) {
  const alias = { FunctionName, Name, FunctionVersion }
  if ((await versionOf(lambda, FunctionName, Name)) === undefined) await lambda.createAlias(alias)
  else await lambda.updateAlias(alias)
}

function aliasIdOf(name: string): string {
  return `${capital(name)}LiveAlias`
}
