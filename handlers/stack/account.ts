import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What `npm run deploy` asks an AWS account before and after it, by the clients that serverless has installed. */

/** The alias of each function that requests reach. */
export const LIVE = 'live'

export type Account = {
  /** Folder of the project. */
  readonly root: string
  readonly region: string
  readonly profile: string | undefined
}

/** @throws Error in one sentence without credentials that AWS takes */
export async function requireCredentials(account: Account): Promise<void> {
  try {
    const { STS } = sdkOf<typeof import('@aws-sdk/client-sts')>(account, 'sts')
    await new STS(optionsOf(account)).getCallerIdentity({})
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.?\s*$/, '') : String(cause)
    throw new Error(
      `AWS accepts no credentials from here (${reason}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --aws-profile.`,
      { cause },
    )
  }
}

export type Deployed = {
  /** The stack's outputs by their names. */
  readonly outputs: Readonly<Record<string, string>>
  /** The bearer token that the functions have got, if they have one. */
  readonly token: string | undefined
}

/** @param stack name of the service's stack, as `lantern-room-media-prod` */
export async function readDeployed(account: Account, stack: string): Promise<Deployed> {
  const { CloudFormation } = sdkOf<typeof import('@aws-sdk/client-cloudformation')>(account, 'cloudformation')
  const { Stacks } = await new CloudFormation(optionsOf(account)).describeStacks({ StackName: stack })
  const { Environment } = await lambdaOf(account).getFunctionConfiguration({
    FunctionName: `${stack}-health`,
    Qualifier: LIVE,
  })
  const named = (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])
  const { MEDIA_SERVICE_TOKEN, MEDIA_SERVICE_TOKENS } = Environment?.Variables ?? {}
  // Of several clients: `name:token:…`, the first of them.
  const token = MEDIA_SERVICE_TOKEN ?? MEDIA_SERVICE_TOKENS?.trim().split(/[:,\s]/)[1]
  return { outputs: Object.fromEntries(named), token }
}

/** The page, its manifest and its workers, by their names in the bucket, with their media types. */
const STUDIO_FILES = {
  'studio.html': 'text/html',
  'studio.webmanifest': 'application/manifest+json',
  'studio-worker.js': 'text/javascript',
  'studio-photos.js': 'text/javascript',
}

/** Puts the studio where the CDN of a stack that has one looks for it. @param folder of the built pages */
export async function putStudio(account: Account, { outputs }: Deployed, folder: string): Promise<void> {
  const Bucket = outputs.StudioBucketName
  if (Bucket === undefined) return
  const { S3 } = sdkOf<typeof import('@aws-sdk/client-s3')>(account, 's3')
  const s3 = new S3(optionsOf(account))
  for (const [Key, type] of Object.entries(STUDIO_FILES)) {
    const headers = { ContentType: `${type}; charset=utf-8`, CacheControl: 'no-cache' }
    await s3.putObject({ Bucket, Key, Body: await readFile(join(folder, Key)), ...headers })
  }
}

/** What a person needs next: the outputs, and the command that shows the token. */
export function describeDeployed({ region, profile }: Account, { outputs }: Deployed): string {
  const lines = Object.entries(outputs).map(([name, value]) => `  ${name.padEnd(31)} ${value}`)
  if (outputs.TokenSecret === undefined) return lines.join('\n')
  const where = `--region ${region}${profile === undefined ? '' : ` --profile ${profile}`}`
  const command = `aws secretsmanager get-secret-value ${where} --secret-id ${outputs.TokenSecret} --query SecretString --output text`
  return [...lines, '', 'The bearer token:', `  TOKEN=$(${command})`].join('\n')
}

/** Calls a live function by Lambda's own API. @returns its answer, as the gateway would get it */
export async function callLive(account: Account, FunctionName: string, Payload: string): Promise<string> {
  const answer = await lambdaOf(account).invoke({ FunctionName, Qualifier: LIVE, Payload })
  return new TextDecoder().decode(answer.Payload)
}

/** Names of the alarms of a stack that ring now. */
export async function ringingAlarms(account: Account, stack: string): Promise<readonly string[]> {
  const { CloudWatch } = sdkOf<typeof import('@aws-sdk/client-cloudwatch')>(account, 'cloudwatch')
  const asked = { AlarmNamePrefix: `${stack}-`, StateValue: 'ALARM' } as const
  const { MetricAlarms = [] } = await new CloudWatch(optionsOf(account)).describeAlarms(asked)
  return MetricAlarms.flatMap(({ AlarmName }) => AlarmName ?? [])
}

export function lambdaOf(account: Account) {
  const { Lambda } = sdkOf<typeof import('@aws-sdk/client-lambda')>(account, 'lambda')
  return new Lambda(optionsOf(account))
}

/** A client of AWS, of the version that serverless needs. */
function sdkOf<Sdk>({ root }: Account, service: string): Sdk {
  return createRequire(join(root, 'node_modules/serverless/package.json'))(`@aws-sdk/client-${service}`)
}

function optionsOf({ region, profile }: Account) {
  return { region, ...(profile && { profile }) }
}
