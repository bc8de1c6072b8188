// The values that serverless.yml refers to, each as `${file(handlers/stack/template.js):name}`.
import { alarmOutputs, alarmResources } from './alarms.js'
import { bucketOutputs, bucketResources } from './bucket.js'
import { environmentOf } from './environment.js'
import { gatewayResources } from './gateway.js'
import { FUNCTIONS, roleResources } from './roles.js'
import { readSettings } from './settings.js'
import { storageOf } from './storage.js'
import { tokenOutputs, tokenResources } from './token.js'

export async function environment({ resolveVariable }) {
  return environmentOf(await readSettings(resolveVariable))
}

/** MiB of temporary storage, by function. */
export async function storage({ resolveVariable }) {
  return storageOf(await readSettings(resolveVariable))
}

/** Reserved concurrency by function; absent where nothing is reserved. */
export async function concurrency({ resolveVariable }) {
  return (await readSettings(resolveVariable)).concurrency
}

export async function logRetentionDays({ resolveVariable }) {
  return (await readSettings(resolveVariable)).logRetentionDays
}

/** Longest time of a response in milliseconds: one that is not streamed must be complete after 29 s. */
export async function answerWithin({ resolveVariable }) {
  const { responses } = await readSettings(resolveVariable)
  const within = (seconds) => Math.min(seconds * 1000, responses === 'stream' ? 900_000 : 29_000)
  const timeouts = await timeoutsOf(resolveVariable)
  return Object.fromEntries(FUNCTIONS.map((name) => [name, within(timeouts[name])]))
}

/** The layer with ffmpeg: one by its ARN, or the one that was published last for this stage. */
export async function layer({ resolveVariable }) {
  const { layer: wanted, architecture, stage } = await readSettings(resolveVariable)
  const arn =
    wanted === 'published' ? `{{resolve:ssm:/lantern-room/${stage}/ffmpeg-layer/${architecture}}}` : wanted
  // A join, because serverless accepts only strings that begin like an ARN.
  return { 'Fn::Join': ['', [arn]] }
}

export async function resources({ resolveVariable }) {
  const settings = await readSettings(resolveVariable)
  refuseOfflineDeploy(settings)
  return {
    Resources: {
      ...bucketResources(settings),
      ...tokenResources(settings),
      ...roleResources(),
      ...gatewayResources(settings),
      ...alarmResources(settings, await timeoutsOf(resolveVariable)),
    },
    Outputs: { ...bucketOutputs(), ...tokenOutputs(settings), ...alarmOutputs(settings) },
  }
}

/** Seconds that each function may run, from serverless.yml. */
async function timeoutsOf(resolveVariable) {
  const entries = FUNCTIONS.map(async (name) => [
    name,
    await resolveVariable(`self:functions.${name}.timeout`),
  ])
  return Object.fromEntries(await Promise.all(entries))
}

/** The stage `offline` is for this machine: deployed, its functions would search for sessions on a local disk. */
function refuseOfflineDeploy({ isOffline }) {
  if (isOffline && process.argv.includes('deploy'))
    throw new Error('Name a stage: npm run deploy -- --stage prod')
}
