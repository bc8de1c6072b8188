import { alarmResources, type Timeouts } from './alarms'
import { bucketResources } from './bucket'
import { environmentOf, tokenResources } from './environment'
import { gatewayResources } from './gateway'
import { optionResources } from './options'
import { functionsOf, roleResources } from './roles'
import { join, type ResolveVariable, type Resources, readSettings, type StackSettings } from './settings'
import { aliasResources } from './versions'

/** The values that serverless.yml refers to, each as `${file(dist/stack/template.js):name}`. */

/** The arguments that serverless passes to each of them. */
type Told = { readonly resolveVariable: ResolveVariable }

export async function environment({ resolveVariable }: Told) {
  return environmentOf(await readSettings(resolveVariable))
}

/** MiB of temporary storage, by function. */
export async function storage({ resolveVariable }: Told) {
  return storageOf(await readSettings(resolveVariable))
}

/** Reserved concurrency by function; absent where nothing is reserved. */
export async function concurrency({ resolveVariable }: Told) {
  return (await readSettings(resolveVariable)).concurrency
}

export async function logRetentionDays({ resolveVariable }: Told) {
  return (await readSettings(resolveVariable)).logRetentionDays
}

/** Longest time of a response in milliseconds: one that is not streamed must be complete after 29 s. */
export async function answerWithin({ resolveVariable }: Told) {
  const settings = await readSettings(resolveVariable)
  const { responses } = settings
  const within = (seconds: number) => Math.min(seconds * 1000, responses === 'stream' ? 900_000 : 29_000)
  const timeouts = await timeoutsOf(settings, resolveVariable)
  return Object.fromEntries(functionsOf(settings).map((name) => [name, within(timeouts[name])]))
}

/** The layer with ffmpeg: one by its ARN, or the one that was published last for this stage. */
export async function layer({ resolveVariable }: Told) {
  const { ffmpegLayer: wanted, architecture, stage } = await readSettings(resolveVariable)
  const arn =
    wanted === 'published' ? `{{resolve:ssm:/lantern-room/${stage}/ffmpeg-layer/${architecture}}}` : wanted
  // A join, because serverless accepts only strings that begin like an ARN.
  return join(arn)
}

export async function resources({ resolveVariable }: Told) {
  const settings = await readSettings(resolveVariable)
  refuseOfflineDeploy(settings)
  const timeouts = await timeoutsOf(settings, resolveVariable)
  // As serverless names it: anew in each run, so that each deployment is made.
  const deployment = `ApiGatewayDeployment${await resolveVariable('sls:instanceId')}`
  const Resources: Resources = {
    ...bucketResources(settings),
    ...tokenResources(settings),
    ...roleResources(settings),
    ...aliasResources(settings),
    ...gatewayResources(settings, deployment),
    ...alarmResources(settings, timeouts),
    ...optionResources(settings, timeouts),
  }
  const outputs = OUTPUTS.filter(([resource]) => resource in Resources)
  return {
    Resources,
    Outputs: Object.fromEntries(
      outputs.map(([Ref, name, Description, Value = { Ref }]) => [name, { Description, Value }]),
    ),
    extensions: { [deployment]: { Properties: { StageName: { Ref: 'AWS::NoValue' } } } },
  }
}

const DOMAIN_TARGET = { 'Fn::GetAtt': ['ApiDomain', 'RegionalDomainName'] }

/** What a deployment tells of each of these resources that it has: by default its reference. */
const OUTPUTS: readonly (readonly [resource: string, name: string, description: string, value?: object])[] = [
  ['MediaBucket', 'BucketName', 'Bucket of sessions and uploads'],
  ['MediaToken', 'TokenSecret', 'Secret that holds the bearer token'],
  ['AlarmTopic', 'AlarmTopicArn', 'Topic that alarms are sent to'],
  ['ApiDomain', 'DomainTarget', 'Name of AWS to which the domain has to point', DOMAIN_TARGET],
]

/** Seconds that each function may run, from serverless.yml. */
async function timeoutsOf(settings: StackSettings, resolveVariable: ResolveVariable): Promise<Timeouts> {
  const entries = functionsOf(settings).map(
    async (name) => [name, Number(await resolveVariable(`self:functions.${name}.timeout`))] as const,
  )
  return Object.fromEntries(await Promise.all(entries)) as Timeouts
}

/** The stage `offline` is for this machine: deployed, its functions would search for sessions on a local disk. */
function refuseOfflineDeploy({ isOffline }: StackSettings): void {
  if (isOffline && process.argv.includes('deploy'))
    throw new Error('Name a stage: npm run deploy -- --stage prod')
}

const MEBIBYTE = 1024 * 1024

/** Largest bytes per second of a preview: 14 Mbit/s for the picture, plus sound. */
const PREVIEW_BYTES = 14_400_000 / 8

/** MiB of files that the store keeps for the next request. */
const KEPT = 256

/** Lambda's minimum and maximum, in MiB. */
const LEAST = 512
const MOST = 10_240

/**
 * MiB of `/tmp` that functions need for the largest files that the limits allow.
 * @throws Error when the configured limits need more than Lambda offers
 */
export function storageOf({ maxUploadBytes, maxInputSeconds, maxClipSeconds }: StackSettings) {
  const original = maxUploadBytes / MEBIBYTE
  const preview = (maxInputSeconds * PREVIEW_BYTES) / MEBIBYTE
  const clip = (maxClipSeconds * PREVIEW_BYTES) / MEBIBYTE
  return {
    // Twice, because sound that outlasts the picture is cut into a second file.
    prepare: fit(original + 2 * preview),
    // The cover at full size, and the photo's parts.
    convert: fit(original + preview + 2 * clip + 100),
    // The preview of the range, the cover at full size, and the photo's parts.
    motionPhoto: fit(original + 2 * preview + 2 * clip + 100),
    thumbnail: fit(preview),
    // Space for files that come in a form; an upload is read from the bucket. Animations need the clip as a file of at most 128 MiB.
    photo: fit(original + 128),
  }
}

function fit(mebibytes: number): number {
  const size = Math.ceil(Math.max(LEAST, mebibytes + KEPT) / 64) * 64
  if (size <= MOST) return size
  throw new Error(
    `MAX_UPLOAD_BYTES and MAX_INPUT_SECONDS ask for ${size} MiB of temporary storage; Lambda has ${MOST}. Lower them.`,
  )
}
